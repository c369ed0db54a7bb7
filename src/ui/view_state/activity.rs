//! Never keeps the past: the ledger does. What is here came since the session came into view.
//!
//! Owns the activity feed.

use leptos::prelude::*;

use crate::domain::id::{AgentKey, Millis};

/// How many items the feed holds.
const KEPT: usize = 80;

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

/// Something that happened, in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActivityItem {
    /// Its number, the key of the list.
    pub number: u64,
    /// When it happened.
    pub at: Millis,
    /// Who did it.
    pub actor: Actor,
    /// What was done, to be read after the name of who did it: “wrote timer.js”.
    pub what: String,
}

/// What happened lately, newest first.
#[derive(Clone, Copy)]
pub struct Activity {
    items: RwSignal<Vec<ActivityItem>>,
    last: StoredValue<u64>,
}

impl Activity {
    pub(super) fn new() -> Self {
        Self { items: RwSignal::new(Vec::new()), last: StoredValue::new(0) }
    }

    /// The items, newest first.
    pub fn items(&self) -> Signal<Vec<ActivityItem>> {
        self.items.into()
    }

    pub(super) fn note(&self, at: Millis, actor: Actor, what: String) {
        let number = self.last.with_value(|last| last.saturating_add(1));
        self.last.set_value(number);
        self.items.update(|items| {
            items.insert(0, ActivityItem { number, at, actor, what });
            items.truncate(KEPT);
        });
    }

    pub(super) fn clear(&self) {
        if self.items.with_untracked(|items| !items.is_empty()) {
            self.items.set(Vec::new());
        }
    }
}
