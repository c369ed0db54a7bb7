//! Never performs input or output, and never runs or repairs a call.
//!
//! Owns the reading of the stream of OpenAI-compatible Chat Completions, whoever sends it. Text is given out as it
//! comes; calls, and what the model wants to see again of its thinking, when the answer has ended, so that a cut
//! connection leaves no half of either.

use serde_json::{Map, Value};

use crate::domain::failure::{Failure, FailureCategory};
use crate::domain::model::{Finish, Usage};
use crate::wire::chat::ModelEvent;
use crate::wire::nesting;
use crate::wire::noise::{self, Noise};
use crate::wire::openai::calls::Calls;
use crate::wire::openai::error;
use crate::wire::openai::reasoning::Reasoning;
use crate::wire::prose::Prose;
use crate::wire::refusal;
use crate::wire::sse::{SseFrame, SseReader};

/// Reads one answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenaiDecoder {
    sse: SseReader,
    prose: Prose,
    calls: Calls,
    reasoning: Reasoning,
    /// The index of the choice that is read: only one is asked for, but not every server counts from 0.
    choice: Option<u64>,
    /// The provider's word for how the answer ended.
    finish_raw: Option<String>,
    refused: bool,
    /// Whether deltas come: then whole messages beside them only repeat what was said.
    has_deltas: bool,
    response_id: Option<String>,
    usage: Usage,
    understood: bool,
    noise: Noise,
    failed: bool,
    ended: bool,
}

impl OpenaiDecoder {
    /// Takes in more bytes.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<ModelEvent> {
        let frames = self.sse.feed(bytes);
        let mut events = Vec::new();
        self.take_frames(frames, &mut events);
        events
    }

    /// The stream is over: reads what was pending, and ends the answer where a finish mark came.
    pub fn end(&mut self) -> Vec<ModelEvent> {
        let frames = self.sse.end();
        let mut events = Vec::new();
        self.take_frames(frames, &mut events);
        self.take_stray(&mut events);
        self.prose.flush(&mut events);
        if self.finish_raw.is_some() {
            self.conclude(&mut events);
        }
        events
    }

    fn take_frames(&mut self, frames: Vec<SseFrame>, events: &mut Vec<ModelEvent>) {
        for frame in frames {
            if self.failed || self.ended {
                return;
            }
            match frame {
                SseFrame::Event { name, data } => {
                    self.take_payload(name.as_deref() == Some("error"), data.trim(), events);
                }
                SseFrame::Overlong => self.pass_over(events),
            }
        }
    }

    fn take_payload(&mut self, is_error: bool, data: &str, events: &mut Vec<ModelEvent>) {
        if data.is_empty() {
            return;
        }
        if data == "[DONE]" {
            self.conclude(events);
            return;
        }
        match serde_json::from_str(data) {
            Ok(Value::Object(chunk)) => self.take_chunk(chunk, is_error, events),
            _ if is_error => {
                let failure = Failure::new(FailureCategory::Server, refusal::excerpt(data));
                self.fail(failure, events);
            }
            _ => match nesting::too_deep(data) {
                Some(failure) => self.fail(failure, events),
                None => self.pass_over(events),
            },
        }
    }

    fn pass_over(&mut self, events: &mut Vec<ModelEvent>) {
        events.push(ModelEvent::Skipped);
        if let Some(count) = self.noise.heard() {
            self.fail(noise::too_much(count, "events"), events);
        }
    }

    fn fail(&mut self, failure: Failure, events: &mut Vec<ModelEvent>) {
        self.prose.flush(events);
        self.failed = true;
        events.push(ModelEvent::Failed(failure));
    }

    /// Text outside of events: an error object, a whole answer that was not streamed, or somebody else's page.
    fn take_stray(&mut self, events: &mut Vec<ModelEvent>) {
        let stray = self.sse.stray().trim().to_owned();
        if self.failed || self.ended || stray.is_empty() {
            return;
        }
        let value = serde_json::from_str::<Value>(&stray).ok();
        if let Some(failure) = value.as_ref().and_then(|value| error::failure_in(value, None)) {
            self.fail(failure, events);
            return;
        }
        if self.understood {
            events.push(ModelEvent::Skipped);
            return;
        }
        if let Some(Value::Object(whole)) = value {
            self.take_chunk(whole, false, events);
            if self.understood && !self.failed {
                // A whole answer needs no finish mark to be whole.
                self.conclude(events);
            }
        }
        if !self.understood && !self.failed {
            self.fail(Failure::new(FailureCategory::Garbled, refusal::excerpt(&stray)), events);
        }
    }

    fn take_chunk(&mut self, chunk: Map<String, Value>, is_error: bool, events: &mut Vec<ModelEvent>) {
        self.noise.over();
        self.understood |= ["choices", "usage", "x_groq"].iter().any(|key| chunk.contains_key(*key));
        let id = chunk.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        if let Some(id) = id.filter(|_| self.understood && self.response_id.is_none()) {
            self.response_id = Some(id.to_owned());
            events.push(ModelEvent::ResponseId(id.to_owned()));
        }
        let choice = self.choice_of(&chunk);
        if let Some(choice) = choice {
            self.take_choice(choice, events);
        }
        let counts = [chunk.get("usage"), chunk.get("x_groq").and_then(|own| own.get("usage"))];
        if let Some(counts) = counts.into_iter().flatten().find(|counts| counts.is_object()) {
            self.take_usage(counts, events);
        }
        // An error may stand beside the choices, in one, or in a host's own envelope. What was said before counts.
        let in_choice = choice.and_then(|choice| error::failure_in(choice, None));
        let in_envelope = chunk.get("x_groq").and_then(|own| error::failure_in(own, None));
        let nested = in_choice.or(in_envelope);
        let whole = Value::Object(chunk);
        let failure = error::failure_in(&whole, None).or(nested).or_else(|| {
            is_error.then(|| Failure::new(FailureCategory::Server, refusal::excerpt(&whole.to_string())))
        });
        if let Some(failure) = failure {
            self.fail(failure, events);
        }
    }

    fn choice_of<'c>(&mut self, chunk: &'c Map<String, Value>) -> Option<&'c Value> {
        let choices = chunk.get("choices").and_then(Value::as_array)?;
        let index = |choice: &Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0);
        let wanted = match self.choice {
            Some(wanted) => wanted,
            None => *self.choice.insert(choices.iter().map(index).min()?),
        };
        choices.iter().find(|choice| index(choice) == wanted)
    }

    fn take_choice(&mut self, choice: &Value, events: &mut Vec<ModelEvent>) {
        let delta = choice.get("delta").filter(|delta| delta.is_object());
        self.has_deltas |= delta.is_some();
        let said = delta.or_else(|| choice.get("message").filter(|_| !self.has_deltas));
        if let Some(said) = said {
            self.take_said(said, events);
        }
        // Some servers repeat the word, and some take it back; the first that is one stays.
        let word = choice.get("finish_reason").and_then(Value::as_str).filter(|word| !word.is_empty());
        if let Some(word) = word.filter(|_| self.finish_raw.is_none()) {
            self.finish_raw = Some(word.to_owned());
            let finish = ending(word, !self.calls.is_empty(), self.refused).0;
            events.push(ModelEvent::Finish { finish, raw: Some(word.to_owned()), message: None });
        }
    }

    fn take_said(&mut self, said: &Value, events: &mut Vec<ModelEvent>) {
        let thought = self.reasoning.take(said);
        self.prose.think(&thought, events);
        match said.get("content") {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => self.prose.say(text, events),
            Some(Value::Array(items)) => items.iter().for_each(|item| self.take_item(item, events)),
            Some(item) => self.take_item(item, events),
        }
        if let Some(words) = said.get("refusal").and_then(Value::as_str).filter(|words| !words.is_empty()) {
            self.refused = true;
            self.prose.say(words, events);
        }
        // The older name for a single call.
        let legacy = said.get("function_call").filter(|call| call.is_object());
        let fragments = said.get("tool_calls").and_then(Value::as_array);
        for fragment in fragments.into_iter().flatten().chain(legacy) {
            if !self.calls.take(fragment) {
                events.push(ModelEvent::Skipped);
            }
        }
    }

    /// A piece of content where content is a list: Mistral's way of telling thinking from text.
    fn take_item(&mut self, item: &Value, events: &mut Vec<ModelEvent>) {
        if let Some(text) = item.as_str() {
            self.prose.say(text, events);
            return;
        }
        match item.get("type").and_then(Value::as_str) {
            Some("thinking") => {
                let thought = self.reasoning.take_chunk(item);
                self.prose.think(&thought, events);
            }
            Some("text" | "output_text") => {
                self.prose.say(item.get("text").and_then(Value::as_str).unwrap_or_default(), events);
            }
            _ => events.push(ModelEvent::Skipped),
        }
    }

    fn take_usage(&mut self, counts: &Value, events: &mut Vec<ModelEvent>) {
        let count = |path: &str| counts.pointer(path).and_then(Value::as_u64);
        let last = &self.usage;
        let input = count("/prompt_tokens").or(last.input);
        let reasoning = count("/completion_tokens_details/reasoning_tokens").or(last.reasoning);
        let output =
            count("/completion_tokens").map(|output| match (input, reasoning, count("/total_tokens")) {
                // Some hosts count thinking apart from the answer; their total tells.
                (Some(input), Some(thought), Some(total))
                    if thought > 0 && input.saturating_add(output).saturating_add(thought) == total =>
                {
                    output.saturating_add(thought)
                }
                _ => output,
            });
        let usage = Usage {
            input,
            cached: count("/prompt_tokens_details/cached_tokens")
                .or_else(|| count("/prompt_cache_hit_tokens"))
                .or(last.cached),
            output: output.or(last.output),
            reasoning,
            raw: counts.clone(),
        };
        if usage != self.usage {
            self.usage = usage.clone();
            events.push(ModelEvent::Usage(usage));
        }
    }

    /// The answer has ended: gives what waited for that.
    fn conclude(&mut self, events: &mut Vec<ModelEvent>) {
        if self.failed || self.ended {
            return;
        }
        self.ended = true;
        self.prose.flush(events);
        let word = self.finish_raw.as_deref().unwrap_or_default();
        if let (_, Some(category)) = ending(word, false, false) {
            let failure = Failure {
                code: Some(word.to_owned()),
                ..Failure::new(category, format!("the provider ended the answer with {word}"))
            };
            self.fail(failure, events);
            return;
        }
        let was_cut = ending(word, true, false).0 != Finish::ToolCalls;
        let (calls, left_out) = self.calls.finish(was_cut);
        let has_calls = !calls.is_empty();
        for call in calls {
            self.prose.call(call.id, call.name, call.args, events);
        }
        if let Some(data) = std::mem::take(&mut self.reasoning).kept() {
            events.push(ModelEvent::Opaque { part: self.prose.carrier(), data });
        }
        let ended = ending(word, has_calls, self.refused).0;
        // The limit may be reached after the last call was whole.
        let all_there = ended == Finish::Length && has_calls && !left_out;
        let finish = if all_there { Finish::ToolCalls } else { ended };
        events.push(ModelEvent::Finish { finish, raw: None, message: None });
    }
}

/// What a finish word means, and what went wrong where it tells of a fault.
fn ending(word: &str, has_calls: bool, refused: bool) -> (Finish, Option<FailureCategory>) {
    match word {
        "length" | "max_tokens" | "max_output_tokens" | "model_length" => (Finish::Length, None),
        "content_filter" | "content-filter" | "safety" | "sensitive" | "refusal" => {
            (Finish::ContentFilter, None)
        }
        "error" | "network_error" | "abort" => (Finish::Error, Some(FailureCategory::Server)),
        "insufficient_system_resource" => (Finish::Error, Some(FailureCategory::Overloaded)),
        // An answer that asks for tools may end with any other word, or with none.
        _ if has_calls => (Finish::ToolCalls, None),
        _ if refused => (Finish::ContentFilter, None),
        _ => (Finish::Stop, None),
    }
}
