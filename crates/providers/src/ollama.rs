//! Codec of Ollama's native API: `/api/chat`, which streams lines of JSON, and the list of pulled models.
//!
//! Errors, as the response body or as a line of the stream, have the format of OpenAI-compatible hosts.
//!
//! Requests: results follow their calls in order and without ids, and images are separate from the text. The context
//! window is always set, because the server's default is small and truncates prompts silently.
//!
//! Answers: one JSON object per line, the last with `done` and the token counts; an answer that was not streamed is
//! the last line alone. Broken calls are never repaired.

use serde_json::{Map, Value, json};

use crate::chat::ModelEvent;
use crate::http::{Endpoint, HttpRequest, object};
use crate::openai_chat::encode::declaration;
use crate::stream::Gaps;
use crate::stream::event_stream::{EventStream, Family};
use crate::turns::{PromptTurn, arguments_in, effort, file, own, pair, turns, words};
use crate::{error, http_error, stream, turns};
use nexus_model::limits::{CALLS_PER_ANSWER, OLLAMA_WINDOW_TOKENS};
use nexus_model::llm::{FinishReason, ModelConfig, Prompt, PromptEntry, Thinking, Usage};
use nexus_model::message::content::{MessagePart, ToolArgs, calls_of};
use nexus_model::provider::{ProviderError, ProviderErrorKind};

pub fn models_request(endpoint: &Endpoint) -> HttpRequest {
    HttpRequest::get(address(endpoint, "tags"), endpoint.bearer())
}

pub fn encode(prompt: &Prompt, endpoint: &Endpoint) -> HttpRequest {
    let config = &prompt.config;
    let tools: Vec<Value> = prompt.tools.iter().map(declaration).collect();
    let options = object(vec![
        ("num_ctx", config.context_tokens.unwrap_or(OLLAMA_WINDOW_TOKENS).into()),
        ("temperature", config.temperature.into()),
        ("num_predict", config.max_tokens.into()),
    ]);
    let fields = vec![
        ("model", config.model.clone().into()),
        ("messages", messages(prompt).into()),
        ("tools", (!tools.is_empty()).then_some(tools).into()),
        ("stream", true.into()),
        ("think", think(config).into()),
        ("format", prompt.output.clone().into()),
        ("options", options.into()),
    ];
    HttpRequest::post(address(endpoint, "chat"), endpoint.bearer(), fields)
}

/// The URL of `call`, whatever part of it the operator entered.
fn address(endpoint: &Endpoint, call: &str) -> String {
    let mut base = endpoint.base_url.trim().trim_end_matches('/');
    for end in ["/chat", "/tags", "/api", "/v1"] {
        base = base.strip_suffix(end).unwrap_or(base).trim_end_matches('/');
    }
    format!("{base}/api/{call}")
}

/// Only one family has levels; the others think or do not.
fn think(config: &ModelConfig) -> Option<Value> {
    match (config.thinking, config.model.contains("gpt-oss")) {
        (Thinking::Auto, _) => None,
        // That family cannot stop, and ignores `false`.
        (Thinking::Off, true) => Some("low".into()),
        (level, true) => effort(level).map(Value::from),
        (level, false) => Some((level != Thinking::Off).into()),
    }
}

fn messages(prompt: &Prompt) -> Vec<Value> {
    let mut messages = Vec::new();
    if !prompt.system.is_empty() {
        messages.push(json!({"role": "system", "content": prompt.system}));
    }
    // Thinking is only sent within the tool loop where it led to the calls.
    let loop_from = prompt
        .entries
        .iter()
        .rposition(|entry| matches!(entry, PromptEntry::User(_)))
        .map_or(0, |at| at.saturating_add(1));
    for (at, turn) in turns(prompt) {
        match turn {
            PromptTurn::User(parts) => messages.extend(user(parts, prompt)),
            PromptTurn::Model(parts, answers) => {
                let thought = (at >= loop_from).then(|| thought(parts, &prompt.config)).flatten();
                messages.extend(assistant(parts, thought));
                let (pairs, rest) = pair(parts, answers);
                messages.extend(pairs.into_iter().map(|(call, answer)| {
                    let content = turns::outcome_text(answer);
                    json!({"role": "tool", "tool_name": turns::tool_name(&call.name), "content": content})
                }));
                let uncalled = rest.into_iter().map(turns::orphan_result);
                messages.extend(uncalled.map(|content| json!({"role": "user", "content": content})));
            }
        }
    }
    let has_last_word = |message: &Value| message.get("role").is_some_and(|role| role == "assistant");
    if messages.iter().all(|message| message.get("role").is_some_and(|role| role == "system"))
        || messages.last().is_some_and(has_last_word)
    {
        messages.push(json!({"role": "user", "content": turns::GO_ON}));
    }
    messages
}

fn user(parts: &[MessagePart], prompt: &Prompt) -> Option<Value> {
    let (mut texts, mut images) = (Vec::new(), Vec::<Value>::new());
    for part in parts {
        match file(part, prompt).filter(|(mime, ..)| mime.starts_with("image/")) {
            Some((_, _, base64)) => images.push(base64.into()),
            None => texts.extend(words(part).filter(|text| !text.is_empty())),
        }
    }
    if texts.is_empty() && images.is_empty() {
        return None;
    }
    let images = (!images.is_empty()).then_some(images);
    let fields =
        vec![("role", "user".into()), ("content", texts.join("\n\n").into()), ("images", images.into())];
    Some(object(fields).into())
}

fn assistant(parts: &[MessagePart], thought: Option<&Value>) -> Option<Value> {
    let text: String = parts.iter().filter_map(words).collect();
    let calls: Vec<Value> = calls_of(parts)
        .map(|call| json!({"function": {"name": turns::tool_name(&call.name), "arguments": turns::arguments(&call.args)}}))
        .collect();
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let fields = vec![
        ("role", "assistant".into()),
        ("content", text.into()),
        (THINKING, thought.cloned().into()),
        ("tool_calls", (!calls.is_empty()).then_some(calls).into()),
    ];
    Some(object(fields).into())
}

fn thought<'p>(parts: &'p [MessagePart], config: &ModelConfig) -> Option<&'p Value> {
    parts.iter().filter_map(|part| own(part, config)).find_map(|data| data.get(THINKING))
}

const THINKING: &str = "thinking";

/// The token counts, fields of the last line among others.
const COUNTS: [&str; 2] = ["prompt_eval_count", "eval_count"];

#[derive(Clone, Debug, PartialEq)]
pub struct OllamaDecoder {
    stream: EventStream,
    /// The complete calls so far: id, name and arguments.
    calls: Vec<(Option<String>, String, ToolArgs)>,
    thought: String,
}

impl Default for OllamaDecoder {
    fn default() -> Self {
        Self { stream: EventStream::of_lines(), calls: Vec::new(), thought: String::new() }
    }
}

impl Family for OllamaDecoder {
    fn stream(&mut self) -> &mut EventStream {
        &mut self.stream
    }

    fn take(&mut self, _name: Option<&str>, piece: Map<String, Value>) {
        self.stream.understood |= piece.contains_key("message") || piece.contains_key("done");
        self.stream.read_head(None, piece.get("model"));
        if let Some(message) = piece.get("message") {
            self.take_message(message);
        }
        self.take_counts(&piece);
        let is_done = piece.get("done").and_then(Value::as_bool).unwrap_or(false);
        let reason = piece.get("done_reason").and_then(Value::as_str).map(str::to_owned);
        let piece = Value::Object(piece);
        if let Some(failure) = error::failure_in(&piece, None) {
            self.fail(failure);
        } else if is_done {
            self.conclude(reason);
        } else if !self.stream.understood {
            let excerpt = http_error::excerpt(&piece.to_string());
            self.fail(ProviderError::new(ProviderErrorKind::Garbled, excerpt));
        }
    }

    /// Decodes an object on several lines, which were no gaps then.
    fn take_complete(&mut self, piece: Map<String, Value>) {
        self.stream.gaps = Gaps::default();
        self.take(None, piece);
    }
}

impl OllamaDecoder {
    fn take_message(&mut self, message: &Value) {
        let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
        let thought = text("thinking");
        self.thought.push_str(thought);
        self.stream.prose.push_thinking(thought);
        self.stream.prose.push_text(text("content"));
        let calls = message.get("tool_calls");
        // A call that cannot be parsed is still a call.
        if calls.is_some_and(|calls| calls.is_string() || calls.is_object()) {
            self.stream.gaps.lose_call();
            self.stream.emit(ModelEvent::Skipped);
        }
        for call in calls.and_then(Value::as_array).into_iter().flatten() {
            let name = call.pointer("/function/name").and_then(Value::as_str).filter(|name| !name.is_empty());
            match name {
                Some(name) if self.calls.len() < CALLS_PER_ANSWER => {
                    let id = call.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
                    let args = arguments_in(call.pointer("/function/arguments"));
                    self.calls.push((id.map(str::to_owned), name.to_owned(), args));
                }
                Some(_) => self.stream.emit(ModelEvent::Skipped),
                None => {
                    // An entry without any content is no call.
                    let arguments = call.get("function").map_or(Some(call), |call| call.get("arguments"));
                    if arguments.is_some_and(|args| !args.is_null()) {
                        self.stream.gaps.lose_call();
                    }
                    self.stream.emit(ModelEvent::Skipped);
                }
            }
        }
    }

    fn take_counts(&mut self, piece: &Map<String, Value>) {
        let count = |key: &str| piece.get(key).and_then(stream::count);
        let raw: Map<String, Value> =
            COUNTS.iter().filter_map(|key| Some(((*key).to_owned(), piece.get(*key)?.clone()))).collect();
        if !raw.is_empty() {
            self.stream.emit(ModelEvent::Usage(Usage {
                input: count("prompt_eval_count"),
                cached: None,
                output: count("eval_count"),
                reasoning: None,
                raw: raw.into(),
            }));
        }
    }

    fn conclude(&mut self, reason: Option<String>) {
        self.stream.ended = true;
        self.stream.prose.flush();
        let calls = std::mem::take(&mut self.calls);
        let has_calls = !calls.is_empty();
        for (id, name, args) in calls {
            self.stream.call(id.as_deref(), &name, args);
        }
        if !self.thought.is_empty() {
            let data = json!({ THINKING: std::mem::take(&mut self.thought) });
            self.stream.prose.push_opaque(data);
        }
        let finish = match reason.as_deref() {
            // The server has parsed the calls, so they are complete whatever follows them.
            _ if has_calls => FinishReason::ToolCalls,
            Some("length") => FinishReason::Length,
            None | Some("" | "stop" | "load") => FinishReason::Stop,
            // Unknown reasons do not prove that the answer is complete.
            Some(_) => FinishReason::Incomplete,
        };
        let promised = reason.as_deref().is_some_and(stream::promises_calls);
        let finish = self.stream.gaps.resolve(finish, promised && !has_calls);
        self.stream.emit(ModelEvent::Finish { finish, raw: reason, message: None });
    }
}

#[cfg(test)]
mod decode_tests;

#[cfg(test)]
mod encode_tests;
