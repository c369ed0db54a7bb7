//! Larger payloads of events: changes of sessions, queued messages and heads.

use serde::{Deserialize, Serialize};

use crate::agent::AgentFlags;
use crate::id::{AgentKey, MessageId, NodeId};
use crate::message::content::MessagePart;
use crate::mind::MindEdit;
use crate::run::graph::Completion;
use crate::run::terminal::TerminalSpec;
use crate::run::{Edge, Envelope, GraphLimits, Node, RunMode};
use crate::session::pin::Pin;
use crate::session::{QueueMode, Session, SessionStatus};

/// What comes with a head that is moved by hand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ManualHeadMove {
    /// How the mind that is brought back differs from the one that was left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<MindEdit>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
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
    /// It says something else.
    Text(String),
    Taken(MessageId),
    /// The operator withdrew it.
    Withdrawn,
    /// The operator took its withdrawal back: it waits again, in its old place.
    PutBack,
    /// Something else is to happen to it.
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
    /// A node asks the operator something.
    Asked {
        node: NodeId,
        question: String,
    },
    /// The orchestrator finished the run.
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

/// What changed about a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionChange {
    Created(Box<CreatedSession>),
    /// It has another name.
    Labelled(String),
    Status(SessionStatus),
    /// It notes something else about an agent.
    Flags(AgentKey, AgentFlags),
    /// The operator pinned a message.
    Pinned(Pin),
    /// The operator took a pin off.
    Unpinned(MessageId),
    /// The operator wants it first among the sessions, or no longer.
    SessionPinned(bool),
    /// It is about something else.
    Titled(Option<String>),
    /// It was hidden, to be forgotten after some days.
    Deleted,
    /// It is shown again.
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
