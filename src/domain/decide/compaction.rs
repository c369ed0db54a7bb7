//! Never summarises anything, and never takes a turn away.
//!
//! Owns when older turns may be put into a summary, and what becomes of the attempt: a turn, whatever comes of it.

use super::turn::Closing;
use super::{Rejection, Scene};
use crate::domain::archivist::record;
use crate::domain::archivist::{COMPACT_SETTING, compaction_config, is_on};
use crate::domain::compaction::{
    Compaction, CompactionReason, Plan, WantedCompaction, may_begin, thread_context,
};
use crate::domain::event::Happening;
use crate::domain::failure::{Failure, FailureCategory};
use crate::domain::id::{AgentKey, NodeId, RunId, SessionId, TurnId};
use crate::domain::limits::{COMPACTION_BYTES, FOCUS_BYTES, TURNS_KEPT};
use crate::domain::model::Usage;
use crate::domain::price::{Cost, cost_of};
use crate::domain::ready_queue;
use crate::domain::run::{NodeStatus, RunStatus};
use crate::domain::session::Session;
use crate::domain::tool::ToolStatus;
use crate::domain::turn::{Turn, TurnEnd, TurnKind, TurnPhase};

impl<'w> Scene<'w, '_, '_> {
    fn want_compaction(&mut self, session: &Session, run: Option<RunId>, wanted: WantedCompaction) {
        self.note(session.id, run, None, Happening::CompactionRequested(wanted));
    }

    /// The operator wants it, whatever fills the window.
    pub(super) fn compact(&mut self, id: SessionId, agent: &AgentKey, focus: &str) -> Result<(), Rejection> {
        let session = self.session(id)?;
        if session.archivist.wanted.is_some() || session.archivist.compacting.is_some() {
            return Err(Rejection::CompactionWorks);
        }
        if self.world.agent(agent).is_none_or(|agent| !agent.is_here()) {
            return Err(Rejection::NoSuchAgent);
        }
        let focus = shortened(focus.trim(), FOCUS_BYTES);
        let wanted = WantedCompaction {
            agent: agent.clone(),
            reason: CompactionReason::Manual,
            focus: (!focus.is_empty()).then(|| focus.to_owned()),
            node: None,
            at: self.now(),
        };
        let run = self.world.open_run(session).map(|run| run.id);
        self.want_compaction(session, run, wanted);
        Ok(())
    }

    /// The window of the next agent is nearly full.
    pub(super) fn request_compaction(&mut self, id: RunId, node: &NodeId) -> Result<(), Rejection> {
        let run = self.run(id)?;
        let session = self.session(run.session)?;
        let next = ready_queue::next(run).filter(|next| &next.id == node);
        let archivist = &session.archivist;
        let rests = archivist.wanted.is_none() && archivist.refused.is_none();
        let free = run.status == RunStatus::Running && self.world.open_turn(session).is_none();
        let wished = is_on(self.world, COMPACT_SETTING) && may_begin(self.world, session.head);
        let agent = next.and_then(|node| node.agent.clone()).filter(|_| rests && free && wished);
        let wanted = WantedCompaction {
            agent: agent.ok_or(Rejection::Stale)?,
            reason: CompactionReason::Threshold,
            focus: None,
            node: Some(node.clone()),
            at: self.now(),
        };
        self.want_compaction(session, Some(id), wanted);
        Ok(())
    }

    /// A turn failed because its request was too long: once for each node and round, older turns are summarised and the
    /// node is asked again.
    pub(super) fn compact_for(&mut self, turn: &Turn) {
        let Some((session, run)) = self.world.session(&turn.session).zip(turn.run) else { return };
        let Some(node) = &turn.node else { return };
        let before = self.world.ancestry(turn.parent).take_while(|older| older.run == turn.run);
        let tried =
            before.filter(|older| older.node == turn.node && older.round == turn.round).any(|older| {
                older
                    .failure
                    .as_ref()
                    .is_some_and(|failure| failure.category == FailureCategory::ContextOverflow)
            });
        let context = thread_context(self.world, turn.parent);
        // The failed turn itself is among those that are kept.
        let enough = context.turns.len() >= TURNS_KEPT || context.more_before.is_some();
        let free = session.archivist.wanted.is_none();
        if tried || !enough || !free || !is_on(self.world, COMPACT_SETTING) {
            return;
        }
        let ready = Happening::NodeChanged {
            node: node.clone(),
            status: NodeStatus::Ready,
            output: None,
            continues: None,
        };
        self.note(session.id, Some(run), None, ready);
        let wanted = WantedCompaction {
            agent: turn.agent.clone(),
            reason: CompactionReason::Overflow,
            focus: None,
            node: Some(node.clone()),
            at: self.now(),
        };
        self.want_compaction(session, Some(run), wanted);
    }

    /// Begins what is wanted: a turn at the head.
    pub(super) fn open_compaction(&mut self, id: SessionId, plan: &Plan, cut: bool) -> Result<(), Rejection> {
        let session = self.session(id)?;
        let wanted = session.archivist.wanted.as_ref().ok_or(Rejection::Stale)?;
        if self.world.open_turn(session).is_some() {
            return Err(Rejection::Stale);
        }
        let context = thread_context(self.world, session.head);
        let stands = context.turns.iter().any(|turn| turn.id == plan.through)
            && plan.first_kept.is_none_or(|kept| context.turns.iter().any(|turn| turn.id == kept));
        if !stands {
            return Err(Rejection::Stale);
        }
        let agent = self.world.agent(&wanted.agent).ok_or(Rejection::NoSuchAgent)?;
        let run = self.world.open_run(session);
        if let Some(run) = run.filter(|run| wanted.node.is_some() && run.status == RunStatus::Running)
            && let Some(cause) = self.pause_before_call(run)
        {
            self.note(id, Some(run.id), None, Happening::RunPaused { cause });
            return Ok(());
        }
        let config = compaction_config(agent);
        let (provider, model) = (config.provider.clone(), config.model.clone());
        let turn = Turn {
            id: TurnId::new(self.moment.ids),
            session: id,
            parent: session.head,
            second_parent: None,
            kind: TurnKind::Compaction,
            run: run.map(|run| run.id),
            node: None,
            round: run.map_or(1, |run| run.rounds.current),
            agent: wanted.agent.clone(),
            config,
            continues: None,
            query: Vec::new(),
            answers: Vec::new(),
            messages: Vec::new(),
            tool_runs: Vec::new(),
            phase: TurnPhase::AwaitingLlmDecision,
            end: None,
            failure: None,
            mind_before: session.mind.clone(),
            mind_shown: session.mind.clone(),
            mind_after: None,
            calls: Vec::new(),
            usage: Usage::default(),
            opened_at: self.now(),
            closed_at: None,
        };
        let compaction = Compaction {
            turn: turn.id,
            session: id,
            reason: wanted.reason,
            focus: wanted.focus.clone(),
            prior: context.compaction.map(|made| made.turn),
            through: plan.through,
            first_kept: plan.first_kept,
            turns: plan.turns,
            cut,
            provider,
            model,
            tokens_before: plan.tokens_before,
            tokens_after: None,
            summary: None,
            failure: None,
            retry: None,
            usage: Usage::default(),
            cost: None,
            at: self.now(),
            ended_at: None,
        };
        self.note_turn(&turn, Happening::TurnOpened { turn: turn.clone() });
        self.note_turn(&turn, Happening::CompactionOpened(compaction));
        Ok(())
    }

    /// The compaction that is under way in this turn.
    fn compacting(&self, id: TurnId) -> Result<(&'w Session, &'w Turn, &'w Compaction), Rejection> {
        let turn = self.world.turn(&id).ok_or(Rejection::NoSuchTurn)?;
        let session = self.session(turn.session)?;
        let row = self.world.compaction(&id).filter(|_| session.archivist.compacting == Some(id));
        Ok((session, turn, row.ok_or(Rejection::Stale)?))
    }

    fn cost_of_compaction(&self, row: &Compaction, usage: &Usage) -> Option<Cost> {
        cost_of(self.world, &row.provider, &row.model, usage, self.now())
    }

    pub(super) fn record_compaction(
        &mut self,
        id: TurnId,
        summary: &str,
        tokens_after: u64,
        usage: &Usage,
    ) -> Result<(), Rejection> {
        let (session, turn, row) = self.compacting(id)?;
        let summary = shortened(summary.trim(), COMPACTION_BYTES).to_owned();
        let cost = self.cost_of_compaction(row, usage);
        let made = Happening::CompactionMade(record::Compacted {
            summary,
            tokens_after,
            usage: usage.clone(),
            cost,
        });
        self.note_turn(turn, made);
        let closing = Closing { end: TurnEnd::Completed, failure: None, partial: None };
        self.close_turn(session, turn, &closing, None);
        Ok(())
    }

    /// An attempt came to nothing; without another one its turn ends, and the conversation goes on without a summary.
    pub(super) fn record_compaction_failure(
        &mut self,
        id: TurnId,
        attempt: u32,
        failure: &Failure,
        usage: &Usage,
        retry_in_ms: Option<u64>,
    ) -> Result<(), Rejection> {
        let (session, turn, row) = self.compacting(id)?;
        let failed = Happening::CompactionFailed(record::NotCompacted {
            failure: failure.clone(),
            attempt: Some(attempt),
            usage: usage.clone(),
            cost: self.cost_of_compaction(row, usage),
            retry_in_ms,
        });
        self.note_turn(turn, failed);
        if retry_in_ms.is_none() {
            let closing = Closing { end: TurnEnd::Error, failure: Some(failure.clone()), partial: None };
            self.close_turn(session, turn, &closing, None);
        }
        Ok(())
    }

    /// What was wanted does not begin. A node that waits for it after a request that was too long is not asked again.
    pub(super) fn drop_compaction(&mut self, id: SessionId, failure: &Failure) -> Result<(), Rejection> {
        let session = self.session(id)?;
        let wanted = session.archivist.wanted.as_ref().ok_or(Rejection::Stale)?;
        let run = self.world.open_run(session).map(|run| run.id);
        let failed = Happening::CompactionFailed(record::NotCompacted {
            failure: failure.clone(),
            attempt: None,
            usage: Usage::default(),
            cost: None,
            retry_in_ms: None,
        });
        self.note(id, run, None, failed);
        if let (CompactionReason::Overflow, Some(node), Some(run)) = (wanted.reason, &wanted.node, run) {
            let status = NodeStatus::Error;
            let what = Happening::NodeChanged { node: node.clone(), status, output: None, continues: None };
            self.note(id, Some(run), None, what);
        }
        Ok(())
    }

    /// Ends what is under way or wanted, if anything.
    pub(super) fn end_compaction(&mut self, session: &Session, end: TurnEnd) {
        if session.archivist.wanted.is_some() {
            let words = "It was stopped before it began.";
            let failed = Happening::CompactionFailed(record::NotCompacted {
                failure: Failure::new(FailureCategory::NotSetUp, words),
                attempt: None,
                usage: Usage::default(),
                cost: None,
                retry_in_ms: None,
            });
            let run = self.world.open_run(session).map(|run| run.id);
            self.note(session.id, run, None, failed);
        }
        let open = session.archivist.compacting.and_then(|id| self.world.turn(&id));
        if let Some(turn) = open.filter(|turn| turn.phase.is_open()) {
            self.close_open_turn(session, turn, end, ToolStatus::Cancelled);
        }
    }
}

/// At most so many bytes of a text, in whole characters.
fn shortened(text: &str, most: usize) -> &str {
    let end = text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= most).last();
    text.get(..end.unwrap_or(0)).unwrap_or(text)
}
