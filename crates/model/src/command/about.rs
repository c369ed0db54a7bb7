//! Metadata of a command: who may send it, its name, and the session that it affects.

use super::{Command, MergeRequest};
use crate::id::SessionId;
use crate::message::Source;
use crate::session::race::RaceRequest;
use crate::world::World;

impl Command {
    /// Whether the operator asks, and not a service that answers what the bus told it.
    pub fn is_from_operator(&self) -> bool {
        match self {
            Self::CreateSession { .. }
            | Self::LabelSession { .. }
            | Self::SetSessionStatus { .. }
            | Self::PinMessage { .. }
            | Self::MergeBranch(_)
            | Self::TitleSession { .. }
            | Self::DeleteSession { .. }
            | Self::RestoreSession { .. }
            | Self::ContinueFrom { .. }
            | Self::Resend { .. }
            | Self::TryAgain { .. }
            | Self::MoveHead { .. }
            | Self::Race(_)
            | Self::PickLane { .. }
            | Self::Say { .. }
            | Self::EditQueued { .. }
            | Self::SetQueueMode { .. }
            | Self::WithdrawQueued { .. }
            | Self::Queue(_)
            | Self::Stop { .. }
            | Self::Retry { .. }
            | Self::ContinueAnswer { .. }
            | Self::RetryNow { .. }
            | Self::StopWaiting { .. }
            | Self::AnswerApproval { .. }
            | Self::GoOn { .. }
            | Self::EndRun { .. }
            | Self::EditMind { .. }
            | Self::Sync { .. }
            | Self::StopSync { .. }
            | Self::UndoSync { .. }
            | Self::Core(_)
            | Self::ReviewChanges { .. }
            | Self::SetMuted { .. }
            | Self::CyclePriority { .. }
            | Self::MarkRead { .. }
            | Self::ChangeAgent { .. }
            | Self::RemoveAgent { .. }
            | Self::ArrangeAgents { .. }
            | Self::ChangeProvider { .. }
            | Self::RemoveProvider { .. }
            | Self::ChangeSetting { .. } => true,
            Self::Archivist(command) => command.is_from_operator(),
            Self::Join(command) => command.is_from_operator(),
            Self::Route(routed) => routed.source == Source::Human,
            Self::Trigger(command) => command.is_from_operator(),
            Self::RecordCriticalError { .. }
            | Self::OpenTurn { .. }
            | Self::AdvanceRun { .. }
            | Self::TakeQueue { .. }
            | Self::OfferContext { .. }
            | Self::BeginResponse { .. }
            | Self::RecordAnswer { .. }
            | Self::RecordFailure { .. }
            | Self::HoldCall { .. }
            | Self::RetryCall { .. }
            | Self::AskApproval { .. }
            | Self::StartTool { .. }
            | Self::RecordTool { .. }
            | Self::OpenSync { .. }
            | Self::RecordSync { .. }
            | Self::RecordSyncFailure { .. }
            | Self::PurgeSession { .. }
            | Self::ReportWorker { .. }
            | Self::Recover { .. } => false,
        }
    }

    /// Its name, without anything that it carries.
    pub fn name(&self) -> &'static str {
        match self {
            Self::CreateSession { .. } => "CreateSession",
            Self::LabelSession { .. } => "LabelSession",
            Self::SetSessionStatus { .. } => "SetSessionStatus",
            Self::PinMessage { .. } => "PinMessage",
            Self::MergeBranch(_) => "MergeBranch",
            Self::TitleSession { .. } => "TitleSession",
            Self::DeleteSession { .. } => "DeleteSession",
            Self::RestoreSession { .. } => "RestoreSession",
            Self::PurgeSession { .. } => "PurgeSession",
            Self::ContinueFrom { .. } => "ContinueFrom",
            Self::Resend { .. } => "Resend",
            Self::TryAgain { .. } => "TryAgain",
            Self::MoveHead { .. } => "MoveHead",
            Self::Say { .. } => "Say",
            Self::EditQueued { .. } => "EditQueued",
            Self::SetQueueMode { .. } => "SetQueueMode",
            Self::WithdrawQueued { .. } => "WithdrawQueued",
            Self::Queue(command) => command.name(),
            Self::Stop { .. } => "Stop",
            Self::Retry { .. } => "Retry",
            Self::ContinueAnswer { .. } => "ContinueAnswer",
            Self::RetryNow { .. } => "RetryNow",
            Self::StopWaiting { .. } => "StopWaiting",
            Self::AnswerApproval { .. } => "AnswerApproval",
            Self::HoldCall { .. } => "HoldCall",
            Self::AskApproval { .. } => "AskApproval",
            Self::GoOn { .. } => "GoOn",
            Self::EndRun { .. } => "EndRun",
            Self::EditMind { .. } => "EditMind",
            Self::ReviewChanges { .. } => "ReviewChanges",
            Self::SetMuted { .. } => "SetMuted",
            Self::CyclePriority { .. } => "CyclePriority",
            Self::MarkRead { .. } => "MarkRead",
            Self::ChangeAgent { .. } => "ChangeAgent",
            Self::RemoveAgent { .. } => "RemoveAgent",
            Self::ArrangeAgents { .. } => "ArrangeAgents",
            Self::ChangeProvider { .. } => "ChangeProvider",
            Self::RemoveProvider { .. } => "RemoveProvider",
            Self::ChangeSetting { .. } => "ChangeSetting",
            Self::RecordCriticalError { .. } => "RecordCriticalError",
            Self::OpenTurn { .. } => "OpenTurn",
            Self::AdvanceRun { .. } => "AdvanceRun",
            Self::TakeQueue { .. } => "TakeQueue",
            Self::OfferContext { .. } => "OfferContext",
            Self::BeginResponse { .. } => "BeginResponse",
            Self::RecordAnswer { .. } => "RecordAnswer",
            Self::RecordFailure { .. } => "RecordFailure",
            Self::RetryCall { .. } => "RetryCall",
            Self::StartTool { .. } => "StartTool",
            Self::RecordTool { .. } => "RecordTool",
            Self::Race(_) => "Race",
            Self::PickLane { .. } => "PickLane",
            Self::Sync { .. } => "Sync",
            Self::StopSync { .. } => "StopSync",
            Self::UndoSync { .. } => "UndoSync",
            Self::Core(command) => command.name(),
            Self::OpenSync { .. } => "OpenSync",
            Self::RecordSync { .. } => "RecordSync",
            Self::RecordSyncFailure { .. } => "RecordSyncFailure",
            Self::Archivist(command) => command.name(),
            Self::Join(command) => command.name(),
            Self::ReportWorker { .. } => "ReportWorker",
            Self::Route(_) => "Route",
            Self::Trigger(command) => command.name(),
            Self::Recover { .. } => "Recover",
        }
    }

    /// The session that the command works in; `None` for the device's own matters.
    pub fn session(&self, world: &World) -> Option<SessionId> {
        match self {
            Self::CreateSession { session, .. }
            | Self::LabelSession { session, .. }
            | Self::SetSessionStatus { session, .. }
            | Self::PinMessage { session, .. }
            | Self::MergeBranch(MergeRequest { session, .. })
            | Self::TitleSession { session, .. }
            | Self::DeleteSession { session }
            | Self::RestoreSession { session }
            | Self::PurgeSession { session }
            | Self::ContinueFrom { session, .. }
            | Self::Resend { session, .. }
            | Self::TryAgain { session, .. }
            | Self::MoveHead { session, .. }
            | Self::Race(RaceRequest { session, .. })
            | Self::PickLane { session, .. }
            | Self::Say { session, .. }
            | Self::Stop { session }
            | Self::EditMind { session, .. }
            | Self::ReviewChanges { session, .. }
            | Self::SetMuted { session, .. }
            | Self::CyclePriority { session, .. }
            | Self::MarkRead { session, .. }
            | Self::TakeQueue { session }
            | Self::Sync { session }
            | Self::StopSync { session }
            | Self::UndoSync { session, .. }
            | Self::OpenSync { session }
            | Self::RecordSync { session, .. }
            | Self::RecordSyncFailure { session, .. }
            | Self::Recover { session } => Some(*session),
            Self::Archivist(command) => command.session(world),
            Self::Join(command) => Some(command.session()),
            Self::Core(command) => Some(command.session()),
            Self::EditQueued { item, .. }
            | Self::SetQueueMode { item, .. }
            | Self::WithdrawQueued { item } => world.queue_item(item).map(|item| item.session),
            Self::Queue(command) => command.session(world),
            // What is decided is what the session does that waits for the report.
            Self::ReportWorker { worker } => world.session(worker).and_then(|worker| worker.parent),
            Self::Route(routed) => Some(routed.session),
            Self::Trigger(command) => command.session(world),
            Self::GoOn { run }
            | Self::EndRun { run }
            | Self::OpenTurn { run, .. }
            | Self::AdvanceRun { run } => world.run(run).map(|run| run.session),
            Self::Retry { turn }
            | Self::ContinueAnswer { turn }
            | Self::RetryNow { turn }
            | Self::StopWaiting { turn }
            | Self::HoldCall { turn, .. }
            | Self::OfferContext { turn, .. }
            | Self::BeginResponse { turn, .. }
            | Self::RecordAnswer { turn, .. }
            | Self::RecordFailure { turn, .. }
            | Self::RetryCall { turn, .. } => world.turn(turn).map(|turn| turn.session),
            Self::StartTool { tool_run }
            | Self::RecordTool { tool_run, .. }
            | Self::AskApproval { tool_run, .. }
            | Self::AnswerApproval { tool_run, .. } => world.tool_run(tool_run).map(|run| run.session),
            Self::ChangeAgent { .. }
            | Self::RemoveAgent { .. }
            | Self::ArrangeAgents { .. }
            | Self::ChangeProvider { .. }
            | Self::RemoveProvider { .. }
            | Self::ChangeSetting { .. }
            | Self::RecordCriticalError { .. } => None,
        }
    }
}
