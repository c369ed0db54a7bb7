//! Runs: the graph of nodes and edges, rounds, caps, usage and status.
//!
//! [`Run::next_ready`] picks the next node.

pub mod context_pack;
pub mod graph;
pub mod graph_step;
pub mod loop_guard;
pub mod templates;
pub mod terminal;
pub mod usage;

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};

use crate::agent::{Permissions, Priority};
use crate::id::{AgentKey, MessageId, Millis, NodeId, RunId, SessionId, TurnId};
use crate::llm::ModelConfig;
use crate::provider::price::Cost;
use crate::run::graph::{Completion, Join, Port};
use crate::run::terminal::TerminalSpec;
use nexus_text::content_hash::ContentHash;

pub use crate::run::graph::{Artifact, Envelope};
pub use crate::run::graph::{Edge, RunMode};
pub use crate::run::usage::{GraphLimits, Limit, RunLimits, RunUsage};

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// None of its nodes has begun yet.
    Queued,
    /// Its nodes work.
    Running,
    /// It waits for the operator.
    Paused,
    /// It ended, and every node that was asked is done.
    Completed,
    /// It ended, and no node could answer.
    Failed,
    /// The operator stopped it.
    Cancelled,
    /// Its time was up, and the operator ended it.
    TimedOut,
}

impl RunStatus {
    /// Whether the run has not ended.
    pub fn is_open(self) -> bool {
        match self {
            Self::Queued | Self::Running | Self::Paused => true,
            Self::Completed | Self::Failed | Self::Cancelled | Self::TimedOut => false,
        }
    }

    /// Whether its nodes work, or are about to.
    pub fn works(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }

    /// Whether a run may go from this status to another.
    pub fn may_become(self, next: Self) -> bool {
        match next {
            Self::Queued => false,
            Self::Running => matches!(self, Self::Queued | Self::Paused),
            Self::Paused | Self::Failed => self.works(),
            Self::Completed => matches!(self, Self::Running | Self::Paused),
            Self::Cancelled => self.is_open(),
            Self::TimedOut => self == Self::Paused,
        }
    }
}

/// What started a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunCause {
    Message(MessageId),
    /// A failed turn that is tried again.
    Retry(TurnId),
    /// An ended run whose open nodes are to go on.
    GoOn(RunId),
    /// A completed turn whose query is asked once more beside it.
    TryAgain(TurnId),
    /// A turn from which on a run is played again, and what was changed of it first.
    Rerun {
        turn: TurnId,
        changed: Option<ChangedInput>,
    },
}

/// What of a turn was changed before it was played again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangedInput {
    /// A message of its query, or an envelope of its inbox.
    Message,
    Model,
    Persona,
}

/// Why a run waits for the operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseCause {
    /// The page was closed while it worked.
    Interrupted,
    /// It has made as many model calls as it may.
    CallCap { calls: u32 },
    /// It has used as many tokens as it may.
    TokenCap { tokens: u64 },
    /// It has cost as much as it may, by an estimate.
    CostCap { cost: Cost },
    /// It has had as many turns as it may.
    TurnCap { turns: u32 },
    /// It has used as many tools as it may.
    ToolCap { tool_calls: u32 },
    /// Its nodes have worked as long as it may.
    TimeCap { minutes: u32 },
    /// It goes round in circles.
    Loop { evidence: String },
    /// It is a race whose lanes are over: the operator has to choose.
    Choice,
    /// A node has had as many turns, or used as much, as it may.
    NodeLimit { node: NodeId, evidence: String },
    /// A node failed, and no edge leads on from that.
    NodeFailed { node: NodeId, evidence: String },
    /// A node's output leads nowhere, because it lacks what the edges behind it carry or look at.
    NoRoute { node: NodeId, evidence: String },
    /// A node asks the operator something.
    Question { node: NodeId, text: String },
    /// Nothing is left to work on, and what must be true at the end is not.
    NotDone { evidence: String },
    /// These nodes have envelopes to work on, and in INTERACTIVE the operator starts them.
    YourTurn { nodes: Vec<NodeId> },
}

impl PauseCause {
    /// Whether the run has used what it may.
    pub fn is_budget(&self) -> bool {
        match self {
            Self::CallCap { .. }
            | Self::TokenCap { .. }
            | Self::CostCap { .. }
            | Self::TurnCap { .. }
            | Self::ToolCap { .. }
            | Self::TimeCap { .. } => true,
            Self::Interrupted
            | Self::Loop { .. }
            | Self::Choice
            | Self::NodeLimit { .. }
            | Self::NodeFailed { .. }
            | Self::NoRoute { .. }
            | Self::Question { .. }
            | Self::NotDone { .. }
            | Self::YourTurn { .. } => false,
        }
    }
}

impl From<Limit> for PauseCause {
    fn from(limit: Limit) -> Self {
        match limit {
            Limit::Turns(turns) => Self::TurnCap { turns },
            Limit::Calls(calls) => Self::CallCap { calls },
            Limit::ToolCalls(tool_calls) => Self::ToolCap { tool_calls },
            Limit::Tokens(tokens) => Self::TokenCap { tokens },
            Limit::Cost(cost) => Self::CostCap { cost },
            Limit::Minutes(minutes) => Self::TimeCap { minutes },
        }
    }
}

/// Where a node stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum NodeStatus {
    /// Not started.
    #[default]
    Idle,
    /// It can run and waits for the scheduler.
    Ready,
    Running,
    /// It waits for somebody.
    Blocked,
    Done,
    /// It failed or was stopped.
    Error,
}

impl NodeStatus {
    /// Whether a node may go from this status to another.
    pub fn may_become(self, next: Self) -> bool {
        match next {
            Self::Running => matches!(self, Self::Ready | Self::Blocked),
            Self::Blocked => matches!(self, Self::Ready | Self::Running),
            Self::Done | Self::Error => matches!(self, Self::Ready | Self::Running | Self::Blocked),
            Self::Ready => matches!(self, Self::Idle | Self::Blocked | Self::Done | Self::Error),
            Self::Idle => matches!(self, Self::Ready | Self::Blocked),
        }
    }
}

/// The tool with which an agent judges the work.
pub const ACCEPT_WORK: &str = "accept_work";

/// An execution unit in a run's graph.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Node {
    pub id: NodeId,
    /// Its type: `orchestrator`, `agent.<kind>`, `verifier`, `docs`, or `racer`.
    pub kind: String,
    pub agent: Option<AgentKey>,
    /// How early it runs.
    pub priority: Priority,
    /// Its place in the roster, which decides among equal priorities.
    pub place: u32,
    pub status: NodeStatus,
    pub turn: Option<TurnId>,
    /// The provider's own session that it is bound to.
    pub provider_session: Option<String>,
    /// Of a verifier, the check files that it runs, by name or folder; all of them where empty.
    pub checks: Vec<String>,
    /// The files that it may write; all where empty.
    pub writes: Vec<String>,
    /// The terminal that it works in, where it asks no model here.
    pub terminal: Option<Box<TerminalSpec>>,
    /// Of one that races, the session of its lane.
    pub workspace: Option<String>,
    /// Envelopes that came over its edges and were not read yet.
    pub inbox: Vec<Envelope>,
    /// The envelopes that a turn without a model works on, until one comes to something.
    pub taken: Vec<Envelope>,
    /// The turn whose answer was cut off and is to be continued by this node's next turn.
    pub continues: Option<TurnId>,
    /// The model and parameters of its next turns, where they are not those of the agent.
    pub config: Option<ModelConfig>,
    /// What the operator said of tools for its turns, above what agents and settings say.
    pub tools: Option<Box<Permissions>>,
    /// What it last put out.
    pub last_output: Option<Envelope>,
    /// What it is told besides the message.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instruction: String,
    /// When the envelopes in its inbox let it run.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub join: Join,
    /// The turns that it may have in a run of a graph; 0 where it is in none.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub max_turns: u32,
    /// The turns that it has had there.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub turns: u32,
    /// What else it may use in a run of a graph.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub limits: GraphLimits,
    #[serde(default, skip_serializing_if = "is_usual")]
    pub used: RunUsage,
    /// Since when it works, while it does.
    pub since: Option<Millis>,
    /// What edges may bring it; anything where empty.
    pub takes: Vec<Port>,
}

fn is_usual<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// What a run of a graph has besides its nodes and edges.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunGraph {
    pub name: String,
    /// What must be true for it to end by itself.
    #[serde(default)]
    pub completion: Completion,
    #[serde(default)]
    pub entries: Vec<NodeId>,
    pub finished: Option<String>,
    /// What a node wants to know of the operator before anything goes on.
    pub question: Option<(NodeId, String)>,
    /// The newest turn when the operator last let the run go on: what came before is no evidence of a loop.
    pub since: Option<TurnId>,
    /// How often the orchestrator was asked again since anything changed.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub ticks: u32,
}

impl Default for Rounds {
    fn default() -> Self {
        Self { current: 1, limit: 1, definition_of_done: String::new() }
    }
}

/// How often the nodes of a run are asked again, and until when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rounds {
    /// The round that works, from 1.
    pub current: u32,
    pub limit: u32,
    /// What must be true for the work to be accepted; empty for a single round.
    #[serde(default)]
    pub definition_of_done: String,
}

/// Why the last round of a run was the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundsEndReason {
    /// The Critic accepted the work.
    Accepted,
    /// Nothing changed in a whole round.
    Unchanged,
    Limit,
    /// No agent could answer.
    Failed,
}

/// What an agent decided about the work, by the tool `accept_work`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    pub agent: AgentKey,
    /// Whether the work meets the definition of done.
    pub accepted: bool,
    pub reasons: String,
    pub round: u32,
}

/// What a round came to, in two lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundSummary {
    /// The round, from 1.
    pub round: u32,
    pub changed: String,
    /// What the round came to and why it goes on or ends.
    pub outcome: String,
    /// Why no further round follows; absent where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<RoundsEndReason>,
}

/// One interaction, from the message that starts it to its last answer.
#[sparse]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its id, by which everything that happened in it is found.
    pub id: RunId,
    pub session: SessionId,
    pub mode: RunMode,
    pub status: RunStatus,
    pub cause: RunCause,
    /// The messages that its nodes answer.
    #[whole]
    pub messages: Vec<MessageId>,
    #[whole]
    pub nodes: Vec<Node>,
    #[whole]
    pub edges: Vec<Edge>,
    /// What it has besides them, where it was started from a graph.
    pub graph: Option<Box<RunGraph>>,
    pub rounds: Rounds,
    /// The working mind when the round began.
    pub round_mind: ContentHash,
    pub round_summaries: Vec<RoundSummary>,
    /// The newest verdict on the work.
    pub verdict: Option<Verdict>,
    pub caps: RunLimits,
    pub used: RunUsage,
    /// Why it waits, while it is paused.
    pub pause: Option<PauseCause>,
    pub artifacts: Vec<Artifact>,
    pub opened_at: Millis,
    pub ended_at: Option<Millis>,
}

impl Node {
    /// A node as it begins, for no agent yet.
    pub fn new(
        id: NodeId,
        kind: impl Into<String>,
        place: u32,
        priority: Priority,
        status: NodeStatus,
    ) -> Self {
        Self { id, kind: kind.into(), priority, place, status, ..Self::default() }
    }

    /// Whether a service works for it instead of a model: checks, or a terminal.
    pub fn asks_no_model(&self) -> bool {
        self.kind == "verifier" || self.terminal.is_some()
    }

    /// What it has used up to now, the time of the turn that works included.
    pub fn used_at(&self, now: Millis) -> RunUsage {
        let working = self.since.map_or(0, |since| now.0.saturating_sub(since.0));
        RunUsage { ms: self.used.ms.saturating_add(working), ..self.used }
    }

    /// By what the scheduler chooses among READY nodes: the least goes first.
    pub fn order(&self) -> (std::cmp::Reverse<Priority>, u32) {
        (std::cmp::Reverse(self.priority), self.place)
    }
}

impl Run {
    /// A run of one round as it opens with a mind, without nodes.
    pub fn opened(id: RunId, session: SessionId, cause: RunCause, mind: ContentHash, at: Millis) -> Self {
        Self {
            id,
            session,
            mode: RunMode::Interactive,
            status: RunStatus::Queued,
            cause,
            messages: Vec::new(),
            nodes: Vec::new(),
            edges: Vec::new(),
            graph: None,
            rounds: Rounds::default(),
            round_mind: mind,
            round_summaries: Vec::new(),
            verdict: None,
            caps: RunLimits::default(),
            used: RunUsage::default(),
            pause: None,
            artifacts: Vec::new(),
            opened_at: at,
            ended_at: None,
        }
    }

    pub fn node(&self, id: &NodeId) -> Option<&Node> {
        self.nodes.iter().find(|node| &node.id == id)
    }

    /// Whether its nodes are asked again until the work is done.
    pub fn keeps_going(&self) -> bool {
        self.rounds.limit > 1
    }

    /// The node that runs next: the first READY one by priority, then by roster place. `None` while another runs, or
    /// when none is READY.
    pub fn next_ready(&self) -> Option<&Node> {
        if self.nodes.iter().any(|node| node.status == NodeStatus::Running) {
            return None;
        }
        self.nodes.iter().filter(|node| node.status == NodeStatus::Ready).min_by_key(|node| node.order())
    }

    /// The node whose turn is open, or else opens next.
    pub fn active_node(&self) -> Option<&Node> {
        let works = |node: &&Node| matches!(node.status, NodeStatus::Running | NodeStatus::Blocked);
        self.nodes.iter().find(works).or_else(|| self.next_ready())
    }
}

#[cfg(test)]
#[path = "run/run_tests.rs"]
mod tests;
