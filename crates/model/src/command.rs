//! Commands of the operator and of the services.
//!
//! A command changes nothing by itself: `decide` turns it into events or rejects it. `session` is always the session
//! that the command works in; the caller makes the id of a new one, so that it can open it at once. If `label` is
//! empty, `decide` chooses one. `call` counts from 0 and `attempt` from 1.

mod policy;
mod rejection;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::{Agent, Permissions};
use crate::context::compaction::CompactionPlan;
use crate::id::{
    AgentKey, JobId, MemoryId, MessageId, NodeId, ProviderId, QueueItemId, RunId, SessionId, ToolRunId,
    TriggerId, TurnId,
};
use crate::job::maintenance::answer::{Fact, SummaryAnswer};
use crate::llm::{FinishReason, ModelConfig, StreamFaults, Usage};
use crate::memory::MemoryScope;
use crate::message::{MessageOrigin, Source, content::MessagePart};
use crate::mind::blob::NewBlob;
use crate::mind::core_sync::SyncPatch;
use crate::mind::merge::proposal::MergeAnswer;
use crate::mind::review::MindField;
use crate::mind::{Mind, MindEdit, MindWrite};
use crate::provider::{Provider, ProviderError};
use crate::run::graph::{Completion, GraphTemplate};
use crate::run::{Node, RunMode, terminal::TerminalSpec};
use crate::session::delegation::DelegatedTask;
use crate::session::trigger::{Trigger, TriggerCause, TriggerOutcome};
use crate::session::workers::RaceRequest;
use crate::session::{KeepGoing, QueueItem, QueueMode, Session, SessionRole, SessionStatus, Target};
use crate::turn::{RequestSpec, Turn};
use crate::world::World;
use nexus_markup::sparse;
use nexus_text::{content_hash::ContentHash, json, merge3::Resolution};

pub use crate::command::policy::{Policy, RowsNeeded, Scope, SessionLock};
pub use crate::command::rejection::{Decision, Rejection};

/// A request of the operator or a service to change the state.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    // The operator.
    /// Create a session that starts with this mind.
    CreateSession { session: SessionId, label: String, mind: Mind },
    /// Rename a session.
    LabelSession { session: SessionId, label: String },
    /// Open, archive or close a session.
    SetSessionStatus { session: SessionId, status: SessionStatus },
    /// Pin or unpin a message.
    PinMessage { session: SessionId, message: MessageId, pinned: bool },
    /// Delete a message's content, on screen and in prompts.
    DeleteMessage { session: SessionId, message: MessageId },
    /// Make a session the main session of an agent, or of none.
    SetOwner { session: SessionId, agent: Option<AgentKey> },
    /// Set a session's title; an empty one removes it.
    TitleSession { session: SessionId, title: String },
    /// List a session first, or in its usual place.
    PinSession { session: SessionId, pinned: bool },
    /// Hide a session. It is purged after some days.
    DeleteSession { session: SessionId },
    /// Show a hidden session again.
    RestoreSession { session: SessionId },
    /// Create a session that continues from a turn.
    ContinueFrom {
        session: SessionId,
        /// The session in which the operator viewed the turn.
        from: SessionId,
        turn: TurnId,
        /// The initial mind, if it is the stored one of a former head; by default it follows from the turn.
        mind: Option<ContentHash>,
        label: String,
    },
    /// Send an edited copy of a message. The turn that answered the original stays, as a sibling of the new one.
    Resend {
        session: SessionId,
        message: MessageId,
        text: String,
        /// Attachments in addition to the original ones.
        attachments: Vec<NewBlob>,
        /// By default the original overrides.
        overrides: Option<Box<MessageOverrides>>,
    },
    /// Run a turn's query again: as a sibling if it completed, at the head if it failed.
    TryAgain {
        session: SessionId,
        turn: TurnId,
        /// The agent that answers; by default the same one.
        agent: Option<AgentKey>,
        /// Model and parameters; by default the agent's.
        config: Option<ModelConfig>,
        /// Tool permissions of this turn; by default those that the original turn had.
        tools: Option<Box<Permissions>>,
    },
    /// Run again from one of a graph run's turns, in a new session. Earlier turns are copied as recorded; later ones are
    /// requested anew.
    Rerun { session: SessionId, turn: TurnId, change: Option<RerunChange>, label: String },
    /// Send one prompt to two or three models at once, each in its own child session.
    Race(RaceRequest),
    /// Adopt the result of one lane. The other lanes stay as siblings.
    PickLane { session: SessionId, lane: SessionId },
    /// Move a session's head to another turn, or to the `newest` one below it, and restore the mind of that turn.
    MoveHead { session: SessionId, to: TurnId, newest: bool },
    /// Merge another branch into a session, as one turn with two parents.
    MergeBranch(MergeRequest),
    /// Ask the Core to propose lines for conflicts of a drafted merge. The operator's decisions are not sent.
    AskAboutConflicts { request: MergeRequest, conflicts: Vec<ContentHash> },
    /// Send a message now, or queue it if a run works in the session.
    SendMessage(NewMessage),
    /// Change the text of a queued message, and end its edit.
    EditQueued { item: QueueItemId, text: String },
    /// Change what happens to a queued message.
    SetQueueMode { item: QueueItemId, mode: QueueMode },
    /// Remove a message from the queue.
    WithdrawQueued { item: QueueItemId },
    /// Open a queued message for editing. It is not sent until the edit ends.
    BeginQueuedEdit { item: QueueItemId },
    /// Cancel the edit of a queued message; its text stays the same.
    EndQueuedEdit { item: QueueItemId },
    /// Send a held message.
    SendHeld { item: QueueItemId },
    /// Send all held messages.
    SendAllHeld { session: SessionId },
    /// Withdraw all held messages.
    DiscardAllHeld { session: SessionId },
    /// Queue withdrawn messages again.
    PutBackQueued { session: SessionId, items: Vec<QueueItemId> },
    /// Stop all work in a session and hold its queued messages. A race stays open for the choice.
    Stop { session: SessionId },
    /// Ask an agent to continue its truncated answer.
    ContinueAnswer { turn: TurnId },
    /// Send a call now whose retry is scheduled.
    RetryNow { turn: TurnId },
    /// Cancel the scheduled retry of a call.
    StopWaiting { turn: TurnId },
    /// Answer the approval prompt of a tool run.
    AnswerApproval { tool_run: ToolRunId, answer: ApprovalAnswer },
    /// Resume a paused run, raising the limit that it reached; or run the unanswered nodes of an ended run.
    ContinueRun { run: RunId },
    /// End a paused run, or a race without a choice: its prompt is withdrawn.
    EndRun { run: RunId },
    /// Choose who starts turns in a graph run: the orchestrator too, or only envelopes and the operator. A running turn
    /// continues.
    SetRunMode { run: RunId, mode: RunMode },
    /// Change the condition on which a graph run ends.
    SetCompletion { run: RunId, completion: Completion },
    /// Start a node, whatever its join says. The text, if any, goes into its inbox; a node that is working reads it in
    /// its next turn.
    StartNode { run: RunId, node: NodeId, text: String },
    /// Run a node in one of the operator's terminals, or by its model again.
    BindTerminal { run: RunId, node: NodeId, terminal: Option<Box<TerminalSpec>> },
    /// Write to the mind; `base` is the mind that the operator edited.
    EditMind { session: SessionId, base: ContentHash, writes: Vec<MindWrite> },
    /// Start a Core sync: update objective and scratchpad from the work.
    Sync { session: SessionId },
    /// Stop the Core's running or pending sync.
    StopSync { session: SessionId },
    /// Undo the last change of the Core.
    UndoSync { session: SessionId, sync: JobId },
    /// Apply the change that the Core proposes.
    ApplySyncProposal { session: SessionId, sync: JobId },
    /// Dismiss the change that the Core proposes.
    DismissSyncProposal { session: SessionId, sync: JobId },
    /// Mark changes as reviewed: the edits turn the mind `from` into the one that the operator has accepted.
    ReviewChanges { session: SessionId, from: ContentHash, edits: Vec<MindEdit> },
    /// Summarise older turns; if a run works, before its next turn.
    Compact {
        session: SessionId,
        agent: AgentKey,
        /// What the summary should focus on; may be empty.
        focus: String,
    },
    /// Update the rolling summary before the session is merged into another one. Does nothing if it is up to date, if
    /// a run works, or if summaries are off.
    Summarise { session: SessionId },
    /// Change a memory.
    ChangeMemory { memory: MemoryId, change: MemoryChange },
    /// Exclude an agent from messages to all, or include it again.
    SetMuted { session: SessionId, agent: AgentKey, muted: bool },
    /// Give an agent its next priority: Low → Normal → High → Low.
    CyclePriority { session: SessionId, agent: AgentKey },
    /// Clear the unread mark of an agent.
    MarkRead { session: SessionId, agent: AgentKey },
    /// Add an agent, or replace its definition.
    ChangeAgent { agent: Agent },
    /// Remove an agent from the roster. Its messages stay.
    RemoveAgent { agent: AgentKey },
    /// Reorder the agents. Agents that are not listed follow in their present order.
    ArrangeAgents { order: Vec<AgentKey> },
    /// Add a provider, or replace its definition.
    ChangeProvider { provider: Provider },
    /// Remove a provider. Agents that use it prevent that, unless they move to the demo provider.
    RemoveProvider { provider: ProviderId, move_agents: bool },
    /// Store the value of a setting; null removes it.
    ChangeSetting { name: String, value: Value },
    /// Create or change a trigger. Its history stays.
    ChangeTrigger(Trigger),
    /// Pause a trigger, or restart it from now on.
    SetTriggerPaused { trigger: TriggerId, paused: bool },
    /// Remove a trigger.
    RemoveTrigger { trigger: TriggerId },

    // Services.
    /// Open the turn of a READY node.
    OpenTurn { run: RunId, node: NodeId },
    /// Begin the next round of a run whose nodes have all finished, or end the run.
    AdvanceRun { run: RunId },
    /// Start a run with the next queued message.
    TakeQueue { session: SessionId },
    /// Record the context of a call, with the texts that the recipe refers to.
    OfferContext { turn: TurnId, call: u32, recipe: Box<RequestSpec>, contents: Vec<String> },
    /// The model has begun to answer.
    BeginResponse { turn: TurnId, call: u32 },
    /// The model has answered.
    RecordAnswer { turn: TurnId, call: u32, answer: RecordedAnswer },
    /// An attempt of a call failed.
    RecordFailure {
        turn: TurnId,
        call: u32,
        failed: FailedAttempt,
        /// The part of the answer that was received.
        parts: Vec<MessagePart>,
    },
    /// Delay an attempt that was requested but not sent, because its provider is rate limited.
    DelayCall { turn: TurnId, call: u32, attempt: u32, wait_ms: u64 },
    /// Send a call again after its wait.
    RetryCall { turn: TurnId, call: u32, attempt: u32 },
    /// Ask the operator to approve a tool run; `proposed` are the writes of a trial run, if the tool can be tried.
    AskApproval { tool_run: ToolRunId, proposed: Vec<MindWrite> },
    /// A tool begins to run.
    StartTool { tool_run: ToolRunId },
    /// A tool has ended.
    RecordTool { tool_run: ToolRunId, outcome: ToolOutcome },
    /// Record the result of a verifier's checks or of a turn in a terminal.
    RecordChecks {
        run: RunId,
        node: NodeId,
        /// Number of the check or turn, from 1.
        check: u32,
        result: CheckResult,
    },
    /// Begin a sync that is pending or due.
    OpenSync { session: SessionId },
    /// The model has answered a job.
    RecordJob { session: SessionId, job: JobId, answer: JobAnswer, usage: Usage },
    /// An attempt of a job failed.
    RecordJobFailure { session: SessionId, job: JobId, failed: FailedAttempt },
    /// Purge the content of a session that was deleted long ago.
    PurgeSession { session: SessionId },
    /// The context window of a node's agent is nearly full: compact before its turn opens.
    RequestCompaction { run: RunId, node: NodeId },
    /// Begin the pending compaction.
    OpenCompaction {
        session: SessionId,
        /// Which turns are summarised.
        plan: CompactionPlan,
        /// True if older turns could not be read.
        cut: bool,
    },
    /// Drop the pending compaction before it begins.
    DropCompaction { session: SessionId, failure: ProviderError },
    /// Begin the summary or memory job that is due.
    OpenMaintenance { session: SessionId },
    /// Merge the changes of a worker that has finished, and send its report to the agent that delegated to it.
    ReportWorker { worker: SessionId },
    /// Claim a trigger's firing, so that no other tab fires it for the same cause.
    FireTrigger { trigger: TriggerId, cause: TriggerCause },
    /// Record why a trigger fired, or should have fired, and what came of it.
    RecordTriggerOutcome { trigger: TriggerId, cause: TriggerCause, outcome: TriggerOutcome },
    /// Record an error for the operator. The text contains no API keys.
    RecordCriticalError { text: String },
    /// Close everything that was open in a session when the page was closed.
    Recover { session: SessionId },
}

/// A merge of another branch into a session, with the state of both as the operator saw it.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeRequest {
    pub session: SessionId,
    pub head: Option<TurnId>,
    pub mind: ContentHash,
    pub other: TurnId,
    /// The session of the other branch, if it was merged as a whole session.
    pub from: Option<SessionId>,
    /// The mind of the other branch.
    pub theirs: ContentHash,
    /// The operator's resolutions of conflicts, by field.
    pub resolutions: Vec<(MindField, Vec<Resolution>)>,
}

/// The one change of a turn that is run again.
#[derive(Clone, Debug, PartialEq)]
pub enum RerunChange {
    /// Another text for a message of its query.
    Message { message: MessageId, text: String },
    /// Another text for an envelope of its inbox, by index.
    Envelope { at: usize, text: String },
    /// Another model, or other parameters.
    Model(ModelConfig),
    /// Another agent, or the same one with its present definition.
    Persona(AgentKey),
}

/// A change of a memory by the operator.
#[derive(Clone, Debug, PartialEq)]
pub enum MemoryChange {
    Content(String),
    /// From 1 to 5.
    Importance(u8),
    Scope(MemoryScope),
    /// Pinned memories are offered first.
    Pinned(bool),
    Deleted,
    Restored,
    /// Undo the Archivist's newest change.
    Undone,
}

/// The operator's answer to an approval prompt.
#[derive(Clone, Debug, PartialEq)]
pub enum ApprovalAnswer {
    /// Run the tool, with these arguments instead of the model's; `always` allows it to this agent from now on.
    Approve { args: Option<Value>, always: bool },
    /// Do not run it. The model receives the reason, which may be empty.
    Deny { reason: String },
}

/// A failed attempt of a model call.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedAttempt {
    /// From 1.
    pub attempt: u32,
    pub failure: ProviderError,
    /// What this attempt used.
    pub usage: Usage,
    /// The wait before the next one; `None` without a retry.
    pub retry_in_ms: Option<u64>,
}

impl FailedAttempt {
    /// A call that could not be made at all.
    pub fn unmade(failure: ProviderError) -> Self {
        Self { attempt: 1, failure, usage: Usage::default(), retry_in_ms: None }
    }
}

/// A model's answer, to be recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedAnswer {
    pub parts: Vec<MessagePart>,
    pub usage: Usage,
    /// Never [`FinishReason::Error`] or [`FinishReason::Incomplete`]: those are failures.
    pub finish: FinishReason,
    /// The provider's own finish reason.
    pub finish_raw: Option<String>,
    pub response_id: Option<String>,
    pub model: Option<String>,
    /// Parts of the stream that could not be used.
    pub faults: StreamFaults,
}

/// A model's answer to a job, parsed by the service.
#[derive(Clone, Debug, PartialEq)]
pub enum JobAnswer {
    Sync(SyncPatch),
    Merge(MergeAnswer),
    Compaction {
        summary: String,
        /// Estimated tokens of the context after the compaction.
        tokens_after: u64,
    },
    Summary(SummaryAnswer),
    Memory(Vec<Fact>),
}

/// How a tool run ended, before its writes are merged into the mind.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolOutcome {
    /// The tool ran. The result for the model is a JSON object; a verdict accepts or rejects the work, and says why.
    Done { result: Value, writes: Vec<MindWrite>, verdict: Option<(bool, String)> },
    /// The tool failed; the model receives the message.
    Failed { message: String },
    /// The agent may not call the tool; the model receives the message.
    Denied { message: String },
    /// The tool took too long.
    TimedOut,
    /// A worker gets a task.
    Delegate(DelegatedTask),
    /// The orchestrator controls its run.
    Graph(GraphRequest),
}

/// A request of an orchestrator about its run.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphRequest {
    /// Send an envelope to a node, which starts it.
    HandOff { to: NodeId, message: String },
    /// Add a node of the kind `agent.<name>`, `docs` or `verifier`.
    AddNode { key: NodeId, kind: String, instruction: String },
    /// Add an edge for envelopes with this status; by default for those of any completed turn.
    AddEdge { from: NodeId, to: NodeId, status: Option<String> },
    /// Ask the operator.
    AskOperator { question: String },
    /// End the run.
    Finish { summary: String },
}

/// Result of a verifier's checks or of a turn in a terminal.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckResult {
    /// `None` if the checks could not run or the turn gave no result.
    pub passed: Option<bool>,
    /// The text of the envelope, and its data.
    pub summary: String,
    pub structured: Value,
    /// The terminal's output; empty for checks.
    pub log: String,
}

/// Received parts of messages that are still streaming. The engine stores them, `decide` reads them.
pub type PartialMessages = nexus_text::vec_map::VecMap<MessageId, Vec<MessagePart>>;

/// A message to send: from the composer through the queue to its event, it is this one struct.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewMessage {
    pub session: SessionId,
    /// `@Name` in it selects recipients as `target` does. May be empty if there are attachments.
    pub text: String,
    pub attachments: Vec<NewBlob>,
    pub source: Source,
    /// Where the message comes from, unless it was typed in this session. The session need not be open then.
    pub origin: Option<MessageOrigin>,
    pub target: Target,
    /// What happens if a run works.
    pub mode: QueueMode,
    /// How the run repeats; by default one round.
    pub keep_going: Option<KeepGoing>,
    pub overrides: Option<Box<MessageOverrides>>,
    /// The graph that the run follows. Its nodes determine who answers; `target` is ignored.
    pub graph: Option<Box<GraphTemplate>>,
}

impl NewMessage {
    /// A message of the operator to all agents, text only.
    pub fn new(session: SessionId, text: impl Into<String>) -> Self {
        Self { session, text: text.into(), ..Self::default() }
    }
}

#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MessageOverrides {
    /// Replace the agents' models and parameters.
    pub config: Option<ModelConfig>,
    /// Tools that are denied, asked about, or allowed without asking. An agent's own deny still applies.
    pub tools: Option<Permissions>,
}

impl MessageOverrides {
    pub fn of(item: &QueueItem) -> Self {
        Self { config: item.config.as_deref().cloned(), tools: item.tools.as_deref().cloned() }
    }

    /// Those of the messages that a turn answers.
    pub fn of_turn(world: &World, turn: &Turn) -> Self {
        let node = world.node_of(turn).zip(world.session(&turn.session));
        node.map(|(node, session)| Self::of_node(session, node)).unwrap_or_default()
    }

    /// Those of a node. A worker's model is none: it was assigned, and a retry may use another one.
    pub fn of_node(session: &Session, node: &Node) -> Self {
        let config = node.config.clone().filter(|_| session.role() != SessionRole::Worker);
        Self { config, tools: node.tools.as_deref().cloned() }
    }

    pub fn is_empty(&self) -> bool {
        self.config.is_none() && self.tools.as_ref().is_none_or(|tools| *tools == Permissions::default())
    }

    /// The text of [`DraftField::Overrides`](crate::session::DraftField); empty without any.
    pub fn text(&self) -> String {
        if self.is_empty() { String::new() } else { json::write(self).unwrap_or_default() }
    }

    /// The overrides in that text; none if it is unreadable.
    pub fn read(text: &str) -> Self {
        json::read(text).unwrap_or_default()
    }
}
