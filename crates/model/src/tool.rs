//! Tool runs: class, status, approval, and the changes that they made.

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{AgentKey, MessageId, Millis, RunId, SessionId, ToolRunId, TurnId};
use crate::message::content::{ToolArgs, ToolCall};
use crate::mind::{FileChange, MindWrite};
use crate::session::delegation::Worker;
use nexus_text::{content_hash::ContentHash, json::schema::validate};

/// The mismatches between a call's arguments and the tool's JSON Schema, worded for a model.
pub fn argument_errors(schema: &Value, arguments: &Value) -> Vec<String> {
    let errors =
        validate(schema, arguments).mismatches.into_iter().map(|(at, error)| match at.strip_prefix('/') {
            Some(place) => format!("`{place}` {error}"),
            None => format!("arguments {error}"),
        });
    errors.collect()
}

/// What a tool accesses, which determines its default permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolClass {
    /// Objective, scratchpad, verdict.
    Mind,
    /// The files, alone or with the rest of the mind.
    Files,
    Network,
    /// The checks of the session's files, in an isolated sandbox.
    Checks,
    Code,
    HostPage,
}

impl ToolClass {
    /// True if the tool only proposes writes to the mind, so that a trial run shows its effect.
    pub fn only_proposes(self) -> bool {
        matches!(self, Self::Mind | Self::Files)
    }
}

/// The operator's decision about a tool run.
#[sparse]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    #[whole]
    pub allowed: bool,
    pub at: Millis,
    /// The operator's arguments, which replace the model's.
    pub args: Option<Value>,
    pub reason: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    #[default]
    Requested,
    AwaitingApproval,
    Running,
    Succeeded,
    Failed,
    Denied,
    TimedOut,
    Cancelled,
    /// The page was closed while the tool ran.
    Interrupted,
}

impl ToolStatus {
    /// True if the run has not ended.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Requested | Self::AwaitingApproval | Self::Running)
    }
}

#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolRun {
    pub id: ToolRunId,
    pub session: SessionId,
    #[whole]
    pub run: Option<RunId>,
    pub turn: TurnId,
    pub agent: AgentKey,
    #[serde(rename = "asked_by")]
    pub requested_by: MessageId,
    /// The index of the call within that message.
    pub place: u32,
    pub call: ToolCall,
    pub status: ToolStatus,
    /// The writes of a trial run, shown with the approval prompt.
    pub proposed: Vec<MindWrite>,
    /// The operator's decision, if approval was needed.
    pub approval: Option<Approval>,
    /// The result as a JSON object, once it ended.
    pub result: Option<Value>,
    pub touched: Vec<FileChange>,
    /// The mind before and after, if it changed.
    pub minds: Option<(ContentHash, ContentHash)>,
    /// The worker that it started, whose changes count as those of the run.
    pub worker: Option<Worker>,
    pub requested_at: Millis,
    pub started_at: Option<Millis>,
    pub ended_at: Option<Millis>,
}

impl ToolRun {
    /// The call to run, with the operator's arguments if they were edited.
    pub fn effective_call(&self) -> ToolCall {
        match self.edited_args() {
            Some(args) => ToolCall { args: ToolArgs::Parsed(args.clone()), ..self.call.clone() },
            None => self.call.clone(),
        }
    }

    pub fn edited_args(&self) -> Option<&Value> {
        self.approval.as_ref().and_then(|approval| approval.args.as_ref())
    }

    pub fn is_approved(&self) -> bool {
        self.approval.as_ref().is_some_and(|approval| approval.allowed)
    }
}

#[cfg(test)]
mod tests;
