//! Payloads of events: changes of sessions, queued messages and heads; and contents, stored whole or as a line delta.

use std::sync::Arc;

use nexus_markup::sparse;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::agent::AgentFlags;
use crate::id::{AgentKey, MessageId, NodeId};
use crate::message::content::MessagePart;
use crate::mind::MindEdit;
use crate::run::{Edge, Envelope, GraphLimits, Node, RunMode, graph::Completion, terminal::TerminalSpec};
use crate::session::{Pin, QueueMode, Session, SessionStatus};
use nexus_text::diff::delta::{LineSplice, apply, between};
use nexus_text::{content_hash::ContentHash, json};

#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ManualHeadMove {
    /// The edits from the former working mind to the restored one.
    pub edits: Vec<MindEdit>,
    pub unanswered: Vec<MessageId>,
}

/// A message that was cut short, with the parts received so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartialMessage {
    pub message: MessageId,
    pub parts: Vec<MessagePart>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueChange {
    Text(String),
    Taken(MessageId),
    Withdrawn,
    /// The operator reversed its withdrawal: it waits again, in its old place.
    PutBack,
    Mode(QueueMode),
    /// Stop holds it, or the operator released it.
    Held(bool),
    /// The operator edits it, or has finished editing.
    Editing(bool),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GraphChange {
    /// Who starts turns from now on.
    Mode(RunMode),
    /// The orchestrator added a node.
    NodeAdded(Box<Node>),
    /// The orchestrator added an edge.
    EdgeAdded(Edge),
    /// The operator, the orchestrator or the run put an envelope into a node's inbox.
    Sent { to: NodeId, envelope: Envelope },
    /// A node asked the operator.
    Asked { node: NodeId, question: String },
    /// The orchestrator finished the run.
    Finished { summary: String },
    /// The new maximum number of turns of a node.
    TurnsAllowed { node: NodeId, most: u32 },
    /// The new limits of a node.
    LimitsRaised { node: NodeId, limits: GraphLimits },
    /// A node works in a terminal from now on, or with its model again.
    Terminal { node: NodeId, terminal: Option<Box<TerminalSpec>> },
    /// The program in a node's terminal named its session.
    ProviderSession { node: NodeId, session: String },
    /// The new condition for the run to end by itself.
    Completion(Completion),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionChange {
    Created(Box<CreatedSession>),
    Labelled(String),
    Status(SessionStatus),
    Flags(AgentKey, AgentFlags),
    Pinned(Pin),
    Unpinned(MessageId),
    /// Pinned to the top of the sessions, or unpinned.
    SessionPinned(bool),
    Titled(Option<String>),
    /// Hidden, to be purged after some days.
    Deleted,
    Restored,
    /// The main session of this agent, or of none.
    Owned(Option<AgentKey>),
    /// The operator deleted the content of a message.
    MessageDeleted(MessageId),
    /// The operator stopped it: until a run opens here, only the operator starts one.
    Stopped,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CreatedSession {
    pub session: Session,
    pub mind: Vec<MindEdit>,
}

/// A content that an event stores.
///
/// Written as a text, or as an object with `from` and `changes`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum StoredContent {
    Whole(String),
    /// The difference from another content.
    Changed {
        from: ContentHash,
        changes: Vec<LineSplice>,
    },
}

impl<'de> Deserialize<'de> for StoredContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Changed {
            from: ContentHash,
            changes: Vec<LineSplice>,
        }
        let tree = Value::deserialize(deserializer)?;
        if let Value::String(text) = tree {
            return Ok(Self::Whole(text));
        }
        let Changed { from, changes } = json::from_tree(&tree).map_err(D::Error::custom)?;
        Ok(Self::Changed { from, changes })
    }
}

impl StoredContent {
    /// A text, stored as changes of another one if that is much shorter.
    pub fn new(text: &str, other: Option<(&ContentHash, &str)>) -> Self {
        match other.and_then(|(from, old)| Some((from, between(old, text)?))) {
            Some((from, changes)) => Self::Changed { from: *from, changes },
            None => Self::Whole(text.to_owned()),
        }
    }

    /// The text; `found` looks up the content that it is based on. `None` if that is missing.
    pub fn text(&self, found: impl FnOnce(&ContentHash) -> Option<Arc<str>>) -> Option<Arc<str>> {
        match self {
            Self::Whole(text) => Some(Arc::from(text.as_str())),
            Self::Changed { from, changes } => apply(&found(from)?, changes).map(Arc::from),
        }
    }
}

#[cfg(test)]
mod tests;
