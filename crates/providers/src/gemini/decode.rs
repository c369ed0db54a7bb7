//! Decodes Gemini's stream.
//!
//! Each event is a whole response object that adds parts, replaces the token counts, and may carry the finish reason.
//! There is no end mark; the stream just ends. Never repairs a broken call.

use serde_json::{Map, Value, json};

use crate::chat::{Decode, ModelEvent, ResponseHead};
use crate::fallback::arguments_in;
use crate::gaps::{Gaps, GarbageGuard};
use crate::gemini::error;
use crate::stream::lenient;
use crate::stream::sse::{SseFrame, SseReader};
use crate::{gaps, http_error};
use nexus_model::limits::CALLS_PER_ANSWER;
use nexus_model::llm::{FinishReason, Usage};
use nexus_model::message::content::ToolCall;
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};

pub(super) const SIGNATURE: &str = "thoughtSignature";

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeminiDecoder {
    sse: SseReader,
    parts: usize,
    /// What the last part holds, if more of it may be joined: prose without a signature.
    open: Option<GeminiTextKind>,
    calls: Vec<ToolCall>,
    has_calls: bool,
    gaps: Gaps,
    /// How much of the stray text came before the newest event, in bytes.
    stray_until: usize,
    finish: Option<FinishReason>,
    head: ResponseHead,
    usage: Usage,
    /// Tokens of the answer without thinking, kept apart because later reports may leave either out.
    answer_tokens: Option<u64>,
    prompt_tokens: Option<u64>,
    tool_tokens: u64,
    understood: bool,
    noise: GarbageGuard,
    failed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GeminiTextKind {
    Text,
    Thinking,
}

impl Decode for GeminiDecoder {
    fn feed(&mut self, bytes: &[u8]) -> Vec<ModelEvent> {
        let frames = self.sse.feed(bytes);
        let mut events = Vec::new();
        self.take_frames(frames, &mut events);
        events
    }

    fn end(&mut self) -> Vec<ModelEvent> {
        let frames = self.sse.end();
        let mut events = Vec::new();
        self.take_frames(frames, &mut events);
        self.take_stray(&mut events);
        if let Some(finish) = self.finish.filter(|_| !self.failed) {
            let judged = self.gaps.judge(finish, false);
            if judged != finish {
                events.push(ModelEvent::Finish { finish: judged, raw: None, message: None });
            }
        }
        events
    }
}

impl GeminiDecoder {
    fn take_frames(&mut self, frames: Vec<SseFrame>, events: &mut Vec<ModelEvent>) {
        for frame in frames {
            if self.failed {
                return;
            }
            match frame {
                SseFrame::Event { name, data } => {
                    self.take_payload(name.as_deref() == Some("error"), data.trim(), events);
                }
                SseFrame::Overlong(head) => self.pass_over(&head, events),
                SseFrame::Stray(until) => {
                    let line = self.sse.stray().get(self.stray_until..until).unwrap_or_default();
                    self.stray_until = until;
                    if self.understood && gaps::may_be_piece(line) {
                        self.gaps.pass_over(line, false);
                    }
                }
            }
        }
    }

    fn take_payload(&mut self, is_error: bool, data: &str, events: &mut Vec<ModelEvent>) {
        // Gateways add keep-alives and the end mark of another protocol.
        if data.is_empty() || data == "[DONE]" || gaps::is_heartbeat(data) {
            return;
        }
        match lenient::parse(data) {
            Ok(Value::Object(response)) if is_error && !response.contains_key("error") => {
                let failure = error::failure_in(&json!({ "error": response }), None);
                self.fail(failure.unwrap_or_else(|| plain(data)), events);
            }
            Ok(Value::Object(response)) => self.take_response(&response, events),
            Ok(Value::Array(responses)) => self.take_responses(&responses, events),
            _ if is_error => self.fail(plain(data), events),
            Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | Err(_) => {
                match gaps::too_deep(data) {
                    Some(failure) => self.fail(failure, events),
                    None => self.pass_over(data, events),
                }
            }
        }
    }

    fn take_responses(&mut self, responses: &[Value], events: &mut Vec<ModelEvent>) {
        for response in responses {
            match response {
                _ if self.failed => return,
                Value::Object(response) => self.take_response(response, events),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                    self.pass_over("", events);
                }
            }
        }
    }

    /// Passes over a piece. Calls come whole, so that one which it names is missing.
    fn pass_over(&mut self, piece: &str, events: &mut Vec<ModelEvent>) {
        self.gaps.pass_over(piece, false);
        events.push(ModelEvent::Skipped);
        if let Some(count) = self.noise.heard() {
            self.fail(gaps::too_much(count), events);
        }
    }

    fn fail(&mut self, failure: ProviderError, events: &mut Vec<ModelEvent>) {
        self.failed = true;
        events.push(ModelEvent::Failed(failure));
    }

    /// Text outside of events: an error object appended to a stream, a whole answer that was not streamed, or a
    /// page of somebody else.
    fn take_stray(&mut self, events: &mut Vec<ModelEvent>) {
        let stray = self.sse.stray().trim().to_owned();
        if self.failed || stray.is_empty() {
            return;
        }
        let value = lenient::parse(&stray).ok();
        if let Some(failure) = value.as_ref().and_then(|value| error::failure_in(value, None)) {
            self.fail(failure, events);
        } else if self.understood {
            events.push(ModelEvent::Skipped);
        } else {
            match &value {
                Some(Value::Object(response)) => self.take_response(response, events),
                Some(Value::Array(responses)) => self.take_responses(responses, events),
                Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => {}
            }
            if !self.understood && !self.failed {
                self.fail(
                    ProviderError::new(ProviderErrorKind::Garbled, http_error::excerpt(&stray)),
                    events,
                );
            }
        }
    }

    fn take_response(&mut self, response: &Map<String, Value>, events: &mut Vec<ModelEvent>) {
        self.noise.over();
        if response.contains_key("error") {
            let whole = Value::Object(response.clone());
            if let Some(failure) = error::failure_in(&whole, None) {
                self.fail(failure, events);
                return;
            }
        }
        self.understood |= ["candidates", "promptFeedback", "usageMetadata", "responseId"]
            .into_iter()
            .any(|key| response.contains_key(key));
        self.head.read(response.get("responseId"), response.get("modelVersion"), events);
        let candidate = response.get("candidates").and_then(Value::as_array).and_then(|candidates| {
            // Only one answer is asked for; should more come, the first is the answer.
            candidates.iter().find(|c| c.get("index").and_then(lenient::count).unwrap_or(0) == 0)
        });
        let parts = candidate.and_then(|candidate| candidate.pointer("/content/parts"));
        for part in parts.and_then(Value::as_array).into_iter().flatten() {
            self.take_part(part, events);
        }
        if let Some(counts) = response.get("usageMetadata").filter(|counts| counts.is_object()) {
            self.take_usage(counts, events);
        }
        self.take_block(response.get("promptFeedback"), events);
        self.take_finish(candidate, events);
    }

    fn take_part(&mut self, part: &Value, events: &mut Vec<ModelEvent>) {
        let signature = part.get(SIGNATURE).and_then(Value::as_str).filter(|text| !text.is_empty());
        if let Some(call) = part.get("functionCall") {
            self.take_call(call, signature, events);
            return;
        }
        let text = match part.get("text").and_then(Value::as_str) {
            Some(text) => text,
            // A signature may come on a part of its own.
            None if signature.is_some() && is_only_signature(part) => "",
            None => {
                events.push(ModelEvent::Skipped);
                return;
            }
        };
        if text.is_empty() && signature.is_none() {
            return;
        }
        let thought = part.get("thought").and_then(Value::as_bool).unwrap_or(false);
        let prose = if thought { GeminiTextKind::Thinking } else { GeminiTextKind::Text };
        // A signature vouches for exactly its part: what is signed stays as it came.
        let part = match (signature, self.open) {
            (None, Some(open)) if open == prose => self.parts.saturating_sub(1),
            _ => self.next_part(),
        };
        self.open = signature.is_none().then_some(prose);
        let text = text.to_owned();
        events.push(match prose {
            GeminiTextKind::Text => ModelEvent::Text { part, text },
            GeminiTextKind::Thinking => ModelEvent::Thinking { part, text },
        });
        push_signature(part, signature, events);
    }

    fn take_call(&mut self, call: &Value, signature: Option<&str>, events: &mut Vec<ModelEvent>) {
        let name = call.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
        let partial = call.get("partialArgs").is_some()
            || call.get("willContinue").and_then(Value::as_bool).unwrap_or(false);
        // Calls in pieces are never asked for; half a call must not look like a whole one.
        let Some(name) = name.filter(|_| !partial) else {
            self.gaps.lose_call();
            events.push(ModelEvent::Skipped);
            return;
        };
        let id = call.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        let mut call = ToolCall {
            id: id.unwrap_or_default().to_owned(),
            own_id: id.is_none(),
            name: name.to_owned(),
            args: arguments_in(call.get("args")),
        };
        if self.calls.contains(&call) {
            events.push(ModelEvent::Repeated);
            return;
        }
        let part = self.next_part();
        self.open = None;
        self.has_calls = true;
        if call.own_id {
            call.id = format!("call-{part}");
        } else if self.calls.len() < CALLS_PER_ANSWER {
            self.calls.push(call.clone());
        }
        events.push(ModelEvent::Call { part, call });
        push_signature(part, signature, events);
    }

    fn next_part(&mut self) -> usize {
        let part = self.parts;
        self.parts = part.saturating_add(1);
        part
    }

    fn take_usage(&mut self, counts: &Value, events: &mut Vec<ModelEvent>) {
        let count = |key: &str| counts.get(key).and_then(lenient::count);
        self.answer_tokens = count("candidatesTokenCount").or(self.answer_tokens);
        let usage = &mut self.usage;
        // What tools of the provider brought into the request is billed, and not among the prompt's tokens.
        self.tool_tokens = count("toolUsePromptTokenCount").unwrap_or(self.tool_tokens);
        self.prompt_tokens = count("promptTokenCount").or(self.prompt_tokens);
        usage.input = self.prompt_tokens.map(|prompt| prompt.saturating_add(self.tool_tokens));
        usage.cached = count("cachedContentTokenCount").or(usage.cached);
        usage.reasoning = count("thoughtsTokenCount").or(usage.reasoning);
        usage.output = match (self.answer_tokens, usage.reasoning) {
            (None, None) => None,
            (answer, thoughts) => Some(answer.unwrap_or(0).saturating_add(thoughts.unwrap_or(0))),
        };
        usage.raw = counts.clone();
        events.push(ModelEvent::Usage(usage.clone()));
    }

    fn take_block(&mut self, feedback: Option<&Value>, events: &mut Vec<ModelEvent>) {
        let word = |key: &str| feedback.and_then(|f| f.get(key)).and_then(Value::as_str);
        let Some(reason) = word("blockReason") else { return };
        let message = word("blockReasonMessage")
            .map_or_else(|| format!("the provider blocked the prompt: {reason}"), str::to_owned);
        self.finish = Some(FinishReason::ContentFilter);
        events.push(ModelEvent::Finish {
            finish: FinishReason::ContentFilter,
            raw: Some(reason.to_owned()),
            message: Some(message),
        });
    }

    fn take_finish(&mut self, candidate: Option<&Value>, events: &mut Vec<ModelEvent>) {
        let word = |key: &str| candidate.and_then(|c| c.get(key)).and_then(Value::as_str);
        let raw = word("finishReason").filter(|raw| *raw != "FINISH_REASON_UNSPECIFIED");
        let Some(raw) = raw else {
            // A call that comes after the finish mark still makes the answer one that asks for tools.
            if matches!(self.finish, Some(FinishReason::Stop | FinishReason::Incomplete)) && self.has_calls {
                self.finish = Some(FinishReason::ToolCalls);
                events.push(ModelEvent::Finish { finish: FinishReason::ToolCalls, raw: None, message: None });
            }
            return;
        };
        let message = word("finishMessage").map(str::to_owned);
        let (finish, fault) = ending(raw, self.has_calls);
        self.finish = Some(finish);
        events.push(ModelEvent::Finish { finish, raw: Some(raw.to_owned()), message: message.clone() });
        if let Some(category) = fault {
            let message = message.unwrap_or_else(|| format!("the model's answer ended with {raw}"));
            let failure =
                ProviderError { code: Some(raw.to_owned()), ..ProviderError::new(category, message) };
            self.fail(failure, events);
        }
    }
}

/// What a finish reason means, and what went wrong where it tells of a fault.
fn ending(raw: &str, has_calls: bool) -> (FinishReason, Option<ProviderErrorKind>) {
    match raw {
        "MAX_TOKENS" => (FinishReason::Length, None),
        "SAFETY"
        | "RECITATION"
        | "LANGUAGE"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION"
        | "IMAGE_OTHER" => (FinishReason::ContentFilter, None),
        // The model's own words could not be understood by the provider.
        "MALFORMED_FUNCTION_CALL" | "MALFORMED_RESPONSE" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS" => {
            (FinishReason::Error, Some(ProviderErrorKind::Garbled))
        }
        "MISSING_THOUGHT_SIGNATURE" => (FinishReason::Error, Some(ProviderErrorKind::BadRequest)),
        // STOP also ends an answer that asks for tools.
        _ if has_calls => (FinishReason::ToolCalls, None),
        "STOP" => (FinishReason::Stop, None),
        // `OTHER`, and words of next year: nothing says that the answer is whole.
        _ => (FinishReason::Incomplete, None),
    }
}

fn plain(words: &str) -> ProviderError {
    ProviderError::new(ProviderErrorKind::Server, http_error::excerpt(words))
}

fn is_only_signature(part: &Value) -> bool {
    part.as_object().is_some_and(|part| part.keys().all(|key| key == SIGNATURE || key == "thought"))
}

fn push_signature(part: usize, signature: Option<&str>, events: &mut Vec<ModelEvent>) {
    if let Some(signature) = signature {
        events.push(ModelEvent::Opaque { part, data: json!({ SIGNATURE: signature }) });
    }
}
