//! Never decides what becomes of an answer, and never asks while a run works or another sync of the session is open:
//! `decide` holds that, and merges what comes.
//!
//! Owns the service of the Core: it watches for quiet after files changed, opens the sync that is due, asks the model
//! on `core.requests`, and records what it says. [`prompt`] makes the question. It is a part of the program of its own;
//! `engine::late` stands in for it until something happens that it has to see.

mod join;
mod prompt;

use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::future::{AbortHandle, Abortable, Either, FutureExt as _, select};
use futures_util::stream::{self, StreamExt as _};

use crate::domain::command::Command;
use crate::domain::event::{Event, Happening};
use crate::domain::failure::{Failure, FailureCategory};
use crate::domain::hash::Hash;
use crate::domain::id::{Millis, SessionId, SyncId};
use crate::domain::limits::DRAFT_QUIET_MS;
use crate::domain::live::Live;
use crate::domain::model::{Prompt, Thinking, ToolSpec, Usage};
use crate::domain::part::Part;
use crate::domain::session::Session;
use crate::domain::sorted::SortedMap;
use crate::domain::sync::answer::{patch_tool, read_answer};
use crate::domain::sync::{NO_PATCH, SyncCause, SyncRules, has_changed, is_due};
use crate::domain::world::World;
use crate::engine::aside::{Aside, Ask, NoAnswer};
use crate::engine::bus::Bus;
use crate::engine::handle::Handle;
use crate::engine::late::{Events, Late};
use crate::engine::ledger::WorldRef;
use crate::engine::limiter::sleep_until;
use crate::engine::parts::NotLoaded;
use crate::engine::port::{Clock, Spawn, Store};

/// How much later than its time typing may become an edit and still count as typed then, in milliseconds.
const LATE_MS: u64 = 500;

/// The service of the Core.
pub struct Core {
    pub(super) world: WorldRef,
    pub(super) handle: Handle,
    pub(super) bus: Rc<Bus>,
    pub(super) clock: Rc<dyn Clock>,
    pub(super) spawn: Rc<dyn Spawn>,
    pub(super) ask: Rc<dyn Ask>,
    pub(super) store: Rc<dyn Store>,
    pub(super) events: Events,
    pub(super) live: UnboundedReceiver<Live>,
}

impl Late for Core {
    fn events(&mut self) -> &mut Events {
        &mut self.events
    }

    fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    async fn give_up(&self, lost: NotLoaded) {
        let open: Vec<_> = {
            let world = self.world.borrow();
            let open = |session: &Arc<Session>| Some((session.id, session.core.open.as_ref()?.id));
            world.sessions.values().filter_map(open).collect()
        };
        for (session, sync) in open {
            let failure = Failure::new(FailureCategory::Unreachable, lost.to_string());
            let (attempt, usage, retry_in_ms) = (1, Usage::default(), None);
            let command = Command::RecordSyncFailure { session, sync, attempt, failure, usage, retry_in_ms };
            // A refusal means that it was stopped meanwhile.
            drop(self.handle.send(command).await);
        }
    }
}

enum Input {
    Event(Arc<Event>),
    Live(Live),
}

/// What is known of a session beside the world.
#[derive(Default)]
struct Watch {
    /// When the operator last typed.
    typed: Option<Millis>,
    /// Since when it is quiet; `None` once that was acted on.
    quiet: Option<Millis>,
    /// What was last shown as the time at which it is due.
    shown: Option<Millis>,
    /// Whether the files of this mind had changed enough since that one, by these rules.
    counted: Option<(Hash, Option<Hash>, usize, bool)>,
}

/// A sync that is being asked about.
struct UnderWay {
    sync: SyncId,
    abort: AbortHandle,
}

impl Core {
    /// Begins. It ends when the bus is gone.
    pub fn begin(self) {
        let spawn = Rc::clone(&self.spawn);
        spawn.spawn(Box::pin(self.serve()));
    }

    async fn serve(self) {
        let Self { world, handle, bus, clock, spawn, ask, store, events, live } = self;
        let asker = Asker { world, handle, clock, ask, store };
        let mut inputs = stream::select(events.map(Input::Event), live.map(Input::Live));
        let mut watches: SortedMap<SessionId, Watch> = SortedMap::new();
        let mut calls: SortedMap<SessionId, UnderWay> = SortedMap::new();
        loop {
            let next = asker.look(&mut watches, &bus);
            let waited = match next {
                Some(at) => {
                    let due = sleep_until(asker.clock.as_ref(), at).boxed_local();
                    match select(inputs.next(), due).await {
                        Either::Left((input, _)) => Some(input),
                        Either::Right(_) => None,
                    }
                }
                None => Some(inputs.next().await),
            };
            match waited {
                None => asker.open_due(&mut watches).await,
                Some(None) => return,
                Some(Some(Input::Live(Live::Typed { session, at }))) => {
                    let watch = watches.get_or_insert_with(session, Watch::default);
                    watch.typed = Some(at);
                    watch.quiet = watch.quiet.map(|quiet| quiet.max(at));
                }
                Some(Some(Input::Live(_))) => {}
                Some(Some(Input::Event(event))) => {
                    let Some(session) = event.stream.session() else { continue };
                    let watch = watches.get_or_insert_with(session, Watch::default);
                    match event.happening() {
                        Some(Happening::MindEdited { .. }) => watch.edited(event.at),
                        Some(Happening::RunEnded { .. } | Happening::RunPaused { .. }) => {
                            watch.quiet = Some(event.at);
                            asker.open_wanted(session).await;
                        }
                        Some(Happening::SyncOpened { sync, .. }) => {
                            let (abort, registration) = AbortHandle::new_pair();
                            calls.insert(session, UnderWay { sync: *sync, abort });
                            let work = Abortable::new(asker.clone().work(session, *sync), registration);
                            spawn.spawn(Box::pin(work.map(|_| ())));
                        }
                        Some(Happening::JoinAsked(asked)) => {
                            let (abort, registration) = AbortHandle::new_pair();
                            calls.insert(session, UnderWay { sync: asked.sync, abort });
                            let work = asker.clone().join(session, asked.clone());
                            spawn.spawn(Box::pin(Abortable::new(work, registration).map(|_| ())));
                        }
                        Some(Happening::SyncFailed { sync, retry_in_ms: None, .. }) => {
                            if calls.get(&session).is_some_and(|call| call.sync == *sync)
                                && let Some(call) = calls.remove(&session)
                            {
                                call.abort.abort();
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}

impl Watch {
    /// The operator's edit at this time. What was typed counts from the last keystroke.
    fn edited(&mut self, at: Millis) {
        let typed = self.typed.filter(|typed| at.0.saturating_sub(typed.0) <= DRAFT_QUIET_MS + LATE_MS);
        self.quiet = Some(typed.unwrap_or(at));
    }

    /// When the Core of this session is to be asked.
    fn due(&mut self, world: &World, session: &Session) -> Option<Millis> {
        let quiet = self.quiet?;
        let rules = SyncRules::of(world);
        let key = (session.mind.clone(), session.core.synced.clone(), rules.lines);
        let known =
            self.counted.as_ref().filter(|known| (&known.0, &known.1, known.2) == (&key.0, &key.1, key.2));
        // Counting is linear in the files: once for each pair of minds is enough.
        let enough = match known {
            Some(known) => known.3,
            None => {
                let enough = has_changed(world, session, rules.lines);
                self.counted = Some((key.0, key.1, key.2, enough));
                enough
            }
        };
        (enough && is_due(world, session)).then(|| Millis(quiet.0.saturating_add(rules.wait_ms)))
    }
}

/// How the shape of the answer is asked for. The prompt says it in words in any case.
#[derive(Clone, Copy)]
enum Way {
    /// By a schema that the answer's text has to meet.
    Schema,
    /// By a tool that has to be called.
    Tool,
    /// In words only.
    Words,
}

impl Way {
    /// What is tried where a host refuses this.
    fn next(self) -> Option<Self> {
        match self {
            Self::Schema => Some(Self::Tool),
            Self::Tool => Some(Self::Words),
            Self::Words => None,
        }
    }

    fn apply(self, prompt: &mut Prompt, tool: fn() -> ToolSpec) {
        match self {
            Self::Schema => {}
            Self::Tool => {
                prompt.output = None;
                prompt.tools = vec![tool()];
                prompt.must_call = true;
                // Some models may not be forced while they think.
                prompt.config.thinking = Thinking::Off;
            }
            Self::Words => prompt.output = None,
        }
    }
}

/// What a sync needs to be asked about.
#[derive(Clone)]
struct Asker {
    world: WorldRef,
    handle: Handle,
    clock: Rc<dyn Clock>,
    ask: Rc<dyn Ask>,
    store: Rc<dyn Store>,
}

impl Asker {
    /// Looks when the next sync is due, and shows it where that has changed.
    fn look(&self, watches: &mut SortedMap<SessionId, Watch>, bus: &Bus) -> Option<Millis> {
        let world = self.world.borrow();
        let mut next: Option<Millis> = None;
        let ids: Vec<_> = watches.keys().copied().collect();
        for id in ids {
            let Some(watch) = watches.get_mut(&id) else { continue };
            let due = world.session(&id).and_then(|session| watch.due(&world, session));
            if watch.shown != due {
                watch.shown = due;
                bus.show(&Live::SyncDue { session: id, at: due });
            }
            next = due.into_iter().chain(next).min();
        }
        next
    }

    /// Opens what is due now.
    async fn open_due(&self, watches: &mut SortedMap<SessionId, Watch>) {
        let now = self.clock.now();
        let due = |watch: &Watch| watch.shown.is_some_and(|at| at <= now);
        let ids: Vec<_> = watches.iter().filter(|(_, watch)| due(watch)).map(|(id, _)| *id).collect();
        for session in ids {
            if let Some(watch) = watches.get_mut(&session) {
                watch.quiet = None;
            }
            // A refusal means that things have moved on, or that another tab works there now.
            drop(self.handle.send(Command::OpenSync { session }).await);
        }
    }

    /// Opens the sync that waited for a run to end.
    async fn open_wanted(&self, session: SessionId) {
        let wanted = self.world.borrow().session(&session).is_some_and(|row| row.core.wanted.is_some());
        if wanted {
            drop(self.handle.send(Command::OpenSync { session }).await);
        }
    }

    /// Asks about the plan.
    async fn work(self, session: SessionId, sync: SyncId) {
        let question = |attempt, way| self.question(session, sync, attempt, way);
        let answered = self.ask_until((session, sync), question, read_answer).await;
        let Some((patch, usage)) = answered else { return };
        drop(self.handle.send(Command::RecordSync { session, sync, patch, usage }).await);
    }

    /// Asks until there is an answer or no use in asking again; then that is recorded, and nothing comes back.
    async fn ask_until<T>(
        &self,
        (session, sync): (SessionId, SyncId),
        question: impl Fn(u32, Way) -> Option<Aside>,
        read: impl Fn(&[Part]) -> Result<T, &'static str>,
    ) -> Option<(T, Usage)> {
        let (mut attempt, mut way) = (1, Way::Schema);
        loop {
            let refused = match self.ask.ask(question(attempt, way)?).await {
                Ok(answer) => match read(&answer.parts) {
                    Ok(answered) => return Some((answered, answer.usage)),
                    Err(words) => {
                        NoAnswer { failure: unusable(words), usage: answer.usage, retry_in_ms: None }
                    }
                },
                // Hosts that know no schemas, or no tools, refuse the request.
                Err(refused) => match (way.next(), refused.failure.category) {
                    (Some(next), FailureCategory::BadRequest) => {
                        way = next;
                        continue;
                    }
                    (Some(_) | None, _) => refused,
                },
            };
            let NoAnswer { failure, usage, retry_in_ms } = refused;
            let command = Command::RecordSyncFailure { session, sync, attempt, failure, usage, retry_in_ms };
            let recorded = self.handle.send(command).await;
            let (Ok(()), Some(wait_ms)) = (recorded, retry_in_ms) else { return None };
            let due = Millis(self.clock.now().0.saturating_add(wait_ms));
            sleep_until(self.clock.as_ref(), due).await;
            attempt += 1;
        }
    }

    /// What is asked; `None` where the sync is over.
    fn question(&self, id: SessionId, sync: SyncId, attempt: u32, way: Way) -> Option<Aside> {
        let world = self.world.borrow();
        let session = world.session(&id)?;
        let open = session.core.open.as_ref().filter(|open| open.id == sync)?;
        let mut prompt = prompt::prompt(&world, session, open, self.clock.now());
        way.apply(&mut prompt, patch_tool);
        let wanted = open.cause == SyncCause::Manual;
        Some(Aside { provider: open.provider.clone(), prompt, attempt, wanted, kept: None })
    }
}

/// The failure of an answer that came whole and is of no use.
fn unusable(words: &str) -> Failure {
    Failure { code: Some(NO_PATCH.to_owned()), ..Failure::new(FailureCategory::Garbled, words) }
}
