//! Runs: the graph of nodes and edges, rounds, limits, usage and status.
//!
//! [`Run::next_ready`] picks the next node.

pub mod context_pack;
pub mod graph;
pub mod graph_step;
pub mod templates;
pub mod terminal;
pub mod usage;

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};

use crate::agent::{Permissions, Priority};
use crate::id::{AgentKey, MessageId, Millis, NodeId, RunId, SessionId, TurnId};
use crate::llm::ModelConfig;
use crate::run::graph::{Completion, Join, Port};
use crate::run::terminal::TerminalSpec;
use nexus_text::content_hash::ContentHash;

pub use crate::run::graph::{Artifact, Edge, Envelope, RunMode};
pub use crate::run::usage::{GraphLimits, PauseCause, ReachedLimit, RunLimits, RunUsage};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// No node has started.
    #[default]
    Queued,
    Running,
    /// Waiting for the operator.
    Paused,
    /// Ended; every requested node is done.
    Completed,
    /// Ended; no node could answer.
    Failed,
    /// Stopped by the operator.
    Cancelled,
    /// The time limit was reached and the operator ended the run.
    TimedOut,
}

impl RunStatus {
    pub fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Running | Self::Paused)
    }

    /// True if its nodes work or are about to.
    pub fn is_working(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunCause {
    /// A message to the agents.
    Message(MessageId),
    /// A retry of a failed turn.
    Retry(TurnId),
    /// A continuation of the unfinished nodes of an ended run.
    #[serde(rename = "go_on")]
    Continued(RunId),
    /// A retry of a completed turn, as its sibling.
    TryAgain(TurnId),
    /// A re-run from a turn, and the change made to that turn.
    Rerun { turn: TurnId, changed: Option<ChangedInput> },
}

// A placeholder, like the default of ids.
impl Default for RunCause {
    fn default() -> Self {
        Self::Message(MessageId::default())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangedInput {
    /// A message of its query, or an envelope of its inbox.
    Message,
    Model,
    Persona,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum NodeStatus {
    #[default]
    Idle,
    /// Can run; waits for the scheduler.
    Ready,
    Running,
    /// Waits for an answer or a retry.
    Blocked,
    Done,
    /// Failed or stopped.
    Error,
}

impl NodeStatus {
    /// True if its turn is open.
    pub fn is_at_work(self) -> bool {
        matches!(self, Self::Running | Self::Blocked)
    }

    /// True if its turn is open, or opens next.
    pub fn is_busy(self) -> bool {
        self == Self::Ready || self.is_at_work()
    }

    /// True if it has ended, with a result or without.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Error)
    }
}

/// The tool by which an agent accepts or rejects the work.
pub const ACCEPT_WORK: &str = "accept_work";

/// An execution unit in a run's graph.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Node {
    pub id: NodeId,
    /// `orchestrator`, `agent.<kind>`, `verifier`, `docs`, or `racer`.
    pub kind: String,
    pub agent: Option<AgentKey>,
    pub priority: Priority,
    /// Its position in the roster, for equal priorities.
    pub place: u32,
    pub status: NodeStatus,
    pub turn: Option<TurnId>,
    /// The session id of the provider's own program.
    pub provider_session: Option<String>,
    /// For a verifier: the check files to run, by name or folder; all if empty.
    pub checks: Vec<String>,
    /// The files that it may write; all if empty.
    pub writes: Vec<String>,
    /// The terminal to work in, instead of calling a model.
    pub terminal: Option<Box<TerminalSpec>>,
    /// For a racer: the session of its lane.
    pub workspace: Option<String>,
    pub inbox: Vec<Envelope>,
    /// The envelopes that a turn without a model is working on, until one succeeds.
    pub taken: Vec<Envelope>,
    /// The turn whose truncated answer the next turn of this node continues.
    pub continues: Option<TurnId>,
    /// Replaces the agent's model and parameters for the next turns.
    pub config: Option<ModelConfig>,
    /// The operator's tool permissions for its turns, in addition to those of agents and settings.
    pub tools: Option<Box<Permissions>>,
    pub last_output: Option<Envelope>,
    /// Instructions in addition to the message.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instruction: String,
    /// How many envelopes it needs to run.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub join: Join,
    /// Turn limit in a graph run; 0 outside graphs.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub max_turns: u32,
    /// Turns used in the graph run.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub turns: u32,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub limits: GraphLimits,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub used: RunUsage,
    /// When it began working, while it works.
    pub since: Option<Millis>,
    /// The ports that it accepts; all if empty.
    pub takes: Vec<Port>,
}

/// The state of a graph run besides its nodes and edges.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunGraph {
    pub name: String,
    #[serde(default)]
    pub completion: Completion,
    #[serde(default)]
    pub entries: Vec<NodeId>,
    pub finished: Option<String>,
    /// A node's question to the operator, which blocks the run.
    pub question: Option<(NodeId, String)>,
    /// The newest turn when the operator last resumed the run: earlier turns are no evidence of a loop.
    pub since: Option<TurnId>,
    /// The number of ticks of the orchestrator since the last change.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub ticks: u32,
}

impl Default for Rounds {
    fn default() -> Self {
        Self { current: 1, limit: 1, definition_of_done: String::new() }
    }
}

/// Rounds: how often the nodes of a run repeat, and until when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rounds {
    /// The current round, from 1.
    pub current: u32,
    pub limit: u32,
    /// The condition for accepting the work; empty for a single round.
    #[serde(default)]
    pub definition_of_done: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundsEndReason {
    Accepted,
    Unchanged,
    Limit,
    /// No agent could answer.
    Failed,
}

/// A verdict on the work, by the tool `accept_work`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    pub agent: AgentKey,
    /// True if the work meets the definition of done.
    pub accepted: bool,
    pub reasons: String,
    pub round: u32,
}

/// A summary of a round in two lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundSummary {
    /// From 1.
    pub round: u32,
    pub changed: String,
    /// The result of the round, and why the run continues or ends.
    pub outcome: String,
    /// Why no further round follows, if none does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<RoundsEndReason>,
}

/// One interaction, from the message that starts it to the last answer.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub id: RunId,
    pub session: SessionId,
    pub mode: RunMode,
    pub status: RunStatus,
    pub cause: RunCause,
    #[whole]
    pub messages: Vec<MessageId>,
    #[whole]
    pub nodes: Vec<Node>,
    #[whole]
    pub edges: Vec<Edge>,
    pub graph: Option<Box<RunGraph>>,
    pub rounds: Rounds,
    pub round_mind: ContentHash,
    pub round_summaries: Vec<RoundSummary>,
    pub verdict: Option<Verdict>,
    pub caps: RunLimits,
    pub used: RunUsage,
    /// The usage of the runs that it follows up, which counts to its limits, too.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub used_before: RunUsage,
    pub pause: Option<PauseCause>,
    pub artifacts: Vec<Artifact>,
    pub opened_at: Millis,
    pub ended_at: Option<Millis>,
}

impl Node {
    /// A new IDLE node without an agent, of normal priority.
    pub fn new(id: NodeId, kind: impl Into<String>, place: u32) -> Self {
        Self { id, kind: kind.into(), place, ..Self::default() }
    }

    /// True if a service runs it instead of a model: checks or a terminal.
    pub fn calls_no_model(&self) -> bool {
        self.kind == "verifier" || self.terminal.is_some()
    }

    /// Usage up to now, including the time of the open turn.
    pub fn used_at(&self, now: Millis) -> RunUsage {
        let working = self.since.map_or(0, |since| now.0.saturating_sub(since.0));
        RunUsage { ms: self.used.ms.saturating_add(working), ..self.used }
    }

    /// The scheduling order among READY nodes: lowest first.
    pub fn order(&self) -> (std::cmp::Reverse<Priority>, u32) {
        (std::cmp::Reverse(self.priority), self.place)
    }
}

impl Run {
    /// A new run of one round, without nodes.
    pub fn opened(id: RunId, session: SessionId, cause: RunCause, mind: ContentHash, at: Millis) -> Self {
        let mode = RunMode::Interactive;
        Self { id, session, mode, cause, round_mind: mind, opened_at: at, ..Self::default() }
    }

    pub fn node(&self, id: &NodeId) -> Option<&Node> {
        self.nodes.iter().find(|node| &node.id == id)
    }

    /// True if its nodes repeat until the work is done.
    pub fn keeps_going(&self) -> bool {
        self.rounds.limit > 1
    }

    /// The node to run next: the first READY one by priority, then by roster position. `None` while another runs, or
    /// if none is READY.
    pub fn next_ready(&self) -> Option<&Node> {
        if self.nodes.iter().any(|node| node.status == NodeStatus::Running) {
            return None;
        }
        self.nodes.iter().filter(|node| node.status == NodeStatus::Ready).min_by_key(|node| node.order())
    }

    /// True if a tool call waits for approval.
    pub fn needs_approval(&self) -> bool {
        self.status == RunStatus::Running && self.nodes.iter().any(|node| node.status == NodeStatus::Blocked)
    }

    /// True if it goes on only after the operator acts.
    pub fn waits_for_operator(&self) -> bool {
        self.status == RunStatus::Paused || self.needs_approval()
    }

    /// The node with an open turn, else the next one.
    pub fn active_node(&self) -> Option<&Node> {
        self.nodes.iter().find(|node| node.status.is_at_work()).or_else(|| self.next_ready())
    }
}

#[cfg(test)]
mod tests;
