//! Never performs input or output, and never runs or repairs a call.
//!
//! Owns the reading of Ollama's answer: a line of JSON for each piece, the last one with `done` and the counts. An
//! answer that was not streamed is that last line alone.

use serde_json::{Map, Value, json};

use crate::domain::failure::{Failure, FailureCategory};
use crate::domain::limits::CALLS_PER_ANSWER;
use crate::domain::model::{Finish, Usage};
use crate::domain::part::ToolArgs;
use crate::wire::chat::ModelEvent;
use crate::wire::lines::{Line, LineReader};
use crate::wire::nesting;
use crate::wire::noise::{self, Noise};
use crate::wire::ollama::error;
use crate::wire::prose::Prose;
use crate::wire::refusal;
use crate::wire::told::arguments_in;

/// The most text that is kept of lines that are no JSON, in bytes.
const STRAY_CAP: usize = 64 * 1024;

/// The key under which thinking is kept as opaque data.
pub(super) const THINKING: &str = "thinking";

/// The counts, which stand among the other fields of the last line.
const COUNTS: [&str; 2] = ["prompt_eval_count", "eval_count"];

/// Reads one answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OllamaDecoder {
    lines: LineReader,
    prose: Prose,
    calls: Vec<HeldCall>,
    thought: String,
    stray: String,
    understood: bool,
    noise: Noise,
    failed: bool,
    ended: bool,
}

/// A call that waits for the end of the answer.
#[derive(Clone, Debug, PartialEq)]
struct HeldCall {
    id: Option<String>,
    name: String,
    args: ToolArgs,
}

impl OllamaDecoder {
    /// Takes in more bytes.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<ModelEvent> {
        let lines = self.lines.feed(bytes);
        let mut events = Vec::new();
        lines.into_iter().for_each(|line| self.take_line(line, &mut events));
        events
    }

    /// The stream is over: reads what was pending and makes sense of text that was no JSON line.
    pub fn end(&mut self) -> Vec<ModelEvent> {
        let mut events = Vec::new();
        if let Some(line) = self.lines.end() {
            self.take_line(line, &mut events);
        }
        self.take_stray(&mut events);
        self.prose.flush(&mut events);
        events
    }

    fn take_line(&mut self, line: Line, events: &mut Vec<ModelEvent>) {
        if self.failed || self.ended {
            return;
        }
        let Line::Text(line) = line else {
            self.pass_over(events);
            return;
        };
        let text = line.trim();
        // A gateway may dress the lines up as events.
        let text = text.strip_prefix("data:").map_or(text, str::trim_start);
        if text.is_empty() || text == "[DONE]" {
            return;
        }
        match serde_json::from_str(text) {
            Ok(Value::Object(piece)) => self.take_piece(piece, events),
            _ => {
                if let Some(failure) = nesting::too_deep(text) {
                    self.fail(failure, events);
                    return;
                }
                if self.stray.len().saturating_add(line.len()) < STRAY_CAP {
                    self.stray.push_str(&line);
                    self.stray.push('\n');
                }
                self.pass_over(events);
            }
        }
    }

    fn pass_over(&mut self, events: &mut Vec<ModelEvent>) {
        events.push(ModelEvent::Skipped);
        if let Some(count) = self.noise.heard() {
            let excerpt = refusal::excerpt(&self.stray);
            let failure = if self.understood || excerpt.is_empty() {
                noise::too_much(count, "lines")
            } else {
                Failure::new(FailureCategory::Garbled, excerpt)
            };
            self.fail(failure, events);
        }
    }

    fn fail(&mut self, failure: Failure, events: &mut Vec<ModelEvent>) {
        self.prose.flush(events);
        self.failed = true;
        events.push(ModelEvent::Failed(failure));
    }

    /// Lines that were no JSON each, but may be all together: an error on several lines, or somebody else's page.
    fn take_stray(&mut self, events: &mut Vec<ModelEvent>) {
        let stray = std::mem::take(&mut self.stray);
        if self.failed || self.understood || stray.is_empty() {
            return;
        }
        if let Ok(Value::Object(whole)) = serde_json::from_str(&stray) {
            self.take_piece(whole, events);
        }
        if !self.understood && !self.failed {
            self.fail(Failure::new(FailureCategory::Garbled, refusal::excerpt(&stray)), events);
        }
    }

    fn take_piece(&mut self, piece: Map<String, Value>, events: &mut Vec<ModelEvent>) {
        self.noise.over();
        self.understood |= piece.contains_key("message") || piece.contains_key("done");
        if let Some(message) = piece.get("message") {
            self.take_message(message, events);
        }
        self.take_counts(&piece, events);
        let is_done = piece.get("done").and_then(Value::as_bool).unwrap_or(false);
        let reason = piece.get("done_reason").and_then(Value::as_str).map(str::to_owned);
        let whole = Value::Object(piece);
        if let Some(failure) = error::failure_in(&whole) {
            self.fail(failure, events);
        } else if is_done {
            self.conclude(reason, events);
        } else if !self.understood {
            self.fail(Failure::new(FailureCategory::Garbled, refusal::excerpt(&whole.to_string())), events);
        }
    }

    fn take_message(&mut self, message: &Value, events: &mut Vec<ModelEvent>) {
        let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
        let thought = text("thinking");
        self.thought.push_str(thought);
        self.prose.think(thought, events);
        self.prose.say(text("content"), events);
        for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let name = call.pointer("/function/name").and_then(Value::as_str).filter(|name| !name.is_empty());
            match name {
                Some(name) if self.calls.len() < CALLS_PER_ANSWER => {
                    let id = call.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
                    let id = id.filter(|id| self.calls.iter().all(|other| other.id.as_deref() != Some(*id)));
                    self.calls.push(HeldCall {
                        id: id.map(str::to_owned),
                        name: name.to_owned(),
                        args: arguments_in(call.pointer("/function/arguments")),
                    });
                }
                Some(_) | None => events.push(ModelEvent::Skipped),
            }
        }
    }

    fn take_counts(&mut self, piece: &Map<String, Value>, events: &mut Vec<ModelEvent>) {
        let count = |key: &str| piece.get(key).and_then(Value::as_u64);
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
            // The server has read the calls, so that they are whole whatever came after them.
            _ if has_calls => Finish::ToolCalls,
            Some("length") => Finish::Length,
            Some(_) | None => Finish::Stop,
        };
        events.push(ModelEvent::Finish { finish, raw: reason, message: None });
    }
}
