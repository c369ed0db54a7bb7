//! The scheduler of a graph, as a pure function: what a run does next once no node works.
//!
//! Envelopes in inboxes make nodes READY as their joins say; an edge that can still bring one is waited for.

use crate::limits::IDLE_TICKS;
use crate::run::graph::{Completion, Join, Port, RunMode, kinds, missing_port, taken_edges};
use crate::run::{Node, NodeStatus, PauseCause, Run, RunGraph, RunStatus};
use nexus_text::shorten::{counted, ellipsis};
use nexus_text::vec_map::VecMap;

/// The most characters of an output that evidence quotes.
const EVIDENCE_CHARS: usize = 160;

/// What a run of a graph does next.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphStep {
    /// These nodes, by their places in the list, become READY.
    Ready(Vec<usize>),
    /// The orchestrator, by its place, is told what changed and asked again.
    Tick(usize),
    Pause(PauseCause),
    End(RunStatus),
}

/// What is to be noted before a turn opens; `None` where a node works or the next READY one can run.
pub fn graph_step(run: &Run) -> Option<GraphStep> {
    if is_budget_over(run) {
        return Some(GraphStep::End(RunStatus::Completed));
    }
    let graph = run.graph.as_ref().filter(|_| run.status.works())?;
    if run.nodes.iter().any(|node| matches!(node.status, NodeStatus::Running | NodeStatus::Blocked)) {
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
    let is_asked = |at: &usize| run.nodes.get(*at).is_some_and(Node::is_asked_by_operator);
    let (asked, waits): (Vec<usize>, Vec<usize>) =
        due.iter().partition(|at| run.mode == RunMode::Auto || is_asked(at));
    if !asked.is_empty() {
        return Some(allowed(run, asked));
    }
    if run.nodes.iter().any(|node| node.status == NodeStatus::Ready) {
        return None;
    }
    due = waits;
    if due.is_empty() {
        // Nodes that wait for each other: the first one goes on with what it has.
        let waits = run.nodes.iter().enumerate().filter(|(_, node)| !node.inbox.is_empty());
        due.extend(waits.min_by_key(|(_, node)| node.order()).map(|(at, _)| at));
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

/// Whether a run that is to end with its budget waits because that is used up.
pub fn is_budget_over(run: &Run) -> bool {
    let ends = run.graph.as_ref().is_some_and(|graph| graph.completion == Completion::Budget);
    ends && run.status == RunStatus::Paused && run.pause.as_ref().is_some_and(PauseCause::is_budget)
}

/// These nodes become READY, or the run pauses because one of them has had its turns.
fn allowed(run: &Run, due: Vec<usize>) -> GraphStep {
    let spent = |node: &&Node| node.max_turns > 0 && node.turns >= node.max_turns;
    match due.iter().filter_map(|at| run.nodes.get(*at)).find(spent) {
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

/// What follows when no envelope waits and nothing works.
fn idle(run: &Run, graph: &RunGraph) -> GraphStep {
    let auto = run.mode == RunMode::Auto;
    let orchestrator = run.nodes.iter().position(|node| node.kind == "orchestrator").filter(|_| auto);
    if let Some(node) = run.nodes.iter().enumerate().find_map(|(at, node)| {
        // The orchestrator is told of the failures of others.
        let told = orchestrator.is_some_and(|orchestrator| orchestrator != at);
        (node.has_failed(run) && !told).then_some(node)
    }) {
        let words = node.last_output.as_ref().map_or(String::new(), |output| output.summary.clone());
        let evidence = match words.as_str() {
            "" => "Its last turn came to nothing.".to_owned(),
            words => format!("“{}”.", ellipsis(words.trim_end_matches('.'), EVIDENCE_CHARS)),
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

/// The nodes whose inboxes let them run now.
fn due(run: &Run) -> Vec<usize> {
    let rests = |node: &Node| matches!(node.status, NodeStatus::Idle | NodeStatus::Done | NodeStatus::Error);
    let candidates: Vec<usize> = run
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| rests(node) && !node.inbox.is_empty())
        .map(|(at, _)| at)
        .collect();
    if candidates.is_empty() {
        return candidates;
    }
    let ways = Ways::of(run);
    candidates
        .into_iter()
        .filter(|at| run.nodes.get(*at).is_some_and(|node| is_joined(run, &ways, *at, node)))
        .collect()
}

fn is_joined(run: &Run, ways: &Ways, at: usize, node: &Node) -> bool {
    // What was sent to this very node waits for nothing else.
    if node.inbox.iter().any(|envelope| envelope.kind != kinds::RESULT) {
        return true;
    }
    let came = |before: &usize| {
        let before = run.nodes.get(*before);
        before.is_some_and(|before| node.inbox.iter().any(|envelope| envelope.node_id == before.id))
    };
    let before = ways.before.get(at).map(Vec::as_slice).unwrap_or_default();
    let (there, missing): (Vec<usize>, Vec<usize>) = before.iter().partition(|before| came(before));
    let enough = match node.join {
        Join::Any => true,
        Join::Quorum(needs) => usize::try_from(needs).is_ok_and(|needs| there.len() >= needs),
        Join::All => missing.is_empty(),
    };
    enough || {
        let live = ways.can_still_come(run, at);
        !missing.iter().any(|before| live.get(*before) == Some(&true))
    }
}

/// The edges of a run by the places of its nodes.
struct Ways {
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
}

impl Ways {
    fn of(run: &Run) -> Self {
        let places: VecMap<_, _> =
            run.nodes.iter().enumerate().map(|(at, node)| (node.id.clone(), at)).collect();
        let mut ways =
            Self { before: vec![Vec::new(); run.nodes.len()], after: vec![Vec::new(); run.nodes.len()] };
        for edge in &run.edges {
            let (Some(from), Some(to)) = (places.get(&edge.from), places.get(&edge.to)) else { continue };
            let join = |list: &mut Vec<Vec<usize>>, at: usize, other: usize| {
                if let Some(row) = list.get_mut(at).filter(|row| !row.contains(&other)) {
                    row.push(other);
                }
            };
            join(&mut ways.before, *to, *from);
            join(&mut ways.after, *from, *to);
        }
        ways
    }

    /// Which nodes can still run without this one: those that are READY or have something in their inboxes, and
    /// whatever follows them.
    fn can_still_come(&self, run: &Run, without: usize) -> Vec<bool> {
        let starts = |node: &Node| node.status == NodeStatus::Ready || !node.inbox.is_empty();
        let mut seen = vec![false; run.nodes.len()];
        let mut next: Vec<usize> = run
            .nodes
            .iter()
            .enumerate()
            .filter(|(at, node)| *at != without && starts(node))
            .map(|(at, _)| at)
            .collect();
        while let Some(at) = next.pop() {
            if at != without
                && let Some(mark) = seen.get_mut(at).filter(|mark| !**mark)
            {
                *mark = true;
                next.extend(self.after.get(at).into_iter().flatten());
            }
        }
        seen
    }
}

impl Node {
    fn is_asked_by_operator(&self) -> bool {
        self.inbox.iter().any(|envelope| envelope.kind == kinds::OPERATOR)
    }

    fn says(&self, status: &str) -> bool {
        self.last_output.as_ref().is_some_and(|output| output.status == status)
    }

    /// What its last output lacks for the edges behind it, where it leads nowhere for want of that.
    fn missing_port(&self, run: &Run) -> Option<Port> {
        let output = self.last_output.as_ref().filter(|_| self.status == NodeStatus::Done);
        output.and_then(|output| missing_port(&run.edges, output))
    }

    /// Whether its turn came to nothing and no edge leads on from that.
    pub fn has_failed(&self, run: &Run) -> bool {
        let leads_on = |output| !taken_edges(&run.edges, output).is_empty();
        self.status == NodeStatus::Error && !self.last_output.as_ref().is_some_and(leads_on)
    }
}
