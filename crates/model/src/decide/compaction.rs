//! Decides compaction: when one starts, and how its result or failure is recorded.
//!
//! Every started compaction ends as a turn, also when it fails.

use super::Decider;
use crate::context::compaction::{CompactionPlan, may_begin, thread_context};
use crate::context::window::{between_calls, made_within, waiting_turn};
use crate::decide::turn::LastParts;
use crate::job::maintenance::{JobOutcome, turn_end};
use crate::limits::{COMPACTION_BYTES, FOCUS_BYTES, TURNS_KEPT};
use crate::prelude::*;
use crate::settings::schema::COMPACT_AUTO;
use crate::turn::compaction::PendingCompaction;
use nexus_text::shorten::first_bytes;

impl Decider<'_, '_, '_> {
    fn note_compaction_request(
        &mut self,
        session: &Session,
        run: Option<RunId>,
        reason: CompactionReason,
        agent: AgentKey,
        focus: Option<String>,
        node: Option<NodeId>,
    ) {
        let request = PendingCompaction { agent, reason, focus, node, at: self.now() };
        self.note(session.id, run, None, EventKind::CompactionRequested(request));
    }

    /// Requests a compaction for the operator, however full the window is.
    pub(super) fn compact(&mut self, id: SessionId, agent: &AgentKey, focus: &str) -> Decision {
        let session = self.session(id)?;
        if session.archivist.pending.is_some() || session.archivist.compacting.is_some() {
            return Err(Rejection::CompactionWorks);
        }
        self.agent(agent)?;
        let focus = first_bytes(focus.trim(), FOCUS_BYTES);
        let focus = (!focus.is_empty()).then(|| focus.to_owned());
        let run = self.world.open_run(session).map(|run| run.id);
        self.note_compaction_request(session, run, CompactionReason::Manual, agent.clone(), focus, None);
        Ok(())
    }

    /// Requests a compaction because the next agent's window is nearly full.
    pub(super) fn request_compaction(&mut self, id: RunId, node: &NodeId) -> Decision {
        let run = self.run(id)?;
        let session = self.session(run.session)?;
        let next = run.next_ready().filter(|next| &next.id == node);
        let archivist = &session.archivist;
        let idle = archivist.pending.is_none() && archivist.start_error.is_none();
        // Before a turn opens, or between two calls of it.
        let within = between_calls(self.world, session).filter(|turn| turn.node.as_ref() == Some(node));
        let free = within.is_some() || self.world.open_turn(session).is_none();
        let free = free && run.status.is_working() && archivist.compacting.is_none();
        let enabled = self.world.value(COMPACT_AUTO) && may_begin(self.world, session.head);
        let next = next.and_then(|node| node.agent.clone());
        let agent = within.map(|turn| turn.agent.clone()).or(next).filter(|_| idle && free && enabled);
        let (agent, node) = (agent.ok_or(Rejection::Stale)?, Some(node.clone()));
        self.note_compaction_request(session, Some(id), CompactionReason::Threshold, agent, None, node);
        Ok(())
    }

    /// After an overflow error, requests a compaction and readies the node again, once per node and round.
    pub(super) fn compact_for(&mut self, turn: &Turn) {
        let Some((session, run)) = self.world.session(&turn.session).zip(self.world.run_of(turn)) else {
            return;
        };
        let Some(node) = &turn.node else { return };
        let before = self.world.ancestry(turn.parent).take_while(|older| older.run == turn.run);
        let mut before = before.filter(|older| older.node == turn.node && older.round == turn.round);
        let tried = before.any(|older| {
            older.failure.as_ref().is_some_and(|it| it.category == ProviderErrorKind::ContextOverflow)
        });
        let context = thread_context(self.world, turn.parent);
        // The failed turn is one of the turns that are kept.
        let enough = context.turns.len() >= TURNS_KEPT || context.more_before.is_some();
        let free = session.archivist.pending.is_none();
        if tried || !enough || !free || !self.world.value(COMPACT_AUTO) {
            return;
        }
        self.change_node(run, node, NodeStatus::Ready);
        let (agent, node) = (turn.agent.clone(), Some(node.clone()));
        self.note_compaction_request(session, Some(run.id), CompactionReason::Overflow, agent, None, node);
    }

    /// Starts the requested compaction as a turn at the head.
    ///
    /// If an open turn waits for it, it becomes a turn of its own only when that turn closes.
    pub(super) fn open_compaction(&mut self, id: SessionId, plan: &CompactionPlan, cut: bool) -> Decision {
        let session = self.session(id)?;
        let request = session.archivist.pending.as_ref().ok_or(Rejection::Stale)?;
        let within = waiting_turn(self.world, session);
        if within.is_none() && self.world.open_turn(session).is_some() {
            return Err(Rejection::Stale);
        }
        let context = thread_context(self.world, session.head);
        let is_current = context.turns.iter().any(|turn| turn.id == plan.through)
            && plan.first_kept.is_none_or(|kept| context.turns.iter().any(|turn| turn.id == kept));
        if !is_current {
            return Err(Rejection::Stale);
        }
        let agent = self.world.agent(&request.agent).ok_or(Rejection::NoSuchAgent)?;
        let run = self.world.open_run(session);
        if let Some(run) = run.filter(|run| request.node.is_some() && run.status.is_working())
            && let Some(cause) = self.pause_before_call(run)
        {
            self.pause(run, cause);
            return Ok(());
        }
        let config = within.map_or(&agent.config, |turn| &turn.config).for_compaction();
        let (provider, model) = (config.provider.clone(), config.model.clone());
        let turn = Turn {
            parent: session.head,
            run: run.map(|run| run.id),
            round: run.map_or(1, |run| run.rounds.current),
            agent: request.agent.clone(),
            config,
            ..compaction_turn(TurnId::new(self.env.ids), session, self.now())
        };
        let compaction = Compaction {
            turn: turn.id,
            session: id,
            reason: request.reason,
            focus: request.focus.clone(),
            prior: context.compaction.map(|made| made.turn),
            through: plan.through,
            first_kept: plan.first_kept,
            turns: plan.turns,
            cut,
            provider,
            model,
            tokens_before: plan.tokens_before,
            at: self.now(),
            ..Compaction::default()
        };
        if within.is_none() {
            self.note_turn(&turn, EventKind::TurnOpened { turn: turn.clone() });
        }
        let by_hand = request.reason == CompactionReason::Manual;
        let cause = if by_hand { JobCause::Manual } else { JobCause::Auto };
        let task = JobTask::Compaction(Box::new(compaction));
        self.open_job(session, turn.id.bits().into(), task, cause, turn.config);
        Ok(())
    }

    /// Lets the open turn that waited for a compaction request its context again.
    fn resume_after_compaction(&mut self, session: &Session) {
        let Some(turn) = between_calls(self.world, session) else { return };
        if !self.pauses_before_call(turn, None) {
            self.note_turn(turn, EventKind::ContextRequested { call: turn.next_call() });
        }
    }

    /// Gives a compaction made within an open turn a turn of its own when that turn closes.
    pub(super) fn settle_compaction(&mut self, session: &Session, turn: &Turn, end: TurnEnd) {
        let Some(row) = made_within(self.world, session).filter(|_| turn.kind != TurnKind::Compaction) else {
            return;
        };
        if let Some(job) = session.jobs.get(row.turn.bits().into()) {
            let interrupted = end == TurnEnd::Interrupted;
            self.end_job(session, job, if interrupted { JobEnd::Interrupted } else { JobEnd::Cancelled });
        }
        let end = match (&row.summary, &row.failure) {
            (Some(_), _) => TurnEnd::Completed,
            (None, Some(_)) => TurnEnd::Error,
            (None, None) if end == TurnEnd::Interrupted => TurnEnd::Interrupted,
            (None, None) => TurnEnd::Cancelled,
        };
        let own = Turn {
            parent: Some(turn.id),
            run: turn.run,
            round: turn.round,
            usage: row.usage.clone(),
            agent: turn.agent.clone(),
            config: turn.config.for_compaction(),
            ..compaction_turn(row.turn, session, row.at)
        };
        self.note_turn(&own, EventKind::TurnOpened { turn: own.clone() });
        let mind = session.mind;
        let closed =
            EventKind::TurnClosed { end, failure: row.failure.clone(), partial: None, mind_after: mind };
        self.note_turn(&own, closed);
        self.move_head_on(&own, own.parent, mind);
    }

    /// Closes the turn of a finished compaction job. Without one, resumes the waiting turn, even without a summary.
    pub(super) fn after_compaction(&mut self, session: &Session, id: TurnId, outcome: JobOutcome<'_>) {
        if let Some(turn) = self.world.turn(&id) {
            let failure = outcome.err().and_then(|failed| failed.failure.as_ref());
            self.close_turn(session, turn, turn_end(outcome), failure, LastParts::Whole(&[]));
        } else if outcome.err().is_none_or(|failed| failed.end == JobEnd::Failed) {
            self.resume_after_compaction(session);
        }
        // Whoever ends the job otherwise also closes the turn around it.
    }

    /// Drops the requested compaction. A node that waited for it after an overflow error fails.
    pub(super) fn drop_compaction(&mut self, id: SessionId, failure: &ProviderError) -> Decision {
        let session = self.session(id)?;
        let request = session.archivist.pending.as_ref().ok_or(Rejection::Stale)?;
        let run = self.world.open_run(session);
        let what = EventKind::CompactionDropped { failure: failure.clone() };
        self.note(id, run.map(|run| run.id), None, what);
        if waiting_turn(self.world, session).is_some() {
            self.resume_after_compaction(session);
        }
        if let (CompactionReason::Overflow, Some(node), Some(run)) = (request.reason, &request.node, run) {
            self.change_node(run, node, NodeStatus::Error);
        }
        Ok(())
    }
}

/// The result of a compaction, truncated to [`COMPACTION_BYTES`].
pub(super) fn compaction_result(summary: &str, tokens_after: u64) -> JobResult {
    JobResult::Compaction { summary: first_bytes(summary.trim(), COMPACTION_BYTES).to_owned(), tokens_after }
}

fn compaction_turn(id: TurnId, session: &Session, opened_at: Millis) -> Turn {
    Turn {
        kind: TurnKind::Compaction,
        phase: TurnPhase::AwaitingLlmDecision,
        ..Turn::opened(id, session.id, session.mind, opened_at)
    }
}
