//! Events: the durable history in the ledger, each with the topic on which it is published.
//!
//! Streaming deltas are signals, not events. An event never holds an API key.
//!
//! A program keeps events of unknown kinds unchanged. A new field needs a default, which `#[sparse]` gives to each
//! `Option`, `Vec` and `bool`; without one, the events that are stored already count as unknown.

mod change;
mod topic;
pub(crate) mod upcast;

use std::sync::Arc;

use nexus_markup::sparse;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::agent::Agent;
use crate::id::{
    AgentKey, JobId, MessageId, Millis, NodeId, ProviderId, QueueItemId, RunId, SessionId, StreamId,
    ToolRunId, TriggerId, TurnId,
};
use crate::job::{Job, JobDone, JobFailure, JobResult, JobRetry};
use crate::llm::{FinishReason, StreamFaults, Usage};
use crate::memory::Memory;
use crate::message::{Message, content::MessagePart};
use crate::mind::core_sync::{ProposalStep, SyncResult};
use crate::mind::{FileChange, MindEdit, MindWrite};
use crate::provider::{Provider, ProviderError, price::Cost};
use crate::run::terminal::TerminalTurn;
use crate::run::{Envelope, NodeStatus, PauseCause, RoundSummary, Run, RunLimits, RunStatus, Verdict};
use crate::session::delegation::{Worker, WorkerResult};
use crate::session::{QueueItem, trigger, trigger::Trigger};
use crate::tool::{ToolRun, ToolStatus};
use crate::turn::{RequestSpec, Turn, TurnEnd, compaction::PendingCompaction};
use nexus_text::{content_hash::ContentHash, json};

pub use crate::event::change::{
    CreatedSession, GraphChange, ManualHeadMove, PartialMessage, QueueChange, SessionChange, StoredContent,
};
pub use crate::event::topic::{Feed, Home, KINDS, Topic};

/// The version of the events that this program writes.
pub const EVENT_VERSION: u32 = 1;

/// Something that happened, as its stream stores it.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The version of its format.
    pub v: u32,
    pub stream: StreamId,
    /// Its position in the stream, from 1 without gaps.
    pub seq: u64,
    pub at: Millis,
    pub run: Option<RunId>,
    pub turn: Option<TurnId>,
    pub kind: EventPayload,
}

/// An event as it is written: the name of its kind, beside its data.
#[sparse]
#[derive(Serialize, Deserialize)]
struct RawEvent {
    v: u32,
    stream: StreamId,
    seq: u64,
    at: Millis,
    run: Option<RunId>,
    turn: Option<TurnId>,
    kind: String,
    #[serde(default)]
    data: Value,
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (kind, data) = match &self.kind {
            // An `EventKind` is written as an object with the kind as the only key.
            EventPayload::Known(known) => match json::to_tree(known) {
                Ok(Value::Object(map)) => map.into_iter().next().unwrap_or_default(),
                Ok(_) | Err(_) => Default::default(),
            },
            EventPayload::Unknown { kind, data } => (kind.clone(), data.clone()),
        };
        let Self { v, stream, seq, at, run, turn, .. } = *self;
        RawEvent { v, stream, seq, at, run, turn, kind, data }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let RawEvent { v, stream, seq, at, run, turn, kind, data } = RawEvent::deserialize(deserializer)?;
        let newer = upcast::upcast(&kind, &data, turn, at);
        let named = match newer {
            Some((kind, data)) => Map::from_iter([(kind.to_owned(), data)]),
            None => Map::from_iter([(kind.clone(), data.clone())]),
        };
        let kind = match json::from_tree::<EventKind>(&Value::Object(named)) {
            Ok(known) => known.into(),
            Err(_) => EventPayload::Unknown { kind, data },
        };
        Ok(Self { v, stream, seq, at, run, turn, kind })
    }
}

/// The payload of an event. An unknown kind is kept as it is and changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum EventPayload {
    /// A kind that this program knows.
    Known(Box<EventKind>),
    /// A kind that it does not know, for example of a newer program.
    Unknown { kind: String, data: Value },
}

impl From<EventKind> for EventPayload {
    fn from(kind: EventKind) -> Self {
        Self::Known(Box::new(kind))
    }
}

/// What happened, by kind. `call` counts from 0, `attempt` from 1, and `wait_ms` is in milliseconds.
#[sparse]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant, reason = "an event holds it in a box, whatever its size")]
pub enum EventKind {
    /// A message was added to its session.
    MessageCommitted { message: Arc<Message> },
    /// Contents were stored that messages name by their address; bytes as standard base64.
    ContentsKept {
        #[whole]
        contents: Vec<String>,
    },
    /// A message waits for a run to end.
    MessageQueued { item: QueueItem },
    /// A waiting message changed.
    QueueEdited { item: QueueItemId, change: QueueChange },
    /// A run began.
    RunOpened { run: Run },
    /// A run waits for the operator.
    RunPaused { cause: PauseCause },
    /// A run continues, with these limits from now on.
    RunResumed { caps: RunLimits },
    /// A round ended; `mind` is the one that the next round starts with.
    RoundEnded { summary: RoundSummary, mind: ContentHash },
    /// A run ended.
    RunEnded { status: RunStatus },
    /// A node changed, with its output, if any, and the turn whose cut-off answer its next turn continues.
    NodeChanged { node: NodeId, status: NodeStatus, output: Option<Envelope>, continues: Option<TurnId> },
    /// The graph of a run changed.
    GraphChanged { change: GraphChange },
    /// A verifier must run its checks; `check` is their number, from 1.
    ChecksRequested { node: NodeId, check: u32 },
    /// A node must take a turn in its terminal.
    TerminalRequested { node: NodeId, turn: TerminalTurn },
    /// A turn began; its first assistant message is `processing`.
    TurnOpened { turn: Turn },
    /// The context of a call must be built.
    ContextRequested { call: u32 },
    /// The context of a call was built.
    ContextBuilt {
        call: u32,
        recipe: RequestSpec,
        /// Contents of the request that the ledger did not hold yet.
        #[whole]
        contents: Vec<StoredContent>,
    },
    /// A model must be called.
    ModelRequested { call: u32, attempt: u32 },
    /// A model began to answer.
    ResponseBegan { call: u32 },
    /// A model answered.
    ModelAnswered {
        call: u32,
        message: MessageId,
        #[whole]
        parts: Vec<MessagePart>,
        usage: Usage,
        finish: FinishReason,
        /// The provider's own finish reason.
        finish_raw: Option<String>,
        response_id: Option<String>,
        /// The model that answered, if it is not the requested one.
        answered_by: Option<String>,
        /// What could not be used as it was received.
        #[serde(default, skip_serializing_if = "crate::is_default")]
        faults: StreamFaults,
        /// Its cost by the prices known at the time.
        cost: Option<Cost>,
    },
    /// An attempt of a model call failed.
    ModelFailed {
        call: u32,
        attempt: u32,
        failure: ProviderError,
        #[serde(default)]
        usage: Usage,
        /// Its cost by the prices known at the time.
        cost: Option<Cost>,
    },
    /// A model call will be retried. An attempt that was requested but not sent keeps its number.
    RetryScheduled { call: u32, attempt: u32, wait_ms: u64 },
    /// A model called a tool.
    ToolRequested { run: ToolRun },
    /// A tool run waits for the operator; `proposed` is what it would write, as far as that can be determined.
    ApprovalAsked { tool_run: ToolRunId, proposed: Vec<MindWrite> },
    /// The operator allowed or denied a tool run, perhaps with arguments in place of the model's.
    ApprovalGiven {
        tool_run: ToolRunId,
        #[whole]
        allowed: bool,
        args: Option<Value>,
        reason: Option<String>,
    },
    /// A tool began to run.
    ToolStarted { tool_run: ToolRunId },
    /// A tool run ended.
    ToolEnded {
        tool_run: ToolRunId,
        status: ToolStatus,
        message: Arc<Message>,
        edits: Vec<MindEdit>,
        /// A summary of the edits.
        touched: Vec<FileChange>,
        /// The tool's verdict on the work, if any.
        verdict: Option<Verdict>,
    },
    /// An agent gave a task to a worker.
    WorkerSent { tool_run: ToolRunId, worker: Worker },
    /// A worker ended, and its changes were merged. Its report follows as a message.
    WorkerEnded { tool_run: ToolRunId, worker: SessionId, result: WorkerResult, edits: Vec<MindEdit> },
    /// The operator edited the mind.
    MindEdited {
        /// The mind that the operator saw.
        base: ContentHash,
        #[whole]
        edits: Vec<MindEdit>,
        undoes: Option<JobId>,
    },
    /// The operator applied or dismissed a proposal of the Core.
    ///
    /// Earlier programs also used it for changes of the plan without a job.
    MindSynced {
        /// The mind that the Core saw.
        base: ContentHash,
        #[whole]
        edits: Vec<MindEdit>,
        reasoning: String,
        sync: Option<JobId>,
        /// Fields whose change was dropped because others had changed the same lines.
        dropped: Vec<String>,
        proposal: Option<ProposalStep>,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        model: String,
    },
    /// The operator requested a sync during a run: it waits for the end of the run.
    SyncRequested { sync: JobId },
    /// A compaction was requested: older turns are summarised before the next turn opens.
    CompactionRequested(PendingCompaction),
    /// A requested compaction does not begin.
    CompactionDropped { failure: ProviderError },
    /// A job began: a model will be called. The job of a compaction belongs to its turn.
    JobOpened(Job),
    /// An attempt of a job failed and will be retried.
    JobRetrying(JobRetry),
    /// A job ended without a result.
    JobFailed(JobFailure),
    /// A job ended with a result.
    JobDone(JobDone),
    /// The Archivist remembered a fact.
    MemoryNoted(Memory),
    /// A memory was changed, pinned or deleted; holds the new row.
    MemoryChanged(Memory),
    /// The operator reviewed changes and accepts them: the edits turn the mind `from` into the reviewed one.
    ChangesReviewed { from: ContentHash, edits: Vec<MindEdit> },
    /// A turn ended.
    TurnClosed {
        end: TurnEnd,
        failure: Option<ProviderError>,
        /// The assistant message that was still `processing`, with the parts received so far.
        partial: Option<PartialMessage>,
        mind_after: ContentHash,
    },
    /// The head of a session moved.
    HeadMoved {
        #[whole]
        from: Option<TurnId>,
        #[whole]
        to: Option<TurnId>,
        /// The former working mind.
        mind: ContentHash,
        /// The payload of a move by hand; absent if a turn closed.
        by_hand: Option<ManualHeadMove>,
    },
    /// The row of a session changed.
    SessionChanged { change: SessionChange },
    /// The content of a deleted session was purged.
    SessionPurged { session: SessionId },
    /// An agent was added or changed.
    AgentChanged { agent: Agent },
    /// An agent left the roster.
    AgentRemoved { agent: AgentKey },
    /// A provider was added or changed. Never holds an API key.
    ProviderChanged { provider: Provider },
    /// A provider was removed.
    ProviderRemoved { provider: ProviderId },
    /// A trigger was added or changed.
    TriggerChanged { trigger: Trigger },
    /// A trigger was removed.
    TriggerRemoved { trigger: TriggerId },
    /// A trigger fired: its message is about to be sent.
    TriggerFired(trigger::TriggerFired),
    /// The outcome of a trigger that fired, or should have.
    TriggerEnded(trigger::TriggerEnded),
    /// A setting was stored; null removes it.
    SettingChanged { name: String, value: Value },
    /// A command of the operator was rejected.
    CommandRefused { command: String, reason: String },
    /// A notice to the operator.
    Notice { text: String },
    /// The daily budget of jobs is exhausted: none begins by itself until tomorrow.
    JobBudgetSpent { limits: RunLimits },
    /// Stored events of this stream are ignored; the operator is notified once.
    EventsUnreadable {
        through: u64,
        /// Kinds that this program does not know.
        unknown: Vec<String>,
        /// Known kinds with data that this program cannot read.
        damaged: Vec<String>,
    },
    /// An error of the program. The text contains no API keys.
    CriticalError { text: String },
}

impl EventKind {
    pub fn edits(&self) -> &[MindEdit] {
        if let Self::ToolEnded { edits, .. }
        | Self::MindEdited { edits, .. }
        | Self::MindSynced { edits, .. }
        | Self::WorkerEnded { edits, .. }
        | Self::JobDone(JobDone { result: JobResult::Sync(SyncResult { edits, .. }), .. }) = self
        {
            edits
        } else {
            &[]
        }
    }
}

impl Event {
    /// The kind of the event, if this program knows it.
    pub fn known_kind(&self) -> Option<&EventKind> {
        match &self.kind {
            EventPayload::Known(kind) => Some(kind),
            EventPayload::Unknown { .. } => None,
        }
    }

    /// True if the kind is known, but its data cannot be read.
    pub fn is_damaged(&self) -> bool {
        let EventPayload::Unknown { kind, .. } = &self.kind else { return false };
        let kind =
            upcast::upcast(kind, &Value::Null, self.turn, self.at).map_or(kind.as_str(), |(now, _)| now);
        let bare = Value::Object(Map::from_iter([(kind.to_owned(), Value::Null)]));
        match json::from_tree::<EventKind>(&bare) {
            Ok(_) => true,
            Err(error) => !error.to_string().contains("unknown variant"),
        }
    }

    /// The topic that it is published on; `None` for an unknown kind.
    pub fn topic(&self) -> Option<Topic> {
        self.known_kind().map(EventKind::topic)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventPosition {
    pub stream: StreamId,
    pub seq: u64,
}

impl EventPosition {
    /// The position in an address: `app:12`.
    pub fn written(self) -> String {
        format!("{}:{}", self.stream, self.seq)
    }

    /// Reads [`EventPosition::written`].
    pub fn read(text: &str) -> Option<Self> {
        let (stream, seq) = text.rsplit_once(':')?;
        Some(Self { stream: stream_of(stream)?, seq: seq.parse().ok()? })
    }
}

pub fn stream_of(text: &str) -> Option<StreamId> {
    StreamId::try_from(text.to_owned()).ok()
}

#[cfg(test)]
mod tests;
