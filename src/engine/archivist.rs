//! Never decides what is due or what becomes of an answer, and never works under a run by itself: `decide` holds that.
//!
//! Owns the service of the Archivist: on `archivist.requests` it plans a compaction and has older turns summarised, and
//! it keeps summary and memories of a session up to date when nothing works there. [`prompt`] makes the questions. It is
//! a part of the program of its own; `engine::late` stands in for it until something happens that it has to see.

mod prompt;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use futures_util::future::{AbortHandle, Abortable, Either, FutureExt as _, LocalBoxFuture, select};
use futures_util::stream::StreamExt as _;

use crate::domain::agent::Agent;
use crate::domain::archivist::answer::{read_memories, read_summary};
use crate::domain::archivist::record;
use crate::domain::archivist::{ChoreKind, NO_ANSWER, due};
use crate::domain::command::{ArchivistCommand, Command, RecordedAnswer, Rejection};
use crate::domain::compaction::within::{between_calls, waiting_turn};
use crate::domain::compaction::{Measure, NOTHING, ThreadContext, plan, thread_context};
use crate::domain::event::{Event, Happening};
use crate::domain::failure::{Failure, FailureCategory};
use crate::domain::id::{ChoreId, Millis, SessionId, TurnId};
use crate::domain::limits::CHORE_WAIT_MS;
use crate::domain::part::text_of;
use crate::domain::run::RunStatus;
use crate::domain::session::Session;
use crate::domain::sorted::{SortedMap, SortedSet};
use crate::domain::window::{estimate, window};
use crate::domain::world::World;
use crate::engine::aside::{Ask, NoAnswer};
use crate::engine::handle::Handle;
use crate::engine::late::{Events, Late};
use crate::engine::ledger::WorldRef;
use crate::engine::limiter::sleep_until;
use crate::engine::parts::NotLoaded;
use crate::engine::port::{Clock, Spawn};

/// Measures the next request to an agent of a session.
pub(super) type MeasureOf = Rc<dyn Fn(&World, &Session, &Agent) -> Option<Measure>>;
/// Loads the context of a thread, up to so many tokens.
pub(super) type LoadContext = Rc<dyn Fn(Option<TurnId>, u64) -> LocalBoxFuture<'static, ()>>;

/// How many windows of a model a compaction reads at most.
const WINDOWS_READ: u64 = 4;

/// The service of the Archivist.
pub struct Archivist {
    pub(super) world: WorldRef,
    pub(super) handle: Handle,
    pub(super) clock: Rc<dyn Clock>,
    pub(super) spawn: Rc<dyn Spawn>,
    pub(super) ask: Rc<dyn Ask>,
    pub(super) measure: MeasureOf,
    pub(super) load: LoadContext,
    pub(super) events: Events,
}

impl Late for Archivist {
    fn events(&mut self) -> &mut Events {
        &mut self.events
    }

    fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    async fn give_up(&self, lost: NotLoaded) {
        let wanted: Vec<_> = {
            let world = self.world.borrow();
            let wants = |session: &&Arc<Session>| session.archivist.wanted.is_some();
            world.sessions.values().filter(wants).map(|session| session.id).collect()
        };
        for session in wanted {
            let failure = Failure::new(FailureCategory::Unreachable, lost.to_string());
            let command = Command::Archivist(ArchivistCommand::DropCompaction { session, failure });
            // A refusal means that it was stopped meanwhile.
            drop(self.handle.send(command).await);
        }
    }
}

/// Work on an answer, which can be dropped.
struct UnderWay<I> {
    id: I,
    abort: AbortHandle,
}

/// What is known of sessions beside the world.
#[derive(Default)]
struct Desk {
    /// When a session may be looked at for chores.
    due: SortedMap<SessionId, Millis>,
    compactions: SortedMap<SessionId, UnderWay<TurnId>>,
    chores: SortedMap<SessionId, UnderWay<ChoreId>>,
}

impl Archivist {
    /// Begins. It ends when the bus is gone.
    pub fn begin(self) {
        let spawn = Rc::clone(&self.spawn);
        spawn.spawn(Box::pin(self.serve()));
    }

    async fn serve(self) {
        let Self { world, handle, clock, spawn, ask, measure, load, mut events } = self;
        let planning = Rc::default();
        let asker = Asker { world, handle, clock, ask, measure, load, planning };
        let mut desk = Desk::default();
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
struct Asker {
    world: WorldRef,
    handle: Handle,
    clock: Rc<dyn Clock>,
    ask: Rc<dyn Ask>,
    measure: MeasureOf,
    load: LoadContext,
    /// Sessions whose compaction is being planned.
    planning: Rc<RefCell<SortedSet<SessionId>>>,
}

impl Asker {
    fn hear(&self, desk: &mut Desk, spawn: &dyn Spawn, session: SessionId, event: &Event) {
        let later = Millis(event.at.0.saturating_add(CHORE_WAIT_MS));
        match event.happening() {
            Some(Happening::RunEnded { .. } | Happening::RunPaused { .. })
            | Some(Happening::SummaryMade(_) | Happening::MemoriesChecked(_)) => {
                desk.due.insert(session, later);
            }
            Some(Happening::RunOpened { .. }) => drop(desk.due.remove(&session)),
            Some(Happening::CompactionOpened(compaction)) => {
                let (abort, registration) = AbortHandle::new_pair();
                let id = compaction.turn;
                desk.compactions.insert(session, UnderWay { id, abort });
                let work = Abortable::new(self.clone().compact(session, id), registration);
                spawn.spawn(Box::pin(work.map(|_| ())));
            }
            Some(Happening::TurnClosed { .. }) => {
                let is_it = desk.compactions.get(&session).is_some_and(|open| Some(open.id) == event.turn);
                if is_it && let Some(open) = desk.compactions.remove(&session) {
                    open.abort.abort();
                    // What was due meanwhile waited for it.
                    desk.due.insert(session, later);
                }
            }
            Some(Happening::ChoreOpened(chore)) => {
                let (abort, registration) = AbortHandle::new_pair();
                desk.chores.insert(session, UnderWay { id: chore.id, abort });
                let work = Abortable::new(self.clone().work(session, chore.id, chore.kind), registration);
                spawn.spawn(Box::pin(work.map(|_| ())));
            }
            Some(Happening::ChoreFailed(record::ChoreFailure { chore, retry_in_ms: None, .. })) => {
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

    /// Opens what is due now.
    async fn open_due(&self, desk: &mut Desk) {
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
                drop(self.handle.send(Command::Archivist(ArchivistCommand::OpenChore { session })).await);
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
        let nothing =
            Failure { code: Some(NOTHING.to_owned()), ..Failure::new(FailureCategory::NotSetUp, words) };
        let failure = match planned {
            None => nothing,
            Some(command) => match self.handle.send(command).await {
                Ok(()) | Err(Rejection::Stale | Rejection::ReadOnly) => return,
                Err(rejection) => Failure::new(FailureCategory::NotSetUp, format!("{rejection:?}")),
            },
        };
        drop(
            self.handle.send(Command::Archivist(ArchivistCommand::DropCompaction { session, failure })).await,
        );
    }

    fn planned(&self, session: SessionId) -> Option<Command> {
        let world = self.world.borrow();
        let row = world.session(&session)?;
        let wanted = row.archivist.wanted.as_ref()?;
        let measure = (self.measure)(&world, row, world.agent(&wanted.agent)?)?;
        let context = thread_context(&world, row.head);
        let plan = plan(&world, &context, &measure, wanted.reason)?;
        Some(Command::Archivist(ArchivistCommand::OpenCompaction {
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
                        let command = Command::Archivist(ArchivistCommand::RecordCompaction {
                            turn,
                            summary,
                            tokens_after,
                            usage,
                        });
                        drop(self.handle.send(command).await);
                        return;
                    }
                    let failure =
                        Failure::new(FailureCategory::Empty, "The model answered without a summary.");
                    NoAnswer { failure, usage: answer.usage, retry_in_ms: None }
                }
                Err(refused) => refused,
            };
            let NoAnswer { failure, usage, retry_in_ms } = refused;
            let command = Command::Archivist(ArchivistCommand::RecordCompactionFailure {
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
    async fn work(self, session: SessionId, chore: ChoreId, kind: ChoreKind) {
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
                    Err(words) => NoAnswer {
                        failure: Failure {
                            code: Some(NO_ANSWER.to_owned()),
                            ..Failure::new(FailureCategory::Garbled, words)
                        },
                        usage: answer.usage,
                        retry_in_ms: None,
                    },
                },
                // Hosts that know no schemas refuse the request; the prompt says in words what is wanted, too.
                Err(NoAnswer { failure, .. })
                    if by_schema && failure.category == FailureCategory::BadRequest =>
                {
                    by_schema = false;
                    continue;
                }
                Err(refused) => refused,
            };
            let NoAnswer { failure, usage, retry_in_ms } = refused;
            let command = Command::Archivist(ArchivistCommand::RecordChoreFailure {
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
    kind: ChoreKind,
    session: SessionId,
    chore: ChoreId,
    answer: &RecordedAnswer,
) -> Result<Command, &'static str> {
    let (text, usage) = (text_of(&answer.parts), answer.usage.clone());
    let command = match kind {
        ChoreKind::Summary => {
            ArchivistCommand::RecordSummary { session, chore, answer: read_summary(&text)?, usage }
        }
        ChoreKind::Memory => {
            ArchivistCommand::RecordMemories { session, chore, facts: read_memories(&text)?, usage }
        }
    };
    Ok(Command::Archivist(command))
}
