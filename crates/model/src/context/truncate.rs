//! Truncates tool results, oldest first, when the context window is nearly full.
//!
//! Results for the newest answer are sent whole as long as they fit. Stored results never change.

use serde_json::{Value, json};

use crate::context::tokens_of_answer;
use crate::id::MessageId;
use crate::limits::{CURTAIL_FIRST_BYTES, CURTAIL_FROM_BYTES, CURTAIL_LAST_BYTES};
use crate::message::content::{ToolResult, answers_of};
use crate::message::{Message, Role};
use crate::turn::Turn;
use crate::world::World;
use nexus_text::json;

/// A long result in short: its beginning and its end, and in words that this is not all. `None` where it is not long.
pub fn in_short(result: &Value) -> Option<Value> {
    let text = json::write(result).ok().filter(|text| text.len() > CURTAIL_FROM_BYTES)?;
    let first_end = text.ceil_char_boundary(CURTAIL_FIRST_BYTES);
    let last_begin = text.ceil_char_boundary(text.len().saturating_sub(CURTAIL_LAST_BYTES));
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

/// The answers as a prompt gives them, those of these messages in short.
pub fn given(answer: &ToolResult, is_curtailed: bool) -> ToolResult {
    let short = if is_curtailed { in_short(&answer.result) } else { None };
    short.map_or_else(|| answer.clone(), |result| ToolResult { result, ..answer.clone() })
}

/// An estimate of the tokens that a tool message takes less where its result is given in short.
pub fn saved(message: &Message) -> u64 {
    let of =
        |answer: &ToolResult| tokens_of_answer(answer).saturating_sub(tokens_of_answer(&given(answer, true)));
    answers_of(&message.parts).map(of).sum()
}

/// The same for these messages together.
pub fn saved_by(world: &World, messages: &[MessageId]) -> u64 {
    messages.iter().filter_map(|id| world.message(id)).map(|message| saved(message)).sum()
}

/// What a request may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TruncationLimits {
    /// Above so many tokens results are given in short.
    pub threshold: u64,
    /// Down to so many.
    pub target: u64,
    pub window: u64,
}

/// Which tool messages of a turn are given in short in its next request. `demand` says what the request takes where
/// so many estimated tokens are saved. What was given in short before stays so: providers' caches hit on what is
/// the same.
pub fn choose(
    world: &World,
    turn: &Turn,
    before: &[MessageId],
    limits: TruncationLimits,
    demand: impl Fn(u64) -> u64,
) -> Vec<MessageId> {
    let mut chosen = before.to_vec();
    let mut less = saved_by(world, before);
    let (older, newest) = results_of(world, turn);
    if demand(less) > limits.threshold {
        for (message, saves) in older {
            if demand(less) <= limits.target {
                break;
            }
            if saves > 0 && !chosen.contains(&message) {
                chosen.push(message);
                less = less.saturating_add(saves);
            }
        }
    }
    // No window can hold the request: what was asked for last is given in short, too, the longest first.
    while demand(less) > limits.window {
        let left = newest.iter().filter(|(id, saves)| *saves > 0 && !chosen.contains(id));
        let Some((message, saves)) = left.max_by_key(|(_, saves)| *saves) else { break };
        chosen.push(*message);
        less = less.saturating_add(*saves);
    }
    chosen
}

/// What results of a turn save where they are given in short.
type TokenSavings = Vec<(MessageId, u64)>;

/// The tool messages of a turn, oldest first: those before its newest answer, and those that it asked for.
fn results_of(world: &World, turn: &Turn) -> (TokenSavings, TokenSavings) {
    let messages: Vec<_> = turn.messages.iter().filter_map(|id| world.message(id)).collect();
    let asked = messages
        .iter()
        .rposition(|message| message.role == Role::Assistant && !message.metadata.tool_run_ids.is_empty());
    let asked = asked.unwrap_or(messages.len());
    let of = |messages: &[&std::sync::Arc<Message>]| {
        let tools = messages.iter().filter(|message| message.role == Role::Tool);
        tools.map(|message| (message.id, saved(message))).collect()
    };
    let (older, newest) = messages.split_at(asked);
    (of(older), of(newest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn in_short_a_result_is_short_keeps_its_ends_and_says_what_is_missing(
            words in proptest::collection::vec(("[a-zä🦀\"\\\\\n]{0,40}", 0..20usize), 0..40)
        ) {
            let text: String = words.iter().map(|(word, times)| word.repeat(*times)).collect();
            let result = json!({ "text": text });
            let whole = json::write(&result).unwrap();
            match in_short(&result) {
                None => prop_assert!(whole.len() <= CURTAIL_FROM_BYTES),
                Some(short) => {
                    let (first, last) = (short["first"].as_str().unwrap(), short["last"].as_str().unwrap());
                    prop_assert!(whole.starts_with(first) && whole.ends_with(last));
                    let missing = whole.len() - first.len() - last.len();
                    let told = format!("so {missing} of {} bytes", whole.len());
                    prop_assert!(short["given_in_short"].as_str().unwrap().contains(&told));
                    prop_assert!(json::write(&short).unwrap().len() <= CURTAIL_FROM_BYTES);
                    // The same every time, so that a request is built again byte for byte.
                    prop_assert_eq!(in_short(&result), Some(short));
                }
            }
        }
    }
}
