//! The scheduler of graph runs, as a pure function.
//!
//! Nodes become READY when their joins are met by the envelopes in their inboxes. A join also waits for edges that can
//! still deliver one.

use crate::limits::IDLE_TICKS;
use crate::run::graph::{Completion, Join, Port, RunMode, kinds, missing_port, taken_edges};
use crate::run::{Node, NodeStatus, PauseCause, Run, RunGraph, RunStatus};
use nexus_text::shorten::{counted, ellipsis};
use nexus_text::vec_map::{VecMap, reached_from};

/// Maximum length of a quotation in an evidence text.
const EVIDENCE_CHARS: usize = 160;

#[derive(Clone, Debug, PartialEq)]
pub enum GraphStep {
    /// Set these nodes READY, by index.
    Ready(Vec<usize>),
    /// Send the orchestrator, by index, a tick with what changed.
    Tick(usize),
    Pause(PauseCause),
    End(RunStatus),
}

/// The step to record before a turn opens; `None` while a node works, or if the next READY one can run.
pub fn graph_step(run: &Run) -> Option<GraphStep> {
    if is_budget_over(run) {
        return Some(GraphStep::End(RunStatus::Completed));
    }
    let graph = run.graph.as_ref().filter(|_| run.status.is_working())?;
    if run.nodes.iter().any(|node| node.status.is_at_work()) {
        return None;
    }
    let passed = |node: &Node| node.kind == "verifier" && node.status == NodeStatus::Done && node.says("ok");
    let is_verified = graph.completion == Completion::Verifier && run.nodes.iter().any(passed);
    if graph.finished.is_some() || is_verified {
        return Some(GraphStep::End(RunStatus::Completed));
    }
    if let Some((node, text)) = &graph.question {
        return Some(GraphStep::Pause(PauseCause::Question { node: node.clone(), text: text.clone() }));
    }
    let mut due = due(run);
    let is_started = |at: &usize| run.nodes.get(*at).is_some_and(Node::is_asked_by_operator);
    let (started, waiting): (Vec<usize>, Vec<usize>) =
        due.iter().partition(|at| run.mode == RunMode::Auto || is_started(at));
    if !started.is_empty() {
        return Some(allowed(run, started));
    }
    if run.nodes.iter().any(|node| node.status == NodeStatus::Ready) {
        return None;
    }
    due = waiting;
    if due.is_empty() {
        // Nodes wait for each other: start the first one with the envelopes that it has.
        let waiting = run.nodes.iter().enumerate().filter(|(_, node)| !node.inbox.is_empty());
        due.extend(waiting.min_by_key(|(_, node)| node.order()).map(|(at, _)| at));
    }
    if due.is_empty() {
        return Some(idle(run, graph));
    }
    Some(match (allowed(run, due), run.mode) {
        (GraphStep::Ready(due), RunMode::Interactive) => {
            let nodes = due.iter().filter_map(|at| run.nodes.get(*at)).map(|node| node.id.clone()).collect();
            GraphStep::Pause(PauseCause::YourTurn { nodes })
        }
        (step, _) => step,
    })
}

/// True if a run that ends with its budget is paused at a limit.
pub fn is_budget_over(run: &Run) -> bool {
    let ends = run.graph.as_ref().is_some_and(|graph| graph.completion == Completion::Budget);
    ends && run.status == RunStatus::Paused && run.pause.as_ref().is_some_and(PauseCause::is_budget)
}

/// Sets these nodes READY, or pauses the run if one of them has no turns left.
fn allowed(run: &Run, due: Vec<usize>) -> GraphStep {
    let has_no_turns = |node: &&Node| node.max_turns > 0 && node.turns >= node.max_turns;
    match due.iter().filter_map(|at| run.nodes.get(*at)).find(has_no_turns) {
        Some(node) => {
            let turns = counted(node.turns, "turn", "turns");
            let evidence = match node.inbox.last() {
                None => format!("It has had {turns}, its limit."),
                Some(newest) => format!(
                    "It has had {turns}, its limit. {} sends: “{}”.",
                    newest.node_id,
                    ellipsis(&newest.summary, EVIDENCE_CHARS)
                ),
            };
            GraphStep::Pause(PauseCause::NodeLimit { node: node.id.clone(), evidence })
        }
        None => GraphStep::Ready(due),
    }
}

/// The step when no envelope waits and nothing works.
fn idle(run: &Run, graph: &RunGraph) -> GraphStep {
    let auto = run.mode == RunMode::Auto;
    let orchestrator = run.nodes.iter().position(|node| node.kind == "orchestrator").filter(|_| auto);
    if let Some(node) = run.nodes.iter().enumerate().find_map(|(at, node)| {
        // Failures of other nodes are reported to the orchestrator.
        let reports = orchestrator.is_some_and(|orchestrator| orchestrator != at);
        (node.has_failed(run) && !reports).then_some(node)
    }) {
        let summary = node.last_output.as_ref().map_or(String::new(), |output| output.summary.clone());
        let evidence = match summary.as_str() {
            "" => "Its last turn came to nothing.".to_owned(),
            summary => format!("“{}”.", ellipsis(summary.trim_end_matches('.'), EVIDENCE_CHARS)),
        };
        return GraphStep::Pause(PauseCause::NodeFailed { node: node.id.clone(), evidence });
    }
    if orchestrator.is_none()
        && let Some((node, port)) = run.nodes.iter().find_map(|node| Some((node, node.missing_port(run)?)))
    {
        let evidence = match port {
            Port::Diff => "It changed no file, and the edge that leads on from it carries changed files.",
            Port::Text | Port::Report => {
                "Its answer has no verdict and ends with no JSON block, which the edges that lead on from it look at."
            }
        };
        return GraphStep::Pause(PauseCause::NoRoute {
            node: node.id.clone(),
            evidence: evidence.to_owned(),
        });
    }
    if let Some((at, node)) = orchestrator.and_then(|at| Some((at, run.nodes.get(at)?))) {
        if graph.ticks >= IDLE_TICKS {
            let evidence =
                format!("{} was asked {} times what comes next and started nothing", node.id, graph.ticks);
            return GraphStep::Pause(PauseCause::Loop { evidence });
        }
        let step = allowed(run, vec![at]);
        return if matches!(step, GraphStep::Ready(_)) { GraphStep::Tick(at) } else { step };
    }
    let evidence = match graph.completion {
        Completion::Drained | Completion::Budget => {
            let answered = run.nodes.iter().any(|node| node.status == NodeStatus::Done);
            return GraphStep::End(if answered { RunStatus::Completed } else { RunStatus::Failed });
        }
        Completion::Verifier => "Nothing is left to work on, and no verifier has passed.",
        Completion::Orchestrator => {
            "Nothing is left to work on, and the orchestrator has not finished the run."
        }
    };
    GraphStep::Pause(PauseCause::NotDone { evidence: evidence.to_owned() })
}

/// The nodes whose joins are met.
fn due(run: &Run) -> Vec<usize> {
    let candidates: Vec<usize> = run
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| !node.status.is_busy() && !node.inbox.is_empty())
        .map(|(at, _)| at)
        .collect();
    if candidates.is_empty() {
        return candidates;
    }
    let links = Links::of(run);
    candidates
        .into_iter()
        .filter(|at| run.nodes.get(*at).is_some_and(|node| is_joined(run, &links, *at, node)))
        .collect()
}

fn is_joined(run: &Run, links: &Links, at: usize, node: &Node) -> bool {
    // An envelope that was sent to this node directly needs no join.
    if node.inbox.iter().any(|envelope| envelope.kind != kinds::RESULT) {
        return true;
    }
    let has_arrived = |before: &usize| {
        let before = run.nodes.get(*before);
        before.is_some_and(|before| node.inbox.iter().any(|envelope| envelope.node_id == before.id))
    };
    let before = links.before.get(at).map(Vec::as_slice).unwrap_or_default();
    let (arrived, missing): (Vec<usize>, Vec<usize>) = before.iter().partition(|before| has_arrived(before));
    let is_met = match node.join {
        Join::Any => true,
        Join::Quorum(needs) => usize::try_from(needs).is_ok_and(|needs| arrived.len() >= needs),
        Join::All => missing.is_empty(),
    };
    is_met || {
        let reachable = links.can_still_run(run, at);
        !missing.iter().any(|before| reachable.contains(before))
    }
}

/// The edges of a run, by indexes of nodes.
struct Links {
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
}

impl Links {
    fn of(run: &Run) -> Self {
        let places: VecMap<_, _> =
            run.nodes.iter().enumerate().map(|(at, node)| (node.id.clone(), at)).collect();
        let mut links =
            Self { before: vec![Vec::new(); run.nodes.len()], after: vec![Vec::new(); run.nodes.len()] };
        for edge in &run.edges {
            let (Some(from), Some(to)) = (places.get(&edge.from), places.get(&edge.to)) else { continue };
            let link = |list: &mut Vec<Vec<usize>>, at: usize, other: usize| {
                if let Some(row) = list.get_mut(at).filter(|row| !row.contains(&other)) {
                    row.push(other);
                }
            };
            link(&mut links.before, *to, *from);
            link(&mut links.after, *from, *to);
        }
        links
    }

    /// The nodes that can still run without this one: READY nodes, nodes with envelopes, and all their successors.
    fn can_still_run(&self, run: &Run, without: usize) -> Vec<usize> {
        let can_start = |node: &Node| node.status == NodeStatus::Ready || !node.inbox.is_empty();
        let able = run.nodes.iter().enumerate().filter(|(_, node)| can_start(node)).map(|(at, _)| at);
        let is_other = |at: &usize| *at != without;
        reached_from(able.filter(is_other), |at| {
            self.after.get(at).into_iter().flatten().copied().filter(is_other).collect()
        })
    }
}

impl Node {
    fn is_asked_by_operator(&self) -> bool {
        self.inbox.iter().any(|envelope| envelope.kind == kinds::OPERATOR)
    }

    fn says(&self, status: &str) -> bool {
        self.last_output.as_ref().is_some_and(|output| output.status == status)
    }

    /// The port that its last output lacks, if no edge forwards it for that reason.
    fn missing_port(&self, run: &Run) -> Option<Port> {
        let output = self.last_output.as_ref().filter(|_| self.status == NodeStatus::Done);
        output.and_then(|output| missing_port(&run.edges, output))
    }

    /// True if its turn failed and no edge handles the failure.
    pub fn has_failed(&self, run: &Run) -> bool {
        let is_forwarded = |output| !taken_edges(&run.edges, output).is_empty();
        self.status == NodeStatus::Error && !self.last_output.as_ref().is_some_and(is_forwarded)
    }
}
