//! Encodes a prompt for OpenAI's Responses API.
//!
//! The prompt becomes a list of items: each call with its output, and reasoning returned unchanged to the model that
//! produced it. Every request carries the whole conversation and nothing is stored at the provider. No cache key is
//! sent: the provider finds the common prefix by itself, and each agent's prefix starts with its persona.

use serde_json::{Map, Value, json};

use crate::call_pairing::{CallIds, PairedCall};
use crate::fallback;
use crate::http::{Endpoint, HeaderValue, HttpRequest, Method, Secret};
use crate::openai_responses::decode::is_reasoning;
use crate::openai_responses::family;
use nexus_model::llm::{Prompt, PromptEntry, ToolSpec};
use nexus_model::message::content::{MessagePart, OpaqueData, PartBody};
use nexus_model::mind::blob::is_document;

/// The least that an answer may be limited to.
const LEAST_OUTPUT: u32 = 16;

/// The kinds of pictures that are taken.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The streaming call for `prompt`.
pub fn encode(prompt: &Prompt, endpoint: &Endpoint) -> HttpRequest {
    let mut headers = vec![("content-type".to_owned(), HeaderValue::Plain("application/json".to_owned()))];
    headers.extend(key_header(endpoint));
    HttpRequest {
        method: Method::Post,
        url: format!("{}/responses", endpoint.versioned()),
        headers,
        body: Some(body(prompt).to_string()),
    }
}

/// The key's header.
pub(super) fn key_header(endpoint: &Endpoint) -> Option<(String, HeaderValue)> {
    let key = endpoint.key.as_ref()?;
    let bearer = Secret::new(format!("Bearer {}", key.reveal()));
    Some(("authorization".to_owned(), HeaderValue::Secret(bearer)))
}

fn body(prompt: &Prompt) -> Value {
    let settings = family::settings(&prompt.config);
    let mut body = Map::new();
    body.insert("model".into(), prompt.config.model.clone().into());
    if !prompt.system.trim().is_empty() {
        body.insert("instructions".into(), prompt.system.clone().into());
    }
    body.insert("input".into(), input(prompt).into());
    if !prompt.tools.is_empty() {
        body.insert("tools".into(), prompt.tools.iter().map(tool).collect());
    }
    if let Some(name) = prompt.forced_tool() {
        body.insert("tool_choice".into(), json!({"type": "function", "name": name}));
    }
    if let Some(reasoning) = settings.reasoning {
        body.insert("reasoning".into(), reasoning);
    }
    if settings.wants_encrypted {
        body.insert("include".into(), json!(["reasoning.encrypted_content"]));
    }
    if let Some(temperature) = settings.temperature {
        body.insert("temperature".into(), temperature.into());
    }
    if let Some(max_tokens) = prompt.config.max_tokens {
        body.insert("max_output_tokens".into(), max_tokens.max(LEAST_OUTPUT).into());
    }
    if let Some(schema) = &prompt.output {
        let format =
            json!({"type": "json_schema", "name": "answer", "schema": schema, "strict": is_strict(schema)});
        body.insert("text".into(), json!({"format": format}));
    }
    body.insert("stream".into(), true.into());
    body.insert("store".into(), false.into());
    body.into()
}

/// A tool. Its schema is not written by the strict rules, which the provider would otherwise hold it against.
fn tool(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": false,
    })
}

/// Whether every object in a schema is closed and wants all its properties, without which strictness is refused.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            let is_object = fields.get("type").is_some_and(|kind| kind == "object");
            let names = fields.get("properties").and_then(Value::as_object).map(|all| all.keys());
            let wanted = fields.get("required").and_then(Value::as_array);
            let all_wanted = names.into_iter().flatten().all(|name| {
                wanted.is_some_and(|wanted| wanted.iter().any(|other| other.as_str() == Some(name)))
            });
            let closed = fields.get("additionalProperties") == Some(&Value::Bool(false));
            (!is_object || closed && all_wanted) && fields.values().all(is_strict)
        }
        Value::Array(items) => items.iter().all(is_strict),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

/// The conversation as items. It ends with the user or with what a tool said.
fn input(prompt: &Prompt) -> Vec<Value> {
    let mut items = Vec::new();
    let mut ids = CallIds::default();
    let mut waits = false;
    let mut entries = prompt.entries.iter().peekable();
    while let Some(entry) = entries.next() {
        let before = items.len();
        let mut asks = true;
        match entry {
            PromptEntry::User(parts) => items.extend(message("user", user_content(parts, prompt))),
            PromptEntry::Assistant(parts) => {
                let answers = match entries.peek() {
                    Some(PromptEntry::ToolResults(answers)) => {
                        entries.next();
                        answers.as_slice()
                    }
                    Some(PromptEntry::User(_) | PromptEntry::Assistant(_)) | None => &[],
                };
                let (pairs, rest) = ids.pair(parts, answers);
                items.extend(said_by_model(parts, &pairs, prompt));
                asks = !pairs.is_empty() || !rest.is_empty();
                items.extend(pairs.iter().map(output));
                let told =
                    rest.into_iter().filter_map(|answer| text("input_text", &fallback::uncalled(answer)));
                items.extend(message("user", told.collect()));
            }
            PromptEntry::ToolResults(answers) => {
                let told =
                    answers.iter().filter_map(|answer| text("input_text", &fallback::uncalled(answer)));
                items.extend(message("user", told.collect()));
            }
        }
        if items.len() > before {
            waits = asks;
        }
    }
    if !waits {
        items.extend(message("user", text("input_text", fallback::GO_ON).into_iter().collect()));
    }
    items
}

fn message(role: &str, content: Vec<Value>) -> Option<Value> {
    (!content.is_empty()).then(|| json!({"type": "message", "role": role, "content": content}))
}

fn text(kind: &str, text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| json!({"type": kind, "text": text}))
}

fn user_content(parts: &[MessagePart], prompt: &Prompt) -> Vec<Value> {
    let content = |part: &MessagePart| match &part.body {
        PartBody::Text { text: said } => text("input_text", said),
        PartBody::Json { value } => text("input_text", &value.to_string()),
        PartBody::Blob { hash, mime, name, bytes } => match prompt.blobs.get(hash) {
            Some(base64) if PICTURES.contains(&mime.as_str()) => {
                let url = format!("data:{mime};base64,{base64}");
                Some(json!({"type": "input_image", "image_url": url, "detail": "auto"}))
            }
            Some(base64) if is_document(mime) => {
                let data = format!("data:{mime};base64,{base64}");
                Some(json!({"type": "input_file", "filename": name, "file_data": data}))
            }
            Some(_) | None => text("input_text", &fallback::blob_note(name, mime, *bytes)),
        },
        // Users neither think aloud to a model nor call tools; results come as entries of their own.
        PartBody::Thinking { .. } | PartBody::ToolCall(_) | PartBody::ToolResult(_) => None,
    };
    parts.iter().filter_map(content).collect()
}

/// What the model said, in order. Reasoning without what it led to is refused, so none stands last.
fn said_by_model(parts: &[MessagePart], pairs: &[PairedCall<'_>], prompt: &Prompt) -> Vec<Value> {
    let config = &prompt.config;
    let mut pairs = pairs.iter();
    let mut items: Vec<Value> = Vec::new();
    let mut prose: Vec<Value> = Vec::new();
    for part in parts {
        let own = part
            .opaque
            .as_ref()
            .filter(|opaque| opaque.provider == config.provider && opaque.model == config.model);
        let item = match &part.body {
            PartBody::Text { text: said } => {
                prose.extend(text("output_text", said));
                None
            }
            PartBody::Json { value } => {
                prose.extend(text("output_text", &value.to_string()));
                None
            }
            PartBody::Blob { name, mime, bytes, .. } => {
                prose.extend(text("output_text", &fallback::blob_note(name, mime, *bytes)));
                None
            }
            PartBody::Thinking { .. } => own.and_then(reasoned),
            PartBody::ToolCall(_) => pairs.next().map(called),
            PartBody::ToolResult(_) => None,
        };
        if let Some(item) = item {
            items.extend(message("assistant", std::mem::take(&mut prose)));
            items.push(item);
        }
    }
    items.extend(message("assistant", prose));
    while items.last().is_some_and(is_reasoning) {
        items.pop();
    }
    items
}

/// An item of reasoning as it was received. Without its content the provider would look for it in its own store, where
/// it is not.
fn reasoned(opaque: &OpaqueData) -> Option<Value> {
    let item = Some(&opaque.data).filter(|item| is_reasoning(item))?;
    let encrypted = item.get("encrypted_content").and_then(Value::as_str);
    let open = item.get("content").and_then(Value::as_array);
    let has_content = encrypted.is_some_and(|it| !it.is_empty()) || open.is_some_and(|it| !it.is_empty());
    has_content.then(|| item.clone())
}

fn called(pair: &PairedCall<'_>) -> Value {
    json!({
        "type": "function_call",
        "call_id": pair.id,
        "name": fallback::tool_name(&pair.call.name),
        "arguments": fallback::arguments(&pair.call.args).to_string(),
    })
}

fn output(pair: &PairedCall<'_>) -> Value {
    let output = pair.answer.map_or_else(fallback::interrupted, fallback::result);
    json!({"type": "function_call_output", "call_id": pair.id, "output": output})
}
