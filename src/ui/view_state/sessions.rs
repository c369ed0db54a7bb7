//! Slice of the open sessions and the one in view.

use leptos::prelude::*;

use crate::ui::view_state::rows::KeyedRows;
use nexus_model::id::{Millis, SessionId};

/// What the switcher shows of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    pub label: String,
    /// When something was last said in it.
    pub last_message_at: Option<Millis>,
    pub working: bool,
    /// Whether a run waits for the operator in it.
    pub waits: bool,
    /// Whether another tab works in it, so that it can only be read here.
    pub read_only: bool,
}

/// The sessions that are open, newest first.
#[derive(Clone, Copy)]
pub struct Sessions {
    pub(super) rows: KeyedRows<SessionId, SessionRow>,
    focus: RwSignal<SessionId>,
}

impl Sessions {
    pub(super) fn new(focus: SessionId) -> Self {
        Self { rows: KeyedRows::new(), focus: RwSignal::new(focus) }
    }

    pub fn order(&self) -> Signal<Vec<SessionId>> {
        self.rows.order()
    }

    pub fn row(&self, id: &SessionId) -> Option<Signal<SessionRow>> {
        self.rows.row(id)
    }

    /// The row of a session as it is now, for handlers.
    pub fn get_untracked(&self, id: &SessionId) -> Option<SessionRow> {
        self.rows.get_untracked(id)
    }

    pub fn focus(&self) -> Signal<SessionId> {
        self.focus.into()
    }

    /// Whether the session in view can only be read here.
    pub fn read_only(&self) -> Signal<bool> {
        let this = *self;
        Signal::derive(move || this.row(&this.focus.get()).is_some_and(|row| row.get().read_only))
    }

    pub(super) fn set_focus(&self, id: SessionId) {
        if self.focus.get_untracked() != id {
            self.focus.set(id);
        }
    }
}
