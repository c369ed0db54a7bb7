//! Never keeps the past: the ledger does, and gives its newest part when a session comes into view.
//!
//! Owns the activity feed.

use std::sync::Arc;

use leptos::prelude::*;

use crate::domain::event::Event;
use crate::domain::id::AgentKey;

/// How many items are held: the feed has no words for some.
const KEPT: usize = 240;

/// Who did something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    /// The operator: “You”.
    Operator,
    /// An agent.
    Agent(AgentKey),
    /// The program; the words name nobody.
    Program,
}

/// Something that happened. The feed has the words for it.
#[derive(Clone)]
pub struct ActivityItem {
    /// What happened.
    pub event: Arc<Event>,
    /// Who did it.
    pub actor: Actor,
}

/// What happened lately, newest first.
#[derive(Clone, Copy)]
pub struct Activity {
    items: RwSignal<Vec<ActivityItem>>,
    /// The newest event that was taken in: what was read back from the ledger may also come by the bus.
    newest: StoredValue<u64>,
}

impl Activity {
    pub(super) fn new() -> Self {
        Self { items: RwSignal::new(Vec::new()), newest: StoredValue::new(0) }
    }

    /// The items, newest first.
    pub fn items(&self) -> Signal<Vec<ActivityItem>> {
        self.items.into()
    }

    pub(super) fn note(&self, item: ActivityItem) {
        if item.event.seq <= self.newest.get_value() {
            return;
        }
        self.newest.set_value(item.event.seq);
        self.items.update(|items| {
            items.insert(0, item);
            items.truncate(KEPT);
        });
    }

    /// Begins again with what happened before, oldest first.
    pub(super) fn set_past(&self, past: impl DoubleEndedIterator<Item = ActivityItem>) {
        let items: Vec<_> = past.rev().take(KEPT).collect();
        self.newest.set_value(items.first().map_or(0, |item| item.event.seq));
        self.items.set(items);
    }

    pub(super) fn clear(&self) {
        self.newest.set_value(0);
        if self.items.with_untracked(|items| !items.is_empty()) {
            self.items.set(Vec::new());
        }
    }
}
