//! Tool runs: class, status, approval, and the changes that they made.

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{AgentKey, MessageId, Millis, RunId, SessionId, ToolRunId, TurnId};
use crate::message::content::{ToolArgs, ToolCall};
use crate::mind::{FileChange, MindWrite};
use crate::session::delegation::Worker;
use nexus_text::content_hash::ContentHash;
use nexus_text::json::schema::validate;

/// Every way in which the arguments of a call do not fit the tool's JSON Schema, in words for a model.
pub fn argument_errors(schema: &Value, arguments: &Value) -> Vec<String> {
    let told =
        validate(schema, arguments).mismatches.into_iter().map(|(at, words)| match at.strip_prefix('/') {
            Some(place) => format!("`{place}` {words}"),
            None => format!("arguments {words}"),
        });
    told.collect()
}

/// What a tool reaches, which decides what holds where no rule says anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolClass {
    /// Objective, scratchpad, the judgement on the work.
    Mind,
    Files,
    Network,
    /// The checks of the session's files, in a sandbox that reaches nothing.
    Checks,
    Code,
    /// A tool that a host page lends.
    Lent,
}

impl ToolClass {
    /// Whether such a tool does nothing but propose writes to the mind, so that trying it shows what it would do.
    pub fn only_proposes(self) -> bool {
        match self {
            Self::Mind | Self::Files => true,
            Self::Network | Self::Checks | Self::Code | Self::Lent => false,
        }
    }
}

/// What the operator decided about a tool run.
#[sparse]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    pub allowed: bool,
    pub at: Millis,
    /// The arguments that the operator put in the place of the model's.
    pub args: Option<Value>,
    pub reason: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    Requested,
    /// The operator has to allow it.
    AwaitingApproval,
    Running,
    Succeeded,
    Failed,
    Denied,
    TimedOut,
    /// The operator stopped it.
    Cancelled,
    /// The page was closed while it ran.
    Interrupted,
}

impl ToolStatus {
    /// Whether the run is still to end.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Requested | Self::AwaitingApproval | Self::Running)
    }
}

/// One use of a tool.
#[sparse]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolRun {
    pub id: ToolRunId,
    pub session: SessionId,
    #[whole]
    pub run: Option<RunId>,
    pub turn: TurnId,
    pub agent: AgentKey,
    pub asked_by: MessageId,
    /// Its place among the calls of that message, from 0.
    pub place: u32,
    pub call: ToolCall,
    pub status: ToolStatus,
    /// What it would write, as far as that could be tried when the operator was asked.
    pub proposed: Vec<MindWrite>,
    /// What the operator decided, where they were asked.
    pub approval: Option<Approval>,
    /// The answer, a JSON object, once it ended.
    pub result: Option<Value>,
    pub touched: Vec<FileChange>,
    /// The mind before and after, where it changed.
    pub minds: Option<(ContentHash, ContentHash)>,
    /// The worker that it sent out. What that one changed is what the run has touched.
    pub worker: Option<Worker>,
    pub requested_at: Millis,
    pub started_at: Option<Millis>,
    pub ended_at: Option<Millis>,
}

impl ToolRun {
    /// The call as it is to run: with the operator's arguments, where they changed them.
    pub fn effective_call(&self) -> ToolCall {
        match self.edited_args() {
            Some(args) => ToolCall { args: ToolArgs::Parsed(args.clone()), ..self.call.clone() },
            None => self.call.clone(),
        }
    }

    /// The arguments that the operator put in the place of the model's.
    pub fn edited_args(&self) -> Option<&Value> {
        self.approval.as_ref().and_then(|approval| approval.args.as_ref())
    }

    pub fn is_approved(&self) -> bool {
        self.approval.as_ref().is_some_and(|approval| approval.allowed)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_that_do_not_fit_are_named_for_the_model() {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "minLength": 1 },
                "from": { "type": "integer", "minimum": 1 },
                "tags": { "type": "array", "items": { "type": "string" } },
                "mode": { "enum": ["a", "b"] },
            },
            "required": ["name"],
            "additionalProperties": false,
        });
        let fits = json!({"name": "a", "from": 2.0, "tags": ["x"], "mode": "b"});
        assert_eq!(argument_errors(&schema, &fits), [""; 0]);
        for (value, words) in [
            (json!([]), "arguments must be object, not array"),
            (json!({}), "arguments must have `name`"),
            (json!({"name": ""}), "`name` must have at least 1 characters, and has 0"),
            (json!({"name": 3}), "`name` must be string, not number"),
            (json!({"name": "a", "from": 1.5}), "`from` must be integer, not number"),
            (json!({"name": "a", "from": 0}), "`from` must be at least 1"),
            (json!({"name": "a", "tags": [1]}), "`tags/0` must be string, not number"),
            (json!({"name": "a", "mode": "c"}), "`mode` must be one of \"a\", \"b\""),
            (json!({"name": "a", "other": 1}), "arguments must not have `other`"),
        ] {
            assert_eq!(argument_errors(&schema, &value), [words], "{value}");
        }
    }
}
