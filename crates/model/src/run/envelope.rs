//! Envelopes: what travels over the edges of a run's graph, and the artifacts that they name.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{NodeId, TurnId};
use nexus_text::content_hash::ContentHash;

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
