//! The activity feed, newest first. The ledger supplies its past when a session comes into view.

use std::sync::Arc;

use crate::ui::kit::signal::RwSignal;
use crate::ui::kit::stored::StoredValue;

use nexus_model::event::{Event, Feed};
use nexus_model::id::{AgentKey, TurnId};
use nexus_model::turn::TurnKind;
use nexus_model::world::World;
use nexus_text::vec_map::VecMap;

/// How many items are held: the feed has no words for some.
const KEPT: usize = 240;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actor {
    Operator,
    Agent(AgentKey),
    /// The program; the words name nobody.
    Program,
}

/// The kinds and agents of turns that are not loaded.
pub type Actors = VecMap<TurnId, (TurnKind, AgentKey)>;

/// Who did what an event tells of. `actors` knows the turns that are not loaded.
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

/// What happened lately, newest first.
#[derive(Clone, Copy)]
pub struct Activity {
    /// Newest first.
    pub items: RwSignal<Vec<ActivityItem>>,
    /// The newest event that was taken in: what was read back from the ledger may also come by the bus.
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
            items.truncate(KEPT);
        });
    }

    /// Begins again with what happened before, oldest first.
    pub fn set_past(&self, past: impl DoubleEndedIterator<Item = ActivityItem>) {
        let items: Vec<_> = past.rev().take(KEPT).collect();
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
