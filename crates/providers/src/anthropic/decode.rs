//! Decodes the stream of Anthropic's Messages API.
//!
//! A message starts, its blocks open, grow and close, and it ends with a stop reason and an end event. A tool call
//! counts once its block is closed. Thinking keeps its signature, which the provider requires back. Broken calls are
//! never repaired.

use serde_json::{Map, Value};

use crate::chat::ModelEvent;
use crate::stream::LINE_CAP;
use crate::stream::event_stream::{EventStream, Family, named, take_stray};
use crate::{error, stream, turns};
use nexus_model::llm::{FinishReason, Usage};
use nexus_model::message::content::ToolArgs;

/// The most blocks that may be open at a time. Real streams have one.
const OPEN_BLOCKS: usize = 64;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnthropicDecoder {
    stream: EventStream,
    started: bool,
    open: Vec<OpenBlock>,
    usage: Map<String, Value>,
    finish: Option<FinishReason>,
}

impl Family for AnthropicDecoder {
    fn stream(&mut self) -> &mut EventStream {
        &mut self.stream
    }

    fn take(&mut self, name: Option<&str>, event: Map<String, Value>) {
        self.take_event(&named(name, event));
    }

    /// Marks each open block as broken, since it may have lost a part.
    fn miss(&mut self, piece: &str) {
        self.open.iter_mut().for_each(|block| block.broken = true);
        let marked_broken = self.open.iter().any(OpenBlock::is_call);
        self.stream.gaps.skip(piece, marked_broken);
    }

    /// Ends the answer. An unfinished call makes it incomplete: otherwise a part of the model's request would be
    /// missing without notice.
    fn close(&mut self) {
        let promised = self.finish == Some(FinishReason::ToolCalls) && !self.stream.has_calls();
        let missing = promised || self.open.iter().any(OpenBlock::is_call);
        if let Some(finish) = self.finish {
            let resolved = self.stream.gaps.resolve(finish, missing);
            if resolved != finish {
                self.finish = Some(resolved);
                self.stream.emit(ModelEvent::finish(resolved));
            }
        }
        self.open.clear();
    }
}

impl AnthropicDecoder {
    fn take_event(&mut self, event: &Map<String, Value>) {
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
        let index = event.get("index").and_then(stream::count);
        let object = |key: &str| event.get(key).and_then(Value::as_object);
        self.stream.understood |= matches!(
            kind,
            "message" | "message_start" | "message_delta" | "message_stop" | "ping" | "content_block_start"
        );
        match kind {
            "message_start" => self.take_start(object("message")),
            "content_block_start" => match object("content_block") {
                Some(content) => self.open_block(index, content),
                // It may have been a call.
                None => self.skip(true),
            },
            "content_block_delta" => match object("delta") {
                Some(delta) => self.take_delta(index, delta),
                None => {
                    self.mark_broken(index);
                    self.stream.emit(ModelEvent::Skipped);
                }
            },
            "content_block_stop" => self.close_block(index),
            "message_delta" => {
                self.take_usage(event.get("usage"));
                self.take_ending(object("delta"));
            }
            "message_stop" => {
                take_stray(self);
                if self.stream.ended {
                    return;
                }
                if self.finish.is_none() {
                    self.finish_with("end_turn", None, None);
                }
                self.close();
                self.stream.ended = true;
            }
            "ping" => {}
            "message" => self.take_message(event),
            _ => {
                let event = Value::Object(event.clone());
                let failure = error::failure_in(&event, None);
                match failure.or_else(|| (kind == "error").then(|| error::of_event(&event))) {
                    Some(failure) => self.fail(failure),
                    None if kind.is_empty() => {
                        self.miss(&event.to_string());
                        self.stream.emit(ModelEvent::Skipped);
                    }
                    // An event of a newer API version.
                    None => {}
                }
            }
        }
    }

    /// Starts a message. One with another id in the middle of a stream means that the provider restarted the answer.
    fn take_start(&mut self, start: Option<&Map<String, Value>>) {
        let field = |key| start.and_then(|start| start.get(key));
        let id = field("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        let known = self.stream.response_id.as_deref();
        if self.started && id.is_some() && known.is_some() && id != known {
            self.stream.restart();
            let stream = std::mem::take(&mut self.stream);
            *self = Self { stream, ..Self::default() };
        }
        self.started = true;
        self.stream.read_head(field("id"), field("model"));
        self.take_usage(field("usage"));
    }

    /// Decodes a complete answer, from a host that does not stream.
    fn take_message(&mut self, message: &Map<String, Value>) {
        self.take_start(Some(message));
        let blocks = message.get("content").and_then(Value::as_array).into_iter().flatten();
        for (index, content) in (0..).zip(blocks) {
            if let Some(content) = content.as_object() {
                self.open_block(Some(index), content);
                self.close_block(Some(index));
            }
        }
        self.take_ending(Some(message));
        self.close();
        self.stream.ended = true;
    }

    fn open_block(&mut self, index: Option<u64>, content: &Map<String, Value>) {
        // An index that is opened again was never closed: discard its unfinished block.
        if let Some(at) = self.open.iter().position(|block| block.index == index) {
            let is_call = self.open.remove(at).is_call();
            self.skip(is_call);
        }
        let block = OpenBlock::open(index, content);
        if self.open.len() >= OPEN_BLOCKS {
            return self.skip(block.is_call());
        }
        let at = self.open.len();
        let is_redacted = matches!(block.body, BlockBody::Redacted(_));
        self.open.push(block);
        if is_redacted {
            let part = self.part_of(at);
            self.stream.emit(ModelEvent::Thinking { part, text: String::new() });
        }
        for key in ["text", "thinking"] {
            if let Some(text) = content.get(key).and_then(Value::as_str) {
                self.emit_text(at, key, text);
            }
        }
    }

    /// Skips a piece, which may have been a call or a part of one.
    fn skip(&mut self, may_be_call: bool) {
        if may_be_call {
            self.stream.gaps.lose_call();
        }
        self.stream.emit(ModelEvent::Skipped);
    }

    fn mark_broken(&mut self, index: Option<u64>) {
        let at = self.block_at(index);
        if let Some(block) = at.and_then(|at| self.open.get_mut(at)) {
            block.broken = true;
        }
    }

    /// The open block of an event; the last one if the event names none.
    fn block_at(&self, index: Option<u64>) -> Option<usize> {
        match index {
            Some(_) => self.open.iter().position(|block| block.index == index),
            None => self.open.len().checked_sub(1),
        }
    }

    fn take_delta(&mut self, index: Option<u64>, delta: &Map<String, Value>) {
        let field = |key: &str| delta.get(key).and_then(Value::as_str);
        let at = self.block_at(index);
        let Some((at, block)) = at.and_then(|at| Some((at, self.open.get_mut(at)?))) else {
            return self.skip(field("type") == Some("input_json_delta"));
        };
        let accepted = match delta.get("type").and_then(Value::as_str) {
            Some("text_delta") => field("text").is_some_and(|text| self.emit_text(at, "text", text)),
            Some("thinking_delta") => {
                field("thinking").is_some_and(|text| self.emit_text(at, "thinking", text))
            }
            Some("signature_delta") => match (&mut block.body, field("signature")) {
                (BlockBody::Thinking { signature, .. }, Some(piece)) => {
                    signature.push_str(piece);
                    true
                }
                _ => false,
            },
            Some("input_json_delta") => {
                // Calls of tools that the provider runs itself look the same.
                block.body == BlockBody::Other || field("partial_json").is_some_and(|p| block.extend_json(p))
            }
            // Citations are not shown.
            Some("citations_delta") => true,
            // Deltas of a newer API version are ignored, but not where they may be a part of a call.
            kind => kind.is_some() && !block.is_call(),
        };
        if !accepted {
            self.mark_broken(index);
            self.stream.emit(ModelEvent::Skipped);
        }
    }

    /// Emits more text or thinking of the block at `at`. False if the block has another type.
    fn emit_text(&mut self, at: usize, key: &str, text: &str) -> bool {
        let is_thinking = match (self.open.get(at).map(|block| &block.body), key) {
            (Some(BlockBody::Text), "text") => false,
            (Some(BlockBody::Thinking { .. }), "thinking") => true,
            _ => return false,
        };
        if !text.is_empty() {
            let part = self.part_of(at);
            self.stream.emit(ModelEvent::words(part, text.to_owned(), is_thinking));
        }
        true
    }

    /// The part of the block at `at`, created with its first content.
    fn part_of(&mut self, at: usize) -> usize {
        if let Some(part) = self.open.get(at).and_then(|block| block.part) {
            return part;
        }
        let part = self.stream.prose.next_part();
        if let Some(block) = self.open.get_mut(at) {
            block.part = Some(part);
        }
        part
    }

    fn close_block(&mut self, index: Option<u64>) {
        let Some(at) = self.block_at(index).filter(|at| *at < self.open.len()) else { return };
        let block = self.open.remove(at);
        match block.body {
            BlockBody::Text | BlockBody::Other => {}
            // The signature covers every character: broken thinking is not sent back to the provider.
            BlockBody::Thinking { signature, .. } if signature.is_empty() || block.broken => {}
            BlockBody::Thinking { block: mut data, signature } => {
                let part = block.part.unwrap_or_else(|| {
                    let part = self.stream.prose.next_part();
                    self.stream.emit(ModelEvent::Thinking { part, text: String::new() });
                    part
                });
                data.insert("signature".to_owned(), signature.into());
                self.stream.emit(ModelEvent::Opaque { part, data: data.into() });
            }
            BlockBody::Redacted(data) => {
                if let Some(part) = block.part {
                    self.stream.emit(ModelEvent::Opaque { part, data: data.into() });
                }
            }
            BlockBody::Call { name, .. } if name.is_empty() => self.skip(true),
            BlockBody::Call { id, name, input, json } => {
                let args = match json {
                    json if block.broken => ToolArgs::Broken(json),
                    // No piece came.
                    json if json.trim().is_empty() => turns::arguments_in(Some(&input)),
                    json => turns::read_arguments(&json),
                };
                let id = Some(id.as_str()).filter(|id| !id.is_empty());
                if self.stream.call(id, &name, args).is_none() {
                    return;
                }
                // A call after the stop reason still makes the answer one that calls tools.
                if matches!(self.finish, Some(FinishReason::Stop | FinishReason::Incomplete)) {
                    self.finish = Some(FinishReason::ToolCalls);
                    self.stream.emit(ModelEvent::finish(FinishReason::ToolCalls));
                }
            }
        }
    }

    /// Counts are cumulative: a new value replaces the one before, and a missing one keeps it.
    fn take_usage(&mut self, usage: Option<&Value>) {
        let Some(given) = usage.and_then(Value::as_object) else { return };
        for (key, value) in given.iter().filter(|(_, value)| !value.is_null()) {
            self.usage.insert(key.clone(), value.clone());
        }
        let count = |key: &str| self.usage.get(key).and_then(stream::count);
        let cached = count("cache_read_input_tokens");
        let written = count("cache_creation_input_tokens").unwrap_or(0);
        let thought =
            self.usage.get("output_tokens_details").and_then(|details| details.get("thinking_tokens"));
        self.stream.emit(ModelEvent::Usage(Usage {
            // Their count excludes tokens read from or written to the cache.
            input: count("input_tokens")
                .map(|fresh| fresh.saturating_add(written).saturating_add(cached.unwrap_or(0))),
            cached,
            output: count("output_tokens"),
            reasoning: thought.and_then(stream::count),
            raw: Value::Object(self.usage.clone()),
        }));
    }

    fn take_ending(&mut self, ending: Option<&Map<String, Value>>) {
        let Some(ending) = ending else { return };
        let details = ending.get("stop_details");
        let detail = |key: &str| details.and_then(|details| details.get(key)).and_then(Value::as_str);
        if let Some(raw) = ending.get("stop_reason").and_then(Value::as_str).filter(|raw| !raw.is_empty()) {
            let message = detail("explanation").or_else(|| detail("category")).map(str::to_owned);
            self.finish_with(raw, Some(raw.to_owned()), message);
        }
    }

    fn finish_with(&mut self, reason: &str, raw: Option<String>, message: Option<String>) {
        let finish = match reason {
            "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
            "refusal" => FinishReason::ContentFilter,
            "tool_use" => FinishReason::ToolCalls,
            _ if self.stream.has_calls() => FinishReason::ToolCalls,
            "end_turn" | "stop_sequence" => FinishReason::Stop,
            // `pause_turn` and `compaction` mean that the model has more to say. Unknown reasons do not prove that the
            // answer is complete.
            _ => FinishReason::Incomplete,
        };
        self.finish = Some(finish);
        self.stream.emit(ModelEvent::Finish { finish, raw, message });
    }
}

/// A content block of an answer, filled by its stream events. A tool call is emitted only when it is closed.
#[derive(Clone, Debug, PartialEq)]
enum BlockBody {
    Text,
    /// Thinking: the block as it started, without its text, and the signature of the text.
    Thinking {
        block: Map<String, Value>,
        signature: String,
    },
    /// Thinking that only the provider can read; the complete block.
    Redacted(Map<String, Value>),
    Call {
        id: String,
        name: String,
        input: Value,
        json: String,
    },
    /// Ignored: tools that the provider ran itself, and types of a newer API version.
    Other,
}

#[derive(Clone, Debug, PartialEq)]
struct OpenBlock {
    index: Option<u64>,
    part: Option<usize>,
    body: BlockBody,
    broken: bool,
}

impl OpenBlock {
    fn open(index: Option<u64>, content: &Map<String, Value>) -> Self {
        let field = |key: &str| content.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let body = match content.get("type").and_then(Value::as_str) {
            Some("text") => BlockBody::Text,
            Some("thinking") => {
                let mut block = content.clone();
                block.remove("thinking");
                block.remove("signature");
                BlockBody::Thinking { block, signature: field("signature") }
            }
            Some("redacted_thinking") => BlockBody::Redacted(content.clone()),
            Some("tool_use") => BlockBody::Call {
                id: field("id"),
                name: field("name"),
                input: content.get("input").cloned().unwrap_or_default(),
                json: String::new(),
            },
            _ => BlockBody::Other,
        };
        Self { index, part: None, body, broken: false }
    }

    fn is_call(&self) -> bool {
        matches!(self.body, BlockBody::Call { .. })
    }

    /// Appends a piece of a call's arguments. More than any call needs marks it as broken.
    fn extend_json(&mut self, piece: &str) -> bool {
        let BlockBody::Call { json, .. } = &mut self.body else { return false };
        if json.len().saturating_add(piece.len()) > LINE_CAP {
            self.broken = true;
        } else if !self.broken {
            json.push_str(piece);
        }
        true
    }
}
