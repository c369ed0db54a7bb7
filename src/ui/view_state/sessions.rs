//! The open sessions, the one in view, and its timeline: row order and rows. `view::timeline` orders them.

use crate::ui::kit::base::*;
use crate::ui::view_state::run::needs_operator;
use crate::ui::view_state::world_reader::{KeyedRows, OrderedRows, WorldReader};
use nexus_engine::port::Clock;
use nexus_model::id::{MessageId, Millis, SessionId, ToolRunId, TurnId};
use nexus_model::run::RunStatus;
use nexus_model::session::workers::below;
use nexus_model::session::{SessionFilter, SessionOrigin};
use nexus_model::world::{World, WorldParts};
use nexus_text::vec_map::{VecMap, VecSet, by_key};
use nexus_view::local_time::LocalTime;
use nexus_view::session_list::{place, shortened};
use nexus_view::timeline::{Timeline, TimelineKey, TimelineRow, mark_days};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// Its label, or its title while it has no label.
    pub label: String,
    pub pinned: bool,
    /// True if it was forked from another one, whose title it may share.
    pub forked: bool,
    pub last_message_at: Option<Millis>,
    pub is_working: bool,
    pub is_waiting: bool,
    /// True if another tab has its lock, so that it is read-only here.
    pub read_only: bool,
}

/// The open sessions: pinned ones first, then by latest message.
#[derive(Clone, Copy)]
pub struct Sessions {
    pub rows: KeyedRows<SessionId, SessionRow>,
    pub focus: RwSignal<SessionId>,
    in_other_tab: RwSignal<VecSet<SessionId>>,
    pub read_only: Selector<bool>,
}

impl Sessions {
    pub(crate) fn new(world: WorldReader, first: SessionId) -> Self {
        let (focus, in_other_tab) = (RwSignal::new(first), RwSignal::new(VecSet::new()));
        let rows = KeyedRows::of(world.select(WorldParts::SESSIONS, move |world| {
            in_other_tab.with(|in_other_tab| Arc::new(rows(world, focus.get(), in_other_tab)))
        }));
        let read_only = move || rows.with(|rows| rows.get(&focus.get()).is_some_and(|row| row.read_only));
        Self { rows, focus, in_other_tab, read_only: select(read_only) }
    }

    /// The rows of a list that shows at most `most` of them, besides those that need the operator and the one in view.
    pub fn shown(self, most: usize) -> Selector<Vec<SessionId>> {
        self.rows.map(move |rows| {
            let is_needed =
                |id: &SessionId| self.focus.get() == *id || rows.get(id).is_some_and(|row| row.is_waiting);
            shortened(rows.order(), most, is_needed)
        })
    }

    /// True if another tab is known to have the lock of the session in view.
    pub(super) fn is_in_other_tab(&self) -> bool {
        self.in_other_tab.with(|elsewhere| elsewhere.contains(&self.focus.get()))
    }

    pub fn set_in_other_tab(&self, id: SessionId, is_elsewhere: bool) {
        self.in_other_tab.update(|all| if is_elsewhere { all.insert(id) } else { all.remove(&id) });
    }
}

fn rows(
    world: &World,
    focus: SessionId,
    elsewhere: &VecSet<SessionId>,
) -> OrderedRows<SessionId, SessionRow> {
    let sessions = world
        .sessions
        .values()
        .filter(|session| session.id == focus || SessionFilter::of(session) == Some(SessionFilter::Open));
    let sessions = by_key(sessions, |session| place(session));
    let needs_operator = |id| needs_operator(world, id);
    let rows = sessions.into_iter().map(|session| {
        let run = world.open_run(session);
        let status = run.map(|run| run.status);
        let workers = below(world, session.id);
        let row = SessionRow {
            label: session.name().into_owned(),
            pinned: session.pinned,
            forked: session.origin == SessionOrigin::Fork,
            last_message_at: session.last_message_at,
            is_working: status.is_some_and(RunStatus::is_working)
                && !run.is_some_and(|run| run.needs_approval())
                || run.is_none() && !workers.is_empty(),
            is_waiting: needs_operator(session.id) || workers.into_iter().any(needs_operator),
            read_only: elsewhere.contains(&session.id),
        };
        (session.id, row)
    });
    rows.collect()
}

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
    /// Where the reader left sessions, unless at the end: a row's element id, and its distance from the upper edge.
    pub places: StoredValue<VecMap<SessionId, (String, f64)>>,
    /// The first calls of the opened groups.
    pub open_groups: RwSignal<Vec<ToolRunId>>,
    read: RwSignal<Option<ReadTimeline>>,
}

/// Orders the rows of a session, like [`timeline_above`](nexus_view::timeline::timeline_above). Loaded with the war
/// room.
type ReadTimeline = fn(&World, SessionId, Option<u64>, u64) -> Timeline;

impl Conversation {
    pub(crate) fn new(
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
        let rows = KeyedRows::of(timeline.map(move |(rows, _)| Arc::clone(rows)));
        Self {
            rows,
            earlier: timeline.map(move |(_, earlier)| *earlier),
            loaded: world.select(WorldParts::SESSIONS, move |world| {
                let head = world.session(&focus.get()).map(|session| session.head);
                head.is_some_and(|head| head.is_none_or(|turn| world.turn(&turn).is_some()))
            }),
            seen,
            floor,
            places: StoredValue::default(),
            open_groups: RwSignal::default(),
            read,
        }
    }

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
            (message.is_question() && message.turn.is_some()).then_some(message.id)
        };
        self.rows.order.with_untracked(|order| order.iter().rev().find_map(is_asked))
    }
}
