//! Selects the turns of a thread that fit into a request, newest first, and the memories for a context; truncates tool
//! results, oldest first, when the window is nearly full.
//!
//! If one of the newest [`TURNS_KEPT`] turns does not fit whole, its tool results are truncated, since no summary
//! covers those turns. Results for the newest answer are truncated only if the request would not fit at all. Stored
//! results never change.

use serde_json::json;

use crate::context::{compaction::ThreadContext, tokens_for, tokens_of_answer};
use crate::limits::{
    MEMORIES_OFFERED, TRUNCATE_FIRST_BYTES, TRUNCATE_FROM_BYTES, TRUNCATE_LAST_BYTES, TURNS_KEPT,
};
use crate::memory::normal_form;
use crate::message::content::answers_of;
use crate::prelude::*;
use crate::session::SessionOrigin;
use crate::turn::TurnRange;
use nexus_text::vec_map::by_key;

#[derive(Clone, Copy, Debug)]
pub struct HistoryRequest<'r> {
    pub agent: &'r AgentKey,
    pub kinds: InputKinds,
    /// The newest turn to omit in any case.
    pub cut: Option<TurnId>,
}

/// The turns of a thread that a request includes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisibleTurns {
    /// Oldest first.
    pub turns: Vec<TurnId>,
    /// All older turns, oldest first.
    pub omitted: Vec<TurnId>,
    /// The tool messages whose results are truncated.
    pub truncated: Vec<MessageId>,
    pub tokens: u64,
}

/// Selects the turns of a request that takes `besides` tokens apart from its history. `fits` returns true for a token
/// count that may be sent.
pub fn select_turns(
    world: &World,
    context: &ThreadContext<'_>,
    reader: HistoryRequest<'_>,
    besides: u64,
    fits: impl Fn(u64) -> bool,
) -> VisibleTurns {
    let mut chosen = VisibleTurns { tokens: besides, ..VisibleTurns::default() };
    let mut newest_first: Vec<&Turn> = Vec::new();
    let mut turns = context.turns.iter().rev().map(|turn| turn.as_ref()).peekable();
    while let Some(turn) = turns.next_if(|turn| reader.cut != Some(turn.id)) {
        let with = chosen.tokens.saturating_add(tokens_for(world, turn, reader.agent, reader.kinds));
        newest_first.push(turn);
        if fits(with) {
            chosen.tokens = with;
            continue;
        }
        let is_recent = newest_first.len() <= TURNS_KEPT;
        let truncated =
            results_to_truncate(world, &newest_first, reader.agent, &chosen.truncated, with, &fits);
        let Some((truncated, tokens)) = truncated.filter(|_| is_recent) else {
            newest_first.pop();
            chosen.omitted.push(turn.id);
            break;
        };
        (chosen.truncated, chosen.tokens) = (truncated, tokens);
    }
    chosen.omitted.extend(turns.map(|turn| turn.id));
    chosen.omitted.reverse();
    chosen.turns = newest_first.iter().rev().map(|turn| turn.id).collect();
    chosen
}

/// The results to truncate, from the oldest turn on, so that all these turns fit; `None` if that is not enough.
fn results_to_truncate(
    world: &World,
    newest_first: &[&Turn],
    reader: &AgentKey,
    before: &[MessageId],
    mut tokens: u64,
    fits: impl Fn(u64) -> bool,
) -> Option<(Vec<MessageId>, u64)> {
    let mut truncated = before.to_vec();
    let exchanges = newest_first.iter().rev().filter(|turn| turn.is_exchange_of(reader));
    for message in exchanges.flat_map(|turn| &turn.messages).filter_map(|id| world.message(id)) {
        let saves = if message.role == Role::Tool { saved_tokens(message) } else { 0 };
        if saves > 0 && !truncated.contains(&message.id) {
            truncated.push(message.id);
            tokens = tokens.saturating_sub(saves);
        }
        if fits(tokens) {
            return Some((truncated, tokens));
        }
    }
    None
}

/// The messages that stay truncated in the next request of an open turn: its own, and those of turns in `shown`.
pub fn still_truncated(
    world: &World,
    turn: &Turn,
    shown: &TurnRange,
    truncated: &[MessageId],
) -> Vec<MessageId> {
    let mut before: Vec<TurnId> = Vec::new();
    if !truncated.is_empty() {
        before.extend(shown.newest_first(world).into_iter().map(|turn| turn.id));
    }
    let of = |id: &&MessageId| world.message(id).and_then(|message| message.turn);
    let is_shown = |id: &&MessageId| of(id).is_some_and(|of| of == turn.id || before.contains(&of));
    truncated.iter().filter(is_shown).copied().collect()
}

/// Minimum length of words that are compared.
const WORD_CHARS: usize = 3;
/// Maximum number of matching words that count.
const MATCHES: usize = 3;

impl Memory {
    /// The session that it comes from; `None` if that was purged.
    pub fn source<'w>(&self, world: &'w World) -> Option<&'w Arc<Session>> {
        world.session(&self.session).filter(|row| row.purged_at.is_none())
    }

    pub fn reaches(&self, world: &World, session: &Session, agent: Option<&AgentKey>) -> bool {
        match &self.scope {
            MemoryScope::Session => self.was_known_to(world, session),
            MemoryScope::Persona(key) => agent.is_none_or(|agent| agent == key),
            MemoryScope::Operator => self.operator.is_none() || self.operator == session.operator,
        }
    }

    /// True if the memory comes from the session, or from an ancestor before the fork. Workers are not forks and start
    /// without memories.
    fn was_known_to(&self, world: &World, session: &Session) -> bool {
        let mut here = session;
        // Ends even on damaged data.
        for _ in 0..=world.sessions.len() {
            if here.id == self.session {
                return true;
            }
            let is_old = here.origin == SessionOrigin::Fork && self.at <= here.created_at;
            let parent = here.parent.filter(|_| is_old).and_then(|parent| world.session(&parent));
            let Some(parent) = parent else { return false };
            here = parent;
        }
        false
    }
}

/// The facts among `contents` that are new to the session: no duplicates, and none that it knows or the operator
/// deleted.
pub fn new_facts<'c>(world: &World, session: &Session, contents: &[&'c str]) -> Vec<&'c str> {
    let within = world.memories.values().filter(|memory| memory.reaches(world, session, None));
    let mut known: VecSet<String> = within.map(|memory| normal_form(&memory.content)).collect();
    contents.iter().filter(|content| known.insert(normal_form(content))).copied().collect()
}

/// The memories offered to a context, ranked: pinned first, then by weight (importance minus age) plus words in common
/// with the query, then newest first.
pub fn offered_memories<'w>(
    world: &'w World,
    session: &Session,
    agent: &AgentKey,
    query: &str,
    now: Millis,
) -> Vec<&'w Arc<Memory>> {
    let query_words = words(query);
    let reachable = world
        .memories
        .values()
        .filter(|memory| memory.exists() && memory.reaches(world, session, Some(agent)));
    let mut ranked = by_key(reachable, |memory| {
        let matches = words(&memory.content).iter().filter(|word| query_words.contains(*word)).count();
        let matches = u64::try_from(matches.min(MATCHES)).unwrap_or(0);
        let weight = memory.weight(now).saturating_add(matches);
        std::cmp::Reverse((memory.pinned, weight, memory.at, memory.id))
    });
    ranked.truncate(MEMORIES_OFFERED);
    ranked
}

fn words(text: &str) -> VecSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.chars().count() >= WORD_CHARS).map(str::to_lowercase).collect()
}

/// A truncated result: its beginning and end, and a note. `None` if it is short.
pub fn truncated(result: &Value) -> Option<Value> {
    let text = json::write(result).ok().filter(|text| text.len() > TRUNCATE_FROM_BYTES)?;
    let first_end = text.ceil_char_boundary(TRUNCATE_FIRST_BYTES);
    let last_begin = text.ceil_char_boundary(text.len().saturating_sub(TRUNCATE_LAST_BYTES));
    let missing = last_begin.saturating_sub(first_end);
    Some(json!({
        "given_in_short": format!(
            "The window is nearly full, so {missing} of {} bytes of this result are left out here. Call the tool again \
             where you need them, for less at a time.",
            text.len()
        ),
        "first": text.get(..first_end).unwrap_or_default(),
        "last": text.get(last_begin..).unwrap_or_default(),
    }))
}

/// A tool result as the prompt includes it, truncated if `is_truncated`.
pub fn for_prompt(answer: &ToolResult, is_truncated: bool) -> ToolResult {
    let truncated = if is_truncated { truncated(&answer.result) } else { None };
    truncated.map_or_else(|| answer.clone(), |result| ToolResult { result, ..answer.clone() })
}

/// Estimated tokens saved by truncating a tool message.
pub fn saved_tokens(message: &Message) -> u64 {
    let of = |answer: &ToolResult| {
        tokens_of_answer(answer).saturating_sub(tokens_of_answer(&for_prompt(answer, true)))
    };
    answers_of(&message.parts).map(of).sum()
}

/// Estimated tokens saved by truncating these messages.
pub fn saved_by(world: &World, messages: &[MessageId]) -> u64 {
    messages.iter().filter_map(|id| world.message(id)).map(|message| saved_tokens(message)).sum()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TruncationLimits {
    /// Truncate above this many tokens,
    pub threshold: u64,
    /// down to this many.
    pub target: u64,
    pub window: u64,
}

/// The tool messages of a turn to truncate in its next request. `demand` returns the tokens of the request after
/// saving so many estimated tokens. Truncated messages stay truncated, so that provider caches hit.
pub fn choose(
    world: &World,
    turn: &Turn,
    before: &[MessageId],
    limits: TruncationLimits,
    demand: impl Fn(u64) -> u64,
) -> Vec<MessageId> {
    let mut chosen = before.to_vec();
    let mut saving = saved_by(world, before);
    let (older, newest) = results_of(world, turn);
    if demand(saving) > limits.threshold {
        for (message, saves) in older {
            if demand(saving) <= limits.target {
                break;
            }
            if saves > 0 && !chosen.contains(&message) {
                chosen.push(message);
                saving = saving.saturating_add(saves);
            }
        }
    }
    // The request does not fit: truncate the newest results too, longest first.
    while demand(saving) > limits.window {
        let candidates = newest.iter().filter(|(id, saves)| *saves > 0 && !chosen.contains(id));
        let Some((message, saves)) = candidates.max_by_key(|(_, saves)| *saves) else { break };
        chosen.push(*message);
        saving = saving.saturating_add(*saves);
    }
    chosen
}

type TokenSavings = Vec<(MessageId, u64)>;

/// The tool messages of a turn, oldest first: those before the newest assistant message with tool calls, and those
/// after it.
fn results_of(world: &World, turn: &Turn) -> (TokenSavings, TokenSavings) {
    let messages: Vec<_> = turn.messages.iter().filter_map(|id| world.message(id)).collect();
    let newest_call = messages
        .iter()
        .rposition(|message| message.role == Role::Assistant && !message.metadata.tool_run_ids.is_empty());
    let newest_call = newest_call.unwrap_or(messages.len());
    let of = |messages: &[&std::sync::Arc<Message>]| {
        let tools = messages.iter().filter(|message| message.role == Role::Tool);
        tools.map(|message| (message.id, saved_tokens(message))).collect()
    };
    let (older, newest) = messages.split_at(newest_call);
    (of(older), of(newest))
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod memories_tests;

#[cfg(test)]
mod truncate_tests;
