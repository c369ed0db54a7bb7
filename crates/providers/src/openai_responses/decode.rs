//! Decodes the stream of OpenAI's Responses API.
//!
//! Output items open at their own index, and text and thinking grow. Calls and reasoning count once their item is done,
//! and one event holds the final status. Broken calls are never repaired.

use serde_json::{Map, Value};

use crate::chat::ModelEvent;
use crate::stream::Gaps;
use crate::stream::event_stream::{EventStream, Family, named, take_stray};
use crate::{error, stream, turns};
use nexus_model::llm::{FinishReason, Usage};
use nexus_model::provider::{ProviderError, ProviderErrorKind};
use nexus_text::vec_map::VecMap;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResponsesDecoder {
    stream: EventStream,
    /// The index of the last opened item, for events that name none.
    last_index: u64,
    /// The part of each text, by the index of its item and its own index within the item.
    texts: VecMap<(u64, u64), usize>,
    thoughts: VecMap<u64, ReasoningItem>,
    /// The index of each call's item, and the id that it came with.
    calls: Vec<(u64, Option<String>)>,
    /// True if the final event listed all items, so that no call can be missing.
    all_listed: bool,
    numbers: Numbers,
    /// How many calls were opened. All must be complete when the answer ends.
    promised: usize,
    /// How many of those were sent again.
    repeated_calls: usize,
    refusal: Option<String>,
}

/// The sequence numbers of events, to recognize repeated events.
#[derive(Clone, Debug, Default, PartialEq)]
struct Numbers {
    last: Option<(u64, Map<String, Value>)>,
    /// True if different events had the same number.
    meaningless: bool,
}

impl Numbers {
    /// True if an event is the last one sent again.
    fn is_repeated(&mut self, event: &Map<String, Value>) -> bool {
        let number = event.get("sequence_number").and_then(stream::count).filter(|_| !self.meaningless);
        let Some(number) = number else { return false };
        let same_number = self.last.as_ref().filter(|(last, _)| *last == number);
        if let Some((_, last)) = same_number {
            self.meaningless = last != event;
            return !self.meaningless;
        }
        self.last = Some((number, event.clone()));
        false
    }
}

#[derive(Clone, Debug, PartialEq)]
struct ReasoningItem {
    part: usize,
    /// Summaries and the reasoning itself duplicate each other: only the kind that came first is kept.
    source: ReasoningSource,
    /// The index of the piece that is being written.
    piece: u64,
    done: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReasoningSource {
    Summary,
    Reasoning,
    Item,
}

impl Family for ResponsesDecoder {
    fn stream(&mut self) -> &mut EventStream {
        &mut self.stream
    }

    fn take(&mut self, name: Option<&str>, event: Map<String, Value>) {
        let event = named(name, event);
        if self.numbers.is_repeated(&event) {
            self.stream.emit(ModelEvent::Repeated);
        } else {
            self.take_event(event);
        }
    }

    /// Handles the end marker of other protocols. It ends the answer if the final event is missing.
    fn take_end_marker(&mut self) {
        if !self.stream.failed {
            take_stray(self);
            self.finish("", None, None);
        }
    }

    fn continues_after_failure(&self) -> bool {
        true
    }
}

impl ResponsesDecoder {
    fn take_event(&mut self, mut event: Map<String, Value>) {
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let is_ours = kind.starts_with("response.");
        self.stream.understood |= is_ours;
        if self.stream.failed && !is_ours {
            return;
        }
        match kind.as_str() {
            "response.created" | "response.in_progress" | "response.queued" => {
                if let Some(response) = event.get("response") {
                    self.stream.read_head(response.get("id"), response.get("model"));
                }
            }
            "response.output_item.added" => {
                self.last_index = output_index(&event).unwrap_or_else(|| self.last_index.saturating_add(1));
                if event.get("item").is_some_and(|item| item_kind(item) == "function_call") {
                    self.promised = self.promised.saturating_add(1);
                }
            }
            "response.output_text.delta" => self.take_text(&event, "content_index", "delta", false),
            "response.output_text.done" => self.take_text(&event, "content_index", "text", true),
            "response.refusal.delta" => {
                self.take_text(&event, "content_index", "delta", false);
                let piece = event.get("delta").and_then(Value::as_str).unwrap_or_default();
                self.refusal.get_or_insert_default().push_str(piece);
            }
            "response.reasoning_summary_text.delta" => {
                self.take_thought(&event, "summary_index", ReasoningSource::Summary);
            }
            "response.reasoning_text.delta" => {
                self.take_thought(&event, "content_index", ReasoningSource::Reasoning);
            }
            // The complete call comes with its item; its pieces only show that there is one.
            "response.function_call_arguments.delta" | "response.function_call_arguments.done" => {
                self.promised = self.promised.max(1);
            }
            "response.output_item.done" => {
                let at = output_index(&event).unwrap_or(self.last_index);
                if let Some(item) = event.remove("item") {
                    self.take_item(at, item);
                }
            }
            "response.completed"
            | "response.incomplete"
            | "response.failed"
            | "response.cancelled"
            | "response.done" => match event.remove("response") {
                Some(response) => self.take_end(&kind, response),
                None => self.finish(&kind, Some(&kind), None),
            },
            "error" => {
                let failure = error::of_event(&Value::Object(event));
                self.stream.understood = true;
                self.fail(failure);
            }
            // Events without use for us.
            _ if is_ours => {}
            _ => self.take_other(event),
        }
    }

    /// Decodes an object that is no event: an answer that was not streamed, or an error.
    fn take_other(&mut self, event: Map<String, Value>) {
        let object = Value::Object(event);
        if let Some(failure) = error::failure_in(&object, None) {
            self.fail(failure);
        } else if object.get("object").is_some_and(|object| object == "response") {
            self.stream.understood = true;
            let status = object.get("status").and_then(Value::as_str).unwrap_or("completed");
            let kind = format!("response.{status}");
            self.take_end(&kind, object);
        } else if object.get("type").is_none() {
            self.stream.emit(ModelEvent::Skipped);
        }
    }

    /// Emits more text. A complete text counts only if none of its pieces came.
    fn take_text(&mut self, event: &Map<String, Value>, index: &str, field: &str, complete: bool) {
        let at = output_index(event).unwrap_or(self.last_index);
        let index = event.get(index).and_then(Value::as_u64).unwrap_or(0);
        match event.get(field).and_then(Value::as_str) {
            Some(text) => self.emit_text(at, index, text, complete),
            None => self.stream.emit(ModelEvent::Skipped),
        }
    }

    fn emit_text(&mut self, at: u64, index: u64, text: &str, complete: bool) {
        let known = self.texts.get(&(at, index)).copied();
        if text.is_empty() || complete && known.is_some() {
            return;
        }
        let part = known.unwrap_or_else(|| {
            let part = self.stream.prose.next_part();
            self.texts.insert((at, index), part);
            part
        });
        self.stream.emit(ModelEvent::Text { part, text: text.to_owned() });
    }

    /// Emits more thinking of an item. Its pieces become one part, separated by blank lines.
    fn take_thought(&mut self, event: &Map<String, Value>, index: &str, source: ReasoningSource) {
        let at = output_index(event).unwrap_or(self.last_index);
        let piece = event.get(index).and_then(Value::as_u64).unwrap_or(0);
        let text = event.get("delta").and_then(Value::as_str).unwrap_or_default();
        if text.is_empty() {
            return;
        }
        if self.thoughts.get(&at).is_none() {
            let part = self.stream.prose.next_part();
            self.thoughts.insert(at, ReasoningItem { part, source, piece, done: false });
        }
        let Some(thought) = self.thoughts.get_mut(&at).filter(|it| it.source == source && !it.done) else {
            return;
        };
        let separator = if thought.piece == piece { "" } else { "\n\n" };
        thought.piece = piece;
        self.stream.emit(ModelEvent::Thinking { part: thought.part, text: format!("{separator}{text}") });
    }

    /// Emits the content of a finished item that did not come in pieces.
    fn take_item(&mut self, at: u64, item: Value) {
        match item_kind(&item) {
            "message" => {
                for (index, is_refusal, text) in texts(&item) {
                    if is_refusal {
                        self.refusal.get_or_insert_with(|| text.to_owned());
                    }
                    self.emit_text(at, index, text, true);
                }
            }
            "reasoning" => self.take_reasoning(at, item),
            "function_call" => self.take_call(at, &item),
            // Tools that the provider runs itself are never offered; items of a newer API version are ignored.
            _ => {}
        }
    }

    fn take_reasoning(&mut self, at: u64, item: Value) {
        if self.thoughts.get(&at).is_none() {
            let part = self.stream.prose.next_part();
            self.thoughts
                .insert(at, ReasoningItem { part, source: ReasoningSource::Item, piece: 0, done: false });
            self.stream.emit(ModelEvent::Thinking { part, text: thoughts(&item) });
        }
        if let Some(thought) = self.thoughts.get_mut(&at).filter(|thought| !thought.done) {
            thought.done = true;
            self.stream.emit(ModelEvent::Opaque { part: thought.part, data: item });
        }
    }

    fn take_call(&mut self, at: u64, item: &Value) {
        let field = |key: &str| item.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let is_incomplete = field("status").is_some_and(|status| status != "completed");
        let Some(name) = field("name").filter(|_| !is_incomplete) else {
            self.promised = self.promised.max(self.calls.len().saturating_add(1));
            self.stream.emit(ModelEvent::Skipped);
            return;
        };
        let id = field("call_id").or_else(|| field("id"));
        let own = (at, id.map(str::to_owned));
        let args = turns::arguments_in(item.get("arguments"));
        if id.is_some() && self.calls.contains(&own) {
            self.stream.emit(ModelEvent::Repeated);
            self.repeated_calls = self.repeated_calls.saturating_add(1);
        } else if self.stream.call(id, name, args).is_none() {
            self.repeated_calls = self.repeated_calls.saturating_add(1);
        } else {
            self.calls.push(own);
        }
    }

    /// Ends the response. Takes missing items from it if none of their type came before.
    fn take_end(&mut self, kind: &str, mut response: Value) {
        self.stream.read_head(response.get("id"), response.get("model"));
        let items = match response.get_mut("output").map(Value::take) {
            Some(Value::Array(items)) if !self.stream.failed => items,
            _ => Vec::new(),
        };
        self.all_listed = !items.is_empty();
        let (has_texts, has_thoughts) = (!self.texts.is_empty(), !self.thoughts.is_empty());
        for (at, item) in (0..).zip(items) {
            let is_missing = match item_kind(&item) {
                "message" => !has_texts,
                "reasoning" => !has_thoughts,
                "function_call" => {
                    let id = item.get("call_id").and_then(Value::as_str);
                    !self
                        .calls
                        .iter()
                        .any(|(index, other)| *index == at || id.is_some() && other.as_deref() == id)
                }
                _ => false,
            };
            if is_missing {
                self.take_item(at, item);
            }
        }
        self.take_usage(response.get("usage"));
        let reason = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
        let status = response.get("status").and_then(Value::as_str);
        let final_kind = status.map_or_else(|| kind.to_owned(), |status| format!("response.{status}"));
        if final_kind == "response.failed" || kind == "response.failed" {
            let failure = error::failure_in(&response, None).unwrap_or_else(|| {
                ProviderError::new(ProviderErrorKind::Server, "the response failed without words")
            });
            self.fail(failure);
        }
        self.finish(&final_kind, Some(kind), reason);
    }

    fn take_usage(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage.filter(|usage| usage.is_object()) else { return };
        let count = |path: &str| usage.pointer(path).and_then(stream::count);
        self.stream.emit(ModelEvent::Usage(Usage {
            input: count("/input_tokens"),
            cached: count("/input_tokens_details/cached_tokens"),
            output: count("/output_tokens"),
            reasoning: count("/output_tokens_details/reasoning_tokens"),
            raw: usage.clone(),
        }));
    }

    fn finish(&mut self, kind: &str, raw: Option<&str>, reason: Option<&str>) {
        self.stream.ended = true;
        let complete = if self.calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
        let finish = match (kind, reason) {
            _ if self.stream.failed => FinishReason::Error,
            ("response.incomplete", Some("content_filter")) => FinishReason::ContentFilter,
            ("response.incomplete", None | Some("max_output_tokens" | "max_tokens")) => FinishReason::Length,
            ("response.incomplete", Some(_)) => FinishReason::Incomplete,
            _ if self.refusal.is_some() && self.calls.is_empty() => FinishReason::ContentFilter,
            ("" | "response.completed" | "response.done", _) => complete,
            // It was cancelled, is not over, or ended in an unknown way.
            _ if self.calls.is_empty() => FinishReason::Incomplete,
            ("response.cancelled" | "response.in_progress" | "response.queued", _) => {
                FinishReason::Incomplete
            }
            _ => complete,
        };
        // Incomplete output must not look complete.
        let missing = self.calls.len().saturating_add(self.repeated_calls) < self.promised;
        let gaps = if self.all_listed { Gaps::default() } else { self.stream.gaps };
        let finish = gaps.resolve(finish, missing);
        let message = reason.map(str::to_owned).or_else(|| self.refusal.take());
        self.stream.emit(ModelEvent::Finish { finish, raw: raw.map(str::to_owned), message });
    }
}

fn output_index(event: &Map<String, Value>) -> Option<u64> {
    event.get("output_index").and_then(Value::as_u64)
}

fn item_kind(item: &Value) -> &str {
    item.get("type").and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn is_reasoning(item: &Value) -> bool {
    item_kind(item) == "reasoning"
}

/// The texts of a message with their indexes, and true for each refusal.
pub(super) fn texts(item: &Value) -> impl Iterator<Item = (u64, bool, &str)> {
    let content = item.get("content").and_then(Value::as_array).into_iter().flatten();
    (0..).zip(content).filter_map(|(at, content)| match item_kind(content) {
        "refusal" => Some((at, true, content.get("refusal")?.as_str()?)),
        _ => Some((at, false, content.get("text")?.as_str()?)),
    })
}

/// The text of a reasoning item: its summary, or without one the reasoning itself.
pub(super) fn thoughts(item: &Value) -> String {
    ["summary", "content"]
        .into_iter()
        .map(|key| {
            let pieces = item.get(key).and_then(Value::as_array).into_iter().flatten();
            let texts: Vec<&str> =
                pieces.filter_map(|piece| piece.get("text").and_then(Value::as_str)).collect();
            texts.join("\n\n")
        })
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}
