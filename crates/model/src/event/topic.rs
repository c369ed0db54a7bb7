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
        self.class().1
    }

    /// The topic, and whether a power cut must not take it.
    fn class(&self) -> (Topic, bool) {
        match self {
            Self::MessageCommitted { .. }
            | Self::ContentsKept { .. }
            | Self::MessageQueued { .. }
            | Self::QueueEdited { .. }
            | Self::ChangesReviewed { .. } => (Topic::UiEvents, true),
            Self::ApprovalAsked { .. }
            | Self::Notice { .. }
            | Self::EventsUnreadable { .. }
            | Self::JobBudgetSpent { .. }
            | Self::CriticalError { .. } => (Topic::UiEvents, false),
            Self::RunOpened { .. } => (Topic::RunsNew, true),
            Self::RunResumed { .. }
            | Self::RunEnded { .. }
            | Self::GraphChanged { .. }
            | Self::WorkerSent { .. }
            | Self::WorkerEnded { .. } => (Topic::RunsState, true),
            Self::RunPaused { .. }
            | Self::RoundEnded { .. }
            | Self::NodeChanged { .. }
            | Self::TurnOpened { .. } => (Topic::RunsState, false),
            Self::ContextRequested { .. } => (Topic::ContextRequest, false),
            Self::ContextBuilt { .. } => (Topic::ContextResponse, false),
            Self::ModelRequested { .. } => (Topic::LlmRequests, false),
            Self::ModelAnswered { .. } => (Topic::LlmResults, true),
            Self::ResponseBegan { .. } | Self::ModelFailed { .. } | Self::RetryScheduled { .. } => {
                (Topic::LlmResults, false)
            }
            Self::ApprovalGiven { .. } => (Topic::ToolsRequests, true),
            Self::ToolRequested { .. } | Self::ChecksRequested { .. } | Self::TerminalRequested { .. } => {
                (Topic::ToolsRequests, false)
            }
            Self::ToolEnded { .. } => (Topic::ToolsResults, true),
            Self::ToolStarted { .. } => (Topic::ToolsResults, false),
            Self::MindEdited { .. } | Self::MindSynced { .. } => (Topic::MindChanged, true),
            Self::JobOpened(_) | Self::CompactionRequested(_) => (Topic::JobRequests, false),
            Self::JobDone(_) | Self::MemoryNoted(_) | Self::MemoryChanged(_) => (Topic::JobResults, true),
            Self::JobRetrying(_)
            | Self::JobFailed(_)
            | Self::SyncRequested { .. }
            | Self::CompactionDropped { .. } => (Topic::JobResults, false),
            Self::TurnClosed { .. } | Self::HeadMoved { .. } => (Topic::TurnsClosed, true),
            Self::SessionPurged { .. }
            | Self::AgentChanged { .. }
            | Self::AgentRemoved { .. }
            | Self::ProviderChanged { .. }
            | Self::ProviderRemoved { .. }
            | Self::TriggerChanged { .. }
            | Self::TriggerRemoved { .. }
            | Self::TriggerFired(_)
            | Self::SettingChanged { .. } => (Topic::AppChanged, true),
            Self::TriggerEnded(_) => (Topic::AppChanged, false),
            // Marks of what was read come with every answer.
            Self::SessionChanged { change } => {
                (Topic::AppChanged, !matches!(change, SessionChange::Flags(..)))
            }
            Self::CommandRefused { .. } => (Topic::CommandResult, false),
        }
    }
}
