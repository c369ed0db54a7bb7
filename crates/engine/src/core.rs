//! The Core's service: starts a sync once files have been quiet after a change, asks the model, records the answer.
//!
//! Asks on `core.requests`, never while a run works or another sync of the session is open. `decide` enforces that and
//! merges the answer; `prompt` builds the request. The answer is requested by JSON schema, by a forced tool call if
//! the host rejects that, else in words. Loaded lazily, on the first event that it handles.

mod merge_proposal;
mod prompt;

use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::future::{AbortHandle, Abortable, Either, FutureExt as _, select};
use futures_util::stream::{self, StreamExt as _};

use crate::bus::Bus;
use crate::calls::limiter::sleep_until;
use crate::calls::one_shot::{AskModel, OneShotError, OneShotRequest};
use crate::client::EngineClient;
use crate::lazy::ChunkLoadError;
use crate::lazy::service::{LazyService, PeekableEvents};
use crate::port::{Clock, Spawn, Store};
use crate::store::ledger::WorldRef;
use nexus_model::command::Command;
use nexus_model::event::{Event, EventKind};
use nexus_model::id::{Millis, SessionId, SyncId};
use nexus_model::limits::DRAFT_QUIET_MS;
use nexus_model::llm::{Prompt, Thinking, ToolSpec, Usage};
use nexus_model::message::content::MessagePart;
use nexus_model::mind::core_sync::answer::{patch_tool, read_answer};
use nexus_model::mind::core_sync::{NO_PATCH, SyncCause, SyncRules, has_changed, is_due};
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};
use nexus_model::session::Session;
use nexus_model::signal::TransientEvent;
use nexus_model::world::World;
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecMap;

/// How much later than its time typing may become an edit and still count as typed then, in milliseconds.
const LATE_MS: u64 = 500;

/// The service of the Core.
pub struct Core {
    pub(super) world: WorldRef,
    pub(super) handle: EngineClient,
    pub(super) bus: Rc<Bus>,
    pub(super) clock: Rc<dyn Clock>,
    pub(super) spawn: Rc<dyn Spawn>,
    pub(super) ask: Rc<dyn AskModel>,
    pub(super) store: Rc<dyn Store>,
    pub(super) events: PeekableEvents,
    pub(super) live: UnboundedReceiver<TransientEvent>,
}

impl LazyService for Core {
    fn events(&mut self) -> &mut PeekableEvents {
        &mut self.events
    }

    fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    async fn give_up(&self, lost: ChunkLoadError) {
        let open: Vec<_> = {
            let world = self.world.borrow();
            let open = |session: &Arc<Session>| Some((session.id, session.core.open.as_ref()?.id));
            world.sessions.values().filter_map(open).collect()
        };
        for (session, sync) in open {
            let failure = ProviderError::new(ProviderErrorKind::Unreachable, lost.to_string());
            let (attempt, usage, retry_in_ms) = (1, Usage::default(), None);
            let command = Command::RecordSyncFailure { session, sync, attempt, failure, usage, retry_in_ms };
            // A refusal means that it was stopped meanwhile.
            drop(self.handle.send(command).await);
        }
    }
}

enum CoreInput {
    Event(Arc<Event>),
    Live(TransientEvent),
}

/// What is known of a session beside the world.
#[derive(Default)]
struct SessionWatch {
    /// When the operator last typed.
    typed: Option<Millis>,
    /// Since when it is quiet; `None` once that was acted on.
    quiet: Option<Millis>,
    /// What was last shown as the time at which it is due.
    shown: Option<Millis>,
    /// Whether the files of this mind had changed enough since that one, by these rules.
    counted: Option<(ContentHash, Option<ContentHash>, usize, bool)>,
}

/// A sync that is being asked about.
struct RunningSync {
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
        let asker = SyncContext { world, handle, clock, ask, store };
        let mut inputs = stream::select(events.map(CoreInput::Event), live.map(CoreInput::Live));
        let mut watches: VecMap<SessionId, SessionWatch> = VecMap::new();
        let mut calls: VecMap<SessionId, RunningSync> = VecMap::new();
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
                Some(Some(CoreInput::Live(TransientEvent::Typed { session, at }))) => {
                    let watch = watches.get_or_insert_with(session, SessionWatch::default);
                    watch.typed = Some(at);
                    watch.quiet = watch.quiet.map(|quiet| quiet.max(at));
                }
                Some(Some(CoreInput::Live(_))) => {}
                Some(Some(CoreInput::Event(event))) => {
                    let Some(session) = event.stream.session() else { continue };
                    let watch = watches.get_or_insert_with(session, SessionWatch::default);
                    match event.happening() {
                        Some(EventKind::MindEdited { .. }) => watch.edited(event.at),
                        Some(EventKind::RunEnded { .. } | EventKind::RunPaused { .. }) => {
                            // After Stop nothing begins by itself; the next edit starts the time anew.
                            watch.quiet = (!asker.is_stopped(session)).then_some(event.at);
                            asker.open_wanted(session).await;
                        }
                        Some(EventKind::SyncOpened { sync, .. }) => {
                            let (abort, registration) = AbortHandle::new_pair();
                            calls.insert(session, RunningSync { sync: *sync, abort });
                            let work = Abortable::new(asker.clone().work(session, *sync), registration);
                            spawn.spawn(Box::pin(work.map(|_| ())));
                        }
                        Some(EventKind::JoinAsked(asked)) => {
                            let (abort, registration) = AbortHandle::new_pair();
                            calls.insert(session, RunningSync { sync: asked.sync, abort });
                            let work = asker.clone().join(session, asked.clone());
                            spawn.spawn(Box::pin(Abortable::new(work, registration).map(|_| ())));
                        }
                        Some(EventKind::SyncFailed { sync, retry_in_ms: None, .. }) => {
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

impl SessionWatch {
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
enum AnswerFormat {
    /// By a schema that the answer's text has to meet.
    Schema,
    Tool,
    Words,
}

impl AnswerFormat {
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
struct SyncContext {
    world: WorldRef,
    handle: EngineClient,
    clock: Rc<dyn Clock>,
    ask: Rc<dyn AskModel>,
    store: Rc<dyn Store>,
}

impl SyncContext {
    /// Looks when the next sync is due, and shows it where that has changed.
    fn look(&self, watches: &mut VecMap<SessionId, SessionWatch>, bus: &Bus) -> Option<Millis> {
        let world = self.world.borrow();
        let mut next: Option<Millis> = None;
        let ids: Vec<_> = watches.keys().copied().collect();
        for id in ids {
            let Some(watch) = watches.get_mut(&id) else { continue };
            let due = world.session(&id).and_then(|session| watch.due(&world, session));
            if watch.shown != due {
                watch.shown = due;
                bus.show(&TransientEvent::SyncDue { session: id, at: due });
            }
            next = due.into_iter().chain(next).min();
        }
        next
    }

    async fn open_due(&self, watches: &mut VecMap<SessionId, SessionWatch>) {
        let now = self.clock.now();
        let due = |watch: &SessionWatch| watch.shown.is_some_and(|at| at <= now);
        let ids: Vec<_> = watches.iter().filter(|(_, watch)| due(watch)).map(|(id, _)| *id).collect();
        for session in ids {
            if let Some(watch) = watches.get_mut(&session) {
                watch.quiet = None;
            }
            // A refusal means that things have moved on, or that another tab works there now.
            drop(self.handle.send(Command::OpenSync { session }).await);
        }
    }

    fn is_stopped(&self, session: SessionId) -> bool {
        self.world.borrow().session(&session).is_some_and(|row| row.stopped)
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
        question: impl Fn(u32, AnswerFormat) -> Option<OneShotRequest>,
        read: impl Fn(&[MessagePart]) -> Result<T, &'static str>,
    ) -> Option<(T, Usage)> {
        let (mut attempt, mut way) = (1, AnswerFormat::Schema);
        loop {
            let refused = match self.ask.ask(question(attempt, way)?).await {
                Ok(answer) => match read(&answer.parts) {
                    Ok(answered) => return Some((answered, answer.usage)),
                    Err(words) => {
                        OneShotError { failure: unusable(words), usage: answer.usage, retry_in_ms: None }
                    }
                },
                // Hosts that know no schemas, or no tools, refuse the request.
                Err(refused) => match (way.next(), refused.failure.category) {
                    (Some(next), ProviderErrorKind::BadRequest) => {
                        way = next;
                        continue;
                    }
                    (Some(_) | None, _) => refused,
                },
            };
            let OneShotError { failure, usage, retry_in_ms } = refused;
            let command = Command::RecordSyncFailure { session, sync, attempt, failure, usage, retry_in_ms };
            let recorded = self.handle.send(command).await;
            let (Ok(()), Some(wait_ms)) = (recorded, retry_in_ms) else { return None };
            let due = Millis(self.clock.now().0.saturating_add(wait_ms));
            sleep_until(self.clock.as_ref(), due).await;
            attempt += 1;
        }
    }

    /// What is asked; `None` where the sync is over.
    fn question(
        &self,
        id: SessionId,
        sync: SyncId,
        attempt: u32,
        way: AnswerFormat,
    ) -> Option<OneShotRequest> {
        let world = self.world.borrow();
        let session = world.session(&id)?;
        let open = session.core.open.as_ref().filter(|open| open.id == sync)?;
        let mut prompt = prompt::prompt(&world, session, open, self.clock.now());
        way.apply(&mut prompt, patch_tool);
        let wanted = open.cause == SyncCause::Manual;
        Some(OneShotRequest { provider: open.provider.clone(), prompt, attempt, wanted, kept: None })
    }
}

/// The failure of an answer that came whole and is of no use.
fn unusable(words: &str) -> ProviderError {
    ProviderError { code: Some(NO_PATCH.to_owned()), ..ProviderError::new(ProviderErrorKind::Garbled, words) }
}
