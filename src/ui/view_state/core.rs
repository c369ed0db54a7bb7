//! Slice of the Core's state in the session in view.

use leptos::prelude::*;

use crate::ui::view_state::rows::set_if_new;
use nexus_model::id::Millis;
use nexus_model::mind::Mind;
use nexus_model::mind::core_sync::CoreState;
use nexus_view::timeline::PtrEq;

/// What the board shows of the Core.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoreRow {
    /// Where it stands.
    pub state: CoreState,
    /// The mind before and after its last change.
    pub minds: Option<(PtrEq<Mind>, PtrEq<Mind>)>,
    /// The mind that the proposal was made for, and the mind as it is.
    pub proposed: Option<(PtrEq<Mind>, PtrEq<Mind>)>,
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

    pub fn row(&self) -> Signal<CoreRow> {
        self.0.into()
    }

    pub(super) fn set(&self, row: CoreRow) {
        set_if_new(&self.0, row);
    }
}
