//! Slice of image contents of the messages in view, as base64.

use std::sync::Arc;

use leptos::prelude::*;

use crate::ui::view_state::rows::KeyedRows;
use nexus_text::content_hash::ContentHash;

/// Pictures by their content address, as base64.
#[derive(Clone, Copy)]
pub struct ImageCache(pub(super) KeyedRows<ContentHash, Arc<str>>);

impl ImageCache {
    pub(super) fn new() -> Self {
        Self(KeyedRows::new())
    }

    /// The content of a picture, where it is on this device.
    pub fn content(&self, hash: &ContentHash) -> Signal<Option<Arc<str>>> {
        let (rows, hash) = (self.0, hash.clone());
        Signal::derive(move || {
            rows.order().track();
            rows.row(&hash).map(|row| row.get())
        })
    }
}
