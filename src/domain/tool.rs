//! Never runs a tool.
//!
//! Owns what is known of one use of a tool.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::hash::Hash;
use crate::domain::id::{AgentKey, MessageId, Millis, RunId, SessionId, ToolRunId, TurnId};
use crate::domain::part::ToolCall;
use crate::domain::text::diff::LineCount;

/// Where a tool run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    /// The model asked for it.
    Requested,
    /// The operator has to allow it.
    AwaitingApproval,
    /// It runs.
    Running,
    /// It did what was asked.
    Succeeded,
    /// It could not.
    Failed,
    /// It was not allowed.
    Denied,
    /// It took too long.
    TimedOut,
    /// The operator stopped it.
    Cancelled,
    /// The page was closed while it ran.
    Interrupted,
}

impl ToolStatus {
    /// Whether the run is still to end.
    pub fn is_open(self) -> bool {
        match self {
            Self::Requested | Self::AwaitingApproval | Self::Running => true,
            Self::Succeeded
            | Self::Failed
            | Self::Denied
            | Self::TimedOut
            | Self::Cancelled
            | Self::Interrupted => false,
        }
    }
}

/// One use of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolRun {
    /// Its id.
    pub id: ToolRunId,
    /// The session.
    pub session: SessionId,
    /// The run.
    pub run: Option<RunId>,
    /// The turn.
    pub turn: TurnId,
    /// The agent that asked.
    pub agent: AgentKey,
    /// The assistant message that asked.
    pub asked_by: MessageId,
    /// Its place among the calls of that message, from 0.
    pub place: u32,
    /// What was asked.
    pub call: ToolCall,
    /// Where it stands.
    pub status: ToolStatus,
    /// The answer, a JSON object, once it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// What it changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<Touched>,
    /// The mind before and after, where it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minds: Option<(Hash, Hash)>,
    /// When it was asked for.
    pub requested_at: Millis,
    /// When it began to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Millis>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Millis>,
}

/// A field or file that a tool run changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    /// `objective`, `scratchpad`, or a file's name.
    pub field: String,
    /// Whether it is a file.
    pub is_file: bool,
    /// Lines added and removed.
    pub lines: LineCount,
}

/// What an agent decided about the work, by the tool `accept_work`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Who decided.
    pub agent: AgentKey,
    /// Whether the work meets the definition of done.
    pub accepted: bool,
    /// Why.
    pub reasons: String,
    /// The round it was given in.
    pub round: u32,
}
