//! Topics of the event bus, and the topic of each event kind.
//!
//! Services subscribe to topics, never to each other.

use super::EventKind;

/// A channel of the bus. Services subscribe to topics and never to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// `runs.new`: a run began.
    RunsNew,
    /// `runs.state`: a run or node changed.
    RunsState,
    /// `context.build.request`: a context is needed.
    ContextRequest,
    /// `context.build.response`: a context is there.
    ContextResponse,
    /// `llm.requests`: a model is to be asked.
    LlmRequests,
    /// `llm.results`: a model answered or failed.
    LlmResults,
    /// `tools.requests`: a tool is to run.
    ToolsRequests,
    /// `tools.results`: a tool ended.
    ToolsResults,
    /// `mind.changed`: the operator changed the mind.
    MindChanged,
    /// `jobs.requests`: a model is to be asked beside the turns.
    JobRequests,
    /// `jobs.results`: what came of that.
    JobResults,
    /// `turns.closed`: a turn ended, a head moved.
    TurnsClosed,
    /// `app.changed`: sessions, agents, providers, settings.
    AppChanged,
    /// `ui.events`: of interest to the screen.
    UiEvents,
    /// `command.result`: a command was refused.
    CommandResult,
}

impl Topic {
    pub const ALL: [Self; 15] = [
        Self::RunsNew,
        Self::RunsState,
        Self::ContextRequest,
        Self::ContextResponse,
        Self::LlmRequests,
        Self::LlmResults,
        Self::ToolsRequests,
        Self::ToolsResults,
        Self::MindChanged,
        Self::JobRequests,
        Self::JobResults,
        Self::TurnsClosed,
        Self::AppChanged,
        Self::UiEvents,
        Self::CommandResult,
    ];

    /// Whether somebody must act on it, so that a missing subscriber is an error.
    pub fn is_request(self) -> bool {
        matches!(self, Self::ContextRequest | Self::LlmRequests | Self::ToolsRequests | Self::JobRequests)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::RunsNew => "runs.new",
            Self::RunsState => "runs.state",
            Self::ContextRequest => "context.build.request",
            Self::ContextResponse => "context.build.response",
            Self::LlmRequests => "llm.requests",
            Self::LlmResults => "llm.results",
            Self::ToolsRequests => "tools.requests",
            Self::ToolsResults => "tools.results",
            Self::MindChanged => "mind.changed",
            Self::JobRequests => "jobs.requests",
            Self::JobResults => "jobs.results",
            Self::TurnsClosed => "turns.closed",
            Self::AppChanged => "app.changed",
            Self::UiEvents => "ui.events",
            Self::CommandResult => "command.result",
        }
    }
}

impl EventKind {
    pub fn topic(&self) -> Topic {
        match self {
            Self::MessageCommitted { .. }
            | Self::ContentsKept { .. }
            | Self::MessageQueued { .. }
            | Self::QueueEdited { .. }
            | Self::ApprovalAsked { .. }
            | Self::ChangesReviewed { .. }
            | Self::Notice { .. }
            | Self::EventsUnreadable { .. }
            | Self::JobBudgetSpent { .. }
            | Self::CriticalError { .. } => Topic::UiEvents,
            Self::RunOpened { .. } => Topic::RunsNew,
            Self::RunPaused { .. }
            | Self::RunResumed { .. }
            | Self::RoundEnded { .. }
            | Self::RunEnded { .. }
            | Self::NodeChanged { .. }
            | Self::GraphChanged { .. }
            | Self::WorkerSent { .. }
            | Self::WorkerEnded { .. }
            | Self::TurnOpened { .. } => Topic::RunsState,
            Self::ContextRequested { .. } => Topic::ContextRequest,
            Self::ContextBuilt { .. } => Topic::ContextResponse,
            Self::ModelRequested { .. } => Topic::LlmRequests,
            Self::ResponseBegan { .. }
            | Self::ModelAnswered { .. }
            | Self::ModelFailed { .. }
            | Self::RetryScheduled { .. } => Topic::LlmResults,
            Self::ToolRequested { .. }
            | Self::ApprovalGiven { .. }
            | Self::ChecksRequested { .. }
            | Self::TerminalRequested { .. } => Topic::ToolsRequests,
            Self::ToolStarted { .. } | Self::ToolEnded { .. } => Topic::ToolsResults,
            Self::MindEdited { .. } | Self::MindSynced { .. } => Topic::MindChanged,
            Self::JobOpened(_) | Self::CompactionRequested(_) => Topic::JobRequests,
            Self::JobRetrying(_)
            | Self::JobFailed(_)
            | Self::JobDone(_)
            | Self::SyncRequested { .. }
            | Self::CompactionDropped { .. }
            | Self::MemoryNoted(_)
            | Self::MemoryChanged(_) => Topic::JobResults,
            Self::TurnClosed { .. } | Self::HeadMoved { .. } => Topic::TurnsClosed,
            Self::SessionChanged { .. }
            | Self::SessionPurged { .. }
            | Self::AgentChanged { .. }
            | Self::AgentRemoved { .. }
            | Self::ProviderChanged { .. }
            | Self::ProviderRemoved { .. }
            | Self::TriggerChanged { .. }
            | Self::TriggerRemoved { .. }
            | Self::TriggerFired(_)
            | Self::TriggerEnded(_)
            | Self::SettingChanged { .. } => Topic::AppChanged,
            Self::CommandRefused { .. } => Topic::CommandResult,
        }
    }
}
