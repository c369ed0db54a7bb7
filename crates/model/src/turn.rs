//! Turns, the commits of a conversation, and the turn loop as a state machine.
//!
//! [`step`] is the only way from one phase to the next.

pub mod compaction;
pub mod tree;

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};

use crate::id::{AgentKey, MessageId, Millis, NodeId, ParseIdError, RunId, SessionId, ToolRunId, TurnId};
use crate::llm::{FinishReason, ModelConfig, Usage};
use crate::mind::sandbox::Sandbox;
use crate::provider::{ProviderError, price::Cost};
use crate::run::graph::Envelope;
use nexus_text::content_hash::ContentHash;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnKind {
    /// A query and its response.
    #[default]
    Normal,
    /// A summary of the turns before it.
    Compaction,
    Merge,
}

/// The phase of a turn, from its opening to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TurnPhase {
    /// Opened; nothing was requested yet.
    #[default]
    Pending,
    /// The context of the next call is being assembled.
    BuildingContext,
    /// The request was sent; the response has not begun.
    AwaitingLlmDecision,
    AwaitingToolResult,
    GeneratingResponse,
    /// Ended successfully.
    Completed,
    /// Ended without success; [`Turn::end`] says how.
    Failed,
}

impl TurnPhase {
    pub fn is_open(self) -> bool {
        !matches!(self, Self::Completed | Self::Failed)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnEnd {
    /// With a final answer.
    Completed,
    /// Stopped by the operator.
    Cancelled,
    /// The page was closed.
    Interrupted,
    /// The answer was truncated.
    CutOff,
    /// The limit of time or of tool rounds was reached.
    TimedOut,
    /// The model call failed.
    Error,
}

/// An input of the turn's state machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnInput {
    ContextRequested,
    ContextBuilt,
    ResponseBegan,
    /// The model's answer asks for tools.
    AnsweredWithCalls,
    /// A retry of the model call is due.
    CallRetried,
    /// The last open tool run ended.
    ToolsEnded,
    Closed(TurnEnd),
}

/// Returns the phase after `input`; `None` if it is not allowed in this phase. The turn loop returns from
/// `AwaitingToolResult` to `BuildingContext` until an answer is final or a limit closes the turn.
pub fn step(phase: TurnPhase, input: TurnInput) -> Option<TurnPhase> {
    use {TurnInput as I, TurnPhase as P};
    match (phase, input) {
        (P::Pending, I::ContextRequested) | (P::AwaitingToolResult, I::ToolsEnded) => {
            Some(P::BuildingContext)
        }
        (P::BuildingContext, I::ContextBuilt) => Some(P::AwaitingLlmDecision),
        (P::AwaitingLlmDecision, I::ResponseBegan) => Some(P::GeneratingResponse),
        (P::AwaitingLlmDecision | P::GeneratingResponse, I::AnsweredWithCalls) => Some(P::AwaitingToolResult),
        (P::AwaitingLlmDecision | P::GeneratingResponse, I::CallRetried) => Some(P::AwaitingLlmDecision),
        (P::AwaitingLlmDecision | P::GeneratingResponse, I::Closed(TurnEnd::Completed)) => Some(P::Completed),
        (open, I::Closed(end)) if open.is_open() && end != TurnEnd::Completed => Some(P::Failed),
        _ => None,
    }
}

/// The parts of a model call by content address, from which the request can be rebuilt byte for byte. Stored as
/// `recipe`.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestSpec {
    /// The system prompt: persona and house rules.
    pub persona: ContentHash,
    pub tools: ContentHash,
    pub params: ContentHash,
    pub mind: ContentHash,
    /// The query block: time, round, message; preceded by the mind if that has no block of its own.
    pub query: ContentHash,
    /// The text of the mind block, placed before the memories and the query.
    pub mind_text: Option<ContentHash>,
    /// The summary that replaces older turns.
    pub summary: Option<ContentHash>,
    pub memories: Option<ContentHash>,
    /// The turns of the history in the context, oldest first.
    pub turns: TurnRange,
    /// The number of the turn's own messages in the context.
    pub own_messages: u32,
    /// Tool messages whose results are truncated: those of the turn itself if its rounds fill the window, and those of
    /// the newest earlier turns that do not fit whole.
    #[serde(rename = "curtailed")]
    pub truncated: Vec<MessageId>,
    /// The images in the context, by the address of their base64 text.
    pub blobs: Vec<ContentHash>,
    /// Images that the context only mentions, because the model has no image input.
    #[serde(rename = "unseen")]
    pub omitted_images: Vec<ContentHash>,
    pub clock: Millis,
    pub tokens: u64,
    /// Turns that were omitted because they did not fit.
    #[serde(rename = "left_out", default, skip_serializing_if = "TurnRange::is_empty")]
    pub omitted_turns: TurnRange,
    /// The files that the agent may see, by its permissions at that time.
    #[serde(default, skip_serializing_if = "Sandbox::is_open")]
    pub sandbox: Sandbox,
}

impl RequestSpec {
    /// The stored texts of the request, except the turns.
    pub fn texts(&self) -> impl Iterator<Item = &ContentHash> {
        let layers = self.mind_text.iter().chain(&self.summary).chain(&self.memories);
        [&self.persona, &self.tools, &self.params, &self.query].into_iter().chain(layers)
    }
}

/// The next attempt of a call, and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingRetry {
    /// From 1. Even the first attempt waits if the provider is rate limited.
    pub attempt: u32,
    pub at: Millis,
}

#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelCall {
    pub recipe: RequestSpec,
    pub attempts: u32,
    #[serde(rename = "asked_at")]
    pub requested_at: Millis,
    pub answered_at: Option<Millis>,
    /// How the answer ended.
    pub finish: Option<FinishReason>,
    /// The provider's own finish reason.
    pub finish_raw: Option<String>,
    #[serde(default)]
    pub usage: Usage,
    /// An estimate, by the prices of that time; `None` if they were unknown.
    pub cost: Option<Cost>,
    pub retry: Option<PendingRetry>,
    pub failures: Vec<ProviderError>,
}

/// A query and the response of one agent, with all tool runs and thinking.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    pub id: TurnId,
    pub session: SessionId,
    pub parent: Option<TurnId>,
    /// The other branch's turn, for a merge.
    pub second_parent: Option<TurnId>,
    /// For a merge, the session of the other branch. `None` if no session pointed to the merged turn, and in merges of
    /// earlier versions.
    pub merged_from: Option<SessionId>,
    pub kind: TurnKind,
    pub run: Option<RunId>,
    pub node: Option<NodeId>,
    /// The round of the run, from 1.
    pub round: u32,
    pub agent: AgentKey,
    pub config: ModelConfig,
    /// The turn whose truncated answer it continues.
    pub continues: Option<TurnId>,
    /// The user messages that this turn adds to the history.
    #[whole]
    pub query: Vec<MessageId>,
    /// The user messages that it answers, including its query.
    #[whole]
    pub answers: Vec<MessageId>,
    /// The envelopes in its node's inbox when it opened, oldest first.
    pub inbox: Vec<Envelope>,
    /// Its assistant and tool messages, in order.
    #[whole]
    pub messages: Vec<MessageId>,
    #[whole]
    pub tool_runs: Vec<ToolRunId>,
    pub phase: TurnPhase,
    pub end: Option<TurnEnd>,
    pub failure: Option<ProviderError>,
    /// The working mind when the turn opened.
    pub mind_before: ContentHash,
    /// The mind that the agent saw last: the base of its writes. In a merge, the mind of the other branch.
    pub mind_shown: ContentHash,
    /// The working mind when the turn closed.
    pub mind_after: Option<ContentHash>,
    #[whole]
    pub calls: Vec<ModelCall>,
    /// Total of all calls.
    pub usage: Usage,
    /// Core changes made before it opened, while no turn of its session was the head: minds before and after, oldest
    /// first.
    pub core_before: Vec<(ContentHash, ContentHash)>,
    /// Core changes made while it was the head of its session: minds before and after, oldest first.
    pub core_steps: Vec<(ContentHash, ContentHash)>,
    pub opened_at: Millis,
    pub closed_at: Option<Millis>,
}

impl Turn {
    /// The minds before and after each Core change before or at this turn.
    pub fn minds_of_core(&self) -> impl Iterator<Item = ContentHash> {
        let steps = self.core_before.iter().chain(&self.core_steps);
        steps.flat_map(|(before, after)| [*before, *after])
    }

    /// A newly opened normal turn without parent, agent or calls.
    pub fn opened(id: TurnId, session: SessionId, mind: ContentHash, at: Millis) -> Self {
        Self { id, session, round: 1, mind_before: mind, mind_shown: mind, opened_at: at, ..Self::default() }
    }

    pub fn next_call(&self) -> u32 {
        u32::try_from(self.calls.len()).unwrap_or(u32::MAX)
    }

    /// True if `reader` receives this turn as its own exchange, with calls and results. Turns of other agents and
    /// turns that did not complete are described in text.
    pub fn is_exchange_of(&self, reader: &AgentKey) -> bool {
        self.agent == *reader && self.end == Some(TurnEnd::Completed)
    }

    /// Estimated cost of all calls; `None` if no price was known.
    pub fn cost(&self) -> Option<Cost> {
        self.calls.iter().filter_map(|call| call.cost).reduce(Cost::plus)
    }

    pub fn retry(&self) -> Option<PendingRetry> {
        self.calls.last().and_then(|call| call.retry).filter(|_| self.phase.is_open())
    }
}

/// A turn with totals over its ancestors: a cache, rebuilt from the turns.
#[sparse]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    pub turn: TurnId,
    pub parent: Option<TurnId>,
    /// The other branch's turn, for a merge.
    pub second_parent: Option<TurnId>,
    /// The newest merge in the thread, for fast walks. Without merges its oldest turn, or the oldest turn below a row
    /// of an earlier version, which lacks this pointer.
    pub merge: Option<TurnId>,
    pub depth: u64,
    pub tokens: u64,
    /// An older ancestor, so that walking back takes few steps.
    pub skip: Option<TurnId>,
    /// Oldest first.
    pub children: Vec<TurnId>,
}

/// Consecutive turns of one thread, oldest first. Compactions between them are not counted. Stored as a list of texts:
/// `["..", first, last, count]`, or the ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub enum TurnRange {
    /// All turns between these two, on one path.
    Between { first: TurnId, last: TurnId, count: usize },
    /// Listed ids: an empty range, and ranges of earlier versions.
    Named(Vec<TurnId>),
}

/// Marks a stored range that is given by its ends.
const ENDS: &str = "..";

impl TryFrom<Vec<String>> for TurnRange {
    type Error = ParseIdError;

    fn try_from(texts: Vec<String>) -> Result<Self, ParseIdError> {
        match texts.as_slice() {
            [mark, first, last, count] if mark == ENDS => Ok(Self::Between {
                first: first.parse()?,
                last: last.parse()?,
                count: count.parse().map_err(|_| ParseIdError(count.clone()))?,
            }),
            ids => Ok(Self::Named(ids.iter().map(|id| id.parse()).collect::<Result<_, _>>()?)),
        }
    }
}

impl From<TurnRange> for Vec<String> {
    fn from(range: TurnRange) -> Self {
        match range {
            TurnRange::Between { first, last, count } => {
                vec![ENDS.to_owned(), first.to_string(), last.to_string(), count.to_string()]
            }
            TurnRange::Named(ids) => ids.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Default for TurnRange {
    fn default() -> Self {
        Self::Named(Vec::new())
    }
}

impl TurnRange {
    /// `turns` must be consecutive in their thread, oldest first.
    pub fn of(turns: &[TurnId]) -> Self {
        match (turns.first(), turns.last()) {
            (Some(first), Some(last)) => Self::Between { first: *first, last: *last, count: turns.len() },
            _ => Self::default(),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Between { count, .. } => *count,
            Self::Named(turns) => turns.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests;
