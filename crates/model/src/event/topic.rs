//! Topics of the event bus, and the topic of each event kind.

use super::{EventKind, SessionChange};

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

impl EventKind {
    pub fn topic(&self) -> Topic {
        self.class().0
    }

    /// Whether it is acknowledged only once it is on the disk: what a person or a model made, decided or was told, and
    /// that a trigger fired, which must not fire again. What is not can be made again, or says only how far work has come.
    pub fn must_last(&self) -> bool {
        // Marks of what was read come with every answer.
        let is_mark = matches!(self, Self::SessionChanged { change: SessionChange::Flags(..) });
        self.class().1 && !is_mark
    }
}

/// The topic of each kind of event, and whether a power cut must not take it.
macro_rules! classes {
    ($($topic:ident, $lasts:literal: $($kind:ident),+;)+) => {
        impl EventKind {
            /// The names of all kinds, each with its topic.
            pub const NAMES: &[(&'static str, Topic)] = &[$($((stringify!($kind), Topic::$topic)),+),+];

            fn class(&self) -> (Topic, bool) {
                match self {
                    $($(Self::$kind { .. })|+ => (Topic::$topic, $lasts),)+
                }
            }
        }
    };
}

classes! {
    UiEvents, true: MessageCommitted, ContentsKept, MessageQueued, QueueEdited, ChangesReviewed;
    UiEvents, false: ApprovalAsked, Notice, EventsUnreadable, JobBudgetSpent, CriticalError;
    RunsNew, true: RunOpened;
    RunsState, true: RunResumed, RunEnded, GraphChanged, WorkerSent, WorkerEnded;
    RunsState, false: RunPaused, RoundEnded, NodeChanged, TurnOpened;
    ContextRequest, false: ContextRequested;
    ContextResponse, false: ContextBuilt;
    LlmRequests, false: ModelRequested;
    LlmResults, true: ModelAnswered;
    LlmResults, false: ResponseBegan, ModelFailed, RetryScheduled;
    ToolsRequests, true: ApprovalGiven;
    ToolsRequests, false: ToolRequested, ChecksRequested, TerminalRequested;
    ToolsResults, true: ToolEnded;
    ToolsResults, false: ToolStarted;
    MindChanged, true: MindEdited, MindSynced;
    JobRequests, false: JobOpened, CompactionRequested;
    JobResults, true: JobDone, MemoryNoted, MemoryChanged;
    JobResults, false: JobRetrying, JobFailed, SyncRequested, CompactionDropped;
    TurnsClosed, true: TurnClosed, HeadMoved;
    AppChanged, true:
        SessionChanged, SessionPurged, AgentChanged, AgentRemoved, ProviderChanged, ProviderRemoved, TriggerChanged,
        TriggerRemoved, TriggerFired, SettingChanged;
    AppChanged, false: TriggerEnded;
    CommandResult, false: CommandRefused;
}
