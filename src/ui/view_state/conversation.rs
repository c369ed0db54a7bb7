//! Slice of the timeline of the session in view: row order and rows. `view::timeline` orders them.

use leptos::prelude::*;

use crate::ui::view_state::rows::{KeyedRows, set_if_new};
use nexus_model::id::TurnId;
use nexus_view::timeline::{TimelineKey, TimelineRow};

/// The timeline of the session in view.
#[derive(Clone, Copy)]
pub struct Conversation {
    pub(super) rows: KeyedRows<TimelineKey, TimelineRow>,
    earlier: RwSignal<Option<TurnId>>,
    loaded: RwSignal<bool>,
}

impl Conversation {
    pub(super) fn new() -> Self {
        Self { rows: KeyedRows::new(), earlier: RwSignal::new(None), loaded: RwSignal::new(false) }
    }

    /// The keys of the rows, oldest first.
    pub fn order(&self) -> Signal<Vec<TimelineKey>> {
        self.rows.order()
    }

    pub fn row(&self, key: &TimelineKey) -> Option<Signal<TimelineRow>> {
        self.rows.row(key)
    }

    /// The oldest loaded turn, where there are older ones that are not loaded.
    pub fn earlier(&self) -> Signal<Option<TurnId>> {
        self.earlier.into()
    }

    /// Whether the session's rows are there.
    pub fn loaded(&self) -> Signal<bool> {
        self.loaded.into()
    }

    pub(super) fn set(&self, rows: Vec<(TimelineKey, TimelineRow)>, earlier: Option<TurnId>) {
        self.rows.set(rows);
        set_if_new(&self.earlier, earlier);
        set_if_new(&self.loaded, true);
    }

    /// Shows nothing until another session is there.
    pub(super) fn clear(&self) {
        self.rows.set(Vec::new());
        set_if_new(&self.earlier, None);
        set_if_new(&self.loaded, false);
    }
}
