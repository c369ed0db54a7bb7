//! Jobs of models beside the turns: opens those that are due, asks the model, and records the result.
//!
//! `decide` defines what is due and what a result changes; this file computes when: a sync when files were unchanged
//! for a while, summary and memory when a session is idle. `plan` prepares compactions, `runner` asks, and `prompts`
//! builds the request of each kind. Loaded lazily, on the first event it handles.

mod prompts;
mod runner;

use crate::calls::context::{load_context, measure};
use crate::calls::model_client::ModelClient;
use crate::calls::retry::sleep_until;
use crate::client::EngineContext;
use crate::lazy::{ChunkLoadError, LazyService, PeekableEvents};
use crate::prelude::*;
use futures_util::future::{AbortHandle, Either, select};
use futures_util::stream;
use nexus_model::command::FailedAttempt;
use nexus_model::context::compaction::{ThreadContext, plan, thread_context};
use nexus_model::context::window::{between_calls, waiting_turn};
use nexus_model::context::{estimate, window};
use nexus_model::job::maintenance;
use nexus_model::job::maintenance::is_spent;
use nexus_model::job::sync::{SyncRules, has_changed, is_due};
use nexus_model::limits::{DRAFT_DEBOUNCE_MS, MAINTENANCE_DELAY_MS};
use nexus_model::turn::compaction::NOTHING;

pub struct JobService {
    pub(super) client: ModelClient,
    pub(super) events: PeekableEvents,
    pub(super) transient: UnboundedReceiver<TransientEvent>,
}

#[derive(Clone)]
pub(super) struct JobContext {
    pub(super) engine: EngineContext,
    pub(super) client: ModelClient,
    pub(super) planning: Rc<RefCell<VecSet<SessionId>>>,
}

enum JobInput {
    Event(Arc<Event>),
    Live(TransientEvent),
}

impl LazyService for JobService {
    fn handles(event: &Event) -> bool {
        let is_of_session = event.stream.session().is_some();
        is_of_session && !matches!(event.known_kind(), Some(EventKind::SessionChanged { .. }))
    }

    fn events(&mut self) -> &mut PeekableEvents {
        &mut self.events
    }

    async fn fail_pending(&mut self, error: ChunkLoadError) {
        let failure = ProviderError::from(error);
        let commands: Vec<Command> = {
            let world = self.client.engine.world.borrow();
            let mut commands = Vec::new();
            for (&session, row) in &world.sessions {
                for job in &row.jobs.open {
                    let failed = FailedAttempt::unmade(failure.clone());
                    commands.push(Command::RecordJobFailure { session, job: job.id, failed });
                }
                if row.archivist.pending.is_some() {
                    let failure = failure.clone();
                    commands.push(Command::DropCompaction { session, failure });
                }
            }
            commands
        };
        for command in commands {
            // A rejection means that the job was stopped meanwhile.
            self.client.engine.tell(command).await;
        }
    }
}

impl JobService {
    pub fn begin(self) {
        let engine = self.client.engine.clone();
        engine.start(self.serve());
    }

    async fn serve(self) {
        let Self { client, events, transient } = self;
        let context = JobContext { engine: client.engine.clone(), client, planning: Rc::default() };
        let mut inputs = stream::select(events.map(JobInput::Event), transient.map(JobInput::Live));
        let mut schedule = Schedule::default();
        let mut calls: VecMap<JobId, AbortHandle> = VecMap::new();
        loop {
            let input = match schedule.next(&context.engine) {
                Some(at) => {
                    let due = sleep_until(context.engine.ports.clock.as_ref(), at).boxed_local();
                    match select(inputs.next(), due).await {
                        Either::Left((input, _)) => Some(input),
                        Either::Right(_) => None,
                    }
                }
                None => Some(inputs.next().await),
            };
            let event = match input {
                Some(Some(JobInput::Event(event))) => event,
                Some(Some(JobInput::Live(TransientEvent::Typed { session, at }))) => {
                    schedule.typed(session, at);
                    continue;
                }
                Some(Some(JobInput::Live(TransientEvent::StopUnsaved { session }))) => {
                    let world = context.engine.world.borrow();
                    let open = world.session(&session).into_iter().flat_map(|row| &row.jobs.open);
                    open.filter_map(|job| calls.remove(&job.id)).for_each(|call| call.abort());
                    continue;
                }
                Some(Some(JobInput::Live(_))) => continue,
                Some(None) => return,
                None => {
                    let due = schedule.due(&context.engine.world.borrow(), context.engine.now());
                    for command in due {
                        // A rejection means that the state has changed, or that another tab has the session.
                        context.engine.tell(command).await;
                    }
                    continue;
                }
            };
            let Some(session) = event.stream.session() else { continue };
            let wanted = schedule.handle(&context.engine.world.borrow(), session, &event);
            match event.known_kind() {
                Some(EventKind::JobOpened(job)) => {
                    calls.insert(job.id, context.engine.start(context.clone().run(session, job.id)));
                }
                Some(EventKind::JobFailed(failed)) => {
                    if let Some(abort) = calls.remove(&failed.job) {
                        abort.abort();
                    }
                }
                Some(EventKind::JobDone(done)) => drop(calls.remove(&done.job)),
                _ => {}
            }
            if let Some(command) = wanted {
                context.engine.tell(command).await;
            }
            if context.may_plan(session) {
                context.engine.start(context.clone().plan(session));
            }
        }
    }
}

const WINDOWS_READ: u64 = 4;

impl JobContext {
    /// True if a compaction is requested in a session and can begin; marks it as being planned.
    fn may_plan(&self, session: SessionId) -> bool {
        let world = self.engine.world.borrow();
        let Some(row) = world.session(&session) else { return false };
        let Some(wanted) = &row.archivist.pending else { return false };
        let paused = world.open_run(row).is_some_and(|run| run.status == RunStatus::Paused);
        // After the open turn, or between two calls of the turn that waits for it.
        let is_between_turns = world.open_turn(row).is_none() || waiting_turn(&world, row).is_some();
        let free = is_between_turns && !(paused && wanted.node.is_some());
        free && self.planning.borrow_mut().insert(session)
    }

    /// Plans the requested compaction and opens it, or records why not.
    pub(super) async fn plan(self, session: SessionId) {
        let thread = {
            let world = self.engine.world.borrow();
            world.session(&session).and_then(|row| {
                let agent = world.agent(&row.archivist.pending.as_ref()?.agent)?;
                Some((row.head, window(&world, &agent.config)))
            })
        };
        if let Some((head, window)) = thread {
            let most = (window.saturating_mul(WINDOWS_READ), None);
            load_context(&self.engine.world, &self.engine.handle, head, most, usize::MAX).await;
        }
        let planned = self.planned(session);
        self.planning.borrow_mut().remove(&session);
        let not_set_up = |words| ProviderError::new(ProviderErrorKind::NotSetUp, words);
        let failure = match planned {
            None => ProviderError {
                code: Some(NOTHING.to_owned()),
                ..not_set_up("There is nothing to compact: only the newest turns are left.")
            },
            Some(command) => match self.engine.handle.send(command).await {
                Ok(()) | Err(Rejection::Stale | Rejection::ReadOnly) => return,
                // The event log has the reason.
                Err(_) => not_set_up("The compaction could not begin."),
            },
        };
        self.engine.tell(Command::DropCompaction { session, failure }).await;
    }

    fn planned(&self, session: SessionId) -> Option<Command> {
        let world = self.engine.world.borrow();
        let row = world.session(&session)?;
        let wanted = row.archivist.pending.as_ref()?;
        let measure = measure(&world, row, world.agent(&wanted.agent)?)?;
        let context = thread_context(&world, row.head);
        let plan = plan(&world, &context, &measure, wanted.reason)?;
        Some(Command::OpenCompaction { session, plan, cut: context.more_before.is_some() })
    }

    /// Estimates the context's tokens with the summary instead of the turns that it covers.
    pub(super) fn tokens_after(&self, session: SessionId, turn: TurnId, summary: &str) -> Option<u64> {
        let world = self.engine.world.borrow();
        let row = world.session(&session)?;
        let made = world.compaction(&turn)?;
        let asker = world.turn(&turn).or_else(|| between_calls(&world, row))?;
        let measure = measure(&world, row, world.agent(&asker.agent)?)?;
        let turns = thread_context(&world, row.head).turns;
        let at = turns.iter().position(|turn| turn.id == made.through)?;
        let turns = turns.into_iter().skip(at.saturating_add(1)).collect();
        let kept_context = ThreadContext { turns, ..ThreadContext::default() };
        Some(measure.demand(&world, &kept_context).saturating_add(measure.scale.apply(estimate(summary))))
    }
}

/// How long after typing an edit may arrive and still count from the last keystroke, in milliseconds.
const EDIT_DELAY_MS: u64 = 500;

/// State of sessions that is not in the world.
#[derive(Default)]
struct Schedule {
    watches: VecMap<SessionId, SessionWatch>,
    /// When a session is due for summary and memory.
    idle_at: VecMap<SessionId, Millis>,
}

/// A mind, the one that it is compared with, and the rule.
type CountedMinds = (ContentHash, Option<ContentHash>, usize);

/// Quiet time of a session's files.
#[derive(Default)]
struct SessionWatch {
    /// Last keystroke of the operator.
    typed: Option<Millis>,
    /// Start of the quiet time; `None` once a sync was opened for it.
    quiet: Option<Millis>,
    /// The due time published last.
    published: Option<Millis>,
    /// Cached result: whether this mind has changed enough since that one, by this rule.
    counted: Option<(CountedMinds, bool)>,
}

impl SessionWatch {
    fn due(&mut self, world: &World, session: &Session) -> Option<Millis> {
        let quiet = self.quiet?;
        let rules = SyncRules::of(world);
        let key = (session.mind, session.core.synced, rules.lines);
        // Counting is linear in the files, so the result is cached for each pair of minds.
        let known = self.counted.filter(|(known, _)| *known == key);
        let (_, enough) = known.unwrap_or_else(|| (key, has_changed(world, session, rules.lines)));
        self.counted = Some((key, enough));
        (enough && is_due(world, session)).then(|| Millis(quiet.0.saturating_add(rules.wait_ms)))
    }
}

impl Schedule {
    /// When the next job is due. Publishes the time of a session's next sync when it changes.
    fn next(&mut self, engine: &EngineContext) -> Option<Millis> {
        let world = &*engine.world.borrow();
        let mut next = self.idle_at.values().min().copied();
        let is_spent = is_spent(world, engine.now());
        let ids: Vec<_> = self.watches.keys().copied().collect();
        for id in ids {
            let Some(watch) = self.watches.get_mut(&id) else { continue };
            let session = world.session(&id).filter(|_| !is_spent);
            let due = session.and_then(|session| watch.due(world, session));
            if watch.published != due {
                watch.published = due;
                engine.publish(&TransientEvent::SyncDue { session: id, at: due });
            }
            next = due.into_iter().chain(next).min();
        }
        next
    }

    fn typed(&mut self, session: SessionId, at: Millis) {
        let watch = self.watches.get_or_insert_with(session, SessionWatch::default);
        watch.typed = Some(at);
        watch.quiet = watch.quiet.map(|quiet| quiet.max(at));
    }

    /// Updates the schedule after an event and returns a command to send at once, if any.
    fn handle(&mut self, world: &World, session: SessionId, event: &Event) -> Option<Command> {
        let at = event.at;
        let due_at = Millis(at.0.saturating_add(MAINTENANCE_DELAY_MS));
        // Due jobs wait for the end of a compaction and of the other kind of job.
        let mut job_ended = |slot: JobSlot| {
            if slot != JobSlot::Core {
                self.idle_at.insert(session, due_at);
            }
        };
        match event.known_kind() {
            Some(EventKind::JobFailed(failed)) => job_ended(failed.kind.slot()),
            Some(EventKind::JobDone(done)) => job_ended(done.result.kind().slot()),
            Some(EventKind::RunOpened { .. }) => drop(self.idle_at.remove(&session)),
            Some(EventKind::MindEdited { .. }) => {
                let watch = self.watches.get_or_insert_with(session, SessionWatch::default);
                // An edit that was typed counts from the last keystroke.
                let typed = watch
                    .typed
                    .filter(|typed| at.0.saturating_sub(typed.0) <= DRAFT_DEBOUNCE_MS + EDIT_DELAY_MS);
                watch.quiet = Some(typed.unwrap_or(at));
            }
            Some(EventKind::RunEnded { .. } | EventKind::RunPaused { .. }) => {
                self.idle_at.insert(session, due_at);
                let row = world.session(&session);
                // After Stop, only the next edit starts the quiet time again.
                let quiet = row.is_none_or(|row| !row.stopped).then_some(at);
                self.watches.get_or_insert_with(session, SessionWatch::default).quiet = quiet;
                // A sync may have waited for the end of the run.
                return row.filter(|row| row.core.pending.is_some()).map(|_| Command::OpenSync { session });
            }
            _ => {}
        }
        None
    }

    fn due(&mut self, world: &World, now: Millis) -> Vec<Command> {
        let is_due = |watch: &SessionWatch| watch.published.is_some_and(|at| at <= now);
        let quiet: Vec<_> =
            self.watches.iter().filter(|(_, watch)| is_due(watch)).map(|(id, _)| *id).collect();
        let idle_at: Vec<_> = self.idle_at.iter().filter(|(_, at)| **at <= now).map(|(id, _)| *id).collect();
        let mut commands = Vec::new();
        for session in quiet {
            if let Some(watch) = self.watches.get_mut(&session) {
                watch.quiet = None;
            }
            commands.push(Command::OpenSync { session });
        }
        for session in idle_at {
            self.idle_at.remove(&session);
            if world.session(&session).is_some_and(|row| maintenance::due(world, row, now).is_some()) {
                commands.push(Command::OpenMaintenance { session });
            }
        }
        commands
    }
}
