//! Which events a power cut must not take: what a person or a model made, decided or was told is stored.

use crate::event::{EventKind, SessionChange};

impl EventKind {
    /// Whether it is acknowledged only once it is on the disk. What is not can be made again, or says only how far work
    /// has come.
    pub fn must_last(&self) -> bool {
        match self {
            Self::MessageCommitted { .. }
            | Self::ContentsKept { .. }
            | Self::MessageQueued { .. }
            | Self::QueueEdited { .. }
            | Self::RunOpened { .. }
            | Self::RunResumed { .. }
            | Self::RunEnded { .. }
            | Self::ModelAnswered { .. }
            | Self::GraphChanged { .. }
            | Self::ApprovalGiven { .. }
            | Self::ToolEnded { .. }
            | Self::WorkerSent { .. }
            | Self::WorkerEnded { .. }
            | Self::MindEdited { .. }
            | Self::MindSynced { .. }
            | Self::ChangesReviewed { .. }
            | Self::TurnClosed { .. }
            | Self::HeadMoved { .. }
            | Self::SessionPurged { .. }
            | Self::JobDone(_)
            | Self::MemoryNoted(_)
            | Self::MemoryChanged(_)
            | Self::AgentChanged { .. }
            | Self::AgentRemoved { .. }
            | Self::ProviderChanged { .. }
            | Self::ProviderRemoved { .. }
            | Self::TriggerChanged { .. }
            | Self::TriggerRemoved { .. }
            // A trigger that fired must not fire again.
            | Self::TriggerFired(_)
            | Self::SettingChanged { .. } => true,
            // Marks of what was read come with every answer.
            Self::SessionChanged { change } => !matches!(change, SessionChange::Flags(..)),
            Self::RunPaused { .. }
            | Self::RoundEnded { .. }
            | Self::NodeChanged { .. }
            | Self::TurnOpened { .. }
            | Self::ContextRequested { .. }
            | Self::ContextBuilt { .. }
            | Self::ModelRequested { .. }
            | Self::ResponseBegan { .. }
            | Self::ModelFailed { .. }
            | Self::RetryScheduled { .. }
            | Self::ToolRequested { .. }
            | Self::ApprovalAsked { .. }
            | Self::ToolStarted { .. }
            | Self::SyncRequested { .. }
            | Self::ChecksRequested { .. }
            | Self::TerminalRequested { .. }
            | Self::CompactionRequested(_)
            | Self::CompactionDropped { .. }
            | Self::JobOpened(_)
            | Self::JobRetrying(_)
            | Self::JobFailed(_)
            | Self::TriggerEnded(_)
            | Self::CommandRefused { .. }
            | Self::Notice { .. }
            | Self::JobBudgetSpent { .. }
            | Self::EventsUnreadable { .. }
            | Self::CriticalError { .. } => false,
        }
    }
}
