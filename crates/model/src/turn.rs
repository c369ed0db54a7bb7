//! Turns, the commits of a conversation, and the turn loop as a state machine.
//!
//! [`step`] is the only way from one phase to the next.

pub mod compaction;
pub mod reflog;
pub mod tree;

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};

use crate::id::{AgentKey, MessageId, Millis, NodeId, ParseIdError, RunId, SessionId, ToolRunId, TurnId};
use crate::llm::{FinishReason, ModelConfig, Usage};
use crate::mind::sandbox::Sandbox;
use crate::provider::failure::ProviderError;
use crate::provider::price::Cost;
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
    /// Two branches joined.
    Merge,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TurnPhase {
    /// Opened, nothing asked yet.
    #[default]
    Pending,
    /// The context of the next call is being assembled.
    BuildingContext,
    /// The model was asked and has not begun to answer.
    AwaitingLlmDecision,
    AwaitingToolResult,
    /// The model's text is coming.
    GeneratingResponse,
    /// It ended well.
    Completed,
    /// It ended otherwise; [`Turn::end`] says how.
    Failed,
}

impl TurnPhase {
    pub fn is_open(self) -> bool {
        match self {
            Self::Pending
            | Self::BuildingContext
            | Self::AwaitingLlmDecision
            | Self::AwaitingToolResult
            | Self::GeneratingResponse => true,
            Self::Completed | Self::Failed => false,
        }
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
    /// The answer broke off.
    CutOff,
    /// A limit of time or of tool rounds was reached.
    TimedOut,
    /// The model call failed.
    Error,
}

/// Something that happened to a turn.
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

/// An input that does not fit the phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidTransition {
    pub phase: TurnPhase,
    pub input: TurnInput,
}

/// The phase after `input`. The turn loop: from `AwaitingToolResult` it goes back to `BuildingContext` until an answer
/// is final or a limit closes the turn.
pub fn step(phase: TurnPhase, input: TurnInput) -> Result<TurnPhase, InvalidTransition> {
    use TurnInput as I;
    use TurnPhase as P;
    match (phase, input) {
        (P::Pending, I::ContextRequested) | (P::AwaitingToolResult, I::ToolsEnded) => Ok(P::BuildingContext),
        (P::BuildingContext, I::ContextBuilt) => Ok(P::AwaitingLlmDecision),
        (P::AwaitingLlmDecision, I::ResponseBegan) => Ok(P::GeneratingResponse),
        (P::AwaitingLlmDecision | P::GeneratingResponse, I::AnsweredWithCalls) => Ok(P::AwaitingToolResult),
        (P::AwaitingLlmDecision | P::GeneratingResponse, I::CallRetried) => Ok(P::AwaitingLlmDecision),
        (P::AwaitingLlmDecision | P::GeneratingResponse, I::Closed(TurnEnd::Completed)) => Ok(P::Completed),
        (open, I::Closed(end)) if open.is_open() && end != TurnEnd::Completed => Ok(P::Failed),
        (phase, input) => Err(InvalidTransition { phase, input }),
    }
}

/// What one model call of a turn was made of, by content addresses, so that its request can be built again byte for
/// byte.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestSpec {
    /// The system prompt: persona and house rules.
    pub persona: ContentHash,
    /// The specifications of the tools on offer.
    pub tools: ContentHash,
    pub params: ContentHash,
    /// The mind as the mind block shows it.
    pub mind: ContentHash,
    /// The text of the query block: time, round, message; the mind before them where it has no block of its own.
    pub query: ContentHash,
    /// The text of the mind's block, which stands before the memories and the query.
    pub mind_text: Option<ContentHash>,
    /// The summary that stands for older turns, if one does.
    pub summary: Option<ContentHash>,
    /// The memories, if they are part of the context.
    pub memories: Option<ContentHash>,
    /// The turns of the history that are part of the context, oldest first.
    pub turns: TurnRange,
    /// How many messages of the turn itself are part of the context.
    pub own_messages: u32,
    /// The tool messages whose results are given in short: of the turn itself, because its own rounds fill the window, and
    /// of the newest turns before it, where those do not fit whole.
    pub curtailed: Vec<MessageId>,
    /// The pictures that are part of the context: base64 text by its address.
    pub blobs: Vec<ContentHash>,
    /// Pictures of the context that are told of and not shown, because the model looks at none.
    pub unseen: Vec<ContentHash>,
    /// The clock that the context was built with.
    pub clock: Millis,
    /// An estimate of the request's tokens.
    pub tokens: u64,
    /// Turns that did not fit.
    #[serde(default, skip_serializing_if = "TurnRange::is_empty")]
    pub left_out: TurnRange,
    /// The files that the agent may see, as its permissions were then.
    #[serde(default, skip_serializing_if = "Sandbox::is_open")]
    pub sandbox: Sandbox,
}

impl RequestSpec {
    /// The texts that it is made of, besides those of the turns.
    pub fn texts(&self) -> impl Iterator<Item = &ContentHash> {
        let layers = self.mind_text.iter().chain(&self.summary).chain(&self.memories);
        [&self.persona, &self.tools, &self.params, &self.query].into_iter().chain(layers)
    }
}

/// An attempt that waits for its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingRetry {
    /// The attempt, from 1: the first one waits where the provider has asked all to wait.
    pub attempt: u32,
    pub at: Millis,
}

/// One call of the model within a turn.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelCall {
    pub recipe: RequestSpec,
    /// How often it was sent.
    pub attempts: u32,
    /// When it was first asked.
    pub asked_at: Millis,
    pub answered_at: Option<Millis>,
    /// How the answer ended.
    pub finish: Option<FinishReason>,
    /// The provider's word for that.
    pub finish_raw: Option<String>,
    #[serde(default)]
    pub usage: Usage,
    /// What it cost by the prices of its time; absent where they were not known. An estimate.
    pub cost: Option<Cost>,
    pub retry: Option<PendingRetry>,
    pub failures: Vec<ProviderError>,
}

/// One query and its response by one agent, with all its tool runs and thinking.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    pub id: TurnId,
    pub session: SessionId,
    pub parent: Option<TurnId>,
    /// The other branch's turn, for a merge.
    pub second_parent: Option<TurnId>,
    /// The session that the other branch belonged to, for a merge; absent where a turn was merged that no session pointed
    /// to, and in merges of earlier programs.
    pub merged_from: Option<SessionId>,
    pub kind: TurnKind,
    pub run: Option<RunId>,
    pub node: Option<NodeId>,
    /// The round of the run, from 1.
    pub round: u32,
    pub agent: AgentKey,
    pub config: ModelConfig,
    /// The turn whose cut-off answer it goes on with.
    pub continues: Option<TurnId>,
    /// The user messages that this turn brings into the history.
    #[whole]
    pub query: Vec<MessageId>,
    /// The user messages that it answers, its own query included.
    #[whole]
    pub answers: Vec<MessageId>,
    /// The envelopes that its node found in its inbox, oldest first.
    pub inbox: Vec<Envelope>,
    /// Its assistant and tool messages, in order.
    #[whole]
    pub messages: Vec<MessageId>,
    #[whole]
    pub tool_runs: Vec<ToolRunId>,
    pub phase: TurnPhase,
    pub end: Option<TurnEnd>,
    /// Why, where a failure ended it.
    pub failure: Option<ProviderError>,
    /// The working mind when it opened.
    pub mind_before: ContentHash,
    /// The mind that the agent was last shown: the base of its writes. In a merge, the mind of the other branch.
    pub mind_shown: ContentHash,
    /// The working mind when it closed.
    pub mind_after: Option<ContentHash>,
    #[whole]
    pub calls: Vec<ModelCall>,
    /// What all calls used together.
    pub usage: Usage,
    /// What the Core changed before it opened while no turn of its session was the head, oldest first: the minds before and
    /// after.
    pub core_before: Vec<(ContentHash, ContentHash)>,
    /// What the Core changed while this was the head of its session, oldest first: the minds before and after.
    pub core_steps: Vec<(ContentHash, ContentHash)>,
    pub opened_at: Millis,
    pub closed_at: Option<Millis>,
}

impl Turn {
    /// The minds before and after what the Core changed before it opened, and at it.
    pub fn minds_of_core(&self) -> impl Iterator<Item = ContentHash> {
        let steps = self.core_before.iter().chain(&self.core_steps);
        steps.flat_map(|(before, after)| [*before, *after])
    }

    /// A turn as it opens with a mind, without a parent; nothing was asked or said yet.
    pub fn opened(
        id: TurnId,
        session: SessionId,
        kind: TurnKind,
        agent: AgentKey,
        config: ModelConfig,
        mind: ContentHash,
        at: Millis,
    ) -> Self {
        Self {
            id,
            session,
            kind,
            round: 1,
            agent,
            config,
            mind_before: mind,
            mind_shown: mind,
            opened_at: at,
            ..Self::default()
        }
    }

    /// The number of its next call, from 0.
    pub fn next_call(&self) -> u32 {
        u32::try_from(self.calls.len()).unwrap_or(u32::MAX)
    }

    /// Whether an agent is given this turn as its own exchange, with calls and results. Of others' turns, and of those that
    /// came to nothing, it is told in words.
    pub fn is_exchange_of(&self, reader: &AgentKey) -> bool {
        self.agent == *reader && self.end == Some(TurnEnd::Completed)
    }

    /// What its calls cost together; `None` where no price was known. An estimate.
    pub fn cost(&self) -> Option<Cost> {
        self.calls.iter().filter_map(|call| call.cost).reduce(Cost::plus)
    }

    pub fn retry(&self) -> Option<PendingRetry> {
        self.calls.last().and_then(|call| call.retry).filter(|_| self.phase.is_open())
    }
}

/// A turn seen with all its ancestors, in short: a cache that can be made again from the turns.
#[sparse]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    pub turn: TurnId,
    pub parent: Option<TurnId>,
    /// The other branch's turn, for a merge.
    pub second_parent: Option<TurnId>,
    /// The newest merge in it, so that a walk finds merges in few steps; its oldest turn where it has none, or the oldest
    /// below a row of an earlier program, which has no such pointer.
    pub merge: Option<TurnId>,
    /// How many turns it has with its ancestors.
    pub depth: u64,
    pub tokens: u64,
    /// An older ancestor, so that walking far back takes few steps.
    pub skip: Option<TurnId>,
    /// The turns that go on from it, oldest first.
    pub children: Vec<TurnId>,
}

/// Turns of one thread that follow one another, oldest first. Turns that only summarise lie between them and are not
/// counted. It is kept as a list of texts: `["..", first, last, count]`, or the ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub enum TurnRange {
    Between {
        first: TurnId,
        last: TurnId,
        count: usize,
    },
    /// Each by its name: none at all, and what was kept before stretches were told by their ends.
    Named(Vec<TurnId>),
}

/// Stands before the ends of a stretch where it is kept.
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
    fn from(stretch: TurnRange) -> Self {
        match stretch {
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
    /// The stretch that these turns are, oldest first. They must follow one another in their thread.
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

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_input() -> impl Strategy<Value = TurnInput> {
        prop_oneof![
            Just(TurnInput::ContextRequested),
            Just(TurnInput::ContextBuilt),
            Just(TurnInput::ResponseBegan),
            Just(TurnInput::AnsweredWithCalls),
            Just(TurnInput::CallRetried),
            Just(TurnInput::ToolsEnded),
            Just(TurnInput::Closed(TurnEnd::Completed)),
            Just(TurnInput::Closed(TurnEnd::Cancelled)),
            Just(TurnInput::Closed(TurnEnd::Error)),
        ]
    }

    proptest! {
        #[test]
        fn a_closed_turn_takes_no_step_and_an_open_one_can_always_be_stopped(
            inputs in proptest::collection::vec(any_input(), 0..40)
        ) {
            let mut phase = TurnPhase::Pending;
            for input in inputs {
                match step(phase, input) {
                    Ok(next) => {
                        prop_assert!(phase.is_open());
                        phase = next;
                    }
                    Err(illegal) => prop_assert_eq!(illegal, InvalidTransition { phase, input }),
                }
                let stopped = step(phase, TurnInput::Closed(TurnEnd::Cancelled));
                prop_assert_eq!(stopped.is_ok(), phase.is_open());
            }
        }
    }

    /// Every step that a turn may take, and no other.
    #[test]
    fn these_steps_are_legal_and_no_others() {
        use TurnPhase as P;
        let phases = [
            P::Pending,
            P::BuildingContext,
            P::AwaitingLlmDecision,
            P::GeneratingResponse,
            P::AwaitingToolResult,
            P::Completed,
            P::Failed,
        ];
        let ends = [
            TurnEnd::Completed,
            TurnEnd::Error,
            TurnEnd::CutOff,
            TurnEnd::TimedOut,
            TurnEnd::Cancelled,
            TurnEnd::Interrupted,
        ];
        let inputs = [
            TurnInput::ContextRequested,
            TurnInput::ContextBuilt,
            TurnInput::ResponseBegan,
            TurnInput::AnsweredWithCalls,
            TurnInput::CallRetried,
            TurnInput::ToolsEnded,
        ];
        let asked = [P::AwaitingLlmDecision, P::GeneratingResponse];
        let mut legal = vec![
            (P::Pending, TurnInput::ContextRequested, P::BuildingContext),
            (P::BuildingContext, TurnInput::ContextBuilt, P::AwaitingLlmDecision),
            (P::AwaitingLlmDecision, TurnInput::ResponseBegan, P::GeneratingResponse),
            (P::AwaitingToolResult, TurnInput::ToolsEnded, P::BuildingContext),
        ];
        for phase in asked {
            legal.push((phase, TurnInput::AnsweredWithCalls, P::AwaitingToolResult));
            legal.push((phase, TurnInput::CallRetried, P::AwaitingLlmDecision));
            legal.push((phase, TurnInput::Closed(TurnEnd::Completed), P::Completed));
        }
        for phase in phases.into_iter().take(5) {
            let failed = ends.into_iter().skip(1).map(|end| (phase, TurnInput::Closed(end), P::Failed));
            legal.extend(failed);
        }
        for phase in phases {
            for input in inputs.into_iter().chain(ends.map(TurnInput::Closed)) {
                let wanted = legal.iter().find(|(from, by, _)| (*from, *by) == (phase, input));
                let next = wanted.map(|(_, _, to)| *to).ok_or(InvalidTransition { phase, input });
                assert_eq!(step(phase, input), next);
            }
        }
    }

    #[test]
    fn the_loop_goes_back_for_another_call_after_tools() {
        let path = [
            TurnInput::ContextRequested,
            TurnInput::ContextBuilt,
            TurnInput::ResponseBegan,
            TurnInput::AnsweredWithCalls,
            TurnInput::ToolsEnded,
            TurnInput::ContextBuilt,
            TurnInput::Closed(TurnEnd::Completed),
        ];
        let end = path.iter().try_fold(TurnPhase::Pending, |phase, input| step(phase, *input));
        assert_eq!(end, Ok(TurnPhase::Completed));
        assert!(step(TurnPhase::AwaitingToolResult, TurnInput::Closed(TurnEnd::Completed)).is_err());
    }
}
