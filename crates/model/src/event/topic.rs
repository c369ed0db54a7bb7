//! What is known of an event by its kind alone: the topic of the bus that it is published on, whether it must last, where
//! it may stand, what it changes, and who the feed says did it.

use super::{EventKind, SessionChange};
use crate::job::JobKind;
use crate::world::WorldParts;

/// A channel of the bus. Services subscribe to topics and never to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    RunsNew,
    RunsState,
    ContextRequest,
    ContextResponse,
    LlmRequests,
    LlmResults,
    ToolsRequests,
    ToolsResults,
    MindChanged,
    JobRequests,
    JobResults,
    TurnsClosed,
    AppChanged,
    UiEvents,
    CommandResult,
}

impl Topic {
    /// Whether somebody must act on it, so that a missing subscriber is an error.
    pub fn is_request(self) -> bool {
        matches!(self, Self::ContextRequest | Self::LlmRequests | Self::ToolsRequests | Self::JobRequests)
    }
}

words!(Topic {
    RunsNew: "runs.new",
    RunsState: "runs.state",
    ContextRequest: "context.build.request",
    ContextResponse: "context.build.response",
    LlmRequests: "llm.requests",
    LlmResults: "llm.results",
    ToolsRequests: "tools.requests",
    ToolsResults: "tools.results",
    MindChanged: "mind.changed",
    JobRequests: "jobs.requests",
    JobResults: "jobs.results",
    TurnsClosed: "turns.closed",
    AppChanged: "app.changed",
    UiEvents: "ui.events",
    CommandResult: "command.result",
});

/// What is known of an event by its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindFacts {
    pub topic: Topic,
    pub durability: Durability,
    pub home: Home,
    /// The parts of the world that folding it changes.
    pub changes: WorldParts,
    pub feed: Feed,
}

/// Whether a power cut must not take an event: what a person or a model made, decided or was told, and that a trigger
/// fired, which must not fire again. What is not can be made again, or says only how far work has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    Lasts,
    Passes,
}

/// The streams in which an event may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    Session,
    Device,
    /// Both. What is remembered of a session that is forgotten belongs to the device.
    Any,
}

/// How the feed tells of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feed {
    /// As something that the operator did.
    Operator,
    /// As something that the agent of its turn did, or else the program.
    Turn,
    /// Not at all: the feed has no words for it, and it would only crowd out others, with all that it carries.
    Left,
}

macro_rules! kinds {
    ($($kind:ident: $topic:ident, $durability:ident, $home:ident, $changes:ident, $feed:ident;)+) => {
        /// The kinds of events that this program writes, and the topic that each is published on.
        pub const KINDS: [(&str, Topic); [$(stringify!($kind)),+].len()] =
            [$((stringify!($kind), Topic::$topic)),+];

        fn facts_of(kind: &EventKind) -> KindFacts {
            match kind {
                $(EventKind::$kind { .. } => KindFacts {
                    topic: Topic::$topic,
                    durability: Durability::$durability,
                    home: Home::$home,
                    changes: WorldParts::$changes,
                    feed: Feed::$feed,
                }),+
            }
        }
    };
}

kinds! {
    // Kind: its topic, whether it must last, its streams, the parts of the world that it changes, who did it.
    MessageCommitted: UiEvents, Lasts, Session, SESSIONS, Operator;
    ContentsKept: UiEvents, Lasts, Session, SESSIONS, Left;
    MessageQueued: UiEvents, Lasts, Session, SESSIONS, Operator;
    QueueEdited: UiEvents, Lasts, Session, SESSIONS, Left;
    RunOpened: RunsNew, Lasts, Session, SESSIONS, Left;
    RunPaused: RunsState, Passes, Session, SESSIONS, Turn;
    RunResumed: RunsState, Lasts, Session, SESSIONS, Operator;
    RoundEnded: RunsState, Passes, Session, SESSIONS, Turn;
    RunEnded: RunsState, Lasts, Session, SESSIONS, Left;
    NodeChanged: RunsState, Passes, Session, SESSIONS, Left;
    GraphChanged: RunsState, Lasts, Session, SESSIONS, Left;
    ChecksRequested: ToolsRequests, Passes, Session, SESSIONS, Left;
    TerminalRequested: ToolsRequests, Passes, Session, SESSIONS, Left;
    TurnOpened: RunsState, Passes, Session, SESSIONS, Turn;
    ContextRequested: ContextRequest, Passes, Session, SESSIONS, Left;
    ContextBuilt: ContextResponse, Passes, Session, SESSIONS, Left;
    ModelRequested: LlmRequests, Passes, Session, SESSIONS, Left;
    ResponseBegan: LlmResults, Passes, Session, SESSIONS, Left;
    ModelAnswered: LlmResults, Lasts, Session, SESSIONS, Left;
    ModelFailed: LlmResults, Passes, Session, SESSIONS, Left;
    RetryScheduled: LlmResults, Passes, Session, SESSIONS, Turn;
    ToolRequested: ToolsRequests, Passes, Session, SESSIONS, Left;
    ApprovalAsked: UiEvents, Passes, Session, SESSIONS, Turn;
    ApprovalGiven: ToolsRequests, Lasts, Session, SESSIONS, Operator;
    ToolStarted: ToolsResults, Passes, Session, SESSIONS, Left;
    ToolEnded: ToolsResults, Lasts, Session, SESSIONS, Turn;
    WorkerSent: RunsState, Lasts, Session, SESSIONS, Turn;
    WorkerEnded: RunsState, Lasts, Session, SESSIONS, Turn;
    MindEdited: MindChanged, Lasts, Session, SESSIONS, Operator;
    MindSynced: MindChanged, Lasts, Session, SESSIONS, Turn;
    SyncRequested: JobResults, Passes, Session, SESSIONS, Turn;
    CompactionRequested: JobRequests, Passes, Session, SESSIONS, Left;
    CompactionDropped: JobResults, Passes, Session, SESSIONS, Turn;
    JobOpened: JobRequests, Passes, Session, SESSIONS, Left;
    JobRetrying: JobResults, Passes, Session, SESSIONS, Turn;
    JobFailed: JobResults, Passes, Session, SESSIONS, Turn;
    JobDone: JobResults, Lasts, Session, SESSIONS, Turn;
    MemoryNoted: JobResults, Lasts, Session, MEMORIES, Left;
    MemoryChanged: JobResults, Lasts, Any, MEMORIES, Operator;
    ChangesReviewed: UiEvents, Lasts, Session, SESSIONS, Operator;
    TurnClosed: TurnsClosed, Lasts, Session, SESSIONS, Turn;
    HeadMoved: TurnsClosed, Lasts, Session, SESSIONS, Left;
    SessionChanged: AppChanged, Lasts, Session, SESSIONS, Left;
    SessionPurged: AppChanged, Lasts, Device, ALL, Left;
    AgentChanged: AppChanged, Lasts, Device, ROSTER, Left;
    AgentRemoved: AppChanged, Lasts, Device, ROSTER, Left;
    ProviderChanged: AppChanged, Lasts, Device, ROSTER, Left;
    ProviderRemoved: AppChanged, Lasts, Device, ROSTER, Left;
    TriggerChanged: AppChanged, Lasts, Device, SETTINGS, Left;
    TriggerRemoved: AppChanged, Lasts, Device, SETTINGS, Left;
    TriggerFired: AppChanged, Lasts, Device, SETTINGS, Left;
    TriggerEnded: AppChanged, Passes, Device, SETTINGS, Left;
    SettingChanged: AppChanged, Lasts, Device, SETTINGS, Left;
    CommandRefused: CommandResult, Passes, Any, NONE, Left;
    Notice: UiEvents, Passes, Any, NONE, Left;
    JobBudgetSpent: UiEvents, Passes, Any, NONE, Left;
    EventsUnreadable: UiEvents, Passes, Any, NONE, Left;
    CriticalError: UiEvents, Passes, Any, NONE, Left;
}

impl EventKind {
    pub fn facts(&self) -> KindFacts {
        let facts = facts_of(self);
        if let Self::SessionChanged { change: SessionChange::Flags(..) } = self {
            // Marks of what was read come with every answer.
            KindFacts { durability: Durability::Passes, ..facts }
        } else if let Self::HeadMoved { by_hand: Some(_), .. } = self {
            KindFacts { feed: Feed::Operator, ..facts }
        } else if let Self::JobOpened(job) = self
            && job.kind() == JobKind::Compaction
        {
            KindFacts { feed: Feed::Turn, ..facts }
        } else {
            facts
        }
    }

    pub fn topic(&self) -> Topic {
        self.facts().topic
    }

    /// Whether it is acknowledged only once it is on the disk.
    pub fn must_last(&self) -> bool {
        self.facts().durability == Durability::Lasts
    }
}
