//! The Archivist: summarises old turns for compaction and keeps a session's summary and memories up to date.
//!
//! Compaction runs on `archivist.requests`; the other jobs run only while the session is idle. `decide` says what is
//! due and what an answer changes; `prompt` builds the requests. Loaded lazily, on the first event that it handles.

mod prompt;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use futures_util::future::{AbortHandle, Abortable, Either, FutureExt as _, LocalBoxFuture, select};
use futures_util::stream::StreamExt as _;

use crate::calls::limiter::sleep_until;
use crate::calls::one_shot::{AskModel, OneShotError};
use crate::client::EngineClient;
use crate::lazy::ChunkLoadError;
use crate::lazy::service::{LazyService, PeekableEvents};
use crate::port::{Clock, Spawn};
use crate::store::ledger::WorldRef;
use nexus_model::agent::Agent;
use nexus_model::command::{Command, MaintenanceCommand, RecordedAnswer, Rejection};
use nexus_model::context::token_budget::{estimate, window};
use nexus_model::event::{Event, EventKind};
use nexus_model::id::{JobId, Millis, SessionId, TurnId};
use nexus_model::limits::CHORE_WAIT_MS;
use nexus_model::maintenance::answer::{read_memories, read_summary};
use nexus_model::maintenance::record;
use nexus_model::maintenance::{JobKind, NO_ANSWER, due};
use nexus_model::message::content::text_of;
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};
use nexus_model::run::RunStatus;
use nexus_model::session::Session;
use nexus_model::turn::compaction::within::{between_calls, waiting_turn};
use nexus_model::turn::compaction::{NOTHING, RequestBudget, ThreadContext, plan, thread_context};
use nexus_model::world::World;
use nexus_text::vec_map::{VecMap, VecSet};

/// Measures the next request to an agent of a session.
pub(super) type MeasureFn = Rc<dyn Fn(&World, &Session, &Agent) -> Option<RequestBudget>>;
/// Loads the context of a thread, up to so many tokens.
pub(super) type LoadContextFn = Rc<dyn Fn(Option<TurnId>, u64) -> LocalBoxFuture<'static, ()>>;

/// How many windows of a model a compaction reads at most.
const WINDOWS_READ: u64 = 4;

/// The service of the Archivist.
pub struct MaintenanceService {
    pub(super) world: WorldRef,
    pub(super) handle: EngineClient,
    pub(super) clock: Rc<dyn Clock>,
    pub(super) spawn: Rc<dyn Spawn>,
    pub(super) ask: Rc<dyn AskModel>,
    pub(super) measure: MeasureFn,
    pub(super) load: LoadContextFn,
    pub(super) events: PeekableEvents,
}

impl LazyService for MaintenanceService {
    fn events(&mut self) -> &mut PeekableEvents {
        &mut self.events
    }

    fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    async fn give_up(&self, lost: ChunkLoadError) {
        let wanted: Vec<_> = {
            let world = self.world.borrow();
            let wants = |session: &&Arc<Session>| session.archivist.wanted.is_some();
            world.sessions.values().filter(wants).map(|session| session.id).collect()
        };
        for session in wanted {
            let failure = ProviderError::new(ProviderErrorKind::Unreachable, lost.to_string());
            let command = Command::Archivist(MaintenanceCommand::DropCompaction { session, failure });
            // A refusal means that it was stopped meanwhile.
            drop(self.handle.send(command).await);
        }
    }
}

/// Work on an answer, which can be dropped.
struct RunningJob<I> {
    id: I,
    abort: AbortHandle,
}

/// What is known of sessions beside the world.
#[derive(Default)]
struct JobTracker {
    /// When a session may be looked at for chores.
    due: VecMap<SessionId, Millis>,
    compactions: VecMap<SessionId, RunningJob<TurnId>>,
    chores: VecMap<SessionId, RunningJob<JobId>>,
}

impl MaintenanceService {
    /// Begins. It ends when the bus is gone.
    pub fn begin(self) {
        let spawn = Rc::clone(&self.spawn);
        spawn.spawn(Box::pin(self.serve()));
    }

    async fn serve(self) {
        let Self { world, handle, clock, spawn, ask, measure, load, mut events } = self;
        let planning = Rc::default();
        let asker = JobContext { world, handle, clock, ask, measure, load, planning };
        let mut desk = JobTracker::default();
        loop {
            let next = desk.due.values().min().copied();
            let event = match next {
                None => events.next().await,
                Some(at) => {
                    let wake = sleep_until(asker.clock.as_ref(), at).boxed_local();
                    match select(events.next(), wake).await {
                        Either::Left((event, _)) => event,
                        Either::Right(_) => {
                            asker.open_due(&mut desk).await;
                            continue;
                        }
                    }
                }
            };
            let Some(event) = event else { return };
            let Some(session) = event.stream.session() else { continue };
            asker.hear(&mut desk, spawn.as_ref(), session, &event);
            if asker.may_plan(session) {
                spawn.spawn(Box::pin(asker.clone().plan(session)));
            }
        }
    }
}

/// What the work needs.
#[derive(Clone)]
struct JobContext {
    world: WorldRef,
    handle: EngineClient,
    clock: Rc<dyn Clock>,
    ask: Rc<dyn AskModel>,
    measure: MeasureFn,
    load: LoadContextFn,
    /// Sessions whose compaction is being planned.
    planning: Rc<RefCell<VecSet<SessionId>>>,
}

impl JobContext {
    fn hear(&self, desk: &mut JobTracker, spawn: &dyn Spawn, session: SessionId, event: &Event) {
        let later = Millis(event.at.0.saturating_add(CHORE_WAIT_MS));
        match event.happening() {
            Some(EventKind::RunEnded { .. } | EventKind::RunPaused { .. })
            | Some(EventKind::SummaryMade(_) | EventKind::MemoriesChecked(_)) => {
                desk.due.insert(session, later);
            }
            Some(EventKind::RunOpened { .. }) => drop(desk.due.remove(&session)),
            Some(EventKind::CompactionOpened(compaction)) => {
                let (abort, registration) = AbortHandle::new_pair();
                let id = compaction.turn;
                desk.compactions.insert(session, RunningJob { id, abort });
                let work = Abortable::new(self.clone().compact(session, id), registration);
                spawn.spawn(Box::pin(work.map(|_| ())));
            }
            Some(EventKind::TurnClosed { .. }) => {
                let is_it = desk.compactions.get(&session).is_some_and(|open| Some(open.id) == event.turn);
                if is_it && let Some(open) = desk.compactions.remove(&session) {
                    open.abort.abort();
                    // What was due meanwhile waited for it.
                    desk.due.insert(session, later);
                }
            }
            Some(EventKind::ChoreOpened(chore)) => {
                let (abort, registration) = AbortHandle::new_pair();
                desk.chores.insert(session, RunningJob { id: chore.id, abort });
                let work = Abortable::new(self.clone().work(session, chore.id, chore.kind), registration);
                spawn.spawn(Box::pin(work.map(|_| ())));
            }
            Some(EventKind::ChoreFailed(record::JobFailure { chore, retry_in_ms: None, .. })) => {
                let is_it = desk.chores.get(&session).is_some_and(|open| open.id == *chore);
                if let Some(open) = desk.chores.remove(&session).filter(|_| is_it) {
                    open.abort.abort();
                }
                // The other kind may be due all the same.
                desk.due.insert(session, later);
            }
            _ => {}
        }
    }

    async fn open_due(&self, desk: &mut JobTracker) {
        let now = self.clock.now();
        let ready: Vec<_> = desk.due.iter().filter(|(_, at)| **at <= now).map(|(id, _)| *id).collect();
        for session in ready {
            desk.due.remove(&session);
            let is_due = {
                let world = self.world.borrow();
                world.session(&session).is_some_and(|row| due(&world, row).is_some())
            };
            if is_due {
                // A refusal means that things have moved on, or that another tab works there now.
                drop(self.handle.send(Command::Archivist(MaintenanceCommand::OpenChore { session })).await);
            }
        }
    }

    /// Whether a compaction waits in a session and can begin. Takes its place if so.
    fn may_plan(&self, session: SessionId) -> bool {
        let world = self.world.borrow();
        let Some(row) = world.session(&session) else { return false };
        let Some(wanted) = &row.archivist.wanted else { return false };
        let paused = world.open_run(row).is_some_and(|run| run.status == RunStatus::Paused);
        // Behind the open turn, or between two calls of the one that waits for it.
        let rests = world.open_turn(row).is_none() || waiting_turn(&world, row).is_some();
        let free = rests && !(paused && wanted.node.is_some());
        free && self.planning.borrow_mut().insert(session)
    }

    async fn plan(self, session: SessionId) {
        let thread = {
            let world = self.world.borrow();
            world.session(&session).and_then(|row| {
                let agent = world.agent(&row.archivist.wanted.as_ref()?.agent)?;
                Some((row.head, window(&world, &agent.config)))
            })
        };
        if let Some((head, window)) = thread {
            (self.load)(head, window.saturating_mul(WINDOWS_READ)).await;
        }
        let planned = self.planned(session);
        self.planning.borrow_mut().remove(&session);
        let words = "There is nothing to summarise: only the newest turns are left.";
        let nothing = ProviderError {
            code: Some(NOTHING.to_owned()),
            ..ProviderError::new(ProviderErrorKind::NotSetUp, words)
        };
        let failure = match planned {
            None => nothing,
            Some(command) => match self.handle.send(command).await {
                Ok(()) | Err(Rejection::Stale | Rejection::ReadOnly) => return,
                Err(rejection) => ProviderError::new(ProviderErrorKind::NotSetUp, format!("{rejection:?}")),
            },
        };
        drop(
            self.handle
                .send(Command::Archivist(MaintenanceCommand::DropCompaction { session, failure }))
                .await,
        );
    }

    fn planned(&self, session: SessionId) -> Option<Command> {
        let world = self.world.borrow();
        let row = world.session(&session)?;
        let wanted = row.archivist.wanted.as_ref()?;
        let measure = (self.measure)(&world, row, world.agent(&wanted.agent)?)?;
        let context = thread_context(&world, row.head);
        let plan = plan(&world, &context, &measure, wanted.reason)?;
        Some(Command::Archivist(MaintenanceCommand::OpenCompaction {
            session,
            plan,
            cut: context.more_before.is_some(),
        }))
    }

    /// Asks for the summary until there is one or no use in asking again.
    async fn compact(self, session: SessionId, turn: TurnId) {
        let mut attempt = 1;
        loop {
            let question = prompt::compaction(&self.world.borrow(), turn, attempt);
            let Some(question) = question else { return };
            let refused = match self.ask.ask(question).await {
                Ok(answer) => {
                    let summary = text_of(&answer.parts).trim().to_owned();
                    if !summary.is_empty() {
                        let tokens_after = self.tokens_after(session, turn, &summary).unwrap_or_default();
                        let usage = answer.usage;
                        let command = Command::Archivist(MaintenanceCommand::RecordCompaction {
                            turn,
                            summary,
                            tokens_after,
                            usage,
                        });
                        drop(self.handle.send(command).await);
                        return;
                    }
                    let failure =
                        ProviderError::new(ProviderErrorKind::Empty, "The model answered without a summary.");
                    OneShotError { failure, usage: answer.usage, retry_in_ms: None }
                }
                Err(refused) => refused,
            };
            let OneShotError { failure, usage, retry_in_ms } = refused;
            let command = Command::Archivist(MaintenanceCommand::RecordCompactionFailure {
                turn,
                attempt,
                failure,
                usage,
                retry_in_ms,
            });
            if !self.goes_on(command, retry_in_ms).await {
                return;
            }
            attempt += 1;
        }
    }

    fn tokens_after(&self, session: SessionId, turn: TurnId, summary: &str) -> Option<u64> {
        let world = self.world.borrow();
        let row = world.session(&session)?;
        let made = world.compaction(&turn)?;
        let asker = world.turn(&turn).or_else(|| between_calls(&world, row))?;
        let measure = (self.measure)(&world, row, world.agent(&asker.agent)?)?;
        let turns = thread_context(&world, row.head).turns;
        let at = turns.iter().position(|turn| turn.id == made.through)?;
        let kept = ThreadContext {
            turns: turns.into_iter().skip(at.saturating_add(1)).collect(),
            ..ThreadContext::default()
        };
        Some(measure.demand(&world, &kept).saturating_add(measure.scale.apply(estimate(summary))))
    }

    /// Does a chore until there is an answer or no use in asking again.
    async fn work(self, session: SessionId, chore: JobId, kind: JobKind) {
        let (mut attempt, mut by_schema) = (1, true);
        loop {
            let question = prompt::chore(&self.world.borrow(), session, chore, attempt, by_schema);
            let Some(question) = question else { return };
            let refused = match self.ask.ask(question).await {
                Ok(answer) => match read(kind, session, chore, &answer) {
                    Ok(command) => {
                        drop(self.handle.send(command).await);
                        return;
                    }
                    Err(words) => OneShotError {
                        failure: ProviderError {
                            code: Some(NO_ANSWER.to_owned()),
                            ..ProviderError::new(ProviderErrorKind::Garbled, words)
                        },
                        usage: answer.usage,
                        retry_in_ms: None,
                    },
                },
                // Hosts that know no schemas refuse the request; the prompt says in words what is wanted, too.
                Err(OneShotError { failure, .. })
                    if by_schema && failure.category == ProviderErrorKind::BadRequest =>
                {
                    by_schema = false;
                    continue;
                }
                Err(refused) => refused,
            };
            let OneShotError { failure, usage, retry_in_ms } = refused;
            let command = Command::Archivist(MaintenanceCommand::RecordChoreFailure {
                session,
                chore,
                attempt,
                failure,
                usage,
                retry_in_ms,
            });
            if !self.goes_on(command, retry_in_ms).await {
                return;
            }
            attempt += 1;
        }
    }

    /// Records a failure, and waits where another attempt may help.
    async fn goes_on(&self, failed: Command, retry_in_ms: Option<u64>) -> bool {
        let recorded = self.handle.send(failed).await;
        let (Ok(()), Some(wait_ms)) = (recorded, retry_in_ms) else { return false };
        let due = Millis(self.clock.now().0.saturating_add(wait_ms));
        sleep_until(self.clock.as_ref(), due).await;
        true
    }
}

/// What an answer to a chore comes to, or what is wrong with it.
fn read(
    kind: JobKind,
    session: SessionId,
    chore: JobId,
    answer: &RecordedAnswer,
) -> Result<Command, &'static str> {
    let (text, usage) = (text_of(&answer.parts), answer.usage.clone());
    let command = match kind {
        JobKind::Summary => {
            MaintenanceCommand::RecordSummary { session, chore, answer: read_summary(&text)?, usage }
        }
        JobKind::Memory => {
            MaintenanceCommand::RecordMemories { session, chore, facts: read_memories(&text)?, usage }
        }
    };
    Ok(Command::Archivist(command))
}
