//! Knows when jobs are due: a sync once files have been quiet after a change, summary and memory once a session rests.
//!
//! Plans compactions: which turns are summarised, and how much of the window is left after that.

use crate::bus::Bus;
use crate::jobs::JobContext;
use nexus_model::command::{Command, MaintenanceCommand, Rejection};
use nexus_model::context::compaction::{ThreadContext, between_calls, plan, thread_context, waiting_turn};
use nexus_model::context::token_budget::{estimate, window};
use nexus_model::event::{Event, EventKind};
use nexus_model::id::{Millis, SessionId, TurnId};
use nexus_model::job::budget::is_spent;
use nexus_model::job::sync::{SyncRules, has_changed, is_due};
use nexus_model::job::{JobSlot, maintenance};
use nexus_model::limits::{CHORE_WAIT_MS, DRAFT_QUIET_MS};
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};
use nexus_model::run::RunStatus;
use nexus_model::session::Session;
use nexus_model::signal::TransientEvent;
use nexus_model::turn::compaction::NOTHING;
use nexus_model::world::World;
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecMap;

/// How much later than its time typing may become an edit and still count as typed then, in milliseconds.
const LATE_MS: u64 = 500;

/// What is known of sessions beside the world.
#[derive(Default)]
pub(super) struct Schedule {
    watches: VecMap<SessionId, SessionWatch>,
    /// When a session may be looked at for summary and memory.
    rested: VecMap<SessionId, Millis>,
}

/// The quiet of a session's files.
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

impl SessionWatch {
    /// When the Core of this session is to be asked.
    fn due(&mut self, world: &World, session: &Session) -> Option<Millis> {
        let quiet = self.quiet?;
        let rules = SyncRules::of(world);
        let key = (session.mind, session.core.synced, rules.lines);
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

impl Schedule {
    /// When something is due next. Shows when the Core will look, where that has changed.
    pub(super) fn next(&mut self, world: &World, bus: &Bus, now: Millis) -> Option<Millis> {
        let mut next = self.rested.values().min().copied();
        let is_spent = is_spent(world, now);
        let ids: Vec<_> = self.watches.keys().copied().collect();
        for id in ids {
            let Some(watch) = self.watches.get_mut(&id) else { continue };
            let session = world.session(&id).filter(|_| !is_spent);
            let due = session.and_then(|session| watch.due(world, session));
            if watch.shown != due {
                watch.shown = due;
                bus.show(&TransientEvent::SyncDue { session: id, at: due });
            }
            next = due.into_iter().chain(next).min();
        }
        next
    }

    pub(super) fn typed(&mut self, session: SessionId, at: Millis) {
        let watch = self.watches.get_or_insert_with(session, SessionWatch::default);
        watch.typed = Some(at);
        watch.quiet = watch.quiet.map(|quiet| quiet.max(at));
    }

    /// Notes what an event changes. The command that is wanted at once, if one is.
    pub(super) fn hear(&mut self, world: &World, session: SessionId, event: &Event) -> Option<Command> {
        let at = event.at;
        let later = Millis(at.0.saturating_add(CHORE_WAIT_MS));
        // What was due waits for the end of a compaction, and of the other kind.
        let mut over = |slot: JobSlot| {
            if slot != JobSlot::Core {
                self.rested.insert(session, later);
            }
        };
        match event.happening() {
            Some(EventKind::JobFailed(failed)) => over(failed.kind.slot()),
            Some(EventKind::JobDone(done)) => over(done.result.kind().slot()),
            Some(EventKind::RunOpened { .. }) => drop(self.rested.remove(&session)),
            Some(EventKind::MindEdited { .. }) => {
                let watch = self.watches.get_or_insert_with(session, SessionWatch::default);
                // What was typed counts from the last keystroke.
                let typed =
                    watch.typed.filter(|typed| at.0.saturating_sub(typed.0) <= DRAFT_QUIET_MS + LATE_MS);
                watch.quiet = Some(typed.unwrap_or(at));
            }
            Some(EventKind::RunEnded { .. } | EventKind::RunPaused { .. }) => {
                self.rested.insert(session, later);
                let row = world.session(&session);
                // After Stop nothing begins by itself; the next edit starts the time anew.
                let quiet = row.is_none_or(|row| !row.stopped).then_some(at);
                self.watches.get_or_insert_with(session, SessionWatch::default).quiet = quiet;
                // A sync may have waited for this.
                return row.filter(|row| row.core.wanted.is_some()).map(|_| Command::OpenSync { session });
            }
            _ => {}
        }
        None
    }

    /// The commands that begin what is due by now.
    pub(super) fn due(&mut self, world: &World, now: Millis) -> Vec<Command> {
        let is_due = |watch: &SessionWatch| watch.shown.is_some_and(|at| at <= now);
        let quiet: Vec<_> =
            self.watches.iter().filter(|(_, watch)| is_due(watch)).map(|(id, _)| *id).collect();
        let rested: Vec<_> = self.rested.iter().filter(|(_, at)| **at <= now).map(|(id, _)| *id).collect();
        let mut commands = Vec::new();
        for session in quiet {
            if let Some(watch) = self.watches.get_mut(&session) {
                watch.quiet = None;
            }
            commands.push(Command::OpenSync { session });
        }
        for session in rested {
            self.rested.remove(&session);
            if world.session(&session).is_some_and(|row| maintenance::due(world, row).is_some()) {
                commands.push(MaintenanceCommand::OpenChore { session }.into());
            }
        }
        commands
    }
}

/// What is told where the command was refused. The event log says why.
const NOT_BEGUN: &str = "The compaction could not begin.";
/// How many windows of a model a compaction reads at most.
const WINDOWS_READ: u64 = 4;

impl JobContext {
    /// Whether a compaction waits in a session and can begin. Takes its place if so.
    pub(super) fn may_plan(&self, session: SessionId) -> bool {
        let world = self.world.borrow();
        let Some(row) = world.session(&session) else { return false };
        let Some(wanted) = &row.archivist.wanted else { return false };
        let paused = world.open_run(row).is_some_and(|run| run.status == RunStatus::Paused);
        // Behind the open turn, or between two calls of the one that waits for it.
        let rests = world.open_turn(row).is_none() || waiting_turn(&world, row).is_some();
        let free = rests && !(paused && wanted.node.is_some());
        free && self.planning.borrow_mut().insert(session)
    }

    /// Plans the compaction that is wanted, and begins it or says why not.
    pub(super) async fn plan(self, session: SessionId) {
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
        let words = "There is nothing to compact: only the newest turns are left.";
        let nothing = ProviderError {
            code: Some(NOTHING.to_owned()),
            ..ProviderError::new(ProviderErrorKind::NotSetUp, words)
        };
        let failure = match planned {
            None => nothing,
            Some(command) => match self.handle.send(command).await {
                Ok(()) | Err(Rejection::Stale | Rejection::ReadOnly) => return,
                Err(_) => ProviderError::new(ProviderErrorKind::NotSetUp, NOT_BEGUN),
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

    /// An estimate of the context's tokens with a summary in the place of what it summarises.
    pub(super) fn tokens_after(&self, session: SessionId, turn: TurnId, summary: &str) -> Option<u64> {
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
}
