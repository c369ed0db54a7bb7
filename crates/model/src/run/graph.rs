//! Graph templates: nodes and edges as data, with joins, conditions, limits and a completion condition; and the
//! envelopes that travel over the edges.
//!
//! Knows no run and no agents.

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::{Priority, matches};
use crate::id::{AgentKey, NodeId, TurnId};
use crate::limits::{GRAPH_EDGES, GRAPH_NODES, NODE_TURNS, ORCHESTRATOR_TURNS};
use crate::run::terminal::TerminalSpec;
use crate::run::usage::GraphLimits;
use nexus_text::{content_hash::ContentHash, json, vec_map::VecSet};

pub const GRAPH_VERSION: u32 = 1;

/// Who starts turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RunMode {
    /// Envelopes start nodes, and the orchestrator gets a tick whenever all nodes are idle.
    #[default]
    Auto,
    /// The operator starts nodes.
    Interactive,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKind {
    Orchestrator,
    /// `agent.<name>`: an agent's key or name, or a family of models (`codex`, `claude`, `gemini`).
    Agent(String),
    /// Runs checks, without a model.
    Verifier,
    /// An agent that writes or reviews documents.
    Docs,
}

impl NodeKind {
    pub fn read(kind: &str) -> Option<Self> {
        match kind {
            "orchestrator" => Some(Self::Orchestrator),
            "verifier" => Some(Self::Verifier),
            "docs" => Some(Self::Docs),
            _ => {
                let name = kind.strip_prefix("agent.").filter(|name| !name.trim().is_empty())?;
                Some(Self::Agent(name.to_owned()))
            }
        }
    }

    /// True if its output may fit a port. The actual output is checked at run time.
    pub fn gives(&self, port: Port) -> bool {
        !(*self == Self::Verifier && port == Port::Diff)
    }
}

/// How many envelopes a node needs to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Join {
    /// One from each predecessor that can still send one.
    #[default]
    All,
    /// The first one.
    Any,
    /// From this many predecessors.
    Quorum(u32),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Port {
    /// Any envelope.
    #[default]
    Text,
    /// An envelope with structured output.
    Report,
    /// An envelope that names changed files.
    Diff,
}

words!(Port { Text: "text", Report: "report", Diff: "diff" });

impl Port {
    fn fits(self, envelope: &Envelope) -> bool {
        match self {
            Self::Text => true,
            Self::Report => !envelope.structured.is_null(),
            // Logs and reports do not count.
            Self::Diff => envelope.artifacts.iter().any(|artifact| artifact.kind == "file"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeCondition {
    /// Envelopes with this status.
    Status(String),
    /// Structured output with this value; `name` is a path with dots.
    Field { name: String, is: Value },
    /// Envelopes that no other conditional edge forwards.
    Otherwise,
}

impl EdgeCondition {
    /// `None` if it depends on the other edges.
    fn holds(&self, envelope: &Envelope) -> Option<bool> {
        match self {
            Self::Status(status) => Some(envelope.status == *status),
            Self::Field { name, is } => {
                let found = name.split('.').try_fold(&envelope.structured, |tree, key| tree.get(key));
                Some(found == Some(is))
            }
            Self::Otherwise => None,
        }
    }
}

/// Forwards one node's output to another's inbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    pub from: NodeId,
    pub to: NodeId,
    /// By default, envelopes of completed turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<EdgeCondition>,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub port: Port,
}

impl Edge {
    /// True if it forwards an output. `edges` are all edges of the graph.
    pub fn forwards(&self, edges: &[Self], output: &Envelope) -> bool {
        let fits = |edge: &Self| edge.from == output.node_id && edge.port.fits(output);
        let holds = |edge: &Self| edge.when.as_ref().and_then(|when| when.holds(output)) == Some(true);
        // Without a condition, only outputs of completed turns are forwarded.
        let completed = matches!(output.status.as_str(), "ok" | "failed");
        fits(self)
            && match &self.when {
                None => completed,
                Some(EdgeCondition::Otherwise) => {
                    completed && !edges.iter().any(|edge| fits(edge) && holds(edge))
                }
                Some(EdgeCondition::Status(_) | EdgeCondition::Field { .. }) => holds(self),
            }
    }
}

/// The edges that forward a node's output.
pub fn taken_edges<'e>(edges: &'e [Edge], output: &Envelope) -> Vec<&'e Edge> {
    edges.iter().filter(|edge| edge.forwards(edges, output)).collect()
}

/// The port or structured output that an output lacks, if no edge forwards it for that reason.
pub fn missing_port(edges: &[Edge], output: &Envelope) -> Option<Port> {
    if output.status != "ok" || !taken_edges(edges, output).is_empty() {
        return None;
    }
    let missing = |edge: &Edge| match &edge.when {
        Some(EdgeCondition::Status(status)) if *status != output.status => None,
        Some(EdgeCondition::Field { .. }) if !Port::Report.fits(output) => Some(Port::Report),
        Some(EdgeCondition::Field { .. }) => None,
        Some(EdgeCondition::Status(_) | EdgeCondition::Otherwise) | None => {
            Some(edge.port).filter(|port| !port.fits(output))
        }
    };
    edges.iter().filter(|edge| edge.from == output.node_id).find_map(missing)
}

/// When a run ends by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Completion {
    /// No envelope is left.
    #[default]
    Drained,
    Verifier,
    Orchestrator,
    /// The budget is used up or no envelope is left. The run ends where another one would pause.
    Budget,
}

impl Completion {
    pub const ALL: [Self; 4] = [Self::Drained, Self::Verifier, Self::Orchestrator, Self::Budget];

    /// Rejects a condition that none of these node types can meet.
    pub fn fits<'k>(self, mut kinds: impl Iterator<Item = &'k str>) -> Result<(), GraphError> {
        match self {
            Self::Verifier if !kinds.any(|kind| kind == "verifier") => Err(GraphError::NoVerifier),
            Self::Orchestrator if !kinds.any(|kind| kind == "orchestrator") => {
                Err(GraphError::NoOrchestrator)
            }
            Self::Verifier | Self::Orchestrator | Self::Drained | Self::Budget => Ok(()),
        }
    }
}

#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeSpec {
    /// Unique in the graph: lower-case letters, digits, `-` and `_`.
    pub key: NodeId,
    /// `orchestrator`, `agent.<name>`, `verifier` or `docs`.
    pub kind: String,
    /// The agent, unless the type determines it.
    pub agent: Option<AgentKey>,
    /// Instructions in addition to the message.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instruction: String,
    #[serde(default)]
    pub join: Join,
    /// Turn limit; the run pauses when it is reached.
    pub max_turns: Option<u32>,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub limits: GraphLimits,
    /// By default the agent's priority.
    pub priority: Option<Priority>,
    /// The ports that it accepts; all if empty.
    pub takes: Vec<Port>,
    /// For a verifier: the check files to run, by name or folder; all if empty.
    pub checks: Vec<String>,
    /// The files that it may write, as names, folders or prefixes that end in `*`; all if empty.
    pub writes: Vec<String>,
    /// The terminal to work in, instead of calling a model.
    pub terminal: Option<TerminalSpec>,
    /// True if the run starts with it. Without entries, a run starts with the orchestrator, else with the nodes
    /// without incoming edges.
    pub entry: bool,
}

impl NodeSpec {
    pub fn new(key: NodeId, kind: impl Into<String>) -> Self {
        Self { key, kind: kind.into(), ..Self::default() }
    }

    pub fn most_turns(&self) -> u32 {
        let usual = if self.kind == "orchestrator" { ORCHESTRATOR_TURNS } else { NODE_TURNS };
        self.max_turns.into_iter().chain(self.limits.turns).min().unwrap_or(usual)
    }
}

/// True if a file is in a workspace: a list of files, folders that end in `/`, and prefixes that end in `*`.
pub fn is_in_workspace(writes: &[String], file: &str) -> bool {
    let covers = |pattern: &String| {
        matches(pattern, file) || (pattern.ends_with('/') && file.starts_with(pattern.as_str()))
    };
    writes.is_empty() || writes.iter().any(covers)
}

/// A graph from which runs are started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphTemplate {
    pub version: u32,
    pub name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    #[serde(default)]
    pub mode: RunMode,
    pub nodes: Vec<NodeSpec>,
    #[serde(default)]
    pub edges: Vec<Edge>,
    #[serde(default)]
    pub completion: Completion,
    #[serde(default)]
    pub limits: GraphLimits,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphError {
    /// With the parser's message.
    NotReadable(String),
    /// The name is empty, too long, or not the one of its row.
    BadName(String),
    /// The device has the maximum number of templates.
    TooManyTemplates,
    /// Written by a newer program version.
    NewerVersion(u64),
    /// It has no nodes.
    Empty,
    /// It has this many.
    TooManyNodes(usize),
    /// It has this many.
    TooManyEdges(usize),
    /// The key is empty, reserved for the run, or has characters other than lower-case letters, digits, `-` and `_`.
    BadKey(String),
    /// Two nodes have this key.
    SameKey(NodeId),
    /// The program knows no such kind of nodes.
    UnknownKind { node: NodeId, kind: String },
    /// An edge leads to or from a node that does not exist.
    NoSuchNode { edge: (NodeId, NodeId), missing: NodeId },
    /// Two edges are equal.
    SameEdge(NodeId, NodeId),
    /// The quorum is zero or exceeds the number of predecessors.
    BadQuorum { node: NodeId, needs: u32, has: usize },
    /// The source does not produce the edge's port, or the target does not accept it.
    PortMismatch { edge: (NodeId, NodeId), port: Port },
    /// The turn limit is zero.
    NoTurns(NodeId),
    /// The terminal is not on this machine, its turns would never end, or the node type does not allow it: an
    /// orchestrator has no terminal, and a verifier needs a command.
    BadTerminal(NodeId),
    /// An edge leads to every node, so that none begins.
    NoEntry,
    /// The completion condition needs a verifier.
    NoVerifier,
    /// The completion condition needs an orchestrator.
    NoOrchestrator,
    /// There may be one.
    TwoOrchestrators,
    /// The agent of a node is not on this device.
    NoSuchAgent { node: NodeId, agent: String },
}

impl GraphTemplate {
    pub fn read(text: &str) -> Result<Self, GraphError> {
        let tree = json::tree(text).map_err(|error| GraphError::NotReadable(error.to_string()))?;
        Self::from_tree(&tree)
    }

    pub fn from_tree(tree: &Value) -> Result<Self, GraphError> {
        let unreadable = |error: serde_json::Error| GraphError::NotReadable(error.to_string());
        // A newer version may have another shape, which must not be reported as an error of the template.
        let version = tree.get("version").and_then(Value::as_u64).unwrap_or_default();
        if version > GRAPH_VERSION.into() {
            return Err(GraphError::NewerVersion(version));
        }
        let length = |field: &str| tree.get(field).and_then(Value::as_array).map_or(0, Vec::len);
        size_fits(length("nodes"), length("edges"))?;
        let read: Self = json::from_tree(tree).map_err(unreadable)?;
        read.check().map(|()| read)
    }

    pub fn check(&self) -> Result<(), GraphError> {
        if self.version > GRAPH_VERSION {
            return Err(GraphError::NewerVersion(self.version.into()));
        }
        if self.nodes.is_empty() {
            return Err(GraphError::Empty);
        }
        size_fits(self.nodes.len(), self.edges.len())?;
        let mut keys: VecSet<&NodeId> = VecSet::new();
        for node in &self.nodes {
            check_key(node.key.as_str())?;
            if !keys.insert(&node.key) {
                return Err(GraphError::SameKey(node.key.clone()));
            }
            self.check_node(node)?;
        }
        for (edge, before) in self.edges.iter().zip(0..) {
            self.check_edge(edge)?;
            let same =
                |other: &Edge| (&other.from, &other.to, &other.when) == (&edge.from, &edge.to, &edge.when);
            if self.edges.iter().take(before).any(same) {
                return Err(GraphError::SameEdge(edge.from.clone(), edge.to.clone()));
            }
        }
        if self.nodes.iter().filter(|node| node.kind == "orchestrator").count() > 1 {
            return Err(GraphError::TwoOrchestrators);
        }
        self.completion.fits(self.nodes.iter().map(|node| node.kind.as_str()))?;
        if self.entries().is_empty() { Err(GraphError::NoEntry) } else { Ok(()) }
    }

    fn check_node(&self, node: &NodeSpec) -> Result<(), GraphError> {
        if NodeKind::read(&node.kind).is_none() {
            return Err(GraphError::UnknownKind { node: node.key.clone(), kind: node.kind.clone() });
        }
        if node.max_turns == Some(0) || node.limits.turns == Some(0) {
            return Err(GraphError::NoTurns(node.key.clone()));
        }
        if node.terminal.as_ref().is_some_and(|terminal| !terminal.fits(&node.kind)) {
            return Err(GraphError::BadTerminal(node.key.clone()));
        }
        if let Join::Quorum(needs) = node.join {
            let before: VecSet<&NodeId> =
                self.edges.iter().filter(|edge| edge.to == node.key).map(|edge| &edge.from).collect();
            let has = before.len();
            if needs == 0 || usize::try_from(needs).is_ok_and(|needs| needs > has) {
                return Err(GraphError::BadQuorum { node: node.key.clone(), needs, has });
            }
        }
        Ok(())
    }

    fn check_edge(&self, edge: &Edge) -> Result<(), GraphError> {
        let ends = (edge.from.clone(), edge.to.clone());
        let find = |key: &NodeId| self.nodes.iter().find(|node| node.key == *key);
        let missing = |key: &NodeId| GraphError::NoSuchNode { edge: ends.clone(), missing: key.clone() };
        let from = find(&edge.from).ok_or_else(|| missing(&edge.from))?;
        let to = find(&edge.to).ok_or_else(|| missing(&edge.to))?;
        let gives = NodeKind::read(&from.kind).is_none_or(|kind| kind.gives(edge.port));
        let takes = to.takes.is_empty() || to.takes.contains(&edge.port);
        if gives && takes {
            Ok(())
        } else {
            Err(GraphError::PortMismatch { edge: ends.clone(), port: edge.port })
        }
    }

    pub fn entries(&self) -> Vec<&NodeSpec> {
        let matching = |is_entry: &dyn Fn(&NodeSpec) -> bool| -> Vec<&NodeSpec> {
            self.nodes.iter().filter(|node| is_entry(node)).collect()
        };
        let marked = matching(&|node| node.entry);
        if !marked.is_empty() {
            return marked;
        }
        let orchestrators = matching(&|node| node.kind == "orchestrator");
        if !orchestrators.is_empty() {
            return orchestrators;
        }
        let targets: VecSet<&NodeId> = self.edges.iter().map(|edge| &edge.to).collect();
        matching(&|node| !targets.contains(&&node.key))
    }
}

fn size_fits(nodes: usize, edges: usize) -> Result<(), GraphError> {
    if nodes > GRAPH_NODES {
        return Err(GraphError::TooManyNodes(nodes));
    }
    if edges > GRAPH_EDGES { Err(GraphError::TooManyEdges(edges)) } else { Ok(()) }
}

/// Rejects keys that a new node may not have.
pub fn check_key(key: &str) -> Result<(), GraphError> {
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let is_reserved = [crate::run::graph::OPERATOR_NODE, crate::run::graph::RUN_NODE].contains(&key);
    if key.is_empty() || key.len() > 64 || is_reserved || !key.chars().all(is_allowed) {
        return Err(GraphError::BadKey(key.chars().take(80).collect()));
    }
    Ok(())
}

/// The sender of envelopes that no node of the graph wrote: the operator, or the run itself.
pub const OPERATOR_NODE: &str = "operator";
pub const RUN_NODE: &str = "run";

pub mod kinds {
    pub const RESULT: &str = "node_result";
    /// Work from an orchestrator.
    pub const HANDOFF: &str = "handoff";
    pub const OPERATOR: &str = "operator";
    /// Changes since the last tick of the orchestrator.
    pub const TICK: &str = "tick";
}

/// A node's final output or a message to a node, as forwarded by edges and queued in an inbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// One of [`kinds`].
    pub kind: String,
    pub node_id: NodeId,
    /// The turn that wrote it, if any. Checks and terminal turns have no turn row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// `ok`, `failed` if checks failed, or how the turn ended.
    pub status: String,
    pub summary: String,
    #[serde(default)]
    pub artifacts: Vec<Artifact>,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub structured: Value,
}

impl Envelope {
    pub fn text(kind: &str, from: NodeId, turn: Option<TurnId>, summary: impl Into<String>) -> Self {
        Self {
            kind: kind.to_owned(),
            node_id: from,
            turn_id: turn,
            status: "ok".to_owned(),
            summary: summary.into(),
            artifacts: Vec::new(),
            structured: Value::Null,
        }
    }
}

/// A file or log that a run produced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// For example `file`, `diff` or `log`.
    #[serde(rename = "type")]
    pub kind: String,
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<ContentHash>,
}

#[cfg(test)]
mod tests;
