//! Encodes a prompt for Gemini.
//!
//! Two roles alternate, answers are paired with their calls, and signatures go back on their own parts and only to
//! the model that made them.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::fallback;
use crate::gemini::decode::SIGNATURE;
use crate::gemini::thinking;
use crate::http::{Endpoint, HeaderValue, HttpRequest, Method};
use nexus_model::llm::{ModelConfig, Prompt, PromptEntry, ToolSpec};
use nexus_model::message::content::{MessagePart, PartBody, ToolCall, ToolResult, calls_of};
use nexus_model::provider::vision::InputKinds;

/// What Gemini documents to stand for the signature of a call that another model made.
const FOREIGN_CALL_SIGNATURE: &str = "skip_thought_signature_validator";

/// The streaming call for `prompt`.
pub fn encode(prompt: &Prompt, endpoint: &Endpoint) -> HttpRequest {
    let mut headers = vec![("content-type".to_owned(), HeaderValue::Plain("application/json".to_owned()))];
    headers.extend(key_header(endpoint));
    HttpRequest {
        method: Method::Post,
        url: format!(
            "{}/models/{}:streamGenerateContent?alt=sse",
            versioned(endpoint),
            path_segment(thinking::bare_name(&prompt.config.model))
        ),
        headers,
        body: Some(body(prompt).to_string()),
    }
}

/// The address with the version path.
pub(super) fn versioned(endpoint: &Endpoint) -> String {
    let base = endpoint.base_url.trim_end_matches('/');
    if base.ends_with("/v1beta") { base.to_owned() } else { format!("{base}/v1beta") }
}

/// The key's header. Never put the key into the address: addresses end up in logs.
pub(super) fn key_header(endpoint: &Endpoint) -> Option<(String, HeaderValue)> {
    endpoint.key.clone().map(|key| ("x-goog-api-key".to_owned(), HeaderValue::Secret(key)))
}

/// A name as one segment of a path, whatever the operator typed.
fn path_segment(name: &str) -> String {
    let mut segment = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            segment.push(char::from(byte));
        } else if write!(segment, "%{byte:02X}").is_err() {
            // Writing to a String cannot fail; the result carries no news.
            break;
        }
    }
    segment
}

fn body(prompt: &Prompt) -> Value {
    let mut body = Map::new();
    if !prompt.system.is_empty() {
        body.insert("systemInstruction".into(), json!({"parts": [{"text": prompt.system}]}));
    }
    body.insert("contents".into(), contents(prompt).into_iter().map(GeminiContent::into_json).collect());
    if !prompt.tools.is_empty() {
        let declarations: Vec<_> = prompt.tools.iter().map(declaration).collect();
        body.insert("tools".into(), json!([{"functionDeclarations": declarations}]));
    }
    if let Some(name) = prompt.forced_tool() {
        let calling = json!({"mode": "ANY", "allowedFunctionNames": [name]});
        body.insert("toolConfig".into(), json!({"functionCallingConfig": calling}));
    }
    let config = generation_config(prompt);
    if !config.is_empty() {
        body.insert("generationConfig".into(), config.into());
    }
    body.into()
}

fn declaration(tool: &ToolSpec) -> Value {
    let mut declaration = Map::new();
    declaration.insert("name".into(), tool.name.clone().into());
    declaration.insert("description".into(), tool.description.clone().into());
    // A schema of an object without properties is refused.
    let has_parameters =
        tool.parameters.get("properties").and_then(Value::as_object).is_some_and(|all| !all.is_empty());
    if has_parameters {
        declaration.insert("parametersJsonSchema".into(), tool.parameters.clone());
    }
    declaration.into()
}

fn generation_config(prompt: &Prompt) -> Map<String, Value> {
    let config = &prompt.config;
    let mut out = Map::new();
    // Before 3 a request that asks for data and offers tools is refused; the prompt's words then have to do.
    let takes_both = thinking::wants_signatures(&config.model);
    if let Some(shape) = prompt.output.as_ref().filter(|_| takes_both || prompt.tools.is_empty()) {
        out.insert("responseMimeType".into(), "application/json".into());
        out.insert("responseJsonSchema".into(), shape.clone());
    }
    if let Some(temperature) = config.temperature {
        out.insert("temperature".into(), temperature.into());
    }
    if let Some(max_tokens) = config.max_tokens {
        out.insert("maxOutputTokens".into(), max_tokens.into());
    }
    if let Some(thinking) = thinking::config(&config.model, config.thinking) {
        out.insert("thinkingConfig".into(), thinking);
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum GeminiRole {
    User,
    Model,
}

struct GeminiContent {
    role: GeminiRole,
    parts: Vec<Map<String, Value>>,
}

impl GeminiContent {
    fn into_json(self) -> Value {
        let role = match self.role {
            GeminiRole::User => "user",
            GeminiRole::Model => "model",
        };
        json!({"role": role, "parts": self.parts})
    }
}

/// The conversation. Neighbours of one role become one content, and the user has the first and the last word.
fn contents(prompt: &Prompt) -> Vec<GeminiContent> {
    let mut contents = Vec::new();
    let mut entries = prompt.entries.iter().peekable();
    while let Some(entry) = entries.next() {
        match entry {
            PromptEntry::User(parts) => {
                let said = parts.iter().filter_map(|part| said_by_user(part, prompt)).collect();
                push(&mut contents, GeminiRole::User, said);
            }
            PromptEntry::Assistant(parts) => {
                let said = parts.iter().filter_map(|part| said_by_model(part, &prompt.config)).collect();
                push(&mut contents, GeminiRole::Model, said);
                let answers = match entries.peek() {
                    Some(PromptEntry::ToolResults(answers)) => {
                        entries.next();
                        answers.as_slice()
                    }
                    Some(PromptEntry::User(_) | PromptEntry::Assistant(_)) | None => &[],
                };
                push(&mut contents, GeminiRole::User, answered(calls_of(parts), answers));
            }
            PromptEntry::ToolResults(answers) => {
                push(&mut contents, GeminiRole::User, answers.iter().map(uncalled).collect());
            }
        }
    }
    if contents.first().is_none_or(|first| first.role == GeminiRole::Model) {
        contents.insert(0, GeminiContent { role: GeminiRole::User, parts: vec![text(fallback::GO_ON)] });
    }
    if contents.last().is_some_and(|last| last.role == GeminiRole::Model) {
        push(&mut contents, GeminiRole::User, vec![text(fallback::GO_ON)]);
    }
    if thinking::wants_signatures(&prompt.config.model) {
        sign_foreign_calls(&mut contents);
    }
    contents
}

fn push(contents: &mut Vec<GeminiContent>, role: GeminiRole, parts: Vec<Map<String, Value>>) {
    if parts.is_empty() {
        return;
    }
    match contents.last_mut() {
        Some(last) if last.role == role => last.parts.extend(parts),
        _ => contents.push(GeminiContent { role, parts }),
    }
}

/// In the current turn (since the user last said something) the first call of every step must be signed. Calls
/// that another model made, before the conversation was handed to this one, are not. What is said beside the answers
/// of tools begins no turn for certain, so what came before it is signed too: one signature too many does no harm.
fn sign_foreign_calls(contents: &mut [GeminiContent]) {
    let answers = |part: &Map<String, Value>| part.contains_key("functionResponse");
    let current =
        contents.iter_mut().rev().take_while(|c| c.role == GeminiRole::Model || c.parts.iter().any(answers));
    for content in current {
        let first_call = content.parts.iter_mut().find(|part| part.contains_key("functionCall"));
        if let Some(call) = first_call {
            call.entry(SIGNATURE).or_insert_with(|| FOREIGN_CALL_SIGNATURE.into());
        }
    }
}

fn text(text: &str) -> Map<String, Value> {
    field("text", text.into())
}

fn field(key: &str, value: Value) -> Map<String, Value> {
    Map::from_iter([(key.to_owned(), value)])
}

fn said_by_user(part: &MessagePart, prompt: &Prompt) -> Option<Map<String, Value>> {
    match &part.body {
        PartBody::Text { text: said } => (!said.is_empty()).then(|| text(said)),
        PartBody::Json { value } => Some(text(&value.to_string())),
        PartBody::Blob { hash, mime, name, bytes } => Some(match prompt.blobs.get(hash) {
            Some(base64) if InputKinds::ALL.has(mime) => {
                field("inlineData", json!({"mimeType": mime, "data": base64.as_ref()}))
            }
            Some(_) | None => text(&fallback::blob_note(name, mime, *bytes)),
        }),
        // Users neither think aloud to a model nor call tools; results come as entries of their own.
        PartBody::Thinking { .. } | PartBody::ToolCall(_) | PartBody::ToolResult(_) => None,
    }
}

fn said_by_model(part: &MessagePart, config: &ModelConfig) -> Option<Map<String, Value>> {
    let signature = part
        .opaque
        .as_ref()
        .filter(|opaque| opaque.provider == config.provider && opaque.model == config.model)
        .and_then(|opaque| opaque.data.get(SIGNATURE));
    let mut out = match &part.body {
        PartBody::Text { text: said } => (!said.is_empty() || signature.is_some()).then(|| text(said)),
        // Thinking is not history; only where it is signed does the model want to see it again.
        PartBody::Thinking { text: thought } => signature.map(|_| {
            let mut part = text(thought);
            part.insert("thought".into(), true.into());
            part
        }),
        PartBody::Json { value } => Some(text(&value.to_string())),
        PartBody::Blob { name, mime, bytes, .. } => Some(text(&fallback::blob_note(name, mime, *bytes))),
        PartBody::ToolCall(call) => Some(field("functionCall", called(call))),
        PartBody::ToolResult(_) => None,
    }?;
    if let Some(signature) = signature {
        out.insert(SIGNATURE.into(), signature.clone());
    }
    Some(out)
}

fn called(call: &ToolCall) -> Value {
    named(call, "args", fallback::arguments(&call.args))
}

/// A call or its result, by id and name. The model knows only ids of its own.
fn named(call: &ToolCall, key: &str, value: Value) -> Value {
    let mut out = Map::new();
    if !call.own_id {
        out.insert("id".into(), call.id.clone().into());
    }
    out.insert("name".into(), fallback::tool_name(&call.name).into());
    out.insert(key.to_owned(), value);
    out.into()
}

/// One answer for each call in the order of the calls, then what answers none of them.
fn answered<'a>(
    calls: impl Iterator<Item = &'a ToolCall>,
    answers: &[ToolResult],
) -> Vec<Map<String, Value>> {
    let mut open: Vec<&ToolResult> = answers.iter().collect();
    let mut parts: Vec<_> = calls
        .map(|call| {
            let at = open.iter().position(|answer| answer.call_id == call.id);
            let response = at.map_or_else(fallback::no_outcome, |at| response(open.remove(at)));
            field("functionResponse", named(call, "response", response))
        })
        .collect();
    parts.extend(open.into_iter().map(uncalled));
    parts
}

/// A result must be an object.
fn response(answer: &ToolResult) -> Value {
    let outcome = fallback::outcome(answer);
    if outcome.is_object() { outcome } else { json!({"result": outcome}) }
}

/// A result whose call is not in the prompt can only be told.
fn uncalled(answer: &ToolResult) -> Map<String, Value> {
    text(&fallback::uncalled(answer))
}
