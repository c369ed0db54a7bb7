//! Decides the life of a run: turns, rounds, pauses, recovery and end.
//!
//! [`Run::next_ready`] picks the next node. A run that loops is paused: repeated tool calls, repeated or alternating
//! answers, turns without changes.

use crate::context::window::between_calls;
use crate::decide::{Decider, queue::RunStart, queue::Stop};
use crate::limits::{IDLE_TURNS, REPEATS};
use crate::prelude::*;
use crate::run::{RoundSummary, RoundsEndReason, graph_step::graph_step};
use crate::session::workers::{charged, is_race, lane_status, lanes};
use nexus_text::content_hash::canonical_json;

impl<'w> Decider<'w, '_, '_> {
    pub(super) fn run(&self, id: RunId) -> Decision<&'w Run> {
        self.world.run(&id).map(|run| run.as_ref()).ok_or(Rejection::NoSuchRun)
    }

    /// Opens the turn of the next node. Its query is the messages that no turn has taken yet.
    pub(super) fn open_turn(&mut self, id: RunId, node: &NodeId) -> Decision {
        let run = self.run(id)?;
        let session = self.session(run.session)?;
        self.ensure_head_loaded(session)?;
        let next = run.next_ready().filter(|next| &next.id == node);
        let (Some(node), true, None) = (next, run.status.is_working(), self.world.open_turn(session)) else {
            return Err(Rejection::Stale);
        };
        // A requested compaction comes first.
        if session.archivist.pending.is_some() {
            return Err(Rejection::Stale);
        }
        // Ending the run or asking the operator comes before READY nodes.
        if run.graph.is_some() && graph_step(run).is_some() {
            return Err(Rejection::Stale);
        }
        if let Some(cause) = self.pause_before_call(run) {
            self.pause(run, cause);
            return Ok(());
        }
        if let Some(terminal) = &node.terminal {
            self.request_terminal(run, node, terminal);
            return Ok(());
        }
        if node.kind == "verifier" {
            self.request_checks(run, node);
            return Ok(());
        }
        let agent = node.agent.as_ref().and_then(|key| self.world.agent(key));
        let agent = agent.ok_or(Rejection::NoSuchAgent)?;
        let mut query = session.unanswered.clone();
        for item in self.world.sendable(session.id) {
            // A report goes to the agent that waits for it.
            let is_awaited = item.report.is_some() && item.target == Target::Agents(vec![agent.key.clone()]);
            // A message with overrides cannot join a working run: it starts one of its own.
            let is_plain = item.config.is_none() && item.tools.is_none() && item.graph.is_none();
            if item.mode == QueueMode::Steer && is_plain || is_awaited {
                query.push(self.take(session, item));
            }
        }
        let mut answers = run.messages.clone();
        answers.extend(query.iter().filter(|id| !run.messages.contains(id)));
        let turn = Turn {
            parent: session.head,
            run: Some(run.id),
            node: Some(node.id.clone()),
            round: run.rounds.current,
            continues: node.continues,
            query,
            answers,
            inbox: if run.graph.is_some() { self.inbox_of(node) } else { Vec::new() },
            agent: agent.key.clone(),
            config: node.config.clone().unwrap_or_else(|| agent.config.clone()),
            ..Turn::opened(TurnId::new(self.env.ids), session.id, session.mind, self.now())
        };
        self.change_node(run, &node.id, NodeStatus::Running);
        self.note_turn(&turn, EventKind::TurnOpened { turn: turn.clone() });
        self.ask_for_context(session, &turn);
        Ok(())
    }

    /// Opens the assistant message of a turn's next call and requests the call's context.
    pub(super) fn ask_for_context(&mut self, session: &Session, turn: &Turn) {
        let mut message = self.message(session, Role::Assistant, None, Vec::new());
        message.status = MessageStatus::Processing;
        message.agent = Some(turn.agent.clone());
        message.model = Some(turn.config.model.clone());
        message.run = turn.run;
        message.turn = Some(turn.id);
        self.note_turn(turn, EventKind::MessageCommitted { message: Arc::new(message) });
        self.note_turn(turn, EventKind::ContextRequested { call: turn.next_call() });
    }

    /// Why the run must ask the operator before its next model call.
    pub(super) fn pause_before_call(&self, run: &Run) -> Option<PauseCause> {
        let over = self.over_budget(run, &self.uncounted_usage(run));
        if let Some(cause) = over.or_else(|| self.over_node_limit(run)) {
            return Some(cause);
        }
        let may_repeat = run.round_summaries.len() > 1 || run.graph.is_some();
        loop_evidence(self.world, run).filter(|_| may_repeat).map(|evidence| PauseCause::Loop { evidence })
    }

    /// The time that the working node has used and that is not counted yet.
    fn uncounted_usage(&self, run: &Run) -> RunUsage {
        let since = run.active_node().and_then(|node| node.since);
        let ms = since.map_or(0, |since| self.now().0.saturating_sub(since.0));
        RunUsage { ms, ..RunUsage::default() }
    }

    /// Starts the next round of a run whose nodes are all done, or ends the run.
    pub(super) fn advance_run(&mut self, id: RunId) -> Decision {
        let run = self.run(id)?;
        if is_race(run) {
            return self.advance_race(run);
        }
        if run.graph.is_some() {
            return self.advance_graph(run);
        }
        if !run.status.is_working() || run.nodes.iter().any(|node| node.status.is_busy()) {
            return Err(Rejection::Stale);
        }
        let session = self.session(run.session)?;
        let answered = run.nodes.iter().any(|node| node.status == NodeStatus::Done);
        if run.keeps_going() {
            let summary = self.summarise_round(run, session, answered);
            let continues = summary.end.is_none();
            self.note_run(run, EventKind::RoundEnded { summary, mind: session.mind });
            if continues {
                for node in &run.nodes {
                    self.change_node(run, &node.id, NodeStatus::Ready);
                }
                return Ok(());
            }
        }
        let status = if answered { RunStatus::Completed } else { RunStatus::Failed };
        self.note_run(run, EventKind::RunEnded { status });
        Ok(())
    }

    fn summarise_round(&self, run: &Run, session: &Session, answered: bool) -> RoundSummary {
        let round = run.rounds.current;
        let verdict = run.verdict.as_ref().filter(|verdict| verdict.round == round);
        let before = self.world.mind(&run.round_mind).cloned().unwrap_or_default();
        let after = self.world.working_mind(session).cloned().unwrap_or_default();
        let touched = changes_between(&before, &after);
        let end = match verdict {
            _ if !answered => Some(RoundsEndReason::Failed),
            Some(verdict) if verdict.accepted => Some(RoundsEndReason::Accepted),
            _ if touched.is_empty() => Some(RoundsEndReason::Unchanged),
            _ if round >= run.rounds.limit => Some(RoundsEndReason::Limit),
            _ => None,
        };
        let changed = if touched.is_empty() { "Nothing changed".to_owned() } else { list_changes(&touched) };
        let outcome = match verdict {
            Some(verdict) => {
                let judge = self.world.agent_name(&verdict.agent);
                let reasons = &verdict.reasons;
                if verdict.accepted {
                    format!("{judge} accepted: {reasons}")
                } else {
                    format!("{judge} did not accept: {reasons}")
                }
            }
            None => "Nobody judged the work".to_owned(),
        };
        RoundSummary { round, changed, outcome, end }
    }

    /// Stops everything in a session: tools, the open turn, and all nodes that have not started.
    pub(super) fn stop(&mut self, id: SessionId, stop: Stop) -> Decision {
        let session = self.session(id)?;
        self.stop_workers(session);
        self.end_jobs(session, &JobSlot::ALL, JobEnd::Cancelled);
        let Some(run) = self.world.open_run(session) else { return Ok(()) };
        match stop {
            Stop::Lanes if is_race(run) => self.stop_race(run),
            Stop::Lanes | Stop::Race => self.cancel(session, run),
        }
        Ok(())
    }

    /// Cancels a run with its open turn, or the race that it is.
    fn cancel(&mut self, session: &Session, run: &Run) {
        if is_race(run) {
            return self.end_race(run);
        }
        let (end, status) = match run.pause {
            Some(PauseCause::TimeCap(_)) => (TurnEnd::TimedOut, RunStatus::TimedOut),
            Some(_) | None => (TurnEnd::Cancelled, RunStatus::Cancelled),
        };
        if let Some(turn) = self.world.open_turn(session).filter(|turn| turn.kind != TurnKind::Compaction) {
            self.close_open_turn(session, turn, end);
        }
        self.drop_checks(run);
        self.end_with(run, status);
    }

    /// Ends a run; nodes that have not started stay IDLE.
    pub(super) fn end_with(&mut self, run: &Run, status: RunStatus) {
        // A node that is BLOCKED with an open turn ended together with that turn.
        let waits = |node: &&Node| match node.status {
            NodeStatus::Ready => true,
            NodeStatus::Blocked => {
                !node.turn.and_then(|turn| self.world.turn(&turn)).is_some_and(|turn| turn.phase.is_open())
            }
            NodeStatus::Idle | NodeStatus::Running | NodeStatus::Done | NodeStatus::Error => false,
        };
        for node in run.nodes.iter().filter(waits).collect::<Vec<_>>() {
            self.change_node(run, &node.id, NodeStatus::Idle);
        }
        self.note_run(run, EventKind::RunEnded { status });
    }

    /// Closes what was open when the page closed, and pauses the run.
    pub(super) fn recover(&mut self, id: SessionId) -> Decision {
        let session = self.session(id)?;
        self.end_jobs(session, &JobSlot::ALL, JobEnd::Interrupted);
        self.recover_workers(session);
        // A run that waits for the operator was not interrupted.
        let run = self.world.open_run(session).filter(|run| run.status != RunStatus::Paused);
        let Some(run) = run else { return Ok(()) };
        // If all lanes of a race are over, nothing was interrupted.
        if is_race(run) && lanes(run).all(|lane| lane_status(self.world, lane).is_over()) {
            return self.advance_race(run);
        }
        if let Some(turn) = self.world.open_turn(session).filter(|turn| turn.kind != TurnKind::Compaction) {
            self.close_open_turn(session, turn, TurnEnd::Interrupted);
        }
        self.drop_checks(run);
        self.pause(run, PauseCause::Interrupted);
        Ok(())
    }

    /// Lets the agent of a failed turn continue the text that was cut off.
    pub(super) fn continue_answer(&mut self, id: TurnId) -> Decision {
        let turn = self.world.turn(&id).ok_or(Rejection::NoSuchTurn)?;
        let mut messages = turn.messages.iter().filter_map(|id| self.world.message(id));
        let has_text =
            |message: &Message| message.role == Role::Assistant && !text_of(&message.parts).trim().is_empty();
        if messages.any(|message| has_text(message)) {
            self.ask_again(id, Some(id))
        } else {
            Err(Rejection::NothingToContinue)
        }
    }

    /// Makes the node of a failed turn READY again while its run is open, else opens a new run for its agent.
    pub(super) fn ask_again(&mut self, id: TurnId, continues: Option<TurnId>) -> Decision {
        let turn = self.world.turn(&id).ok_or(Rejection::NoSuchTurn)?;
        if turn.phase != TurnPhase::Failed || turn.kind == TurnKind::Compaction {
            return Err(Rejection::NotFailed);
        }
        let session = self.session(turn.session)?;
        self.ensure_open(session)?;
        let own_run = self.world.run_of(turn).filter(|run| run.status.is_open());
        if let (Some(run), Some(node)) = (own_run, &turn.node) {
            let row = run.node(node).ok_or(Rejection::Stale)?;
            if row.turn != Some(id) || row.status != NodeStatus::Error {
                return Err(Rejection::Stale);
            }
            if run.status == RunStatus::Paused {
                self.note_run(run, EventKind::RunResumed { caps: run.caps });
            }
            let (node, status) = (node.clone(), NodeStatus::Ready);
            self.note_run(run, EventKind::NodeChanged { node, status, output: None, continues });
            return Ok(());
        }
        if self.world.open_run(session).is_some() {
            return Err(Rejection::RunWorks);
        }
        if let Some((run, node)) = self.graph_of(turn).zip(turn.node.clone()) {
            return self.reopen_graph(session, run, RunCause::Retry(id), &[node], |_| ());
        }
        // The agents that lacked this key, too, and were not called go on with it: later nothing would offer them.
        let skipped_others = |run: &&Arc<Run>| {
            session.head == Some(id)
                && !is_race(run)
                && run.nodes.iter().any(|node| node.status == NodeStatus::Idle)
        };
        if turn.failure.as_ref().is_some_and(ProviderError::lacks_key)
            && let Some(run) = self.world.run_of(turn).filter(skipped_others)
        {
            return self.continue_run(run.id, continues);
        }
        let target = Target::Agents(vec![turn.agent.clone()]);
        self.ensure_not_deleted(&target)?;
        let overrides = MessageOverrides::of_turn(self.world, turn);
        let start = RunStart::new(RunCause::Retry(id), turn.answers.clone(), &target).with(&overrides);
        self.open_run(session, &RunStart { continues, ..start });
        Ok(())
    }

    pub(super) fn graph_of(&self, turn: &Turn) -> Option<&'w Run> {
        self.world.run_of(turn).map(|run| run.as_ref()).filter(|run| run.graph.is_some())
    }

    /// Resumes a paused run, or opens a new run for the unanswered nodes of an ended one, which continues the cut-off
    /// answer of the turn `continues`.
    pub(super) fn continue_run(&mut self, id: RunId, continues: Option<TurnId>) -> Decision {
        let run = self.run(id)?;
        let session = self.session(run.session)?;
        if run.status == RunStatus::Paused {
            // A run that waits for a choice cannot be resumed.
            if run.pause == Some(PauseCause::Choice) {
                return Err(Rejection::Stale);
            }
            return self.resume_run(run, session);
        }
        self.ensure_open(session)?;
        if is_race(run) {
            return Err(Rejection::Stale);
        }
        if run.status.is_open() || self.world.open_run(session).is_some() {
            return Err(Rejection::RunWorks);
        }
        let open: Vec<_> = run
            .nodes
            .iter()
            .filter(|node| matches!(node.status, NodeStatus::Idle | NodeStatus::Error))
            .filter_map(|node| node.agent.clone())
            .collect();
        if open.is_empty() {
            return Err(Rejection::Stale);
        }
        if run.graph.is_some() {
            let ready = Self::open_nodes(run);
            return self.reopen_graph(session, run, RunCause::Continued(id), &ready, |_| ());
        }
        let overrides =
            run.nodes.first().map(|node| MessageOverrides::of_node(session, node)).unwrap_or_default();
        let target = Target::Agents(open);
        self.ensure_not_deleted(&target)?;
        let start = RunStart::new(RunCause::Continued(id), run.messages.clone(), &target).with(&overrides);
        self.open_run(session, &RunStart { continues, ..start });
        Ok(())
    }

    pub(super) fn resume_run(&mut self, run: &'w Run, session: &'w Session) -> Decision {
        self.resume(run, session)?;
        self.resume_graph(run);
        self.resume_lanes(run)?;
        self.resume_workers(session)
    }

    pub(super) fn resume(&mut self, run: &Run, session: &Session) -> Decision {
        let is_budget = run.pause.as_ref().is_some_and(PauseCause::is_budget);
        let (mut caps, step) = (run.caps, self.caps());
        let used = charged(self.world, run).plus(&self.uncounted_usage(run));
        // A worker's run may wait for a budget above its own, which has room left.
        match &run.pause {
            Some(PauseCause::CallCap(_)) => {
                caps.calls = caps.calls.max(used.calls.saturating_add(step.calls));
            }
            Some(PauseCause::TokenCap(_)) => {
                caps.tokens = caps.tokens.max(used.tokens.saturating_add(step.tokens));
            }
            Some(PauseCause::CostCap(_)) => caps.cost = caps.cost.max(used.cost.plus(step.cost)),
            Some(_) if is_budget => caps = caps.raised(&used, &step),
            Some(_) | None => {}
        }
        if is_budget {
            self.raise_above(run)?;
        }
        self.note_run(run, EventKind::RunResumed { caps });
        for node in &run.nodes {
            let turn = node.turn.as_ref().and_then(|turn| self.world.turn(turn));
            if turn.is_some_and(|turn| turn.end == Some(TurnEnd::Interrupted))
                && node.status == NodeStatus::Error
            {
                self.change_node(run, &node.id, NodeStatus::Ready);
            }
        }
        // A turn that paused before its next call requests its context now.
        if let Some(turn) = self.world.open_turn(session)
            && turn.phase == TurnPhase::AwaitingToolResult
        {
            self.ask_for_context(session, turn);
        }
        // So does one whose answer has a message already, because it waited for a compaction.
        if let Some(turn) = between_calls(self.world, session) {
            self.note_turn(turn, EventKind::ContextRequested { call: turn.next_call() });
        }
        Ok(())
    }

    pub(super) fn end_run(&mut self, id: RunId) -> Decision {
        let run = self.run(id)?;
        let is_open_race = is_race(run) && run.status.is_open();
        if run.status != RunStatus::Paused && !is_open_race {
            return Err(Rejection::Stale);
        }
        let session = self.session(run.session)?;
        if is_open_race {
            self.withdraw_prompt(session, run)?;
        }
        self.stop_workers(session);
        self.end_jobs(session, &[JobSlot::Compaction], JobEnd::Cancelled);
        self.cancel(session, run);
        Ok(())
    }
}

pub(super) fn list_changes(touched: &[FileChange]) -> String {
    touched.iter().map(FileChange::to_string).collect::<Vec<_>>().join(", ")
}

/// Evidence of a repeated call: the same tool with the same arguments [`REPEATS`] times in a row, without a change of
/// the mind.
pub(super) fn repeated_call(world: &World, turn: &Turn) -> Option<String> {
    let runs: Vec<_> = turn.tool_runs.iter().filter_map(|id| world.tool_run(id)).collect();
    let newest = runs.last()?;
    let same = runs
        .iter()
        .rev()
        .take_while(|run| run.minds.is_none() && signature(&run.call) == signature(&newest.call))
        .count();
    (same >= REPEATS).then(|| format!("{} was called {same} times with the same arguments", newest.call.name))
}

fn signature(call: &ToolCall) -> (String, String) {
    let args = match &call.args {
        ToolArgs::Parsed(value) => canonical_json(value),
        ToolArgs::Broken(text) => text.clone(),
    };
    (call.name.clone(), args)
}

/// Evidence of a loop in the closed turns of a run: the same answer of an agent [`REPEATS`] times, answers that
/// alternate A, B, A, B, or [`IDLE_TURNS`] turns without a change of the mind.
fn loop_evidence(world: &World, run: &Run) -> Option<String> {
    // Turns before the operator resumed the run do not count.
    let since = run.graph.as_ref().and_then(|graph| graph.since);
    let turns: Vec<_> = world
        .replies(world.session(&run.session).and_then(|session| session.head))
        .take_while(|turn| turn.run == Some(run.id) && since.is_none_or(|since| turn.id > since))
        .take(IDLE_TURNS)
        .collect();
    if turns.len() == IDLE_TURNS
        && turns.iter().all(|turn| turn.mind_after.as_ref() == Some(&turn.mind_before))
    {
        return Some(format!("{IDLE_TURNS} turns changed nothing"));
    }
    let newest = turns.first()?;
    let answers: Vec<String> = turns
        .iter()
        .filter(|turn| turn.agent == newest.agent)
        // In a graph, a node may repeat its answer while its tools did different work; its turns are limited
        // separately.
        .filter(|turn| run.graph.is_none() || turn.tool_runs.is_empty())
        .take(4)
        .map(|turn| answer_of(world, turn))
        .collect();
    match answers.as_slice() {
        [a, b, c, ..] if !a.is_empty() && a == b && b == c => {
            Some(format!("{} gave the same answer {REPEATS} times", newest.agent))
        }
        [a, b, c, d] if !a.is_empty() && a == c && b == d && a != b => {
            Some(format!("{} goes back and forth between two answers", newest.agent))
        }
        _ => None,
    }
}

/// The last non-empty text of a turn, trimmed.
fn answer_of(world: &World, turn: &Turn) -> String {
    turn.messages
        .iter()
        .rev()
        .filter_map(|id| world.message(id))
        .map(|message| text_of(&message.parts))
        .find(|text| !text.trim().is_empty())
        .map(|text| text.trim().to_owned())
        .unwrap_or_default()
}
