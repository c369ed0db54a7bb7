//! A run as a graph: nodes with status, model and usage, edges, and envelopes.
//!
//! Subagents are nodes below the node that sent them; compared models are nodes before the operator's choice.
//! A broadcast has no edges of its own: edges show the order of its nodes instead. `strings::run_graph::as_text`
//! renders the same as plain text.

pub mod archive;
pub mod geometry;
pub mod replay;
pub mod transcript;

use nexus_model::prelude::*;
use nexus_model::run::graph::{Edge, Join};
use nexus_model::session::workers::{self, RACER, is_race, lane_of, lane_status};

use crate::layered_layout::{LayeredLayout, back_edges, layered};
use nexus_text::small_sort::SmallSort as _;
use serde::Serialize;

/// Node id of the operator, who started the run.
pub const OPERATOR: &str = "operator";
/// Node id of the Core, which syncs after the run.
pub const CORE: &str = "core";
pub const JUDGE: &str = "judge";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeRole {
    Operator,
    Orchestrator,
    #[default]
    Agent,
    Verifier,
    Docs,
    Worker,
    Candidate,
    Judge,
    Core,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TranscriptKind {
    Turn,
    Prompt,
    Thinking,
    Text,
    ToolCall,
    ToolResult,
    Failure,
    Note,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MadeArtifact {
    pub artifact: Artifact,
    pub turn: Option<TurnId>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiagramNode {
    /// The id of the run's node, `worker:` with the session, or one of the constants above.
    pub id: String,
    pub role: NodeRole,
    /// Node type as in the run, such as `agent.architect`.
    pub kind: String,
    pub agent: Option<AgentKey>,
    pub title: String,
    pub status: NodeStatus,
    /// The model in use, or the last one used.
    pub config: Option<ModelConfig>,
    /// Its turns, oldest first.
    pub turns: Vec<TurnId>,
    /// Number of times it ran, if the run counts them: turns, checks and terminal turns.
    pub times: usize,
    pub calls: usize,
    pub tool_calls: usize,
    /// Input and output.
    pub tokens: u64,
    pub cost: Option<Cost>,
    pub session: SessionId,
    pub join: Join,
    /// Turn limit; 0 if unknown.
    pub max_turns: u32,
    pub inbox: usize,
    pub terminal: Option<Box<TerminalSpec>>,
    pub output: Option<Envelope>,
    pub artifacts: Vec<MadeArtifact>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeRole {
    Flow,
    /// No data flows: the lower node runs after the upper one.
    Order,
    Delegation,
}

/// An edge between two nodes, by their indices in [`RunDiagram::nodes`].
#[derive(Clone, Debug, PartialEq)]
pub struct DiagramEdge {
    pub from: usize,
    pub to: usize,
    pub role: EdgeRole,
    /// Which envelopes it forwards; `None` forwards those of completed turns.
    pub when: Option<EdgeCondition>,
    pub port: Port,
    /// The output of the upper node.
    pub envelope: Option<Envelope>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CoreStep {
    pub job: JobId,
    pub config: ModelConfig,
    pub status: NodeStatus,
    pub at: Millis,
    pub tokens: u64,
    pub cost: Option<Cost>,
    /// Reason for the change, or the error.
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RunDiagram {
    pub run: Arc<Run>,
    /// As counted to its limits.
    pub used: RunUsage,
    pub nodes: Vec<DiagramNode>,
    pub edges: Vec<DiagramEdge>,
}

impl DiagramNode {
    /// The name that the operator or a template gave the node, by which cards name it; `None` if it only repeats the
    /// node's type or its agent.
    pub fn own_name(&self) -> Option<&str> {
        let is_in_run = matches!(
            self.role,
            NodeRole::Agent | NodeRole::Orchestrator | NodeRole::Verifier | NodeRole::Docs
        );
        let of_kind = self.kind.strip_prefix("agent.").unwrap_or(&self.kind);
        let is_own = self.id != of_kind && self.agent.as_ref().is_none_or(|agent| agent.as_str() != self.id);
        (is_in_run && is_own).then_some(&self.id)
    }

    /// The status to show: a check that ran, but failed, is done for the run only.
    pub fn shown_status(&self) -> NodeStatus {
        let has_failed = self.output.as_ref().is_some_and(|output| output.status == "failed");
        if self.status == NodeStatus::Done && has_failed { NodeStatus::Error } else { self.status }
    }
}

impl RunDiagram {
    /// Builds the diagram from the loaded rows; `None` if the run is not loaded.
    pub fn of(world: &World, id: RunId, core: &[CoreStep]) -> Option<Self> {
        let run = world.run(&id)?;
        let operator = plain(OPERATOR, NodeRole::Operator, NodeStatus::Done, run.session);
        let mut builder = Builder { world, run, nodes: vec![operator], edges: Vec::new() };
        builder.run_nodes();
        builder.run_edges();
        builder.workers();
        builder.core(core);
        let Builder { nodes, edges, .. } = builder;
        Some(Self { run: Arc::clone(run), used: workers::charged(world, run), nodes, edges })
    }

    pub fn node(&self, id: &str) -> Option<&DiagramNode> {
        self.nodes.iter().find(|node| node.id == id)
    }

    pub fn layout(&self) -> LayeredLayout {
        layered(self.nodes.len(), &self.ends())
    }

    fn ends(&self) -> Vec<(usize, usize)> {
        self.edges.iter().map(|edge| (edge.from, edge.to)).collect()
    }

    /// The predecessors of a node, or its successors if `down`.
    pub fn neighbours(&self, at: usize, down: bool) -> Vec<usize> {
        let ends =
            self.edges.iter().map(|edge| if down { (edge.from, edge.to) } else { (edge.to, edge.from) });
        let mut found: Vec<usize> = ends.filter(|(from, _)| *from == at).map(|(_, to)| to).collect();
        found.small_sort();
        found.dedup();
        found
    }

    /// Indices of the edges that close a cycle.
    pub fn loops(&self) -> Vec<usize> {
        self.layout().back_edges(&self.ends())
    }
}

struct Builder<'w> {
    world: &'w World,
    run: &'w Run,
    nodes: Vec<DiagramNode>,
    edges: Vec<DiagramEdge>,
}

impl Builder<'_> {
    fn place_of(&self, id: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.id == id)
    }

    /// Connects nodes by an edge that is not in the run.
    fn connect(&mut self, from: usize, to: usize, role: EdgeRole) {
        let above = self.nodes.get(from).filter(|_| role == EdgeRole::Order);
        let envelope = above.and_then(|node| node.output.clone());
        self.edges.push(DiagramEdge { from, to, role, when: None, port: Port::Text, envelope });
    }

    fn run_nodes(&mut self) {
        let (world, run) = (self.world, self.run);
        for node in &run.nodes {
            let diagram_node = match lane_of(node) {
                Some(lane) => DiagramNode {
                    status: if node.status.is_over() { node.status } else { lane_status(world, lane) },
                    session: lane,
                    ..diagram_node(world, run, node, |turn| turn.session == lane)
                },
                None => {
                    let own = diagram_node(world, run, node, |turn| {
                        turn.run == Some(run.id) && turn.node.as_ref() == Some(&node.id)
                    });
                    let is_waiting = run.status == RunStatus::Paused && own.status == NodeStatus::Running;
                    DiagramNode { status: if is_waiting { NodeStatus::Blocked } else { own.status }, ..own }
                }
            };
            self.nodes.push(diagram_node);
        }
        if is_race(run) {
            let status = match run.status {
                RunStatus::Paused if run.pause == Some(PauseCause::Choice) => NodeStatus::Blocked,
                RunStatus::Completed => NodeStatus::Done,
                RunStatus::Queued | RunStatus::Running | RunStatus::Paused => NodeStatus::Idle,
                RunStatus::Failed | RunStatus::Cancelled | RunStatus::TimedOut => NodeStatus::Error,
            };
            self.nodes.push(plain(JUDGE, NodeRole::Judge, status, run.session));
        }
    }

    fn run_edges(&mut self) {
        let own = 1..self.nodes.len();
        if let Some(judge) = self.place_of(JUDGE) {
            for candidate in own.filter(|at| *at != judge) {
                self.connect(0, candidate, EdgeRole::Order);
                self.connect(candidate, judge, EdgeRole::Order);
            }
            return;
        }
        let ends = |edge: &Edge| Some((self.place_of(edge.from.as_str())?, self.place_of(edge.to.as_str())?));
        let edges: Vec<(usize, usize, &Edge)> =
            self.run.edges.iter().filter_map(|edge| ends(edge).map(|(from, to)| (from, to, edge))).collect();
        // With edges, the operator is connected only to nodes without an incoming one.
        let begins = |at: &usize| !edges.iter().any(|(_, to, _)| to == at);
        let mut first: Vec<usize> = own.clone().filter(begins).collect();
        if first.is_empty() {
            first = own.take(1).collect();
        }
        for at in first {
            self.connect(0, at, EdgeRole::Order);
        }
        for (from, to, edge) in edges {
            let (when, port, envelope) = (edge.when.clone(), edge.port, self.last_envelope(edge, to));
            self.edges.push(DiagramEdge { from, to, role: EdgeRole::Flow, when, port, envelope });
        }
    }

    /// The newest envelope that the edge forwards: queued, or taken by a turn.
    fn last_envelope(&self, edge: &Edge, to: usize) -> Option<Envelope> {
        let (world, run) = (self.world, self.run);
        let (before, node) = (run.node(&edge.from)?, run.node(&edge.to)?);
        let turns = self.nodes.get(to)?.turns.iter().rev().filter_map(|turn| world.turn(turn));
        let taken = turns.flat_map(|turn| turn.inbox.iter().rev());
        let waiting = node.inbox.iter().rev().chain(node.taken.iter().rev());
        // A node without a model does not store the envelopes of its ended turns.
        let mut all = waiting.chain(taken).chain(&before.last_output);
        let is_it =
            |envelope: &&Envelope| envelope.kind == kinds::RESULT && edge.forwards(&run.edges, envelope);
        all.find(is_it).cloned()
    }

    /// Adds the subagents of the run's turns, and theirs.
    fn workers(&mut self) {
        let runs = self.world.tool_runs.values();
        let delegations: Vec<(&ToolRun, &Worker)> =
            runs.filter_map(|tool_run| Some((tool_run.as_ref(), tool_run.worker.as_ref()?))).collect();
        let mut missing = delegations.len();
        // A subagent's own subagents come after it, whatever the order of the rows.
        while missing > 0 {
            let before = self.nodes.len();
            for (tool_run, worker) in &delegations {
                let id = worker_id(worker.session);
                let Some(sender) = self.sender(tool_run).filter(|_| self.place_of(&id).is_none()) else {
                    continue;
                };
                let at = self.nodes.len();
                self.nodes.push(worker_node(self.world, tool_run, worker, id));
                self.connect(sender, at, EdgeRole::Delegation);
            }
            missing = if self.nodes.len() == before { 0 } else { missing - (self.nodes.len() - before) };
        }
    }

    fn sender(&self, tool_run: &ToolRun) -> Option<usize> {
        self.nodes.iter().position(|node| node.turns.contains(&tool_run.turn))
    }

    fn core(&mut self, steps: &[CoreStep]) {
        let Some(last) = steps.last() else { return };
        let ends: Vec<_> = self.edges.iter().map(|edge| Some((edge.from, edge.to))).collect();
        let back = back_edges(self.nodes.len(), &ends);
        let leads_on =
            |node: usize| self.edges.iter().zip(&back).any(|(edge, is_back)| edge.from == node && !is_back);
        let before: Vec<usize> = (1..self.nodes.len()).filter(|at| !leads_on(*at)).collect();
        let at = self.nodes.len();
        self.nodes.push(DiagramNode {
            config: Some(last.config.clone()),
            calls: steps.len(),
            tokens: steps.iter().map(|step| step.tokens).sum(),
            cost: steps.iter().filter_map(|step| step.cost).reduce(Cost::plus),
            ..plain(CORE, NodeRole::Core, last.status, self.run.session)
        });
        for from in before {
            self.connect(from, at, EdgeRole::Order);
        }
    }
}

/// The next or previous pane, cyclically; `None` if there is none.
pub fn next_tile(all: &[u32], now: u32, forward: bool) -> Option<u32> {
    let at = all.iter().position(|one| *one == now).unwrap_or_default();
    let next = if forward { at + 1 } else { at + all.len().max(1) - 1 };
    all.get(next.checked_rem(all.len())?).copied()
}

pub fn worker_id(session: SessionId) -> String {
    format!("worker:{session}")
}

fn plain(id: &str, role: NodeRole, status: NodeStatus, session: SessionId) -> DiagramNode {
    let id = id.to_owned();
    DiagramNode { kind: id.clone(), id, role, status, session, ..DiagramNode::default() }
}

fn diagram_node(world: &World, run: &Run, node: &Node, is_own: impl Fn(&Turn) -> bool) -> DiagramNode {
    let role = match node.kind.as_str() {
        "orchestrator" => NodeRole::Orchestrator,
        "verifier" => NodeRole::Verifier,
        "docs" => NodeRole::Docs,
        RACER => NodeRole::Candidate,
        _ => NodeRole::Agent,
    };
    let base = DiagramNode {
        kind: node.kind.clone(),
        agent: node.agent.clone(),
        config: node.config.clone(),
        join: node.join,
        max_turns: node.max_turns,
        times: usize::try_from(node.turns).unwrap_or(usize::MAX),
        inbox: node.inbox.len(),
        terminal: node.terminal.clone(),
        output: node.last_output.clone(),
        ..plain(node.id.as_str(), role, node.status, run.session)
    };
    let mut diagram_node = with_turns(world, base, is_own);
    // Artifacts of the newest turn are in its output; those of earlier turns are stored in the run.
    for (kind, folder) in [("log", "logs"), ("report", "reports"), ("diff", "artifacts")] {
        let own = format!("{folder}/{}/", node.id);
        for stored in run.artifacts.iter().filter(|made| made.kind == kind && made.path.starts_with(&own)) {
            if !diagram_node.artifacts.iter().any(|made| made.artifact.path == stored.path) {
                let number = stored.path.rsplit_once("turn-").and_then(|(_, rest)| rest.split('.').next());
                let place = number.and_then(|number| number.parse::<usize>().ok()?.checked_sub(1));
                let turn = place.and_then(|place| diagram_node.turns.get(place).copied());
                diagram_node.artifacts.push(MadeArtifact { artifact: stored.clone(), turn });
            }
        }
    }
    let order = |made: &MadeArtifact| match made.artifact.kind.as_str() {
        "file" => String::new(),
        _ => made.artifact.path.clone(),
    };
    diagram_node.artifacts.small_sort_by_key(order);
    diagram_node
}

fn worker_node(world: &World, tool_run: &ToolRun, worker: &Worker, id: String) -> DiagramNode {
    let status = match (&worker.end, workers::state(world, worker)) {
        (Some(end), _) if end.end == WorkerEnd::Done => NodeStatus::Done,
        (Some(_), _) => NodeStatus::Error,
        (None, workers::WorkerState::AwaitsApproval(_) | workers::WorkerState::Paused(_)) => {
            NodeStatus::Blocked
        }
        (None, _) => NodeStatus::Running,
    };
    let base = DiagramNode {
        kind: format!("agent.{}", worker.agent),
        agent: Some(worker.agent.clone()),
        title: worker.title.clone(),
        ..plain(&id, NodeRole::Worker, status, worker.session)
    };
    let mut node = with_turns(world, base, |turn| turn.session == worker.session);
    let runs = world.runs.values().rev().filter(|run| run.session == worker.session);
    node.output = runs.flat_map(|run| run.nodes.iter().rev()).find_map(|node| node.last_output.clone());
    if node.artifacts.is_empty() {
        let files = tool_run.touched.iter().filter(|touched| touched.is_file);
        let files =
            files.map(|file| Artifact { kind: "file".to_owned(), path: file.field.clone(), hash: None });
        node.artifacts = files.map(|artifact| MadeArtifact { artifact, turn: None }).collect();
    }
    node
}

fn with_turns(world: &World, base: DiagramNode, is_own: impl Fn(&Turn) -> bool) -> DiagramNode {
    let mut node = base;
    for turn in world.turns.values().filter(|turn| is_own(turn)) {
        node.turns.push(turn.id);
        node.calls += turn.calls.len();
        node.tool_calls += turn.tool_runs.len();
        node.tokens = node.tokens.saturating_add(turn.usage.total());
        node.cost = node.cost.into_iter().chain(turn.cost()).reduce(Cost::plus);
        node.config = Some(turn.config.clone());
        let touched = turn.tool_runs.iter().filter_map(|id| world.tool_run(id)).flat_map(|run| &run.touched);
        for touched in touched.filter(|touched| touched.is_file) {
            let mut known = node.output.iter().flat_map(|output| &output.artifacts);
            let hash = known.find(|artifact| artifact.path == touched.field).and_then(|known| known.hash);
            let artifact = Artifact { kind: "file".to_owned(), path: touched.field.clone(), hash };
            let made = MadeArtifact { artifact, turn: Some(turn.id) };
            match node.artifacts.iter_mut().find(|known| known.artifact.path == made.artifact.path) {
                Some(known) => *known = made,
                None => node.artifacts.push(made),
            }
        }
    }
    // Adds the artifacts of the output other than files.
    let output_artifacts = node.output.iter().flat_map(|output| output.artifacts.clone()).collect::<Vec<_>>();
    for artifact in output_artifacts {
        if !node.artifacts.iter().any(|made| made.artifact.path == artifact.path) {
            node.artifacts.push(MadeArtifact { artifact, turn: node.turns.last().copied() });
        }
    }
    node
}

#[cfg(test)]
mod tests;
