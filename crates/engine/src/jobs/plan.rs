//! Plans compactions: which turns are summarised, and how much of the window is left after that.

use crate::calls::context::{load_context, measure};
use crate::jobs::JobContext;
use nexus_model::command::{Command, MaintenanceCommand, Rejection};
use nexus_model::context::compaction::{ThreadContext, plan, thread_context};
use nexus_model::context::token_budget::{estimate, window};
use nexus_model::context::within::{between_calls, waiting_turn};
use nexus_model::id::{SessionId, TurnId};
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};
use nexus_model::run::RunStatus;
use nexus_model::turn::compaction::NOTHING;

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
            let most = (window.saturating_mul(WINDOWS_READ), None);
            load_context(&self.world, &self.handle, head, most, usize::MAX).await;
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
        let measure = measure(&world, row, world.agent(&wanted.agent)?)?;
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
        let measure = measure(&world, row, world.agent(&asker.agent)?)?;
        let turns = thread_context(&world, row.head).turns;
        let at = turns.iter().position(|turn| turn.id == made.through)?;
        let kept = ThreadContext {
            turns: turns.into_iter().skip(at.saturating_add(1)).collect(),
            ..ThreadContext::default()
        };
        Some(measure.demand(&world, &kept).saturating_add(measure.scale.apply(estimate(summary))))
    }
}
