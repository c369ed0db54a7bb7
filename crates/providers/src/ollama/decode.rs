//! Decodes Ollama's stream: one JSON object per line, the last with `done` and the token counts.
//!
//! An answer that was not streamed is the last line alone. Broken calls are never repaired.

use serde_json::{Map, Value, json};

use crate::chat::{Decode, ModelEvent, ResponseHead};
use crate::error;
use crate::fallback::arguments_in;
use crate::gaps::{Gaps, GarbageGuard};
use crate::part_builder::PartBuilder;
use crate::stream::lenient::Halves;
use crate::stream::{LineReader, StreamLine, lenient};
use crate::{gaps, http_error};
use nexus_model::limits::CALLS_PER_ANSWER;
use nexus_model::llm::{FinishReason, Usage};
use nexus_model::message::content::ToolArgs;
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};

/// The most text kept of lines that are not JSON, in bytes.
const STRAY_CAP: usize = 64 * 1024;

pub(super) const THINKING: &str = "thinking";

/// The token counts, fields of the last line among others.
const COUNTS: [&str; 2] = ["prompt_eval_count", "eval_count"];

#[derive(Clone, Debug, Default, PartialEq)]
pub struct OllamaDecoder {
    lines: LineReader,
    halves: Halves,
    gaps: Gaps,
    head: ResponseHead,
    prose: PartBuilder,
    calls: Vec<DeferredCall>,
    thought: String,
    stray: String,
    understood: bool,
    garbage: GarbageGuard,
    failed: bool,
    ended: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct DeferredCall {
    id: Option<String>,
    name: String,
    args: ToolArgs,
}

impl Decode for OllamaDecoder {
    fn feed(&mut self, bytes: &[u8]) -> Vec<ModelEvent> {
        let lines = self.lines.feed(bytes);
        let mut events = Vec::new();
        lines.into_iter().for_each(|line| self.take_line(line, &mut events));
        events
    }

    fn end(&mut self) -> Vec<ModelEvent> {
        let mut events = Vec::new();
        if let Some(line) = self.lines.end() {
            self.take_line(line, &mut events);
        }
        self.take_held(&mut events);
        self.take_stray(&mut events);
        self.prose.flush(&mut events);
        events
    }
}

impl OllamaDecoder {
    fn take_line(&mut self, line: StreamLine, events: &mut Vec<ModelEvent>) {
        match line {
            StreamLine::Text(line) => {
                for (_, line) in self.halves.take(None, line) {
                    self.take_text(&line, events);
                }
            }
            StreamLine::Overlong(head) => {
                self.take_held(events);
                if !self.failed && !self.ended {
                    self.skip(&head, events);
                }
            }
        }
    }

    fn take_held(&mut self, events: &mut Vec<ModelEvent>) {
        if let Some((_, line)) = self.halves.end() {
            self.take_text(&line, events);
        }
    }

    fn take_text(&mut self, line: &str, events: &mut Vec<ModelEvent>) {
        if self.failed || self.ended {
            return;
        }
        let text = line.trim_matches(|c: char| c.is_whitespace() || c == '\0');
        // A gateway may send the lines as events.
        let data = text.strip_prefix("data:").map(str::trim_start);
        let text = data.unwrap_or(text);
        if text.is_empty() || text == "[DONE]" || data.is_some_and(gaps::is_heartbeat) {
            return;
        }
        match lenient::parse(text) {
            Ok(Value::Object(piece)) => self.take_piece(piece, events),
            _ => {
                if let Some(failure) = gaps::too_deep(text) {
                    self.fail(failure, events);
                    return;
                }
                if self.stray.len().saturating_add(line.len()) < STRAY_CAP {
                    self.stray.push_str(line);
                    self.stray.push('\n');
                }
                self.skip(text, events);
            }
        }
    }

    /// Skips a piece. Calls are never sent in pieces, so a call that it names is lost.
    fn skip(&mut self, piece: &str, events: &mut Vec<ModelEvent>) {
        self.gaps.skip(piece, false);
        events.push(ModelEvent::Skipped);
        if let Some(count) = self.garbage.count_bad() {
            let excerpt = http_error::excerpt(&self.stray);
            let failure = if self.understood || excerpt.is_empty() {
                gaps::too_much(count)
            } else {
                ProviderError::new(ProviderErrorKind::Garbled, excerpt)
            };
            self.fail(failure, events);
        }
    }

    fn fail(&mut self, failure: ProviderError, events: &mut Vec<ModelEvent>) {
        self.prose.flush(events);
        self.failed = true;
        events.push(ModelEvent::Failed(failure));
    }

    /// Decodes lines that are not JSON each, but may be together: an error on several lines, or a foreign page.
    fn take_stray(&mut self, events: &mut Vec<ModelEvent>) {
        let stray = std::mem::take(&mut self.stray);
        if self.failed || self.understood || stray.is_empty() {
            return;
        }
        if let Ok(Value::Object(piece)) = lenient::parse(&stray) {
            // Lines that parse together were no gaps.
            self.gaps = Gaps::default();
            self.take_piece(piece, events);
        }
        if !self.understood && !self.failed {
            self.fail(ProviderError::new(ProviderErrorKind::Garbled, http_error::excerpt(&stray)), events);
        }
    }

    fn take_piece(&mut self, piece: Map<String, Value>, events: &mut Vec<ModelEvent>) {
        self.garbage.reset();
        self.understood |= piece.contains_key("message") || piece.contains_key("done");
        self.head.read(None, piece.get("model"), events);
        if let Some(message) = piece.get("message") {
            self.take_message(message, events);
        }
        self.take_counts(&piece, events);
        let is_done = piece.get("done").and_then(Value::as_bool).unwrap_or(false);
        let reason = piece.get("done_reason").and_then(Value::as_str).map(str::to_owned);
        let piece = Value::Object(piece);
        if let Some(failure) = error::failure_in(&piece, None) {
            self.fail(failure, events);
        } else if is_done {
            self.conclude(reason, events);
        } else if !self.understood {
            self.fail(
                ProviderError::new(ProviderErrorKind::Garbled, http_error::excerpt(&piece.to_string())),
                events,
            );
        }
    }

    fn take_message(&mut self, message: &Value, events: &mut Vec<ModelEvent>) {
        let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
        let thought = text("thinking");
        self.thought.push_str(thought);
        self.prose.push_thinking(thought, events);
        self.prose.push_text(text("content"), events);
        for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let name = call.pointer("/function/name").and_then(Value::as_str).filter(|name| !name.is_empty());
            match name {
                Some(name) if self.calls.len() < CALLS_PER_ANSWER => {
                    let id = call.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
                    let args = arguments_in(call.pointer("/function/arguments"));
                    let held = DeferredCall { id: id.map(str::to_owned), name: name.to_owned(), args };
                    if held.id.is_some() && self.calls.contains(&held) {
                        events.push(ModelEvent::Repeated);
                        continue;
                    }
                    let is_taken = self.calls.iter().any(|other| other.id == held.id);
                    self.calls.push(DeferredCall { id: held.id.filter(|_| !is_taken), ..held });
                }
                Some(_) => events.push(ModelEvent::Skipped),
                None => {
                    // An entry without any content is no call.
                    if call.pointer("/function/arguments").is_some_and(|args| !args.is_null()) {
                        self.gaps.lose_call();
                    }
                    events.push(ModelEvent::Skipped);
                }
            }
        }
    }

    fn take_counts(&mut self, piece: &Map<String, Value>, events: &mut Vec<ModelEvent>) {
        let count = |key: &str| piece.get(key).and_then(lenient::count);
        let raw: Map<String, Value> =
            COUNTS.iter().filter_map(|key| Some(((*key).to_owned(), piece.get(*key)?.clone()))).collect();
        if !raw.is_empty() {
            events.push(ModelEvent::Usage(Usage {
                input: count("prompt_eval_count"),
                cached: None,
                output: count("eval_count"),
                reasoning: None,
                raw: raw.into(),
            }));
        }
    }

    fn conclude(&mut self, reason: Option<String>, events: &mut Vec<ModelEvent>) {
        self.ended = true;
        self.prose.flush(events);
        let calls = std::mem::take(&mut self.calls);
        let has_calls = !calls.is_empty();
        for call in calls {
            self.prose.call(call.id, call.name, call.args, events);
        }
        if !self.thought.is_empty() {
            let data = json!({ THINKING: std::mem::take(&mut self.thought) });
            events.push(ModelEvent::Opaque { part: self.prose.carrier(), data });
        }
        let finish = match reason.as_deref() {
            // The server has parsed the calls, so they are complete whatever follows them.
            _ if has_calls => FinishReason::ToolCalls,
            Some("length") => FinishReason::Length,
            None | Some("" | "stop" | "load") => FinishReason::Stop,
            // Unknown reasons do not prove that the answer is complete.
            Some(_) => FinishReason::Incomplete,
        };
        let promised = reason.as_deref().is_some_and(gaps::promises_calls);
        let finish = self.gaps.resolve(finish, promised && !has_calls);
        events.push(ModelEvent::Finish { finish, raw: reason, message: None });
    }
}
