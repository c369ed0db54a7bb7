//! Decodes the stream of Chat Completions of any host.
//!
//! Text is emitted as it arrives. Calls and reasoning data are emitted at the end, so that a dropped connection leaves
//! no incomplete ones. Broken calls are never repaired.

use serde_json::{Map, Value};

use crate::chat::ModelEvent;
use crate::openai_chat::calls::{CallBuffer, Ended};
use crate::openai_chat::reasoning::Reasoning;
use crate::stream::event_stream::{EventStream, Family, take_stray};
use crate::{error, stream};
use nexus_model::llm::{FinishReason, Usage};
use nexus_model::provider::{ProviderError, ProviderErrorKind};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenaiDecoder {
    stream: EventStream,
    calls: CallBuffer,
    reasoning: Reasoning,
    choice: ChosenIndex,
    finish_raw: Option<String>,
    has_refusal: bool,
    /// True if deltas came: then complete messages beside them only repeat the text.
    has_deltas: bool,
    usage: Usage,
}

/// The index of the choice that is read. Only one is requested, but not every server counts from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ChosenIndex {
    index: Option<u64>,
    /// True if an index came twice, so that it does not number the chunks.
    is_steady: bool,
}

impl Family for OpenaiDecoder {
    fn stream(&mut self) -> &mut EventStream {
        &mut self.stream
    }

    fn take(&mut self, name: Option<&str>, chunk: Map<String, Value>) {
        self.take_chunk(chunk, name == Some("error"));
    }

    fn take_complete(&mut self, answer: Map<String, Value>) {
        self.take_chunk(answer, false);
        if self.stream.understood {
            // An answer that was not streamed is complete without a finish reason.
            self.conclude();
        }
    }

    fn take_end_marker(&mut self) {
        // Text outside of events must not be lost at the end marker: it may be an error.
        take_stray(self);
        self.conclude();
    }

    /// Marks the calls that the piece may belong to as broken.
    fn miss(&mut self, piece: &str) {
        let marked_broken = self.calls.mark_broken();
        self.stream.gaps.skip(piece, marked_broken);
    }

    fn close(&mut self) {
        if self.finish_raw.is_some() {
            self.conclude();
        }
    }
}

impl OpenaiDecoder {
    fn take_chunk(&mut self, chunk: Map<String, Value>, is_error: bool) {
        self.stream.understood |= ["choices", "usage", "x_groq"].iter().any(|key| chunk.contains_key(*key));
        if self.stream.understood {
            self.stream.read_head(chunk.get("id"), chunk.get("model"));
        }
        let choice = self.choice_of(&chunk);
        // An object where one is expected, or nothing.
        let is_odd = |value: &Value| !value.is_object() && !value.is_null();
        let choices = chunk.get("choices").filter(|choices| !choices.is_array() && !choices.is_null());
        let delta = choice.and_then(|choice| choice.get("delta"));
        if let Some(odd) = choices.or([choice, delta].into_iter().flatten().find(|value| is_odd(value))) {
            self.miss(&odd.to_string());
            self.stream.emit(ModelEvent::Skipped);
        }
        if let Some(choice) = choice {
            self.take_choice(choice);
        }
        let counts = [chunk.get("usage"), chunk.get("x_groq").and_then(|own| own.get("usage"))];
        if let Some(counts) = counts.into_iter().flatten().find(|counts| counts.is_object()) {
            self.take_usage(counts);
        }
        // An error may be beside the choices, in one of them, or in a host's own envelope. Output before it counts.
        let in_choice = choice.and_then(|choice| error::failure_in(choice, None));
        let in_envelope = chunk.get("x_groq").and_then(|own| error::failure_in(own, None));
        let nested = in_choice.or(in_envelope);
        let chunk = Value::Object(chunk);
        let failure = error::failure_in(&chunk, None).or(nested);
        let failure = failure.or_else(|| is_error.then(|| error::of_event(&chunk)));
        if let Some(failure) = failure {
            self.fail(failure);
        }
    }

    fn choice_of<'c>(&mut self, chunk: &'c Map<String, Value>) -> Option<&'c Value> {
        let choices = chunk.get("choices").and_then(Value::as_array)?;
        let index = |choice: &Value| choice.get("index").and_then(stream::count).unwrap_or(0);
        let chosen = &mut self.choice;
        match (chosen.index, choices.as_slice()) {
            (None, _) => chosen.index = choices.iter().map(index).min(),
            // Some servers number the chunks of their only choice.
            (Some(last), [only]) if index(only) > last && !chosen.is_steady => {
                chosen.index = Some(index(only))
            }
            (Some(last), _) => chosen.is_steady |= choices.iter().any(|choice| index(choice) == last),
        }
        let chosen = chosen.index?;
        choices.iter().find(|choice| index(choice) == chosen)
    }

    fn take_choice(&mut self, choice: &Value) {
        let delta = choice.get("delta").filter(|delta| delta.is_object());
        self.has_deltas |= delta.is_some();
        let message = delta.or_else(|| choice.get("message").filter(|_| !self.has_deltas));
        if let Some(message) = message {
            self.take_message(message);
        }
        // Some servers repeat the finish reason, and some withdraw it; the first real one counts.
        let word = choice.get("finish_reason").and_then(Value::as_str);
        let word = word.filter(|word| !["", "null", "none"].iter().any(|no| word.eq_ignore_ascii_case(no)));
        if let Some(word) = word.filter(|_| self.finish_raw.is_none()) {
            self.finish_raw = Some(word.to_owned());
            let finish = ending(word, !self.calls.is_empty(), self.has_refusal).0;
            self.stream.emit(ModelEvent::Finish { finish, raw: Some(word.to_owned()), message: None });
        }
    }

    fn take_message(&mut self, message: &Value) {
        let thought = self.reasoning.take(message);
        self.stream.prose.push_thinking(&thought);
        match message.get("content") {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => self.stream.prose.push_text(text),
            Some(Value::Array(items)) => items.iter().for_each(|item| self.take_item(item)),
            Some(item) => self.take_item(item),
        }
        if let Some(refusal) = message.get("refusal").and_then(Value::as_str).filter(|text| !text.is_empty())
        {
            self.has_refusal = true;
            self.stream.prose.push_text(refusal);
        }
        // The older name for a single call.
        let legacy = message.get("function_call").filter(|call| call.is_object());
        let fragments = message.get("tool_calls").and_then(Value::as_array);
        for fragment in fragments.into_iter().flatten().chain(legacy) {
            if !self.calls.take(fragment) {
                self.stream.emit(ModelEvent::Skipped);
            }
        }
        // A call that cannot be parsed is still a call.
        if message.get("tool_calls").is_some_and(|calls| calls.is_string() || calls.is_object()) {
            self.stream.gaps.lose_call();
            self.stream.emit(ModelEvent::Skipped);
        }
    }

    /// Decodes an item of a content list, with which Mistral separates thinking from text.
    fn take_item(&mut self, item: &Value) {
        if let Some(text) = item.as_str() {
            self.stream.prose.push_text(text);
            return;
        }
        match item.get("type").and_then(Value::as_str) {
            Some("thinking") => {
                let thought = self.reasoning.take_chunk(item);
                self.stream.prose.push_thinking(&thought);
            }
            Some("text" | "output_text") => {
                self.stream.prose.push_text(item.get("text").and_then(Value::as_str).unwrap_or_default());
            }
            _ => self.stream.emit(ModelEvent::Skipped),
        }
    }

    fn take_usage(&mut self, counts: &Value) {
        let count = |path: &str| counts.pointer(path).and_then(stream::count);
        let last = &self.usage;
        let input = count("/prompt_tokens").or(last.input);
        let reasoning = count("/completion_tokens_details/reasoning_tokens").or(last.reasoning);
        let output =
            count("/completion_tokens").map(|output| match (input, reasoning, count("/total_tokens")) {
                // Some hosts count thinking separately from the answer, as their total shows.
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
            self.stream.emit(ModelEvent::Usage(usage));
        }
    }

    fn conclude(&mut self) {
        if std::mem::replace(&mut self.stream.ended, true) {
            return;
        }
        self.stream.prose.flush();
        let word = self.finish_raw.as_deref().unwrap_or_default();
        if let (_, Some(category)) = ending(word, false, false) {
            let failure = ProviderError {
                code: Some(word.to_owned()),
                ..ProviderError::new(category, format!("the provider ended the answer with {word}"))
            };
            self.fail(failure);
            return;
        }
        let is_unknown =
            ending(word, false, false).0 == FinishReason::Incomplete && !stream::promises_calls(word);
        let was_cut = is_unknown || ending(word, true, false).0 != FinishReason::ToolCalls;
        let Ended { calls, omitted, lost } = self.calls.finish(was_cut);
        let has_calls = !calls.is_empty();
        for call in calls {
            self.stream.call(call.id.as_deref(), &call.name, call.read());
        }
        if lost || (is_unknown && omitted) {
            self.stream.gaps.lose_call();
        }
        if let Some(data) = std::mem::take(&mut self.reasoning).opaque() {
            self.stream.prose.push_opaque(data);
        }
        let ended = ending(word, has_calls, self.has_refusal).0;
        // The limit may be reached after the last call was complete.
        let is_complete = ended == FinishReason::Length && has_calls && !omitted;
        let finish = if is_complete { FinishReason::ToolCalls } else { ended };
        let finish = self.stream.gaps.resolve(finish, !has_calls && stream::promises_calls(word));
        self.stream.emit(ModelEvent::finish(finish));
    }
}

/// The words of a complete answer; some hosts send none.
const GOOD_ENDS: &str = "stop eos eos_token end end_turn stop_sequence stop_token stop_str complete completed done finish \
    finished normal success";

/// The meaning of a finish reason, and the kind of error if it reports one.
fn ending(word: &str, has_calls: bool, refused: bool) -> (FinishReason, Option<ProviderErrorKind>) {
    match word.to_ascii_lowercase().as_str() {
        "length" | "max_tokens" | "max_output_tokens" | "model_length" => (FinishReason::Length, None),
        "content_filter" | "content-filter" | "safety" | "sensitive" | "refusal" => {
            (FinishReason::ContentFilter, None)
        }
        "error" | "network_error" | "abort" => (FinishReason::Error, Some(ProviderErrorKind::Server)),
        "insufficient_system_resource" => (FinishReason::Error, Some(ProviderErrorKind::Overloaded)),
        // An answer that calls tools may end with any other reason, or with none.
        _ if has_calls => (FinishReason::ToolCalls, None),
        _ if refused => (FinishReason::ContentFilter, None),
        word if word.is_empty() || GOOD_ENDS.split(' ').any(|good| good == word) => {
            (FinishReason::Stop, None)
        }
        // Unknown reasons, and reasons that promise calls, do not prove that the answer is complete.
        _ => (FinishReason::Incomplete, None),
    }
}
