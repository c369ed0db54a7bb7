//! Graph templates: the nodes and edges of a run as data, with joins, conditions, limits, a completion condition, and the
//! envelopes that travel over the edges.
//!
//! [`GraphTemplate::read`] and [`GraphTemplate::check`] say what is wrong with one. Knows no run and no agents.

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::{Priority, matches};
use crate::id::{AgentKey, NodeId, TurnId};
use crate::limits::{GRAPH_EDGES, GRAPH_NODES};
use crate::run::terminal::TerminalSpec;
use crate::run::usage::GraphLimits;
use nexus_text::content_hash::ContentHash;
use nexus_text::json;
use nexus_text::vec_map::VecSet;

pub const GRAPH_VERSION: u32 = 1;

/// Who starts turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RunMode {
    /// Envelopes start nodes, and the orchestrator is asked again whenever everything is idle.
    #[default]
    Auto,
    /// The operator starts nodes.
    Interactive,
}

/// What a node is, by its type as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKind {
    Orchestrator,
    /// `agent.<name>`: an agent's key or name, or a family of models (`codex`, `claude`, `gemini`).
    Agent(String),
    /// It runs checks and asks no model.
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

    /// Whether its output fits a port. What it really puts out is looked at again when it does.
    pub fn gives(&self, port: Port) -> bool {
        !(*self == Self::Verifier && port == Port::Diff)
    }
}

/// When the envelopes in a node's inbox let it run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Join {
    /// One from each node before it that can still send one.
    #[default]
    All,
    /// The first one.
    Any,
    /// From so many of the nodes before it.
    Quorum(u32),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Port {
    /// Any envelope.
    #[default]
    Text,
    /// One with structured output.
    Report,
    /// One that names changed files.
    Diff,
}

words!(Port { Text: "text", Report: "report", Diff: "diff" });

impl Port {
    fn fits(self, envelope: &Envelope) -> bool {
        match self {
            Self::Text => true,
            Self::Report => !envelope.structured.is_null(),
            // A log is none, nor is a report.
            Self::Diff => envelope.artifacts.iter().any(|artifact| artifact.kind == "file"),
        }
    }
}

/// Which envelopes an edge forwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeCondition {
    Status(String),
    /// Those whose structured output has this value; `name` goes into objects by dots.
    Field {
        name: String,
        is: Value,
    },
    /// Those that no other edge with a condition forwards.
    Otherwise,
}

impl EdgeCondition {
    /// `None` where that depends on the other edges.
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

/// A way from one node's output into another's inbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    pub from: NodeId,
    pub to: NodeId,
    /// Which envelopes it forwards; those of completed turns where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<EdgeCondition>,
    #[serde(default, skip_serializing_if = "is_text")]
    pub port: Port,
}

fn is_text(port: &Port) -> bool {
    *port == Port::Text
}

fn is_unlimited(limits: &GraphLimits) -> bool {
    *limits == GraphLimits::default()
}

impl Edge {
    /// Whether it forwards an output; `edges` are all edges of the graph.
    pub fn forwards(&self, edges: &[Self], output: &Envelope) -> bool {
        let fits = |edge: &Self| edge.from == output.node_id && edge.port.fits(output);
        let holds = |edge: &Self| edge.when.as_ref().and_then(|when| when.holds(output)) == Some(true);
        // A turn that came to nothing starts nobody, unless an edge is there for that.
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

/// The edges that forward a node's output, of all edges of the graph.
pub fn taken_edges<'e>(edges: &'e [Edge], output: &Envelope) -> Vec<&'e Edge> {
    edges.iter().filter(|edge| edge.forwards(edges, output)).collect()
}

/// What an output lacks that leads nowhere for want of it: the edges behind its node carry or look at that.
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

/// What must be true for a run to end by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Completion {
    /// No envelope is left to work on.
    #[default]
    Drained,
    /// A verifier passes.
    Verifier,
    /// The orchestrator says so.
    Orchestrator,
    /// Its budget is used up, or no envelope is left: it ends where another one would pause and ask.
    Budget,
}

impl Completion {
    pub const ALL: [Self; 4] = [Self::Drained, Self::Verifier, Self::Orchestrator, Self::Budget];

    /// Refuses a condition that no node of these types can meet.
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
    /// Its id, unique in the graph: small letters, digits, `-` and `_`.
    pub key: NodeId,
    /// `orchestrator`, `agent.<name>`, `verifier` or `docs`.
    pub kind: String,
    /// Who answers, where the type does not say it.
    pub agent: Option<AgentKey>,
    /// What it is told besides the message.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instruction: String,
    #[serde(default)]
    pub join: Join,
    /// So many turns it may have in a run; then the run pauses and asks.
    pub max_turns: Option<u32>,
    /// What else it may use in a run.
    #[serde(default, skip_serializing_if = "is_unlimited")]
    pub limits: GraphLimits,
    /// How early it runs; as its agent does, where absent.
    pub priority: Option<Priority>,
    /// What edges may bring; anything where empty.
    pub takes: Vec<Port>,
    /// Of a verifier, the check files that it runs, by name or folder; all of them where empty.
    pub checks: Vec<String>,
    /// Its workspace: the files that it may write, as names, folders or prefixes that end in `*`; all where empty.
    pub writes: Vec<String>,
    /// The terminal that it works in, instead of asking a model here.
    pub terminal: Option<TerminalSpec>,
    /// Whether the run begins with it. Where no node says so, it begins with the orchestrator, else with the nodes that
    /// no edge leads to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub entry: bool,
}

impl NodeSpec {
    pub fn new(key: NodeId, kind: impl Into<String>) -> Self {
        Self { key, kind: kind.into(), ..Self::default() }
    }
}

/// Whether a file is in a workspace, which names files, folders that end in `/`, and prefixes that end in `*`.
pub fn is_in_workspace(writes: &[String], file: &str) -> bool {
    let is_it = |one: &String| matches(one, file) || (one.ends_with('/') && file.starts_with(one.as_str()));
    writes.is_empty() || writes.iter().any(is_it)
}

/// A graph that runs can be started from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// It cannot be read, in the reader's words.
    NotReadable(String),
    /// It has no name, a long one, or another one than it is kept under.
    BadName(String),
    /// The device keeps as many templates as it may.
    TooManyTemplates,
    /// It was written by a newer program.
    NewerVersion(u64),
    Empty,
    TooManyNodes(usize),
    TooManyEdges(usize),
    /// The key is empty or has other signs than small letters, digits, `-` and `_`, or stands for the run itself.
    BadKey(String),
    SameKey(NodeId),
    UnknownKind {
        node: NodeId,
        kind: String,
    },
    NoSuchNode {
        edge: (NodeId, NodeId),
        missing: NodeId,
    },
    SameEdge(NodeId, NodeId),
    /// It waits for more nodes than lead to it, or for none.
    BadQuorum {
        node: NodeId,
        needs: u32,
        has: usize,
    },
    /// What the edge carries is not what the node before gives or the node behind takes.
    PortMismatch {
        edge: (NodeId, NodeId),
        port: Port,
    },
    /// It may have no turn at all.
    NoTurns(NodeId),
    /// Its terminal is not on this machine, or no turn would end there; an orchestrator has none, and a verifier needs a
    /// command.
    BadTerminal(NodeId),
    NoEntry,
    /// Nobody can say that it is done.
    NoVerifier,
    NoOrchestrator,
    TwoOrchestrators,
    /// The agent of a node is not on this device.
    NoSuchAgent {
        node: NodeId,
        agent: String,
    },
}

impl GraphTemplate {
    /// Reads a template, and checks it.
    pub fn read(text: &str) -> Result<Self, GraphError> {
        let tree = json::tree(text).map_err(|error| GraphError::NotReadable(error.to_string()))?;
        Self::from_tree(&tree)
    }

    /// The same for a template that was taken apart already.
    pub fn from_tree(tree: &Value) -> Result<Self, GraphError> {
        let unreadable = |error: serde_json::Error| GraphError::NotReadable(error.to_string());
        // A newer one may have another shape, which would be told as a fault of it.
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
        let mut pairs: VecSet<(&NodeId, &NodeId, String)> = VecSet::new();
        for edge in &self.edges {
            self.check_edge(edge)?;
            if !pairs.insert((&edge.from, &edge.to, format!("{:?}", edge.when))) {
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

    /// The nodes that a run begins with.
    pub fn entries(&self) -> Vec<&NodeSpec> {
        let found = |is_one: &dyn Fn(&NodeSpec) -> bool| -> Vec<&NodeSpec> {
            self.nodes.iter().filter(|node| is_one(node)).collect()
        };
        let marked = found(&|node| node.entry);
        if !marked.is_empty() {
            return marked;
        }
        let orchestrators = found(&|node| node.kind == "orchestrator");
        if !orchestrators.is_empty() {
            return orchestrators;
        }
        let led_to: VecSet<&NodeId> = self.edges.iter().map(|edge| &edge.to).collect();
        found(&|node| !led_to.contains(&&node.key))
    }
}

fn size_fits(nodes: usize, edges: usize) -> Result<(), GraphError> {
    if nodes > GRAPH_NODES {
        return Err(GraphError::TooManyNodes(nodes));
    }
    if edges > GRAPH_EDGES { Err(GraphError::TooManyEdges(edges)) } else { Ok(()) }
}

/// Whether a new node may have this key.
pub fn check_key(key: &str) -> Result<(), GraphError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let is_taken = [crate::run::graph::OPERATOR_NODE, crate::run::graph::RUN_NODE].contains(&key);
    if key.is_empty() || key.len() > 64 || is_taken || !key.chars().all(plain) {
        return Err(GraphError::BadKey(key.chars().take(80).collect()));
    }
    Ok(())
}

/// The sender of envelopes that no node of the graph wrote: the operator, or the run itself.
pub const OPERATOR_NODE: &str = "operator";
pub const RUN_NODE: &str = "run";

/// What an envelope carries.
pub mod kinds {
    /// A node's final output.
    pub const RESULT: &str = "node_result";
    /// Work that an orchestrator gives to a node.
    pub const HANDOFF: &str = "handoff";
    /// What the operator says to a node.
    pub const OPERATOR: &str = "operator";
    /// What changed since the orchestrator was last asked.
    pub const TICK: &str = "tick";
}

/// A node's final output, or words for a node, as it travels over edges and waits in an inbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// One of [`kinds`].
    pub kind: String,
    pub node_id: NodeId,
    /// The turn that it comes from, absent where it comes from none. That of checks or a terminal has no row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// `ok`, `failed` where checks failed, or how the turn ended.
    pub status: String,
    pub summary: String,
    #[serde(default)]
    pub artifacts: Vec<Artifact>,
    /// Structured output, where there is any.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub structured: Value,
}

impl Envelope {
    /// An envelope with nothing but words.
    pub fn says(kind: &str, from: NodeId, turn: Option<TurnId>, summary: impl Into<String>) -> Self {
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

/// Something that a run made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Such as `file`, `diff` or `log`.
    #[serde(rename = "type")]
    pub kind: String,
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<ContentHash>,
}

#[cfg(test)]
#[path = "graph_tests.rs"]
mod tests;
