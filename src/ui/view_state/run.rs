//! The newest run of the session in view and its queue; the activity feed, newest first, whose past the ledger
//! supplies; and streaming answers, with one signal per content part, updated every second frame, and less often if a
//! frame takes long.

use std::ops::Deref;

use crate::ui::hooks::events::milliseconds;
use crate::ui::kit::base::*;
use crate::ui::kit::selector::select_by;
use crate::ui::view_state::world_reader::{KeyedRows, WorldReader};
use nexus_model::event::{Event, Feed};
use nexus_model::id::{AgentKey, MessageId, Millis, QueueItemId, RunId, SessionId, TurnId};
use nexus_model::message::content::{MessagePart, PartBody};
use nexus_model::run::{PauseCause, Run, RunStatus};
use nexus_model::session::workers::below;
use nexus_model::session::{QueueItem, QueueMode, Session};
use nexus_model::turn::TurnKind;
use nexus_model::world::{World, WorldParts};
use nexus_text::vec_map::{VecMap, insert_by_key};
use nexus_view::timeline::PtrEq;

/// A run, and what else decides how it is shown.
#[derive(Clone, PartialEq)]
pub struct RunRow {
    run: PtrEq<Run>,
    has_open_turn: bool,
    /// True if it or a subagent that has not reported waits for an approval, or a subagent is paused.
    pub needs_approval: bool,
    /// When it retries a call.
    pub retry_at: Option<Millis>,
}

impl Deref for RunRow {
    type Target = Run;

    fn deref(&self) -> &Run {
        &self.run.0
    }
}

/// The newest run of the session in view, and its queue.
#[derive(Clone, Copy)]
pub struct RunView {
    pub run: Selector<Option<RunRow>>,
    /// True if it is working: queued or running, not paused.
    pub is_working: Selector<bool>,
    /// True if new messages are queued: a run is working or paused.
    pub is_open: Selector<bool>,
    /// The paused run whose next turn begins with *Resume*, and reads the queued messages that steer. Not one that waits
    /// for the choice of an answer, nor one that paused within a turn.
    pub steerable: Selector<Option<RunId>>,
    pub queue: KeyedRows<QueueItemId, PtrEq<QueueItem>>,
    pub held_count: Selector<usize>,
}

impl RunView {
    pub(crate) fn new(world: WorldReader, focus: RwSignal<SessionId>) -> Self {
        let run = world.select_of(focus, WorldParts::SESSIONS, run_row);
        let queue = KeyedRows::of(world.select_of(focus, WorldParts::SESSIONS, |world, session| {
            let waiting = world.waiting(session.id).into_iter();
            Arc::new(waiting.map(|item| (item.id, PtrEq(Arc::clone(item)))).collect())
        }));
        Self {
            run,
            is_working: run.map_some(move |run| run.status.is_working()),
            is_open: run.map_some(move |run| run.status.is_open()),
            steerable: run.map_some(|run| {
                let waits = run.status == RunStatus::Paused && run.pause != Some(PauseCause::Choice);
                (waits && !run.has_open_turn).then_some(run.id)
            }),
            queue,
            held_count: queue.map(move |queue| queue.iter().filter(|row| row.0.held).count()),
        }
    }

    /// The queue mode of the next message: it steers a paused run if *Resume* takes it along.
    pub fn queue_mode(&self, setting: QueueMode) -> QueueMode {
        if self.steerable.get().is_some() { QueueMode::Steer } else { setting }
    }
}

fn run_row(world: &World, session: &Session) -> Option<RunRow> {
    let run = world.run(&session.run?)?;
    let open_turn = world.open_turn(session);
    Some(RunRow {
        run: PtrEq(Arc::clone(run)),
        has_open_turn: open_turn.is_some(),
        needs_approval: run.needs_approval()
            || below(world, session.id).into_iter().any(|worker| needs_operator(world, worker)),
        retry_at: open_turn.and_then(|turn| turn.retry()).map(|retry| retry.at),
    })
}

pub(super) fn needs_operator(world: &World, session: SessionId) -> bool {
    world.session(&session).is_some_and(|session| world.needs_operator(session))
}

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
#[derive(Clone, Copy, Default)]
pub struct Activity {
    pub items: RwSignal<Vec<ActivityItem>>,
    /// Sequence of the newest item: an event read from the ledger may also arrive by the bus.
    newest: StoredValue<u64>,
}

impl Activity {
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

/// Delay before the next frame is requested, in milliseconds: every second of 60 frames per second.
const FRAME_INTERVAL: f64 = 25.0;
/// A frame, including layout and painting, is followed by a pause of this many times its duration.
const PAUSE_FACTOR: f64 = 2.0;

#[derive(Clone)]
pub struct LivePart {
    pub place: usize,
    pub thinking: bool,
    /// The text so far. It only grows, until the part is dropped.
    pub text: ArcRwSignal<String>,
}

impl LivePart {
    /// The text of an answer so far, without its thinking.
    pub fn text_of(parts: &[Self]) -> String {
        let mut text = String::new();
        for part in parts.iter().filter(|part| !part.thinking) {
            part.text.with(|piece| text.push_str(piece));
        }
        text
    }
}

impl PartialEq for LivePart {
    fn eq(&self, other: &Self) -> bool {
        (self.place, self.thinking) == (other.place, other.thinking)
    }
}

type LiveParts = ArcRwSignal<Vec<LivePart>>;

#[derive(Default)]
struct LiveTextState {
    messages: VecMap<MessageId, LiveParts>,
    /// Deltas that are not shown yet.
    pending: Vec<(MessageId, usize, bool, String)>,
    is_frame_requested: bool,
    /// No frame is requested before this time, in milliseconds.
    paused_until: f64,
}

#[derive(Clone, Copy, Default)]
pub struct LiveText(StoredValue<LiveTextState>);

impl LiveText {
    /// The parts of a streaming message, in order.
    pub fn parts(&self, message: MessageId) -> Selector<Vec<LivePart>> {
        let parts = self.signal(message);
        // A restarted part has another text at the same index.
        select_by(move || parts.get(), |_, _| false)
    }

    fn signal(&self, message: MessageId) -> LiveParts {
        if let Some(parts) = self.0.with_value(|inner| inner.messages.get(&message).cloned()) {
            return parts;
        }
        let parts = LiveParts::new(Vec::new());
        self.0.update_value(|inner| inner.messages.insert(message, parts.clone()));
        parts
    }

    /// Appends a delta; it is shown with one of the next frames.
    pub fn append(&self, message: MessageId, place: usize, thinking: bool, text: String) {
        let mut request_frame = false;
        self.0.update_value(|inner| {
            match inner.pending.last_mut() {
                Some((last, part, of_thinking, delta))
                    if (*last, *part, *of_thinking) == (message, place, thinking) =>
                {
                    delta.push_str(&text);
                }
                _ => inner.pending.push((message, place, thinking, text)),
            }
            request_frame = !std::mem::replace(&mut inner.is_frame_requested, true);
        });
        if request_frame {
            let this = *self;
            let wait = self.0.with_value(|inner| inner.paused_until) - milliseconds();
            let show = move || request_animation_frame(move || this.flush());
            if wait > 0.0 { set_timeout(show, Duration::from_secs_f64(wait / 1000.0)) } else { show() }
        }
    }

    /// Shows the text so far of an answer: appends what is not shown yet.
    pub fn show(&self, message: MessageId, parts: &[MessagePart]) {
        self.0.update_value(|inner| inner.pending.retain(|(id, ..)| *id != message));
        let texts = parts.iter().filter_map(|part| {
            let (PartBody::Text { text } | PartBody::Thinking { text }) = &part.body else { return None };
            Some((matches!(part.body, PartBody::Thinking { .. }), text))
        });
        let texts: Vec<(bool, &String)> = texts.collect();
        let continues = |known: &LivePart| {
            let now = texts.get(known.place).filter(|(thinking, _)| *thinking == known.thinking);
            now.is_some_and(|(_, text)| known.text.with_untracked(|known| text.starts_with(known)))
        };
        let shown = self.signal(message);
        if !shown.with_untracked(|shown| shown.iter().all(continues)) {
            // It was restarted, or a part turned out to be thinking.
            self.restart(message);
        }
        let shown = shown.get_untracked();
        for (place, (thinking, text)) in texts.into_iter().enumerate() {
            let known = shown.iter().find(|known| known.place == place);
            let length = known.map_or(0, |known| known.text.with_untracked(String::len));
            if let Some(rest) = text.get(length..).filter(|rest| !rest.is_empty()) {
                self.append(message, place, thinking, rest.to_owned());
            }
        }
    }

    fn flush(&self) {
        let (this, started) = (*self, milliseconds());
        let pending = self.0.try_update_value(|inner| {
            inner.is_frame_requested = false;
            inner.paused_until = started + FRAME_INTERVAL;
            std::mem::take(&mut inner.pending)
        });
        // Runs after the frame was painted.
        let painted = move || {
            let now = milliseconds();
            this.0.update_value(|inner| {
                inner.paused_until = inner.paused_until.max(now + (now - started) * PAUSE_FACTOR)
            });
        };
        set_timeout(painted, Duration::ZERO);
        for (message, place, thinking, delta) in pending.unwrap_or_default() {
            let parts = self.signal(message);
            let known = parts.with_untracked(|parts| parts.iter().find(|part| part.place == place).cloned());
            match known {
                Some(part) => part.text.update(|text| text.push_str(&delta)),
                None => parts.update(|parts| {
                    let part = LivePart { place, thinking, text: ArcRwSignal::new(delta) };
                    insert_by_key(parts, part, |part| part.place);
                }),
            }
        }
    }

    pub fn mark_as_thinking(&self, message: MessageId, place: usize) {
        self.0.update_value(|inner| {
            let of_part =
                |delta: &&mut (MessageId, usize, bool, String)| (delta.0, delta.1) == (message, place);
            inner.pending.iter_mut().filter(of_part).for_each(|delta| delta.2 = true);
        });
        self.signal(message).update(|parts| {
            parts.iter_mut().filter(|part| part.place == place).for_each(|part| part.thinking = true)
        });
    }

    /// Discards the text of a message whose call is retried.
    pub fn restart(&self, message: MessageId) {
        self.0.update_value(|inner| inner.pending.retain(|(id, ..)| *id != message));
        let parts = self.signal(message);
        if parts.with_untracked(|parts| !parts.is_empty()) {
            parts.set(Vec::new());
        }
    }

    /// Drops the state of a message that is stored now.
    pub fn forget(&self, message: MessageId) {
        self.0.update_value(|inner| {
            inner.pending.retain(|(id, ..)| *id != message);
            inner.messages.remove(&message);
        });
    }

    /// Drops the state of messages whose end another tab has stored.
    pub fn forget_ended(&self, is_streaming: impl Fn(MessageId) -> bool) {
        self.0.update_value(|inner| {
            inner.pending.retain(|(id, ..)| is_streaming(*id));
            inner.messages.retain(|id, _| is_streaming(*id));
        });
    }
}
