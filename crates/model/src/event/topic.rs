//! The properties of each kind of event: its topic on the bus, its durability, the streams that may contain it, the
//! parts of the world that it changes, and who did it according to the feed.

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
    /// True if somebody must act on it, so that a missing subscriber is an error.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindFacts {
    pub topic: Topic,
    pub durability: Durability,
    pub home: Home,
    pub changes: WorldParts,
    pub feed: Feed,
}

/// Whether an event must survive a power cut: what a person or a model made, decided or was told, and that a trigger
/// fired, which must not fire again. Other events can be made again, or only record progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    Durable,
    BestEffort,
}

/// The streams that may contain an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    Session,
    Device,
    /// Both. A change of a memory whose session was purged belongs to the device.
    Any,
}

/// How the feed shows an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feed {
    /// As done by the operator.
    Operator,
    /// As done by the agent of its turn, else by the program.
    Turn,
    /// Not at all: the feed has no text for it, and such events would crowd out others.
    Omitted,
}

macro_rules! kinds {
    ($($kind:ident: $topic:ident, $durability:ident, $home:ident, $changes:ident, $feed:ident;)+) => {
        /// The kinds of events that this program writes, each with its topic.
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
    // Kind: topic, durability, streams, changed parts of the world, who did it.
    MessageCommitted: UiEvents, Durable, Session, SESSIONS, Operator;
    ContentsKept: UiEvents, Durable, Session, SESSIONS, Omitted;
    MessageQueued: UiEvents, Durable, Session, SESSIONS, Operator;
    QueueEdited: UiEvents, Durable, Session, SESSIONS, Omitted;
    RunOpened: RunsNew, Durable, Session, SESSIONS, Omitted;
    RunPaused: RunsState, BestEffort, Session, SESSIONS, Turn;
    RunResumed: RunsState, Durable, Session, SESSIONS, Operator;
    RoundEnded: RunsState, BestEffort, Session, SESSIONS, Turn;
    RunEnded: RunsState, Durable, Session, SESSIONS, Omitted;
    NodeChanged: RunsState, BestEffort, Session, SESSIONS, Omitted;
    GraphChanged: RunsState, Durable, Session, SESSIONS, Omitted;
    ChecksRequested: ToolsRequests, BestEffort, Session, SESSIONS, Omitted;
    TerminalRequested: ToolsRequests, BestEffort, Session, SESSIONS, Omitted;
    TurnOpened: RunsState, BestEffort, Session, SESSIONS, Turn;
    ContextRequested: ContextRequest, BestEffort, Session, SESSIONS, Omitted;
    ContextBuilt: ContextResponse, BestEffort, Session, SESSIONS, Omitted;
    ModelRequested: LlmRequests, BestEffort, Session, SESSIONS, Omitted;
    ResponseBegan: LlmResults, BestEffort, Session, SESSIONS, Omitted;
    ModelAnswered: LlmResults, Durable, Session, SESSIONS, Omitted;
    ModelFailed: LlmResults, BestEffort, Session, SESSIONS, Omitted;
    RetryScheduled: LlmResults, BestEffort, Session, SESSIONS, Turn;
    ToolRequested: ToolsRequests, BestEffort, Session, SESSIONS, Omitted;
    ApprovalAsked: UiEvents, BestEffort, Session, SESSIONS, Turn;
    ApprovalGiven: ToolsRequests, Durable, Session, SESSIONS, Operator;
    ToolStarted: ToolsResults, BestEffort, Session, SESSIONS, Omitted;
    ToolEnded: ToolsResults, Durable, Session, SESSIONS, Turn;
    WorkerSent: RunsState, Durable, Session, SESSIONS, Turn;
    WorkerEnded: RunsState, Durable, Session, SESSIONS, Turn;
    MindEdited: MindChanged, Durable, Session, SESSIONS, Operator;
    MindSynced: MindChanged, Durable, Session, SESSIONS, Turn;
    SyncRequested: JobResults, BestEffort, Session, SESSIONS, Turn;
    CompactionRequested: JobRequests, BestEffort, Session, SESSIONS, Omitted;
    CompactionDropped: JobResults, BestEffort, Session, SESSIONS, Turn;
    JobOpened: JobRequests, BestEffort, Session, SESSIONS, Omitted;
    JobRetrying: JobResults, BestEffort, Session, SESSIONS, Turn;
    JobFailed: JobResults, BestEffort, Session, SESSIONS, Turn;
    JobDone: JobResults, Durable, Session, SESSIONS, Turn;
    MemoryNoted: JobResults, Durable, Session, MEMORIES, Omitted;
    MemoryChanged: JobResults, Durable, Any, MEMORIES, Operator;
    ChangesReviewed: UiEvents, Durable, Session, SESSIONS, Operator;
    TurnClosed: TurnsClosed, Durable, Session, SESSIONS, Turn;
    HeadMoved: TurnsClosed, Durable, Session, SESSIONS, Omitted;
    SessionChanged: AppChanged, Durable, Session, SESSIONS, Omitted;
    SessionPurged: AppChanged, Durable, Device, ALL, Omitted;
    AgentChanged: AppChanged, Durable, Device, ROSTER, Omitted;
    AgentRemoved: AppChanged, Durable, Device, ROSTER, Omitted;
    ProviderChanged: AppChanged, Durable, Device, ROSTER, Omitted;
    ProviderRemoved: AppChanged, Durable, Device, ROSTER, Omitted;
    TriggerChanged: AppChanged, Durable, Device, SETTINGS, Omitted;
    TriggerRemoved: AppChanged, Durable, Device, SETTINGS, Omitted;
    TriggerFired: AppChanged, Durable, Device, SETTINGS, Omitted;
    TriggerEnded: AppChanged, BestEffort, Device, SETTINGS, Omitted;
    SettingChanged: AppChanged, Durable, Device, SETTINGS, Omitted;
    CommandRefused: CommandResult, BestEffort, Any, NONE, Omitted;
    Notice: UiEvents, BestEffort, Any, NONE, Omitted;
    JobBudgetSpent: UiEvents, BestEffort, Any, NONE, Omitted;
    EventsUnreadable: UiEvents, BestEffort, Any, NONE, Omitted;
    CriticalError: UiEvents, BestEffort, Any, NONE, Omitted;
}

impl EventKind {
    pub fn facts(&self) -> KindFacts {
        let facts = facts_of(self);
        if let Self::SessionChanged { change: SessionChange::Flags(..) } = self {
            // Read marks change with every answer.
            KindFacts { durability: Durability::BestEffort, ..facts }
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

    /// True if it is acknowledged only once it is on the disk.
    pub fn is_durable(&self) -> bool {
        self.facts().durability == Durability::Durable
    }
}
