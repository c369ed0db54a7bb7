//! Truncates tool results, oldest first, when the context window is nearly full.
//!
//! Results for the newest answer are truncated only if the request would not fit at all. Stored results never change.

use serde_json::{Value, json};

use crate::context::tokens_of_answer;
use crate::id::MessageId;
use crate::limits::{TRUNCATE_FIRST_BYTES, TRUNCATE_FROM_BYTES, TRUNCATE_LAST_BYTES};
use crate::message::content::{ToolResult, answers_of};
use crate::message::{Message, Role};
use crate::turn::Turn;
use crate::world::World;
use nexus_text::json;

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

/// The size limits of a request.
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

/// The tokens saved by truncating each tool message.
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn truncated_result_keeps_its_ends_and_states_the_missing_bytes(
            words in proptest::collection::vec(("[a-zä🦀\"\\\\\n]{0,40}", 0..20usize), 0..40)
        ) {
            let text: String = words.iter().map(|(word, times)| word.repeat(*times)).collect();
            let result = json!({ "text": text });
            let whole = json::write(&result).unwrap();
            match truncated(&result) {
                None => prop_assert!(whole.len() <= TRUNCATE_FROM_BYTES),
                Some(short) => {
                    let (first, last) = (short["first"].as_str().unwrap(), short["last"].as_str().unwrap());
                    prop_assert!(whole.starts_with(first) && whole.ends_with(last));
                    let missing = whole.len() - first.len() - last.len();
                    let note = format!("so {missing} of {} bytes", whole.len());
                    prop_assert!(short["given_in_short"].as_str().unwrap().contains(&note));
                    prop_assert!(json::write(&short).unwrap().len() <= TRUNCATE_FROM_BYTES);
                    // Deterministic, so that a request can be rebuilt byte for byte.
                    prop_assert_eq!(truncated(&result), Some(short));
                }
            }
        }
    }
}
