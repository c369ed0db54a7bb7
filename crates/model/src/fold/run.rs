//! Folds events of nodes and workers into the run, the inboxes of later nodes, and the sender's session and tool runs.
//!
//! Also rebuilds a run as it was before one of its turns opened, from the run's own events.

use super::{Fold, fold};
use crate::event::{Event, EventKind, GraphChange};
use crate::id::{NodeId, ToolRunId, TurnId};
use crate::run::graph::{kinds, taken_edges};
use crate::run::{Envelope, Node, NodeStatus, Run, RunLimits, RunStatus, RunUsage};
use crate::session::delegation::{OpenWorker, Worker};
use crate::session::race::CandidateResult;
use crate::turn::tree::add_child;
use crate::world::World;

fn find<'r>(run: &'r mut Run, id: &NodeId) -> Option<&'r mut Node> {
    run.nodes.iter_mut().find(|node| node.id == *id)
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
                    let since = row.since.take().filter(|_| has_worked);
                    let ms = since.map_or(0, |since| at.0.saturating_sub(since.0));
                    row.used.ms = if is_graph { row.used.ms.saturating_add(ms) } else { 0 };
                    run.used.ms = run.used.ms.saturating_add(ms);
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
        if let (Some(root), Some(id)) = (root, self.event.stream.session()) {
            self.session(id, |session| add_child(&mut session.roots, root));
        }
    }

    pub(super) fn run_resumed(&mut self, caps: RunLimits) {
        self.run(|run| {
            run.caps = caps;
            // The limits of an ended run may still be raised for its workers.
            if run.status.is_open() {
                run.status = RunStatus::Running;
                run.pause = None;
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
            if let Some(node) = find(run, node) {
                node.turns = check;
                node.taken.append(&mut node.inbox);
            }
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
                GraphChange::Sent { to, envelope } => {
                    if let Some(node) = find(run, &to) {
                        node.inbox.push(envelope);
                    }
                }
                GraphChange::TurnsAllowed { node, most } => {
                    if let Some(node) = find(run, &node) {
                        node.max_turns = most;
                    }
                }
                GraphChange::LimitsRaised { node, limits } => {
                    if let Some(node) = find(run, &node) {
                        node.limits = limits;
                    }
                }
                GraphChange::Terminal { node, terminal } => {
                    if let Some(node) = find(run, &node) {
                        (node.terminal, node.provider_session) = (terminal, None);
                    }
                }
                GraphChange::ProviderSession { node, session } => {
                    if let Some(node) = find(run, &node) {
                        node.provider_session = Some(session);
                    }
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
            if run.graph.is_some()
                && let Some(row) = node.and_then(|node| find(run, &node))
            {
                change(&mut row.used);
            }
        });
    }

    pub(super) fn worker_sent(&mut self, tool_run: ToolRunId, worker: &Worker) {
        let Some(id) = self.event.stream.session() else { return };
        let open = OpenWorker { session: worker.session, tool_run, run: self.event.run };
        self.session(id, |session| session.workers.push(open));
        self.tool_run(tool_run, |run| run.worker = Some(worker.clone()));
    }

    pub(super) fn worker_ended(&mut self, kind: &EventKind) {
        let EventKind::WorkerEnded { tool_run, worker, result, edits } = kind else { return };
        let Some(id) = self.event.stream.session() else { return };
        let before = self.overlay.session(&id).map(|session| session.mind);
        self.edit_mind(id, edits);
        let after = self.overlay.session(&id).map(|session| session.mind);
        self.session(id, |session| session.workers.retain(|open| open.session != *worker));
        self.tool_run(*tool_run, |run| {
            if let Some(sent) = &mut run.worker {
                sent.end = Some(result.clone());
            }
            run.touched.clone_from(&result.touched);
            run.minds = before.zip(after).filter(|(before, after)| before != after);
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
