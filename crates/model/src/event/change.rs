//! Larger payloads of events: changes of sessions, queued messages and heads; and content: a whole text, or a line
//! delta against a stored one.

use std::sync::Arc;

use nexus_markup::sparse;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::agent::AgentFlags;
use crate::id::{AgentKey, MessageId, NodeId};
use crate::message::content::MessagePart;
use crate::mind::MindEdit;
use crate::run::graph::Completion;
use crate::run::terminal::TerminalSpec;
use crate::run::{Edge, Envelope, GraphLimits, Node, RunMode};
use crate::session::{Pin, QueueMode, Session, SessionStatus};
use nexus_text::content_hash::ContentHash;
use nexus_text::diff::delta::{LineSplice, apply, between};
use nexus_text::json;

/// What comes with a head that is moved by hand.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ManualHeadMove {
    /// How the mind that is brought back differs from the one that was left.
    pub edits: Vec<MindEdit>,
    pub unanswered: Vec<MessageId>,
}

/// A message that was cut short, with what had come of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartialMessage {
    pub message: MessageId,
    /// What had come.
    pub parts: Vec<MessagePart>,
}

/// What became of a waiting message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueChange {
    Text(String),
    Taken(MessageId),
    Withdrawn,
    /// The operator took its withdrawal back: it waits again, in its old place.
    PutBack,
    Mode(QueueMode),
    /// Stop holds it, or the operator let it go on.
    Held(bool),
    /// The operator is editing it, or is done with that.
    Editing(bool),
}

/// What changed about a run's graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GraphChange {
    /// Somebody else starts turns from now on.
    Mode(RunMode),
    NodeAdded(Box<Node>),
    EdgeAdded(Edge),
    /// The operator, the orchestrator or the run put an envelope into a node's inbox.
    Sent {
        to: NodeId,
        envelope: Envelope,
    },
    Asked {
        node: NodeId,
        question: String,
    },
    Finished {
        summary: String,
    },
    /// A node may have so many turns from now on.
    TurnsAllowed {
        node: NodeId,
        most: u32,
    },
    /// A node may use so much from now on.
    LimitsRaised {
        node: NodeId,
        limits: GraphLimits,
    },
    /// The operator had a node work in a terminal, or ask its model again.
    Terminal {
        node: NodeId,
        terminal: Option<Box<TerminalSpec>>,
    },
    /// The program in a node's terminal named its session.
    ProviderSession {
        node: NodeId,
        session: String,
    },
    /// Something else must be true for the run to end by itself.
    Completion(Completion),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionChange {
    Created(Box<CreatedSession>),
    Labelled(String),
    Status(SessionStatus),
    /// It notes something else about an agent.
    Flags(AgentKey, AgentFlags),
    Pinned(Pin),
    Unpinned(MessageId),
    /// The operator wants it first among the sessions, or no longer.
    SessionPinned(bool),
    Titled(Option<String>),
    /// It was hidden, to be forgotten after some days.
    Deleted,
    Restored,
    /// It belongs to an agent, and is its main session, or to none.
    Owned(Option<AgentKey>),
    /// The operator deleted what a message of it says.
    MessageDeleted(MessageId),
    /// The operator stopped it: until a run opens here, only the operator starts one.
    Stopped,
}

/// A new session with the mind it starts from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CreatedSession {
    pub session: Session,
    /// How its mind differs from an empty one.
    pub mind: Vec<MindEdit>,
}

/// A content that is kept from now on.
///
/// Written as a text, or as an object with `from` and `changes`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum StoredContent {
    Whole(String),
    /// What differs from another one.
    Changed {
        /// The address of the other one.
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
    /// This text, as changes of another one where that is much shorter.
    pub fn new(text: &str, other: Option<(&ContentHash, &str)>) -> Self {
        match other.and_then(|(from, old)| Some((from, between(old, text)?))) {
            Some((from, changes)) => Self::Changed { from: *from, changes },
            None => Self::Whole(text.to_owned()),
        }
    }

    /// The text, given where contents are found; `None` where the one that it differs from is not there.
    pub fn text(&self, found: impl FnOnce(&ContentHash) -> Option<Arc<str>>) -> Option<Arc<str>> {
        match self {
            Self::Whole(text) => Some(Arc::from(text.as_str())),
            Self::Changed { from, changes } => apply(&found(from)?, changes).map(Arc::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_is_told_by_what_differs_and_read_again() {
        let old: String = (0..200).map(|line| format!("line {line}\n")).collect();
        let new = old.replacen("line 7\n", "line seven\n", 1);
        let from = ContentHash::of_text(&old);
        let content = StoredContent::new(&new, Some((&from, &old)));
        let json = serde_json::to_string(&content).unwrap();
        assert!(json.len() < 200, "{json}");
        let read: StoredContent = serde_json::from_str(&json).unwrap();
        assert_eq!(read, content);
        let kept = |hash: &ContentHash| (*hash == from).then(|| Arc::from(old.as_str()));
        assert_eq!(read.text(kept).as_deref(), Some(new.as_str()));
        assert_eq!(read.text(|_| None), None, "what it differs from is not here");
        // As it was written before: a text.
        let read: StoredContent = serde_json::from_str("\"all of it\"").unwrap();
        assert_eq!(read.text(|_| None).as_deref(), Some("all of it"));
    }
}
