//! Events: the durable history in the ledger, each with the topic on which it is published.
//!
//! Streaming deltas are signals, not events. An event never holds an API key.

mod change;
mod topic;
pub(crate) mod upcast;

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
use crate::message::Message;
use crate::message::content::MessagePart;
use crate::mind::core_sync::{ProposalStep, SyncResult};
use crate::mind::{FileChange, MindEdit, MindWrite};
use crate::provider::Provider;
use crate::provider::failure::ProviderError;
use crate::provider::price::Cost;
use crate::run::terminal::TerminalTurn;
use crate::run::{Envelope, NodeStatus, PauseCause, RoundSummary, Run, RunLimits, RunStatus, Verdict};
use crate::session::QueueItem;
use crate::session::delegation::{Worker, WorkerResult};
use crate::session::trigger;
use crate::session::trigger::Trigger;
use crate::tool::{ToolRun, ToolStatus};
use crate::turn::compaction::PendingCompaction;
use crate::turn::{RequestSpec, Turn, TurnEnd};
use nexus_text::content_hash::ContentHash;
use nexus_text::json;

pub use crate::event::change::StoredContent;
pub use crate::event::change::{
    CreatedSession, GraphChange, ManualHeadMove, PartialMessage, QueueChange, SessionChange,
};
pub use crate::event::topic::{Feed, Home, KINDS, Topic};

/// The version of the events that this program writes.
pub const EVENT_VERSION: u32 = 1;

/// Something that happened, as the ledger keeps it.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The version of its shape.
    pub v: u32,
    pub stream: StreamId,
    /// Its place in the stream, from 1 without gaps.
    pub seq: u64,
    pub at: Millis,
    pub run: Option<RunId>,
    pub turn: Option<TurnId>,
    pub kind: EventPayload,
}

/// An event as it is written: the kind by name, beside its data.
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
            // A happening is written as an object with its kind as the only key.
            EventPayload::Known(happening) => match json::to_tree(happening) {
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
            Ok(happening) => happening.into(),
            Err(_) => EventPayload::Unknown { kind, data },
        };
        Ok(Self { v, stream, seq, at, run, turn, kind })
    }
}

/// What happened, by kind. A kind that this program does not know is kept as it is and changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum EventPayload {
    /// A kind that this program knows.
    Known(Box<EventKind>),
    /// One that it does not, such as one written by a newer program.
    Unknown { kind: String, data: Value },
}

impl From<EventKind> for EventPayload {
    fn from(happening: EventKind) -> Self {
        Self::Known(Box::new(happening))
    }
}

/// What happened. `call` counts from 0, `attempt` from 1, and `wait_ms` is in milliseconds.
#[sparse]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(clippy::large_enum_variant, reason = "an event holds it in a box, whatever its size")]
pub enum EventKind {
    /// A message stands in its session.
    MessageCommitted {
        message: Message,
    },
    /// Contents that messages name by their address are kept from now on.
    ContentsKept {
        /// The contents; bytes as standard base64.
        #[whole]
        contents: Vec<String>,
    },
    MessageQueued {
        item: QueueItem,
    },
    /// A waiting message changed.
    QueueEdited {
        item: QueueItemId,
        change: QueueChange,
    },
    RunOpened {
        run: Run,
    },
    RunPaused {
        cause: PauseCause,
    },
    RunResumed {
        /// What it may use from now on.
        caps: RunLimits,
    },
    RoundEnded {
        summary: RoundSummary,
        /// The mind that the next round begins with.
        mind: ContentHash,
    },
    RunEnded {
        status: RunStatus,
    },
    NodeChanged {
        node: NodeId,
        status: NodeStatus,
        /// What it put out, where it did.
        output: Option<Envelope>,
        /// The turn whose cut-off answer its next turn goes on with.
        continues: Option<TurnId>,
    },
    GraphChanged {
        change: GraphChange,
    },
    /// A verifier is to run its checks.
    ChecksRequested {
        node: NodeId,
        /// Which of its checks, from 1.
        check: u32,
    },
    /// A node is to have a turn in its terminal.
    TerminalRequested {
        node: NodeId,
        turn: TerminalTurn,
    },
    /// A turn began; its first assistant message is `processing`.
    TurnOpened {
        turn: Turn,
    },
    ContextRequested {
        call: u32,
    },
    ContextBuilt {
        call: u32,
        recipe: RequestSpec,
        /// Contents that the recipe names and the ledger did not hold yet.
        #[whole]
        contents: Vec<StoredContent>,
    },
    ModelRequested {
        call: u32,
        attempt: u32,
    },
    ResponseBegan {
        call: u32,
    },
    ModelAnswered {
        call: u32,
        message: MessageId,
        #[whole]
        parts: Vec<MessagePart>,
        usage: Usage,
        finish: FinishReason,
        /// The provider's word for that.
        finish_raw: Option<String>,
        response_id: Option<String>,
        /// The model that answered, where it is another one than was asked.
        answered_by: Option<String>,
        /// What of it could not be used as it came.
        #[serde(default, skip_serializing_if = "StreamFaults::is_none")]
        faults: StreamFaults,
        /// What it cost by the prices known at the time.
        cost: Option<Cost>,
    },
    ModelFailed {
        call: u32,
        attempt: u32,
        failure: ProviderError,
        /// What it used all the same.
        #[serde(default)]
        usage: Usage,
        /// What that cost by the prices known at the time.
        cost: Option<Cost>,
    },
    /// A model call will be tried again.
    RetryScheduled {
        call: u32,
        /// The attempt that follows; one that was asked for already and not sent keeps its number.
        attempt: u32,
        wait_ms: u64,
    },
    ToolRequested {
        run: ToolRun,
    },
    ApprovalAsked {
        tool_run: ToolRunId,
        /// What it would write, as far as that can be tried.
        proposed: Vec<MindWrite>,
    },
    ApprovalGiven {
        tool_run: ToolRunId,
        allowed: bool,
        /// The arguments that the operator put in the place of the model's.
        args: Option<Value>,
        reason: Option<String>,
    },
    ToolStarted {
        tool_run: ToolRunId,
    },
    ToolEnded {
        tool_run: ToolRunId,
        status: ToolStatus,
        message: Message,
        edits: Vec<MindEdit>,
        /// The same in short.
        touched: Vec<FileChange>,
        /// A verdict on the work, where the tool gave one.
        verdict: Option<Verdict>,
    },
    WorkerSent {
        tool_run: ToolRunId,
        worker: Worker,
    },
    /// A worker ended, and what it made was merged. Its report goes with this.
    WorkerEnded {
        tool_run: ToolRunId,
        worker: SessionId,
        result: WorkerResult,
        edits: Vec<MindEdit>,
    },
    MindEdited {
        /// The mind that the operator saw.
        base: ContentHash,
        #[whole]
        edits: Vec<MindEdit>,
        /// The sync whose change is taken back by this.
        undoes: Option<JobId>,
    },
    /// The operator applied or dismissed what the Core proposed. In earlier programs, what wrote into the plan without a
    /// question of ours is told like this, too.
    MindSynced {
        /// The mind that the Core saw.
        base: ContentHash,
        #[whole]
        edits: Vec<MindEdit>,
        reasoning: String,
        sync: Option<JobId>,
        /// Fields whose change was dropped because others had written the same lines.
        dropped: Vec<String>,
        proposal: Option<ProposalStep>,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        model: String,
    },
    /// The operator wants a sync while a run works: it waits for the end of that.
    SyncRequested {
        sync: JobId,
    },
    /// A compaction is wanted: older turns are to be put into a summary before the next turn opens.
    CompactionRequested(PendingCompaction),
    /// A compaction that was wanted does not begin.
    CompactionDropped {
        failure: ProviderError,
    },
    /// A job began: a model is to be asked. That of a compaction belongs to its turn.
    JobOpened(Job),
    /// An attempt at a job failed, and another one follows.
    JobRetrying(JobRetry),
    JobFailed(JobFailure),
    JobDone(JobDone),
    MemoryNoted(Memory),
    /// The operator changed, pinned, or deleted something that is remembered: as it is now.
    MemoryChanged(Memory),
    /// The operator has looked at changes and accepts them.
    ChangesReviewed {
        /// The mind that the reviewed one is made from.
        from: ContentHash,
        /// How the reviewed one differs from it.
        edits: Vec<MindEdit>,
    },
    TurnClosed {
        end: TurnEnd,
        /// Why, where a failure ended it.
        failure: Option<ProviderError>,
        /// The assistant message that was still `processing`, with what had come of it.
        partial: Option<PartialMessage>,
        mind_after: ContentHash,
    },
    HeadMoved {
        #[whole]
        from: Option<TurnId>,
        #[whole]
        to: Option<TurnId>,
        /// The working mind that was left.
        mind: ContentHash,
        /// What came with it where it was moved by hand; absent where a turn closed.
        by_hand: Option<ManualHeadMove>,
    },
    SessionChanged {
        change: SessionChange,
    },
    /// What a deleted session held was forgotten.
    SessionPurged {
        session: SessionId,
    },
    AgentChanged {
        agent: Agent,
    },
    AgentRemoved {
        agent: AgentKey,
    },
    /// A provider was made or changed. Never holds a key.
    ProviderChanged {
        provider: Provider,
    },
    ProviderRemoved {
        provider: ProviderId,
    },
    TriggerChanged {
        trigger: Trigger,
    },
    TriggerRemoved {
        trigger: TriggerId,
    },
    /// A trigger fired: its message is about to be said.
    TriggerFired(trigger::TriggerFired),
    /// It is known what became of a trigger that fired, or should have.
    TriggerEnded(trigger::TriggerEnded),
    SettingChanged {
        name: String,
        value: Value,
    },
    CommandRefused {
        command: String,
        reason: String,
    },
    /// Something the operator should know.
    Notice {
        text: String,
    },
    /// The daily budget of jobs is used up: none begins by itself until tomorrow.
    JobBudgetSpent {
        limits: RunLimits,
    },
    /// Stored events of this stream change nothing, and the operator is told so once.
    EventsUnreadable {
        /// The last event that was looked at.
        through: u64,
        /// Kinds that this program does not know.
        unknown: Vec<String>,
        /// Kinds that it knows, with data that it cannot read.
        damaged: Vec<String>,
    },
    CriticalError {
        /// The words, without any key.
        text: String,
    },
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
    /// What happened, if this program knows the kind.
    pub fn happening(&self) -> Option<&EventKind> {
        match &self.kind {
            EventPayload::Known(happening) => Some(happening),
            EventPayload::Unknown { .. } => None,
        }
    }

    /// Whether it is of a kind that this program knows, with data that it cannot read.
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

    /// The topic that it is published on; `None` for a kind that this program does not know.
    pub fn topic(&self) -> Option<Topic> {
        self.happening().map(EventKind::topic)
    }
}

/// Where an event stands in the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventPosition {
    pub stream: StreamId,
    pub seq: u64,
}

impl EventPosition {
    /// The place as an address has it: `app:12`.
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
#[path = "event/event_tests.rs"]
mod tests;
