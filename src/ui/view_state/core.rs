//! Never counts down: whoever shows a time does.
//!
//! Owns where the Core of the session in view stands.

use leptos::prelude::*;

use crate::domain::id::Millis;
use crate::domain::mind::Mind;
use crate::domain::sync::CoreState;
use crate::domain::timeline::Shared;
use crate::ui::view_state::rows::set_if_new;

/// What the board shows of the Core.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoreRow {
    /// Where it stands.
    pub state: CoreState,
    /// The mind before and after its last change.
    pub minds: Option<(Shared<Mind>, Shared<Mind>)>,
    /// When it will be asked by itself.
    pub due: Option<Millis>,
}

/// The Core of the session in view.
#[derive(Clone, Copy)]
pub struct CoreView(RwSignal<CoreRow>);

impl CoreView {
    pub(super) fn new() -> Self {
        Self(RwSignal::new(CoreRow::default()))
    }

    /// What is shown of it.
    pub fn row(&self) -> Signal<CoreRow> {
        self.0.into()
    }

    pub(super) fn set(&self, row: CoreRow) {
        set_if_new(&self.0, row);
    }
}
