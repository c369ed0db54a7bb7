//! The policy of each command: who sends it, which session it works in, and what must be loaded before it is decided.
//!
//! One match without a wildcard, so that a new command does not compile without its row.

use super::{Command, JobAnswer, MergeRequest, NewMessage};
use crate::id::{MemoryId, MessageId, QueueItemId, RunId, SessionId, ToolRunId, TriggerId, TurnId};
use crate::message::Source;
use crate::session::trigger::{place_of, trigger};
use crate::session::workers::{RacePrompt, RaceRequest};
use crate::world::World;
use nexus_text::content_hash::ContentHash;

/// What the command loop must know about a command before it decides it.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'c> {
    /// The name under which the ledger records a rejection.
    pub name: &'static str,
    /// False for a service. A service's command is queued until storage accepts it; only rejections of the operator's
    /// commands are recorded.
    pub is_from_operator: bool,
    pub scope: Scope,
    pub lock: SessionLock,
    /// The drafts to commit first, because the command reads or changes the mind.
    pub drafts: Option<Scope>,
    pub rows: RowsNeeded<'c>,
    /// A turn whose run must be loaded as it was before that turn opened.
    pub replayed_turn: Option<TurnId>,
}

/// The subject of a command, which determines its session.
#[derive(Clone, Copy, Debug)]
pub enum Scope {
    Device,
    Session(SessionId),
    /// The session that waits for the report of this worker.
    SenderOf(SessionId),
    Run(RunId),
    Turn(TurnId),
    ToolRun(ToolRunId),
    Queued(QueueItemId),
    /// The session that a memory comes from; the device if the memory was removed.
    Memory(MemoryId),
    Trigger(TriggerId),
}

/// How the tab gets the lock of the command's session. Without the lock the command is rejected.
#[derive(Clone, Copy, Debug)]
pub enum SessionLock {
    /// The tab must hold the lock: the session is open here.
    Held,
    /// The tab takes the lock and keeps it.
    Taken,
    /// The tab takes the lock for this command only, which changes only the row in the list of sessions.
    Borrowed,
    /// The tab takes the lock and loads the session, which need not be open.
    Loaded,
}

/// The rows that a command needs, besides those of open sessions.
#[derive(Clone, Copy, Debug)]
pub enum RowsNeeded<'c> {
    /// No further rows.
    None,
    /// The thread of a turn as seen from `from`, and a stored mind.
    Fork { from: SessionId, turn: TurnId, mind: Option<&'c ContentHash> },
    /// A turn, to open a sibling.
    Sibling(TurnId),
    /// The turn of a message, to open a sibling.
    SiblingOfMessage(MessageId),
    /// The thread at a session's head.
    HeadOf(SessionId),
    /// The target of a session's head: this turn, or the newest one below it.
    Branch { session: SessionId, to: TurnId, newest: bool },
    /// Both branches of a merge, and their merge base.
    Branches(&'c MergeRequest),
    /// The Archivist's finished jobs of a session.
    JobHistory(SessionId),
}

impl Scope {
    /// The session; `None` for the device, or if the item is not loaded.
    pub fn session(self, world: &World) -> Option<SessionId> {
        match self {
            Self::Device => None,
            Self::Session(session) => Some(session),
            Self::SenderOf(worker) => world.session(&worker)?.parent,
            Self::Run(run) => Some(world.run(&run)?.session),
            Self::Turn(turn) => Some(world.turn(&turn)?.session),
            Self::ToolRun(run) => Some(world.tool_run(&run)?.session),
            Self::Queued(item) => Some(world.queue_item(&item)?.session),
            Self::Memory(memory) => Some(world.memory(&memory)?.source(world)?.id),
            Self::Trigger(id) => Some(place_of(world, &trigger(world, id)?.to)?.0),
        }
    }
}

macro_rules! scope_of {
    ($($id:ident => $scope:ident),*) => {$(
        impl From<&$id> for Scope {
            fn from(id: &$id) -> Self {
                Self::$scope(*id)
            }
        }
    )*};
}

scope_of!(SessionId => Session, RunId => Run, TurnId => Turn, ToolRunId => ToolRun, QueueItemId => Queued);

/// A command of the operator for a session that is open here.
fn operator<'c>(name: &'static str, scope: impl Into<Scope>) -> Policy<'c> {
    Policy {
        name,
        is_from_operator: true,
        scope: scope.into(),
        lock: SessionLock::Held,
        drafts: None,
        rows: RowsNeeded::None,
        replayed_turn: None,
    }
}

/// A command of a service for a session that is open here.
fn service<'c>(name: &'static str, scope: impl Into<Scope>) -> Policy<'c> {
    Policy { is_from_operator: false, ..operator(name, scope) }
}

impl<'c> Policy<'c> {
    fn lock(self, lock: SessionLock) -> Self {
        Self { lock, ..self }
    }

    fn commits_drafts(self) -> Self {
        Self { drafts: Some(self.scope), ..self }
    }

    fn needs(self, rows: RowsNeeded<'c>) -> Self {
        Self { rows, ..self }
    }
}

impl Command {
    pub fn policy(&self) -> Policy<'_> {
        use RowsNeeded::{Branch, Branches, Fork, HeadOf, JobHistory, Sibling, SiblingOfMessage};
        use Scope::{Device, Memory, SenderOf, Trigger};
        use SessionLock::{Borrowed, Held, Loaded, Taken};

        match self {
            // Sessions.
            Self::CreateSession { session, .. } => operator("CreateSession", session).lock(Taken),
            Self::LabelSession { session, .. } => operator("LabelSession", session).lock(Borrowed),
            Self::SetSessionStatus { session, .. } => operator("SetSessionStatus", session).lock(Borrowed),
            Self::TitleSession { session, .. } => operator("TitleSession", session).lock(Borrowed),
            Self::PinSession { session, .. } => operator("PinSession", session).lock(Borrowed),
            Self::DeleteSession { session } => operator("DeleteSession", session).lock(Borrowed),
            Self::RestoreSession { session } => operator("RestoreSession", session).lock(Borrowed),
            Self::PurgeSession { session } => service("PurgeSession", session).lock(Borrowed),
            Self::Recover { session } => service("Recover", session),
            Self::SetOwner { session, .. } => operator("SetOwner", session).lock(Borrowed),
            Self::DeleteMessage { session, .. } => operator("DeleteMessage", session),
            Self::PinMessage { session, .. } => operator("PinMessage", session),

            // The tree.
            Self::ContinueFrom { session, from, turn, mind, .. } => Policy {
                drafts: Some(from.into()),
                rows: Fork { from: *from, turn: *turn, mind: mind.as_ref() },
                ..operator("ContinueFrom", session).lock(Taken)
            },
            Self::Resend { session, message, .. } => {
                operator("Resend", session).commits_drafts().needs(SiblingOfMessage(*message))
            }
            Self::TryAgain { session, turn, .. } => Policy {
                replayed_turn: Some(*turn),
                ..operator("TryAgain", session).commits_drafts().needs(Sibling(*turn))
            },
            Self::Rerun { session, turn, .. } => Policy {
                replayed_turn: Some(*turn),
                ..operator("Rerun", session).lock(Taken).needs(Sibling(*turn))
            },
            Self::Race(RaceRequest { session, prompt, .. }) => {
                let race = operator("Race", session).commits_drafts();
                match prompt {
                    RacePrompt::Turn(turn) => race.needs(Sibling(*turn)),
                    RacePrompt::Message { .. } => race,
                }
            }
            Self::PickLane { session, lane } => {
                operator("PickLane", session).commits_drafts().needs(HeadOf(*lane))
            }
            Self::MoveHead { session, to, newest } => {
                let rows = Branch { session: *session, to: *to, newest: *newest };
                operator("MoveHead", session).commits_drafts().needs(rows)
            }
            Self::MergeBranch(request) => operator("MergeBranch", &request.session).needs(Branches(request)),
            Self::AskAboutConflicts { request, .. } => operator("AskAboutClashes", &request.session),

            // Messages. They may point at a file that is still being typed into.
            Self::SendMessage(message) => Policy {
                is_from_operator: message.source == Source::Human,
                lock: if message.origin.is_some() { Loaded } else { Held },
                ..operator("Say", &message.session).commits_drafts()
            },
            Self::EditQueued { item, .. } => operator("EditQueued", item),
            Self::SetQueueMode { item, .. } => operator("SetQueueMode", item),
            Self::WithdrawQueued { item } => operator("WithdrawQueued", item),
            Self::BeginQueuedEdit { item } => operator("BeginQueuedEdit", item),
            Self::EndQueuedEdit { item } => operator("EndQueuedEdit", item),
            Self::SendHeld { item } => operator("SendHeld", item),
            Self::SendAllHeld { session } => operator("SendAllHeld", session),
            Self::DiscardAllHeld { session } => operator("DiscardAllHeld", session),
            Self::PutBackQueued { session, .. } => operator("PutBack", session),
            Self::TakeQueue { session } => service("TakeQueue", session).commits_drafts(),

            // Runs and turns.
            Self::Stop { session } => operator("Stop", session),
            Self::ContinueRun { run } => operator("GoOn", run),
            Self::EndRun { run } => operator("EndRun", run),
            Self::SetRunMode { run, .. } => operator("SetRunMode", run),
            Self::SetCompletion { run, .. } => operator("SetCompletion", run),
            Self::StartNode { run, .. } => operator("StartNode", run),
            Self::BindTerminal { run, .. } => operator("BindTerminal", run),
            Self::RecordChecks { run, .. } => service("RecordChecks", run),
            Self::OpenTurn { run, .. } => service("OpenTurn", run).commits_drafts(),
            Self::AdvanceRun { run } => service("AdvanceRun", run),
            Self::ReportWorker { worker } => service("ReportWorker", SenderOf(*worker)),
            Self::ContinueAnswer { turn } => operator("ContinueAnswer", turn),
            Self::RetryNow { turn } => operator("RetryNow", turn),
            Self::StopWaiting { turn } => operator("StopWaiting", turn),
            Self::OfferContext { turn, .. } => service("OfferContext", turn),
            Self::BeginResponse { turn, .. } => service("BeginResponse", turn),
            Self::RecordAnswer { turn, .. } => service("RecordAnswer", turn),
            Self::RecordFailure { turn, .. } => service("RecordFailure", turn),
            Self::DelayCall { turn, .. } => service("HoldCall", turn),
            Self::RetryCall { turn, .. } => service("RetryCall", turn),
            Self::AnswerApproval { tool_run, .. } => operator("AnswerApproval", tool_run),
            Self::AskApproval { tool_run, .. } => service("AskApproval", tool_run),
            Self::StartTool { tool_run } => service("StartTool", tool_run),
            Self::RecordTool { tool_run, .. } => service("RecordTool", tool_run),

            // The mind and the Core.
            // Files dropped into a session are added to it, even if another session is in view by now.
            Self::EditMind { session, .. } => operator("EditMind", session).lock(Borrowed),
            Self::ReviewChanges { session, .. } => operator("ReviewChanges", session),
            Self::Sync { session } => operator("Sync", session).commits_drafts(),
            Self::StopSync { session } => operator("StopSync", session),
            Self::UndoSync { session, .. } => operator("UndoSync", session).commits_drafts(),
            Self::ApplySyncProposal { session, .. } => operator("ApplyProposal", session).commits_drafts(),
            Self::DismissSyncProposal { session, .. } => {
                operator("DismissProposal", session).commits_drafts()
            }
            Self::OpenSync { session } => service("OpenSync", session).commits_drafts(),

            // Jobs. A change of the Core is merged with what the operator is typing.
            Self::RecordJob { session, answer: JobAnswer::Sync(_), .. } => {
                service("RecordJob", session).commits_drafts()
            }
            Self::RecordJob { session, .. } => service("RecordJob", session),
            Self::RecordJobFailure { session, .. } => service("RecordJobFailure", session),

            // The Archivist.
            Self::Compact { session, .. } => operator("Compact", session),
            Self::Summarise { session } => {
                operator("Summarise", session).lock(Loaded).needs(JobHistory(*session))
            }
            // A memory may come from a session that is not open.
            Self::ChangeMemory { memory, .. } => operator("ChangeMemory", Memory(*memory)).lock(Taken),
            Self::RequestCompaction { run, .. } => service("RequestCompaction", run),
            Self::OpenCompaction { session, .. } => service("OpenCompaction", session),
            Self::DropCompaction { session, .. } => service("DropCompaction", session),
            Self::OpenMaintenance { session } => service("OpenChore", session).needs(JobHistory(*session)),

            // Agents of a session.
            Self::SetMuted { session, .. } => operator("SetMuted", session),
            Self::CyclePriority { session, .. } => operator("CyclePriority", session),
            Self::MarkRead { session, .. } => operator("MarkRead", session),

            // The device.
            Self::ChangeAgent { .. } => operator("ChangeAgent", Device),
            Self::RemoveAgent { .. } => operator("RemoveAgent", Device),
            Self::ArrangeAgents { .. } => operator("ArrangeAgents", Device),
            Self::ChangeProvider { .. } => operator("ChangeProvider", Device),
            Self::RemoveProvider { .. } => operator("RemoveProvider", Device),
            Self::ChangeSetting { .. } => operator("ChangeSetting", Device),
            Self::RecordCriticalError { .. } => service("RecordCriticalError", Device),
            Self::ChangeTrigger(_) => operator("ChangeTrigger", Device),
            Self::SetTriggerPaused { .. } => operator("RestTrigger", Device),
            Self::RemoveTrigger { .. } => operator("RemoveTrigger", Device),
            // Only the tab that holds the lock of the trigger's session fires it.
            Self::FireTrigger { trigger, .. } => service("FireTrigger", Trigger(*trigger)).lock(Loaded),
            Self::RecordTriggerOutcome { .. } => service("EndTrigger", Device),
        }
    }

    /// A copy of the operator's message, edit or retry for another session; `None` for any other command.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have no content to move")]
    pub fn moved_to(&self, to: SessionId) -> Option<Self> {
        if !self.policy().is_from_operator {
            return None;
        }
        // Only these are cloned: cloning any command takes ten times the code.
        let moved = match self {
            Self::SendMessage(message) => Self::SendMessage(NewMessage { session: to, ..message.clone() }),
            Self::EditMind { base, writes, .. } => {
                Self::EditMind { session: to, base: *base, writes: writes.clone() }
            }
            Self::Resend { message, text, attachments, overrides, .. } => Self::Resend {
                session: to,
                message: *message,
                text: text.clone(),
                attachments: attachments.clone(),
                overrides: overrides.clone(),
            },
            Self::TryAgain { turn, agent, config, tools, .. } => Self::TryAgain {
                session: to,
                turn: *turn,
                agent: agent.clone(),
                config: config.clone(),
                tools: tools.clone(),
            },
            _ => return None,
        };
        Some(moved)
    }
}
