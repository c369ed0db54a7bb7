//! Never decodes: the browser does.
//!
//! Owns the contents of the pictures that messages in view carry.

use std::sync::Arc;

use leptos::prelude::*;

use crate::domain::hash::Hash;
use crate::ui::view_state::rows::Rows;

/// Pictures by their content address, as base64.
#[derive(Clone, Copy)]
pub struct Pictures(pub(super) Rows<Hash, Arc<str>>);

impl Pictures {
    pub(super) fn new() -> Self {
        Self(Rows::new())
    }

    /// The content of a picture, where it is on this device.
    pub fn content(&self, hash: &Hash) -> Signal<Option<Arc<str>>> {
        let (rows, hash) = (self.0, hash.clone());
        Signal::derive(move || {
            rows.order().track();
            rows.row(&hash).map(|row| row.get())
        })
    }
}
