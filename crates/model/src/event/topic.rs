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

/// The properties of an event by its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindFacts {
    pub topic: Topic,
    pub durability: Durability,
    pub home: Home,
    /// The parts of the world that folding it changes.
    pub changes: WorldParts,
    pub feed: Feed,
}

/// Whether an event must survive a power cut: what a person or a model made, decided or was told, and that a trigger
/// fired, which must not fire again. Other events can be made again, or only record progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    Lasts,
    Passes,
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
    Left,
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
            // Read marks change with every answer.
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

    /// True if it is acknowledged only once it is on the disk.
    pub fn must_last(&self) -> bool {
        self.facts().durability == Durability::Lasts
    }
}
