//! Commands of the operator and of the services.
//!
//! A command changes nothing by itself: `decide` turns it into events or rejects it. In all of them `session` is the
//! session that the command works in; of one that it makes, the caller makes the id, so that it can be opened at once.
//! An empty `label` lets `decide` find a name. `call` counts from 0 and `attempt` from 1; of an attempt that failed,
//! `usage` is what it used all the same, and `retry_in_ms` the wait before the next one, `None` to give up.

mod automation;
mod policy;
mod rejection;

use serde_json::Value;

use crate::agent::{Agent, Permissions};
use crate::id::{
    AgentKey, JobId, MessageId, NodeId, ProviderId, QueueItemId, RunId, SessionId, ToolRunId, TurnId,
};
use crate::job::maintenance::answer::{Fact, SummaryAnswer};
use crate::llm::{FinishReason, ModelConfig, StreamFaults, Usage};
use crate::message::content::MessagePart;
use crate::message::{MessageOrigin, Source};
use crate::mind::blob::NewBlob;
use crate::mind::core_sync::SyncPatch;
use crate::mind::merge::proposal::MergeAnswer;
use crate::mind::review::MindField;
use crate::mind::{Mind, MindEdit, MindWrite};
use crate::provider::Provider;
use crate::provider::failure::ProviderError;
use crate::run::graph::GraphTemplate;
use crate::session::delegation::DelegatedTask;
use crate::session::race::RaceRequest;
use crate::session::{KeepGoing, QueueItem, QueueMode, SessionStatus, Target};
use crate::turn::RequestSpec;
use nexus_text::content_hash::ContentHash;
use nexus_text::merge3::Resolution;

pub use crate::command::automation::{GraphCommand, GraphRequest, RerunChange};
pub use crate::command::automation::{MaintenanceCommand, MemoryChange, TriggerCommand};
pub use crate::command::policy::{Policy, RowsNeeded, Scope, SessionLock};
pub use crate::command::rejection::Rejection;

/// Something that somebody wants.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    // The operator.
    CreateSession {
        session: SessionId,
        label: String,
        mind: Mind,
    },
    LabelSession {
        session: SessionId,
        label: String,
    },
    SetSessionStatus {
        session: SessionId,
        status: SessionStatus,
    },
    /// Pin a message, or take its pin off.
    PinMessage {
        session: SessionId,
        message: MessageId,
        pinned: bool,
    },
    /// Delete what a message says, from the screen and from what models are told.
    DeleteMessage {
        session: SessionId,
        message: MessageId,
    },
    /// Make a session the main session of an agent, or of none.
    SetOwner {
        session: SessionId,
        agent: Option<AgentKey>,
    },
    TitleSession {
        session: SessionId,
        /// The title; none where empty.
        title: String,
    },
    /// List a session first, or no longer.
    PinSession {
        session: SessionId,
        pinned: bool,
    },
    /// Hide a session, to be forgotten after some days.
    DeleteSession {
        session: SessionId,
    },
    /// Show a hidden session again.
    RestoreSession {
        session: SessionId,
    },
    /// Make a session that goes on from a turn.
    ContinueFrom {
        session: SessionId,
        /// The session in which the turn was looked at.
        from: SessionId,
        turn: TurnId,
        /// The mind to begin with, where it is that of a head as it was left; else it follows from the turn.
        mind: Option<ContentHash>,
        label: String,
    },
    /// Say a message in other words beside it: the turn that took it stays, as a sibling of what comes now.
    Resend {
        session: SessionId,
        message: MessageId,
        text: String,
        /// What goes along besides what went along with it.
        attachments: Vec<NewBlob>,
        /// What holds for its turns alone; what held for it before where absent.
        overrides: Option<Box<MessageOverrides>>,
    },
    /// Ask the query of a turn once more: beside it where it was completed, at the head where it failed.
    TryAgain {
        session: SessionId,
        turn: TurnId,
        /// Who answers; the same agent where absent.
        agent: Option<AgentKey>,
        /// With which model and parameters; those of the agent where absent.
        config: Option<ModelConfig>,
        /// What is said of tools for it alone; what was said for it before where absent.
        tools: Option<Box<Permissions>>,
    },
    /// Ask two or three models at once, each in a session of its own beside this one.
    Race(RaceRequest),
    /// Take over what one of them made. The others stay beside it.
    PickLane {
        session: SessionId,
        lane: SessionId,
    },
    /// Point a session to another turn and bring back the mind that it had there.
    MoveHead {
        session: SessionId,
        to: TurnId,
        /// Whether to go on to where the turn's branch was left.
        newest: bool,
    },
    /// Send a message: now, or once the run that works there has ended.
    Say(NewMessage),
    /// Steer a run of a graph.
    Graph(GraphCommand),
    EditQueued {
        item: QueueItemId,
        text: String,
    },
    /// Have something else happen to a waiting message.
    SetQueueMode {
        item: QueueItemId,
        mode: QueueMode,
    },
    WithdrawQueued {
        item: QueueItemId,
    },
    /// Edit, send or discard messages that wait.
    Queue(QueueCommand),
    /// Stop what works in a session, and hold the messages that wait there.
    Stop {
        session: SessionId,
    },
    /// Ask an agent to go on with its answer that was cut off.
    ContinueAnswer {
        turn: TurnId,
    },
    /// Try a call at once whose next attempt waits.
    RetryNow {
        turn: TurnId,
    },
    /// Give up a call whose next attempt waits.
    StopWaiting {
        turn: TurnId,
    },
    /// Decide about a tool run that waits for it.
    AnswerApproval {
        tool_run: ToolRunId,
        answer: ApprovalAnswer,
    },
    /// Let a paused run go on, with its cap raised where it reached one, or the nodes of an ended run that have not answered.
    GoOn {
        run: RunId,
    },
    EndRun {
        run: RunId,
    },
    EditMind {
        session: SessionId,
        /// The mind that the operator saw.
        base: ContentHash,
        writes: Vec<MindWrite>,
    },
    /// Let the Core bring objective and scratchpad in line with the work.
    Sync {
        session: SessionId,
    },
    /// Stop what the Core does or waits for.
    StopSync {
        session: SessionId,
    },
    /// Take back what the Core changed last.
    UndoSync {
        session: SessionId,
        sync: JobId,
    },
    /// Apply or dismiss what the Core proposes.
    Core(CoreCommand),
    /// Note which changes the operator has looked at and accepts: the mind up to which all is reviewed.
    ReviewChanges {
        session: SessionId,
        /// The mind that the reviewed one is made from.
        from: ContentHash,
        /// How the reviewed one differs from it.
        edits: Vec<MindEdit>,
    },
    SetMuted {
        session: SessionId,
        agent: AgentKey,
        muted: bool,
    },
    /// Give an agent its next priority: Low → Normal → High → Low.
    CyclePriority {
        session: SessionId,
        agent: AgentKey,
    },
    MarkRead {
        session: SessionId,
        agent: AgentKey,
    },
    ChangeAgent {
        agent: Agent,
    },
    /// Take an agent out of the roster. What it said stays.
    RemoveAgent {
        agent: AgentKey,
    },
    /// Give the agents another order. Those that are not named follow, in the order that they have.
    ArrangeAgents {
        order: Vec<AgentKey>,
    },
    ChangeProvider {
        provider: Provider,
    },
    RemoveProvider {
        provider: ProviderId,
        /// Whether agents that think with it go to Rehearsal; else they keep it from being removed.
        move_agents: bool,
    },
    ChangeSetting {
        name: String,
        value: Value,
    },
    RecordCriticalError {
        /// The words, without any key.
        text: String,
    },

    // Services.
    /// Open the turn of a READY node.
    OpenTurn {
        run: RunId,
        node: NodeId,
    },
    /// Begin the next round of a run whose nodes are all done, or end it.
    AdvanceRun {
        run: RunId,
    },
    TakeQueue {
        session: SessionId,
    },
    OfferContext {
        turn: TurnId,
        call: u32,
        recipe: Box<RequestSpec>,
        /// Contents that the recipe names.
        contents: Vec<String>,
    },
    BeginResponse {
        turn: TurnId,
        call: u32,
    },
    RecordAnswer {
        turn: TurnId,
        call: u32,
        answer: RecordedAnswer,
    },
    RecordFailure {
        turn: TurnId,
        call: u32,
        attempt: u32,
        failure: ProviderError,
        usage: Usage,
        /// What had come of the answer.
        parts: Vec<MessagePart>,
        retry_in_ms: Option<u64>,
    },
    /// Let an attempt wait that was asked for and not sent: its provider asks all to wait.
    HoldCall {
        turn: TurnId,
        call: u32,
        attempt: u32,
        wait_ms: u64,
    },
    /// Send a call again whose wait is over.
    RetryCall {
        turn: TurnId,
        call: u32,
        attempt: u32,
    },
    /// Ask the operator about a tool run.
    AskApproval {
        tool_run: ToolRunId,
        /// What it would write, as far as that can be tried.
        proposed: Vec<MindWrite>,
    },
    StartTool {
        tool_run: ToolRunId,
    },
    RecordTool {
        tool_run: ToolRunId,
        outcome: ToolOutcome,
    },
    /// Begin the sync that waits for its time, or one that is due.
    OpenSync {
        session: SessionId,
    },
    RecordJob {
        session: SessionId,
        job: JobId,
        answer: JobAnswer,
        usage: Usage,
    },
    RecordJobFailure {
        session: SessionId,
        job: JobId,
        attempt: u32,
        failure: ProviderError,
        usage: Usage,
        retry_in_ms: Option<u64>,
    },
    /// Merge another branch into a session: one turn with two parents.
    MergeBranch(MergeRequest),
    /// Let the Core propose lines for clashes of a merge that is drafted. Nothing of what is decided there goes along.
    AskAboutClashes {
        merging: MergeRequest,
        clashes: Vec<ContentHash>,
    },
    /// Forget what a session held that was deleted long ago.
    PurgeSession {
        session: SessionId,
    },
    Archivist(MaintenanceCommand),
    /// Merge what a worker made that has nothing left to do, and tell its report to who sent it out.
    ReportWorker {
        worker: SessionId,
    },
    Trigger(TriggerCommand),
    /// Close what was open in a session when the page went away.
    Recover {
        session: SessionId,
    },
}

/// Something that the operator wants of messages that wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueCommand {
    /// Open a message for editing. It is not sent before that ends.
    BeginEdit {
        item: QueueItemId,
    },
    /// Close the edit of a message and leave its words as they were.
    EndEdit {
        item: QueueItemId,
    },
    SendHeld {
        item: QueueItemId,
    },
    SendAllHeld {
        session: SessionId,
    },
    DiscardAllHeld {
        session: SessionId,
    },
    /// Have messages wait again that were withdrawn.
    PutBack {
        session: SessionId,
        items: Vec<QueueItemId>,
    },
}

/// Something that the operator wants of a change that the Core proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreCommand {
    Apply { session: SessionId, sync: JobId },
    Dismiss { session: SessionId, sync: JobId },
}

/// Another branch, to be merged into a session as it was when the operator looked at it.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeRequest {
    pub session: SessionId,
    pub head: Option<TurnId>,
    pub mind: ContentHash,
    pub other: TurnId,
    /// The session whose branch that is, if one is meant.
    pub from: Option<SessionId>,
    /// The mind of the other branch.
    pub theirs: ContentHash,
    /// What was decided where both sides changed the same, field by field.
    pub decided: Vec<(MindField, Vec<Resolution>)>,
}

/// What the operator decides about a tool run.
#[derive(Clone, Debug, PartialEq)]
pub enum ApprovalAnswer {
    Approve {
        /// Arguments in the place of the model's.
        args: Option<Value>,
        /// Whether this agent need not ask for this tool again.
        always: bool,
    },
    Deny {
        /// Why, for the model; may be empty.
        reason: String,
    },
}

/// A model's answer as a service records it.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedAnswer {
    pub parts: Vec<MessagePart>,
    pub usage: Usage,
    /// How it ended; never [`FinishReason::Error`] or [`FinishReason::Incomplete`], which are failures.
    pub finish: FinishReason,
    /// The provider's word for that.
    pub finish_raw: Option<String>,
    pub response_id: Option<String>,
    pub model: Option<String>,
    /// What of it could not be used as it came.
    pub faults: StreamFaults,
}

/// A model's answer to a job, as the service read it.
#[derive(Clone, Debug, PartialEq)]
pub enum JobAnswer {
    Sync(SyncPatch),
    Merge(MergeAnswer),
    Compaction {
        summary: String,
        /// An estimate of the context's tokens from now on.
        tokens_after: u64,
    },
    Summary(SummaryAnswer),
    Memory(Vec<Fact>),
}

impl From<MaintenanceCommand> for Command {
    fn from(command: MaintenanceCommand) -> Self {
        Self::Archivist(command)
    }
}

/// How a tool run ended, before its writes are merged into the mind.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolOutcome {
    Done {
        /// What the model is told, a JSON object.
        result: Value,
        writes: Vec<MindWrite>,
        /// A verdict on the work: accepted or not, and why.
        verdict: Option<(bool, String)>,
    },
    /// It could not; the model is told why.
    Failed {
        message: String,
    },
    Denied {
        message: String,
    },
    TimedOut,
    Delegate(DelegatedTask),
    Graph(GraphRequest),
}

/// What had come of messages that are being written, by message. Kept by the engine, read by `decide`.
pub type PartialMessages = nexus_text::vec_map::VecMap<MessageId, Vec<MessagePart>>;

/// A message that is to be sent in a session.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMessage {
    pub session: SessionId,
    /// The words; `@Name` in them targets like `target` does. They may be empty where something is attached.
    pub text: String,
    /// What goes along with the words, such as pictures.
    pub attachments: Vec<NewBlob>,
    pub source: Source,
    /// From where it comes, where it was not typed in its session by hand. Such a session need not be open.
    pub origin: Option<MessageOrigin>,
    pub target: Target,
    /// What happens if a run works.
    pub mode: QueueMode,
    /// How the run is to repeat; one round where absent.
    pub keep_going: Option<KeepGoing>,
    pub overrides: Option<Box<MessageOverrides>>,
    /// The graph that the run follows; its nodes name who answers, whatever the target says.
    pub graph: Option<Box<GraphTemplate>>,
}

impl NewMessage {
    /// A message of the operator's to all agents, with nothing but words.
    pub fn new(session: SessionId, text: impl Into<String>) -> Self {
        Self {
            session,
            text: text.into(),
            attachments: Vec::new(),
            source: Source::Human,
            origin: None,
            target: Target::All,
            mode: QueueMode::default(),
            keep_going: None,
            overrides: None,
            graph: None,
        }
    }
}

/// What holds for the turns of one message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessageOverrides {
    /// The model and its parameters, where they are not those of the agents.
    pub config: Option<ModelConfig>,
    /// What is said of tools: denied, asked about, or allowed without asking. A deny of others stays one.
    pub tools: Option<Permissions>,
}

impl MessageOverrides {
    pub fn of(item: &QueueItem) -> Self {
        Self { config: item.config.as_deref().cloned(), tools: item.tools.as_deref().cloned() }
    }

    pub fn is_empty(&self) -> bool {
        self.config.is_none() && self.tools.as_ref().is_none_or(|tools| *tools == Permissions::default())
    }
}
