//! Folds events of nodes and workers into the run, the inboxes of later nodes, and the sender's session and tool runs;
//! and turns and head moves into the thread cache, former heads and the tombstones of purged sessions.
//!
//! Also rebuilds a run as it was before one of its turns opened, from the run's own events.

use crate::fold::{Fold, fold, node_of};
use crate::limits::{FORMER_HEADS, MERGES_REMEMBERED};
use crate::prelude::*;
use crate::run::graph::taken_edges;
use crate::session::{FormerHead, MergeRecord, delegation::OpenWorker, workers::CandidateResult};
use crate::turn::{Thread, tree::add_child};

fn change_node(run: &mut Run, id: &NodeId, change: impl FnOnce(&mut Node)) {
    if let Some(node) = run.nodes.iter_mut().find(|node| node.id == *id) {
        change(node);
    }
}

/// Stops the clock of a node, and adds its working time to what it and its run used, if it did work.
fn end_work(row: &mut Node, used: &mut RunUsage, is_graph: bool, at: Millis, has_worked: bool) {
    let since = row.since.take().filter(|_| has_worked);
    let ms = since.map_or(0, |since| at.0.saturating_sub(since.0));
    row.used.ms = if is_graph { row.used.ms.saturating_add(ms) } else { 0 };
    used.ms = used.ms.saturating_add(ms);
}

impl Fold<'_, '_> {
    pub(super) fn node_changed(
        &mut self,
        node: &NodeId,
        status: NodeStatus,
        output: Option<&Envelope>,
        continues: Option<TurnId>,
    ) {
        // Output that a model wrote says nothing about a lane.
        let mut candidate = output.and_then(CandidateResult::read);
        let at = self.event.at;
        // No work was done while the page was closed.
        let has_worked = output.is_none_or(|output| output.status != "interrupted");
        self.run(|run| {
            if run.status == RunStatus::Queued && status == NodeStatus::Running {
                run.status = RunStatus::Running;
            }
            let is_graph = run.graph.is_some();
            if run.graph.is_some() {
                candidate = None;
            }
            let taken = output.map(|output| taken_edges(&run.edges, output)).unwrap_or_default();
            let to: Vec<_> = taken.into_iter().map(|edge| edge.to.clone()).collect();
            for row in &mut run.nodes {
                if &row.id == node {
                    end_work(row, &mut run.used, is_graph, at, has_worked);
                    row.since = (status == NodeStatus::Running).then_some(at);
                    row.status = status;
                    if status == NodeStatus::Done {
                        row.taken.clear();
                    }
                    row.continues = continues.or(row.continues);
                    if output.is_some() {
                        row.last_output = output.cloned();
                    }
                }
                if let Some(output) = output
                    && to.contains(&row.id)
                {
                    row.inbox.push(output.clone());
                }
            }
            let is_orchestrator = |row: &Node| row.id == *node && row.kind == "orchestrator";
            if let Some(graph) = &mut run.graph
                && output.is_some()
                && !run.nodes.iter().any(is_orchestrator)
            {
                graph.ticks = 0;
            }
            for artifact in output.iter().flat_map(|output| &output.artifacts) {
                if !run.artifacts.contains(artifact) {
                    run.artifacts.push(artifact.clone());
                }
            }
            if let Some(candidate) = &candidate {
                run.used = run.used.plus(&candidate.spent);
            }
        });
        // The first turns of lanes become roots of the session that started the race.
        let root = candidate.and_then(|candidate| candidate.root);
        if let Some(root) = root {
            self.session(self.here, |session| add_child(&mut session.roots, root));
        }
    }

    pub(super) fn run_paused(&mut self, cause: &PauseCause) {
        let has_worked = *cause != PauseCause::Interrupted;
        self.run(|run| {
            run.status = RunStatus::Paused;
            run.pause = Some(cause.clone());
            for row in &mut run.nodes {
                end_work(row, &mut run.used, run.graph.is_some(), self.event.at, has_worked);
            }
        });
    }

    pub(super) fn run_resumed(&mut self, caps: RunLimits) {
        self.run(|run| {
            run.caps = caps;
            // The limits of an ended run may still be raised for its workers.
            if run.status.is_open() {
                run.status = RunStatus::Running;
                run.pause = None;
                let works = |row: &&mut Node| row.status == NodeStatus::Running && row.since.is_none();
                run.nodes.iter_mut().filter(works).for_each(|row| row.since = Some(self.event.at));
            }
            if let Some(graph) = &mut run.graph {
                (graph.question, graph.ticks) = (None, 0);
                graph.since = run.nodes.iter().filter_map(|node| node.turn).max();
            }
        });
    }

    /// Starts a turn without a model: it takes the node's inbox.
    pub(super) fn checks_requested(&mut self, node: &NodeId, check: u32) {
        self.run(|run| {
            change_node(run, node, |node| {
                node.turns = check;
                node.taken.append(&mut node.inbox);
            });
        });
    }

    pub(super) fn graph_changed(&mut self, change: &GraphChange) {
        let change = change.clone();
        self.run(|run| {
            let Some(graph) = &mut run.graph else { return };
            let is_tick =
                matches!(&change, GraphChange::Sent { envelope, .. } if envelope.kind == kinds::TICK);
            graph.ticks = if is_tick { graph.ticks.saturating_add(1) } else { 0 };
            match change {
                GraphChange::Mode(mode) => run.mode = mode,
                GraphChange::Sent { to, envelope } => change_node(run, &to, |node| node.inbox.push(envelope)),
                GraphChange::TurnsAllowed { node, most } => {
                    change_node(run, &node, |node| node.max_turns = most);
                }
                GraphChange::LimitsRaised { node, limits } => {
                    change_node(run, &node, |node| node.limits = limits);
                }
                GraphChange::Terminal { node, terminal } => change_node(run, &node, |node| {
                    (node.terminal, node.provider_session) = (terminal, None);
                }),
                GraphChange::ProviderSession { node, session } => {
                    change_node(run, &node, |node| node.provider_session = Some(session));
                }
                GraphChange::Completion(completion) => graph.completion = completion,
                GraphChange::NodeAdded(node) => run.nodes.push(*node),
                GraphChange::EdgeAdded(edge) => run.edges.push(edge),
                GraphChange::Asked { node, question } => graph.question = Some((node, question)),
                GraphChange::Finished { summary } => graph.finished = Some(summary),
            }
        });
    }

    /// Counts usage in the run of a turn, and in a graph also in its node.
    pub(super) fn count(&mut self, change: impl Fn(&mut RunUsage)) {
        let node = self.event.turn.and_then(|id| self.overlay.turn(&id)?.node.clone());
        self.run(|run| {
            change(&mut run.used);
            if let Some(node) = node.filter(|_| run.graph.is_some()) {
                change_node(run, &node, |node| change(&mut node.used));
            }
        });
    }

    pub(super) fn worker_sent(&mut self, tool_run: ToolRunId, worker: &Worker) {
        let open = OpenWorker { session: worker.session, tool_run, run: self.event.run };
        self.session(self.here, |session| session.workers.push(open));
        self.overlay.change_tool_run(&tool_run, |run| run.worker = Some(worker.clone()));
    }

    pub(super) fn worker_ended(&mut self, kind: &EventKind) {
        let EventKind::WorkerEnded { tool_run, worker, result, edits } = kind else { return };
        let minds = self.edit_mind(self.here, edits);
        self.session(self.here, |session| session.workers.retain(|open| open.session != *worker));
        self.overlay.change_tool_run(tool_run, |run| {
            if let Some(sent) = &mut run.worker {
                sent.end = Some(result.clone());
            }
            run.touched.clone_from(&result.touched);
            run.minds = minds;
        });
        self.run(|run| run.used = run.used.plus(&result.spent));
    }
}

/// The run of a turn as it was before the turn opened: its node is READY, with the inbox that the turn took.
///
/// `None` if these are not the events of its run.
pub fn run_before(events: &[Event], turn: TurnId) -> Option<Run> {
    let opens = |event: &Event| matches!(event.known_kind(), Some(EventKind::TurnOpened { turn: opened }) if opened.id == turn);
    let at = events.iter().position(opens)?;
    let before = events.get(..at)?;
    let is_start = |event: &Event| {
        matches!(event.known_kind(), Some(EventKind::NodeChanged { status: NodeStatus::Running, .. }))
    };
    let start = before.iter().rposition(is_start)?;
    let run = events.get(at)?.run?;
    fold(&World::default(), events.get(..start)?).run(&run).map(|run| run.as_ref().clone())
}

impl Fold<'_, '_> {
    pub(super) fn turn_opened(&mut self, turn: &Turn) {
        let parent = turn.parent.and_then(|id| self.overlay.thread(&id).cloned());
        let mut thread = Thread::alone(turn);
        if let Some(parent) = &parent {
            thread.join(parent, |id| self.overlay.thread(&id).map(|thread| &**thread));
        }
        self.overlay.rows.threads.insert(turn.id, Arc::new(thread));
        if let Some(parent) = turn.parent {
            self.overlay.change_thread(&parent, |parent| add_child(&mut parent.children, turn.id));
        }
        let mut row = turn.clone();
        if let Some(session) = self.overlay.session(&turn.session) {
            row.core_before = session.core_changes_at(turn.parent);
        }
        self.overlay.rows.turns.insert(turn.id, Arc::new(row));
        for id in &turn.query {
            // A message keeps the turn that took it first.
            if self.overlay.message(id).is_some_and(|message| message.turn.is_none()) {
                let taken = (Some(turn.id), turn.run);
                self.overlay.change_message(id, |message| (message.turn, message.run) = taken);
            }
        }
        let at = self.event.at;
        self.session(turn.session, |session| {
            session.unanswered.retain(|id| !turn.query.contains(id));
            if turn.parent.is_none() {
                add_child(&mut session.roots, turn.id);
            }
            if let Some(other) = turn.second_parent {
                session.merges.push(MergeRecord { turn: turn.id, other, mind: turn.mind_shown });
                let over = session.merges.len().saturating_sub(MERGES_REMEMBERED);
                session.merges.drain(..over);
            }
        });
        self.run(|run| {
            let is_graph = run.graph.is_some();
            if let Some(node) = node_of(run, turn) {
                node.turn = Some(turn.id);
                node.inbox.clear();
                node.continues = None;
                if is_graph {
                    node.turns = node.turns.saturating_add(1);
                }
            }
        });
        self.session(turn.session, |session| session.archivist.start_error = None);
        if turn.kind != TurnKind::Compaction {
            self.count(|used| used.turns = used.turns.saturating_add(1));
            self.flags(turn.session, &turn.agent, |flags| flags.last_activity = Some(at));
        }
    }

    pub(super) fn head_moved(&mut self, kind: &EventKind) {
        let EventKind::HeadMoved { from, to, mind, by_hand } = kind else { return };
        let Some(by_hand) = by_hand else {
            return self.session(self.here, |session| session.head = *to);
        };
        let at = self.event.at;
        self.edit_mind(self.here, &by_hand.edits);
        self.session(self.here, |session| {
            let unanswered = std::mem::replace(&mut session.unanswered, by_hand.unanswered.clone());
            session.former.retain(|former| former.turn != *from && former.turn != *to);
            if from != to {
                session.former.push(FormerHead { turn: *from, mind: *mind, unanswered, at });
            }
            let over = session.former.len().saturating_sub(FORMER_HEADS);
            session.former.drain(..over);
            session.head = *to;
            // The Core need not sync what was brought back.
            session.core.synced = Some(session.mind);
        });
    }

    /// Reduces a session to a tombstone: that it existed, and when.
    pub(super) fn session_purged(&mut self, id: SessionId) {
        self.session(id, |session| *session = session.tombstone(self.event.at));
    }
}
