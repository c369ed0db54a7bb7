//! Decodes the stream of OpenAI's Responses API.
//!
//! Output items open at their own index, and text and thinking grow. Calls and reasoning count once their item is
//! done, and one event carries the final status. Never repairs a broken call.

use serde_json::{Map, Value};

use crate::chat::ModelEvent;
use crate::gaps::Gaps;
use crate::stream::event_stream::{EventStream, Family, named, take_stray};
use crate::stream::lenient;
use crate::{error, fallback};
use nexus_model::llm::{FinishReason, Usage};
use nexus_model::message::content::ToolCall;
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};
use nexus_text::vec_map::VecMap;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResponsesDecoder {
    stream: EventStream,
    /// The place of the item that was opened last, for events that name none.
    place: u64,
    /// The part of each text: by the place of its item, and its own in that.
    texts: VecMap<(u64, u64), usize>,
    thoughts: VecMap<u64, ReasoningItem>,
    /// The calls with the places of their items.
    calls: Vec<(u64, ToolCall)>,
    /// Whether the event that tells the end listed all items, so that no call can be missing.
    listed: bool,
    numbers: Numbers,
    /// How many calls were opened; all must have come whole when the answer ends.
    promised: usize,
    /// How many of those came again.
    repeated_calls: usize,
    refusal: Option<String>,
}

/// The numbers of events, by which those that came twice are known.
#[derive(Clone, Debug, Default, PartialEq)]
struct Numbers {
    last: Option<(u64, Map<String, Value>)>,
    /// Whether different events had one number, so that numbers tell nothing.
    meaningless: bool,
}

impl Numbers {
    /// Whether an event is the last one again.
    fn is_repeated(&mut self, event: &Map<String, Value>) -> bool {
        let number = event.get("sequence_number").and_then(lenient::count).filter(|_| !self.meaningless);
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
    /// Summaries and the reasoning itself tell the same twice: the kind that came first is kept.
    source: ReasoningSource,
    /// The piece of it that is being written.
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

    fn take(&mut self, name: Option<&str>, event: Map<String, Value>, events: &mut Vec<ModelEvent>) {
        let event = named(name, event);
        if self.numbers.is_repeated(&event) {
            events.push(ModelEvent::Repeated);
        } else {
            self.take_event(event, events);
        }
    }

    /// The end mark of other protocols. Where the event that tells the end is missing, it ends the answer.
    fn take_end_mark(&mut self, events: &mut Vec<ModelEvent>) {
        if !self.stream.failed {
            take_stray(self, events);
            self.finish("", None, None, events);
        }
    }

    fn goes_on_after_failure(&self) -> bool {
        true
    }
}

impl ResponsesDecoder {
    fn take_event(&mut self, mut event: Map<String, Value>, events: &mut Vec<ModelEvent>) {
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let is_ours = kind.starts_with("response.");
        self.stream.understood |= is_ours;
        if self.stream.failed && !is_ours {
            return;
        }
        match kind.as_str() {
            "response.created" | "response.in_progress" | "response.queued" => {
                if let Some(response) = event.get("response") {
                    self.stream.head.read(response.get("id"), response.get("model"), events);
                }
            }
            "response.output_item.added" => {
                self.place = place(&event).unwrap_or_else(|| self.place.saturating_add(1));
                if event.get("item").is_some_and(|item| item_kind(item) == "function_call") {
                    self.promised = self.promised.saturating_add(1);
                }
            }
            "response.output_text.delta" => self.take_text(&event, "content_index", "delta", false, events),
            "response.output_text.done" => self.take_text(&event, "content_index", "text", true, events),
            "response.refusal.delta" => {
                self.take_text(&event, "content_index", "delta", false, events);
                let piece = event.get("delta").and_then(Value::as_str).unwrap_or_default();
                self.refusal.get_or_insert_default().push_str(piece);
            }
            "response.reasoning_summary_text.delta" => {
                self.take_thought(&event, "summary_index", ReasoningSource::Summary, events);
            }
            "response.reasoning_text.delta" => {
                self.take_thought(&event, "content_index", ReasoningSource::Reasoning, events);
            }
            // Pieces of a call, whose whole comes with its item, tell that there is one.
            "response.function_call_arguments.delta" | "response.function_call_arguments.done" => {
                self.promised = self.promised.max(1);
            }
            "response.output_item.done" => {
                let at = place(&event).unwrap_or(self.place);
                if let Some(item) = event.remove("item") {
                    self.take_item(at, item, events);
                }
            }
            "response.completed"
            | "response.incomplete"
            | "response.failed"
            | "response.cancelled"
            | "response.done" => match event.remove("response") {
                Some(response) => self.take_end(&kind, response, events),
                None => self.finish(&kind, Some(&kind), None, events),
            },
            "error" => {
                let failure = error::of_event(&Value::Object(event));
                self.stream.understood = true;
                self.fail(failure, events);
            }
            // Pieces of calls (the whole comes with its item), and what says nothing to us.
            _ if is_ours => {}
            _ => self.take_other(event, events),
        }
    }

    /// An object that is no event: an answer that came whole, or an error.
    fn take_other(&mut self, event: Map<String, Value>, events: &mut Vec<ModelEvent>) {
        let whole = Value::Object(event);
        if let Some(failure) = error::failure_in(&whole, None) {
            self.fail(failure, events);
        } else if whole.get("object").is_some_and(|object| object == "response") {
            self.stream.understood = true;
            let status = whole.get("status").and_then(Value::as_str).unwrap_or("completed");
            let kind = format!("response.{status}");
            self.take_end(&kind, whole, events);
        } else if whole.get("type").is_none() {
            events.push(ModelEvent::Skipped);
        }
    }

    /// More prose. A whole text counts only where none of its pieces came.
    fn take_text(
        &mut self,
        event: &Map<String, Value>,
        index: &str,
        field: &str,
        whole: bool,
        events: &mut Vec<ModelEvent>,
    ) {
        let at = place(event).unwrap_or(self.place);
        let index = event.get(index).and_then(Value::as_u64).unwrap_or(0);
        match event.get(field).and_then(Value::as_str) {
            Some(text) => self.say(at, index, text, whole, events),
            None => events.push(ModelEvent::Skipped),
        }
    }

    fn say(&mut self, at: u64, index: u64, text: &str, whole: bool, events: &mut Vec<ModelEvent>) {
        let known = self.texts.get(&(at, index)).copied();
        if text.is_empty() || whole && known.is_some() {
            return;
        }
        let part = known.unwrap_or_else(|| {
            let part = self.stream.next_part();
            self.texts.insert((at, index), part);
            part
        });
        events.push(ModelEvent::Text { part, text: text.to_owned() });
    }

    /// More thinking of an item. Its pieces become one part, with a blank line between them.
    fn take_thought(
        &mut self,
        event: &Map<String, Value>,
        index: &str,
        source: ReasoningSource,
        events: &mut Vec<ModelEvent>,
    ) {
        let at = place(event).unwrap_or(self.place);
        let piece = event.get(index).and_then(Value::as_u64).unwrap_or(0);
        let text = event.get("delta").and_then(Value::as_str).unwrap_or_default();
        if text.is_empty() {
            return;
        }
        if self.thoughts.get(&at).is_none() {
            let part = self.stream.next_part();
            self.thoughts.insert(at, ReasoningItem { part, source, piece, done: false });
        }
        let Some(thought) = self.thoughts.get_mut(&at).filter(|it| it.source == source && !it.done) else {
            return;
        };
        let gap = if thought.piece == piece { "" } else { "\n\n" };
        thought.piece = piece;
        events.push(ModelEvent::Thinking { part: thought.part, text: format!("{gap}{text}") });
    }

    /// An item is done: what did not come in pieces is taken from it.
    fn take_item(&mut self, at: u64, item: Value, events: &mut Vec<ModelEvent>) {
        match item_kind(&item) {
            "message" => {
                for (index, is_refusal, text) in texts(&item) {
                    if is_refusal {
                        self.refusal.get_or_insert_with(|| text.to_owned());
                    }
                    self.say(at, index, text, true, events);
                }
            }
            "reasoning" => self.take_reasoning(at, item, events),
            "function_call" => self.take_call(at, &item, events),
            // Tools that the provider runs itself are never offered; kinds of next year are not for us.
            _ => {}
        }
    }

    fn take_reasoning(&mut self, at: u64, item: Value, events: &mut Vec<ModelEvent>) {
        if self.thoughts.get(&at).is_none() {
            let part = self.stream.next_part();
            self.thoughts
                .insert(at, ReasoningItem { part, source: ReasoningSource::Item, piece: 0, done: false });
            events.push(ModelEvent::Thinking { part, text: thoughts(&item) });
        }
        if let Some(thought) = self.thoughts.get_mut(&at).filter(|thought| !thought.done) {
            thought.done = true;
            events.push(ModelEvent::Opaque { part: thought.part, data: item });
        }
    }

    fn take_call(&mut self, at: u64, item: &Value, events: &mut Vec<ModelEvent>) {
        let word = |key: &str| item.get(key).and_then(Value::as_str).filter(|word| !word.is_empty());
        let is_half = word("status").is_some_and(|status| status != "completed");
        let Some(name) = word("name").filter(|_| !is_half) else {
            self.promised = self.promised.max(self.calls.len().saturating_add(1));
            events.push(ModelEvent::Skipped);
            return;
        };
        let id = word("call_id").or_else(|| word("id"));
        let mut call = ToolCall {
            id: id.unwrap_or_default().to_owned(),
            own_id: false,
            name: name.to_owned(),
            args: fallback::arguments_in(item.get("arguments")),
        };
        let is_known =
            |(place, other): &(u64, ToolCall)| other.id == call.id && *place == at || *other == call;
        if id.is_some() && self.calls.iter().any(is_known) {
            events.push(ModelEvent::Repeated);
            self.repeated_calls = self.repeated_calls.saturating_add(1);
            return;
        }
        let part = self.stream.next_part();
        call.own_id = id.is_none() || self.calls.iter().any(|(_, other)| other.id == call.id);
        if call.own_id {
            call.id = format!("call-{part}");
        }
        self.calls.push((at, call.clone()));
        events.push(ModelEvent::Call { part, call });
    }

    /// The response ended: items that were never told of are taken from it, where none of their kind were.
    fn take_end(&mut self, kind: &str, mut response: Value, events: &mut Vec<ModelEvent>) {
        self.stream.head.read(response.get("id"), response.get("model"), events);
        let items = match response.get_mut("output").map(Value::take) {
            Some(Value::Array(items)) if !self.stream.failed => items,
            _ => Vec::new(),
        };
        self.listed = !items.is_empty();
        let (spoke, thought) = (!self.texts.is_empty(), !self.thoughts.is_empty());
        for (at, item) in (0..).zip(items) {
            let is_news = match item_kind(&item) {
                "message" => !spoke,
                "reasoning" => !thought,
                "function_call" => {
                    let id = item.get("call_id").and_then(Value::as_str);
                    !self.calls.iter().any(|(place, other)| *place == at || Some(other.id.as_str()) == id)
                }
                _ => false,
            };
            if is_news {
                self.take_item(at, item, events);
            }
        }
        self.take_usage(response.get("usage"), events);
        let reason = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
        let status = response.get("status").and_then(Value::as_str);
        let kind_told = status.map_or_else(|| kind.to_owned(), |status| format!("response.{status}"));
        if kind_told == "response.failed" || kind == "response.failed" {
            let failure = error::failure_in(&response, None).unwrap_or_else(|| {
                ProviderError::new(ProviderErrorKind::Server, "the response failed without words")
            });
            self.fail(failure, events);
        }
        self.finish(&kind_told, Some(kind), reason, events);
    }

    fn take_usage(&mut self, usage: Option<&Value>, events: &mut Vec<ModelEvent>) {
        let Some(usage) = usage.filter(|usage| usage.is_object()) else { return };
        let count = |path: &str| usage.pointer(path).and_then(lenient::count);
        events.push(ModelEvent::Usage(Usage {
            input: count("/input_tokens"),
            cached: count("/input_tokens_details/cached_tokens"),
            output: count("/output_tokens"),
            reasoning: count("/output_tokens_details/reasoning_tokens"),
            raw: usage.clone(),
        }));
    }

    fn finish(&mut self, kind: &str, raw: Option<&str>, reason: Option<&str>, events: &mut Vec<ModelEvent>) {
        self.stream.ended = true;
        let whole = if self.calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
        let finish = match (kind, reason) {
            _ if self.stream.failed => FinishReason::Error,
            ("response.incomplete", Some("content_filter")) => FinishReason::ContentFilter,
            ("response.incomplete", None | Some("max_output_tokens" | "max_tokens")) => FinishReason::Length,
            ("response.incomplete", Some(_)) => FinishReason::Incomplete,
            _ if self.refusal.is_some() && self.calls.is_empty() => FinishReason::ContentFilter,
            ("" | "response.completed" | "response.done", _) => whole,
            // It was cancelled, is not over, or ended in a way of next year.
            _ if self.calls.is_empty() => FinishReason::Incomplete,
            ("response.cancelled" | "response.in_progress" | "response.queued", _) => {
                FinishReason::Incomplete
            }
            _ => whole,
        };
        // Half of what the model asked for must not pass for the whole.
        let missing = self.calls.len().saturating_add(self.repeated_calls) < self.promised;
        let gaps = if self.listed { Gaps::default() } else { self.stream.gaps };
        let finish = gaps.judge(finish, missing);
        let message = reason.map(str::to_owned).or_else(|| self.refusal.take());
        events.push(ModelEvent::Finish { finish, raw: raw.map(str::to_owned), message });
    }
}

fn place(event: &Map<String, Value>) -> Option<u64> {
    event.get("output_index").and_then(Value::as_u64)
}

pub(super) fn item_kind(item: &Value) -> &str {
    item.get("type").and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn is_reasoning(item: &Value) -> bool {
    item_kind(item) == "reasoning"
}

/// The texts of a message with their places, and whether each is a refusal.
pub(super) fn texts(item: &Value) -> impl Iterator<Item = (u64, bool, &str)> {
    let content = item.get("content").and_then(Value::as_array).into_iter().flatten();
    (0..).zip(content).filter_map(|(at, content)| match item_kind(content) {
        "refusal" => Some((at, true, content.get("refusal")?.as_str()?)),
        _ => Some((at, false, content.get("text")?.as_str()?)),
    })
}

/// What an item of reasoning tells of itself: its summary, or where there is none the reasoning.
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
