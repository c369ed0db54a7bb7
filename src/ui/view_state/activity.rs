//! The activity feed, newest first. The ledger supplies its past when a session comes into view.

use std::sync::Arc;

use crate::ui::kit::signal::RwSignal;
use crate::ui::kit::stored::StoredValue;

use nexus_model::event::{Event, Feed};
use nexus_model::id::{AgentKey, TurnId};
use nexus_model::turn::TurnKind;
use nexus_model::world::World;
use nexus_text::vec_map::VecMap;

/// Maximum number of items: some have no text in the feed.
const MOST_ITEMS: usize = 240;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    Operator,
    Agent(AgentKey),
    /// The program; the text names nobody.
    Program,
}

/// The kinds and agents of turns that are not loaded.
pub type Actors = VecMap<TurnId, (TurnKind, AgentKey)>;

/// Who caused an event. `actors` has the turns that are not loaded.
pub fn actor_of(world: &World, actors: &Actors, event: &Event, feed: Feed) -> Actor {
    if feed == Feed::Operator {
        return Actor::Operator;
    }
    let known = |id: TurnId| {
        let loaded = world.turn(&id).map(|turn| (turn.kind, turn.agent.clone()));
        loaded.or_else(|| actors.get(&id).cloned())
    };
    match event.turn.and_then(known) {
        Some((TurnKind::Normal, agent)) => Actor::Agent(agent),
        Some((TurnKind::Merge, _)) => Actor::Operator,
        Some((TurnKind::Compaction, _)) | None => Actor::Program,
    }
}

#[derive(Clone)]
pub struct ActivityItem {
    pub event: Arc<Event>,
    pub actor: Actor,
}

/// Recent events, newest first.
#[derive(Clone, Copy)]
pub struct Activity {
    /// Newest first.
    pub items: RwSignal<Vec<ActivityItem>>,
    /// Sequence of the newest item: an event read from the ledger may also arrive by the bus.
    newest: StoredValue<u64>,
}

impl Activity {
    pub(super) fn new() -> Self {
        Self { items: RwSignal::new(Vec::new()), newest: StoredValue::new(0) }
    }

    pub fn note(&self, item: ActivityItem) {
        if item.event.seq <= self.newest.get_value() {
            return;
        }
        self.newest.set_value(item.event.seq);
        self.items.update(|items| {
            items.insert(0, item);
            items.truncate(MOST_ITEMS);
        });
    }

    /// Restarts with past events, oldest first.
    pub fn set_past(&self, past: impl DoubleEndedIterator<Item = ActivityItem>) {
        let items: Vec<_> = past.rev().take(MOST_ITEMS).collect();
        self.newest.set_value(items.first().map_or(0, |item| item.event.seq));
        self.items.set(items);
    }

    pub fn clear(&self) {
        self.newest.set_value(0);
        if self.items.with_untracked(|items| !items.is_empty()) {
            self.items.set(Vec::new());
        }
    }
}
