//! The timeline of the session in view: row order and rows. `view::timeline` orders them.

use std::rc::Rc;
use std::sync::Arc;

use send_wrapper::SendWrapper;

use crate::ui::kit::selector::{Selector, select};
use crate::ui::kit::signal::RwSignal;
use crate::ui::view_state::world_reader::{KeyedRows, OrderedRows, WorldReader};
use nexus_engine::port::Clock;
use nexus_model::id::{MessageId, SessionId, TurnId};
use nexus_model::message::{Role, Source};
use nexus_model::world::{World, WorldParts};
use nexus_view::local_time::LocalTime;
use nexus_view::timeline::{Timeline, TimelineKey, TimelineRow, mark_days};

#[derive(Clone, Copy)]
pub struct Conversation {
    /// The rows, oldest first.
    pub rows: KeyedRows<TimelineKey, TimelineRow>,
    /// The oldest loaded turn, if older ones are not loaded.
    pub earlier: Selector<Option<TurnId>>,
    pub loaded: Selector<bool>,
    /// Sequence of the newest message that was seen when the page was hidden.
    pub seen: RwSignal<Option<u64>>,
    /// Depth of the oldest turn to show.
    pub floor: RwSignal<Option<u64>>,
    read: RwSignal<Option<ReadTimeline>>,
}

/// Orders the rows of a session, like [`timeline_above`](nexus_view::timeline::timeline_above). Loaded with the war
/// room.
type ReadTimeline = fn(&World, SessionId, Option<u64>, u64) -> Timeline;

impl Conversation {
    pub(super) fn new(
        world: WorldReader,
        focus: RwSignal<SessionId>,
        clock: Rc<dyn Clock>,
        local: LocalTime,
    ) -> Self {
        let (seen, floor, clock) = (RwSignal::new(None), RwSignal::new(None::<u64>), SendWrapper::new(clock));
        let read = RwSignal::new(None::<ReadTimeline>);
        let timeline = world.select(WorldParts::SESSIONS, move |world| {
            let (seen, floor) = (seen.get(), floor.get().unwrap_or_default());
            let mut timeline =
                read.get().map(|read| read(world, focus.get(), seen, floor)).unwrap_or_default();
            let today = local.day_number(clock.now());
            mark_days(&mut timeline.rows, today, |at| local.day_number(at));
            (Arc::new(timeline.rows.into_iter().collect::<OrderedRows<_, _>>()), timeline.earlier)
        });
        let rows = KeyedRows::of(select(move || timeline.with(|(rows, _)| Arc::clone(rows))));
        Self {
            rows,
            earlier: select(move || timeline.with(|(_, earlier)| *earlier)),
            loaded: world.select(WorldParts::SESSIONS, move |world| world.session(&focus.get()).is_some()),
            seen,
            floor,
            read,
        }
    }

    /// Sets the function that orders rows.
    pub fn set_reader(&self, read: ReadTimeline) {
        if self.read.with_untracked(Option::is_none) {
            self.read.set(Some(read));
        }
    }

    /// The operator's newest answered message, for handlers.
    pub fn last_question(&self) -> Option<MessageId> {
        let is_asked = |key: &TimelineKey| {
            let row = self.rows.get_untracked(key)?;
            let message = row.message()?;
            let is_question = message.role == Role::User && message.source != Some(Source::Agent);
            (is_question && message.turn.is_some()).then_some(message.id)
        };
        self.rows.order.with_untracked(|order| order.iter().rev().find_map(is_asked))
    }
}
