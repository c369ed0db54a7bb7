//! Decodes Gemini's stream.
//!
//! Each event is a complete response object that adds parts, replaces the token counts, and may hold the finish reason.
//! There is no end marker; the stream just ends. Broken calls are never repaired.

use serde_json::{Map, Value, json};

use crate::chat::ModelEvent;
use crate::stream::event_stream::{EventStream, Family};
use crate::turns::arguments_in;
use crate::{error, stream};
use nexus_model::llm::{FinishReason, Usage};
use nexus_model::provider::{ProviderError, ProviderErrorKind};

pub(super) const SIGNATURE: &str = "thoughtSignature";

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GeminiDecoder {
    stream: EventStream,
    /// The last part, and whether it is thinking, if more text may be appended to it: unsigned text.
    open: Option<(usize, bool)>,
    finish: Option<FinishReason>,
    usage: Usage,
    /// Tokens of the answer without thinking, kept separately because later reports may omit either.
    answer_tokens: Option<u64>,
    prompt_tokens: Option<u64>,
    tool_tokens: u64,
}

impl Family for GeminiDecoder {
    fn stream(&mut self) -> &mut EventStream {
        &mut self.stream
    }

    fn take(&mut self, name: Option<&str>, response: Map<String, Value>) {
        if name == Some("error") && !response.contains_key("error") {
            self.fail(error::of_event(&Value::Object(response)));
        } else {
            self.take_response(response);
        }
    }

    fn takes_lists(&self) -> bool {
        true
    }

    fn close(&mut self) {
        if let Some(finish) = self.finish {
            let resolved = self.stream.gaps.resolve(finish, false);
            if resolved != finish {
                self.stream.emit(ModelEvent::finish(resolved));
            }
        }
    }
}

impl GeminiDecoder {
    fn take_response(&mut self, response: Map<String, Value>) {
        let response = Value::Object(response);
        if response.get("error").is_some()
            && let Some(failure) = error::failure_in(&response, None)
        {
            self.fail(failure);
            return;
        }
        self.stream.understood |= ["candidates", "promptFeedback", "usageMetadata", "responseId"]
            .into_iter()
            .any(|key| response.get(key).is_some());
        self.stream.read_head(response.get("responseId"), response.get("modelVersion"));
        let candidate = response.get("candidates").and_then(Value::as_array).and_then(|candidates| {
            // Only one answer is requested. If more come, the first counts.
            candidates.iter().find(|c| c.get("index").and_then(stream::count).unwrap_or(0) == 0)
        });
        let parts = candidate.and_then(|candidate| candidate.pointer("/content/parts"));
        let lists = [response.get("candidates"), parts].into_iter().flatten();
        lists.filter(|list| !list.is_array() && !list.is_null()).for_each(|odd| self.skip(odd));
        for part in parts.and_then(Value::as_array).into_iter().flatten() {
            self.take_part(part);
        }
        if let Some(counts) = response.get("usageMetadata").filter(|counts| counts.is_object()) {
            self.take_usage(counts);
        }
        self.take_block(response.get("promptFeedback"));
        self.take_finish(candidate);
    }

    fn take_part(&mut self, part: &Value) {
        let signature = part.get(SIGNATURE).and_then(Value::as_str).filter(|text| !text.is_empty());
        if let Some(call) = part.get("functionCall") {
            self.take_call(call, signature);
            return;
        }
        let text = match part.get("text").and_then(Value::as_str) {
            Some(text) => text,
            // A signature may come in a part of its own.
            None if signature.is_some() && is_only_signature(part) => "",
            None => return self.skip(part),
        };
        if text.is_empty() && signature.is_none() {
            return;
        }
        let thought = part.get("thought").and_then(Value::as_bool).unwrap_or(false);
        // A signature covers exactly its part: signed text is not joined with other text.
        let part = match self.open {
            Some((part, open)) if signature.is_none() && open == thought => part,
            _ => self.stream.prose.next_part(),
        };
        self.open = signature.is_none().then_some((part, thought));
        self.stream.emit(ModelEvent::words(part, text.to_owned(), thought));
        self.emit_signature(part, signature);
    }

    /// Skips a piece, which may hold a call.
    fn skip(&mut self, piece: &Value) {
        self.stream.gaps.skip(&piece.to_string(), false);
        self.stream.emit(ModelEvent::Skipped);
    }

    fn take_call(&mut self, call: &Value, signature: Option<&str>) {
        let name = call.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
        let partial = call.get("partialArgs").is_some()
            || call.get("willContinue").and_then(Value::as_bool).unwrap_or(false);
        // Calls in pieces are never requested; an incomplete call must not look complete.
        let Some(name) = name.filter(|_| !partial) else {
            self.stream.gaps.lose_call();
            self.stream.emit(ModelEvent::Skipped);
            return;
        };
        let id = call.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        let args = arguments_in(call.get("args"));
        if let Some(part) = self.stream.call(id, name, args) {
            self.open = None;
            self.emit_signature(part, signature);
        }
    }

    fn emit_signature(&mut self, part: usize, signature: Option<&str>) {
        if let Some(signature) = signature {
            self.stream.emit(ModelEvent::Opaque { part, data: json!({ SIGNATURE: signature }) });
        }
    }

    fn take_usage(&mut self, counts: &Value) {
        let count = |key: &str| counts.get(key).and_then(stream::count);
        self.answer_tokens = count("candidatesTokenCount").or(self.answer_tokens);
        let usage = &mut self.usage;
        // Tokens that the provider's own tools added to the request are billed but not part of the prompt count.
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
        self.stream.emit(ModelEvent::Usage(usage.clone()));
    }

    fn take_block(&mut self, feedback: Option<&Value>) {
        let field = |key: &str| feedback.and_then(|f| f.get(key)).and_then(Value::as_str);
        let Some(reason) = field("blockReason") else { return };
        let message = field("blockReasonMessage")
            .map_or_else(|| format!("the provider blocked the prompt: {reason}"), str::to_owned);
        self.finish = Some(FinishReason::ContentFilter);
        self.stream.emit(ModelEvent::Finish {
            finish: FinishReason::ContentFilter,
            raw: Some(reason.to_owned()),
            message: Some(message),
        });
    }

    fn take_finish(&mut self, candidate: Option<&Value>) {
        let field = |key: &str| candidate.and_then(|c| c.get(key)).and_then(Value::as_str);
        let raw = field("finishReason").filter(|raw| *raw != "FINISH_REASON_UNSPECIFIED");
        let Some(raw) = raw else {
            // A call after the finish reason still makes the answer one that calls tools.
            if matches!(self.finish, Some(FinishReason::Stop | FinishReason::Incomplete))
                && self.stream.has_calls()
            {
                self.finish = Some(FinishReason::ToolCalls);
                self.stream.emit(ModelEvent::finish(FinishReason::ToolCalls));
            }
            return;
        };
        let message = field("finishMessage").map(str::to_owned);
        let (finish, fault) = ending(raw, self.stream.has_calls());
        self.finish = Some(finish);
        self.stream.emit(ModelEvent::Finish { finish, raw: Some(raw.to_owned()), message: message.clone() });
        if let Some(category) = fault {
            let message = message.unwrap_or_else(|| format!("the model's answer ended with {raw}"));
            let failure =
                ProviderError { code: Some(raw.to_owned()), ..ProviderError::new(category, message) };
            self.fail(failure);
        }
    }
}

/// The meaning of a finish reason, and the kind of error if it reports one.
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
        // The provider could not parse the model's output.
        "MALFORMED_FUNCTION_CALL" | "MALFORMED_RESPONSE" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS" => {
            (FinishReason::Error, Some(ProviderErrorKind::Garbled))
        }
        "MISSING_THOUGHT_SIGNATURE" => (FinishReason::Error, Some(ProviderErrorKind::BadRequest)),
        // STOP also ends an answer that calls tools.
        _ if has_calls => (FinishReason::ToolCalls, None),
        "STOP" => (FinishReason::Stop, None),
        // `OTHER` and unknown reasons do not prove that the answer is complete.
        _ => (FinishReason::Incomplete, None),
    }
}

fn is_only_signature(part: &Value) -> bool {
    part.as_object().is_some_and(|part| part.keys().all(|key| key == SIGNATURE || key == "thought"))
}
