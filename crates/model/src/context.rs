//! Context windows of models: token estimates and window sizes. Submodules select turns, measure usage and truncate
//! tool results.

pub mod compaction;
pub mod forecast;
pub mod history;
pub mod window;

use serde_json::Value;

use crate::id::{AgentKey, MessageId};
use crate::limits::{OLLAMA_WINDOW_TOKENS, UNKNOWN_WINDOW_TOKENS, WINDOW_PERCENT};
use crate::llm::ModelConfig;
use crate::message::Role;
use crate::message::content::{MessagePart, PartBody, ToolArgs, ToolResult, text_of};
use crate::mind::blob::is_document;
use crate::provider::{Protocol, price::window_of, vision::InputKinds};
use crate::turn::Turn;
use crate::world::World;
use nexus_text::content_hash::ContentHash;

const CHARS_PER_TOKEN: u64 = 4;
/// Overhead of a part in a request.
const PART_BYTES: usize = 36;
/// Approximate size of a JSON number or keyword.
const WORD_BYTES: usize = 5;
/// Tokens of the line that describes a tool run in another agent's turn.
const TOOL_LINE_TOKENS: u64 = 16;
/// Tokens of an image. Providers count by tiles; most images come to about this many.
pub const PICTURE_TOKENS: u64 = 1_500;
/// Bytes of a document page, which counts like an image.
const PAGE_BYTES: u64 = 50_000;

pub fn estimate(text: &str) -> u64 {
    tokens_in(text.len())
}

fn tokens_in(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX) / CHARS_PER_TOKEN + 1
}

/// Estimated tokens of the attachments that a model accepts.
pub fn attachment_tokens<'p>(parts: impl IntoIterator<Item = &'p MessagePart>, kinds: InputKinds) -> u64 {
    let tokens = parts.into_iter().filter_map(|part| {
        let PartBody::Blob { mime, bytes, .. } = &part.body else { return None };
        let pages = if is_document(mime) { bytes.div_ceil(PAGE_BYTES) } else { 1 };
        kinds.has(mime).then(|| pages.saturating_mul(PICTURE_TOKENS))
    });
    tokens.fold(0, u64::saturating_add)
}

pub fn tokens_of(world: &World, turn: &Turn) -> u64 {
    tokens_with(world, turn, InputKinds::ALL)
}

/// Estimated tokens of a turn with attachments of these kinds only.
fn tokens_with(world: &World, turn: &Turn, kinds: InputKinds) -> u64 {
    let query = messages_with(world, &turn.query, kinds);
    query.saturating_add(messages_with(world, &turn.messages, kinds))
}

/// Estimated tokens of a turn in the history for `reader`: all of its own turns; of others' turns only the text, with
/// a line for each tool run instead of its result.
pub fn tokens_for(world: &World, turn: &Turn, reader: &AgentKey, kinds: InputKinds) -> u64 {
    if turn.is_exchange_of(reader) {
        return tokens_with(world, turn, kinds);
    }
    let messages = turn.messages.iter().filter_map(|id| world.message(id));
    let text = messages.filter(|message| message.role == Role::Assistant);
    let text: u64 = text.map(|message| estimate(&text_of(&message.parts))).sum();
    let runs = u64::try_from(turn.tool_runs.len()).unwrap_or(u64::MAX);
    messages_with(world, &turn.query, kinds)
        .saturating_add(text)
        .saturating_add(runs.saturating_mul(TOOL_LINE_TOKENS))
}

/// Estimated tokens of messages with attachments of these kinds only.
pub fn messages_with(world: &World, messages: &[MessageId], kinds: InputKinds) -> u64 {
    let messages = messages.iter().filter_map(|id| world.message(id));
    messages
        .map(|message| {
            let bytes: usize = message.parts.iter().map(weight).sum();
            tokens_in(bytes).saturating_add(attachment_tokens(&message.parts, kinds))
        })
        .sum()
}

/// The approximate size of a part in a request. Estimated without serialising, because a long history is measured for
/// every request.
fn weight(part: &MessagePart) -> usize {
    let body = match &part.body {
        PartBody::Text { text } | PartBody::Thinking { text } => text.len(),
        PartBody::Json { value } => weight_of(value),
        PartBody::Blob { mime, name, .. } => ContentHash::DIGITS + mime.len() + name.len(),
        PartBody::ToolCall(call) => {
            let args = match &call.args {
                ToolArgs::Parsed(value) => weight_of(value),
                ToolArgs::Broken(text) => text.len(),
            };
            call.id.len() + call.name.len() + args
        }
        PartBody::ToolResult(answer) => weight_of_answer(answer),
    };
    body + PART_BYTES + part.opaque.as_ref().map_or(0, |opaque| weight_of(&opaque.data))
}

fn weight_of_answer(answer: &ToolResult) -> usize {
    answer.call_id.len() + answer.name.len() + weight_of(&answer.result)
}

pub fn tokens_of_answer(answer: &ToolResult) -> u64 {
    tokens_in(weight_of_answer(answer))
}

/// The approximate size of a value as JSON.
fn weight_of(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => WORD_BYTES,
        Value::String(text) => text.len() + 2,
        Value::Array(all) => all.iter().map(|each| weight_of(each) + 1).sum::<usize>() + 2,
        Value::Object(all) => {
            all.iter().map(|(name, each)| name.len() + weight_of(each) + 4).sum::<usize>() + 2
        }
    }
}

/// The context window of a model in tokens. The operator's setting takes precedence over the known size.
pub fn window(world: &World, config: &ModelConfig) -> u64 {
    // Ollama allocates the window that the request asks for, whatever the model supports.
    let is_ollama =
        world.live_provider(&config.provider).is_some_and(|provider| provider.protocol == Protocol::Ollama);
    let known = if is_ollama { Some(OLLAMA_WINDOW_TOKENS) } else { window_of(&config.model) };
    config.context_tokens.or(known).unwrap_or(UNKNOWN_WINDOW_TOKENS).max(1)
}

/// Maximum tokens of a request: a share of the window that leaves room for the answer.
pub fn room(world: &World, config: &ModelConfig) -> u64 {
    let window = window(world, config);
    let answer = config.max_tokens.map_or(0, u64::from);
    (window.saturating_mul(WINDOW_PERCENT) / 100).min(window.saturating_sub(answer)).max(1)
}

/// The ratio of a provider's token count to our estimate of the same request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenScale {
    counted: u64,
    estimated: u64,
}

impl TokenScale {
    /// The scale without a known count: 1.
    pub const NONE: Self = Self { counted: 1, estimated: 1 };

    /// The ratio for one request. Implausible counts are ignored, because they count something else.
    pub fn of(counted: u64, estimated: u64) -> Self {
        let estimated = estimated.max(1);
        if counted < estimated / 2 || counted > estimated.saturating_mul(4) {
            return Self::NONE;
        }
        Self { counted, estimated }
    }

    /// Scales an estimate to the provider's count.
    pub fn apply(self, tokens: u64) -> u64 {
        tokens.saturating_mul(self.counted) / self.estimated
    }
}

#[cfg(test)]
mod tests;
