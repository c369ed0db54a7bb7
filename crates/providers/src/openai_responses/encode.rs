//! Encodes a prompt for OpenAI's Responses API.
//!
//! The prompt becomes a list of items: each call with its output, and reasoning returned unchanged to the model that
//! produced it. Every request has the whole conversation and nothing is stored at the provider. No cache key is sent:
//! the provider finds the common prefix by itself, and each agent's prefix starts with its persona.

use serde_json::{Value, json};

use crate::http::{Endpoint, HttpRequest};
use crate::openai_responses::decode::is_reasoning;
use crate::openai_responses::family;
use crate::turns;
use crate::turns::{CallIds, PICTURES, PairedCall, PromptTurn, USER, file, own, turns, words};
use nexus_model::llm::{Prompt, ToolSpec};
use nexus_model::message::content::{MessagePart, PartBody};
use nexus_model::mind::blob::is_document;

const LEAST_OUTPUT: u32 = 16;

pub fn encode(prompt: &Prompt, endpoint: &Endpoint) -> HttpRequest {
    let settings = family::settings(&prompt.config);
    let instructions = (!prompt.system.trim().is_empty()).then(|| prompt.system.clone());
    let tools: Vec<Value> = prompt.tools.iter().map(tool).collect();
    let forced = prompt.forced_tool().map(|name| json!({"type": "function", "name": name}));
    let include = settings.wants_encrypted.then(|| json!(["reasoning.encrypted_content"]));
    let format = prompt.output.as_ref().map(|schema| {
        let strict = is_strict(schema);
        json!({"format": {"type": "json_schema", "name": "answer", "schema": schema, "strict": strict}})
    });
    let fields = vec![
        ("model", prompt.config.model.clone().into()),
        ("instructions", instructions.into()),
        ("input", input(prompt).into()),
        ("tools", (!tools.is_empty()).then_some(tools).into()),
        ("tool_choice", forced.into()),
        ("reasoning", settings.reasoning.into()),
        ("include", include.into()),
        ("temperature", settings.temperature.into()),
        ("max_output_tokens", prompt.config.max_tokens.map(|most| most.max(LEAST_OUTPUT)).into()),
        ("text", format.into()),
        ("stream", true.into()),
        ("store", false.into()),
    ];
    HttpRequest::post(format!("{}/responses", endpoint.versioned()), endpoint.bearer(), fields)
}

/// A tool. Its schema does not follow the strict rules, which are on by default.
fn tool(tool: &ToolSpec) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": false,
    })
}

/// True if every object in a schema is closed and requires all its properties, as strict mode demands.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            let is_object = fields.get("type").is_some_and(|kind| kind == "object");
            let names = fields.get("properties").and_then(Value::as_object).map(|all| all.keys());
            let required = fields.get("required").and_then(Value::as_array);
            let all_required = names.into_iter().flatten().all(|name| {
                required.is_some_and(|required| required.iter().any(|other| other.as_str() == Some(name)))
            });
            let closed = fields.get("additionalProperties") == Some(&Value::Bool(false));
            (!is_object || closed && all_required) && fields.values().all(is_strict)
        }
        Value::Array(items) => items.iter().all(is_strict),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

/// The conversation as items. The last is the user's or a tool's output.
fn input(prompt: &Prompt) -> Vec<Value> {
    let mut items = Vec::new();
    let mut ids = CallIds::default();
    let mut ends_with_input = false;
    for (_, turn) in turns(prompt) {
        let before = items.len();
        let mut is_input = true;
        match turn {
            PromptTurn::User(parts) => items.extend(message(USER, user_content(parts, prompt))),
            PromptTurn::Model(parts, answers) => {
                let (pairs, rest) = ids.pair(parts, answers);
                items.extend(model_items(parts, &pairs, prompt));
                is_input = !pairs.is_empty() || !rest.is_empty();
                items.extend(pairs.iter().map(output));
                let texts =
                    rest.into_iter().filter_map(|answer| text("input_text", &turns::orphan_result(answer)));
                items.extend(message(USER, texts.collect()));
            }
        }
        if items.len() > before {
            ends_with_input = is_input;
        }
    }
    if !ends_with_input {
        items.extend(message(USER, text("input_text", turns::GO_ON).into_iter().collect()));
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
    let content = |part: &MessagePart| match file(part, prompt) {
        Some((mime, _, base64)) if PICTURES.contains(&mime) => {
            let url = format!("data:{mime};base64,{base64}");
            Some(json!({"type": "input_image", "image_url": url, "detail": "auto"}))
        }
        Some((mime, name, base64)) if is_document(mime) => {
            let data = format!("data:{mime};base64,{base64}");
            Some(json!({"type": "input_file", "filename": name, "file_data": data}))
        }
        Some(_) | None => text("input_text", &words(part)?),
    };
    parts.iter().filter_map(content).collect()
}

/// The model's items in order. Reasoning without a following item is rejected, so none is last.
fn model_items(parts: &[MessagePart], pairs: &[PairedCall<'_>], prompt: &Prompt) -> Vec<Value> {
    let mut pairs = pairs.iter();
    let mut items: Vec<Value> = Vec::new();
    let mut prose: Vec<Value> = Vec::new();
    for part in parts {
        let item = match &part.body {
            PartBody::Thinking { .. } => own(part, &prompt.config).and_then(reasoned),
            PartBody::ToolCall(_) => pairs.next().map(called),
            PartBody::Text { .. }
            | PartBody::Json { .. }
            | PartBody::Blob { .. }
            | PartBody::ToolResult(_) => {
                prose.extend(words(part).and_then(|text_of_part| text("output_text", &text_of_part)));
                None
            }
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

/// A reasoning item as received. Without its content the provider would look it up in its own store, where it is
/// missing.
fn reasoned(data: &Value) -> Option<Value> {
    let item = Some(data).filter(|item| is_reasoning(item))?;
    let encrypted = item.get("encrypted_content").and_then(Value::as_str);
    let open = item.get("content").and_then(Value::as_array);
    let has_content = encrypted.is_some_and(|it| !it.is_empty()) || open.is_some_and(|it| !it.is_empty());
    has_content.then(|| item.clone())
}

fn called(pair: &PairedCall<'_>) -> Value {
    json!({
        "type": "function_call",
        "call_id": pair.id,
        "name": turns::tool_name(&pair.call.name),
        "arguments": turns::arguments(&pair.call.args).to_string(),
    })
}

fn output(pair: &PairedCall<'_>) -> Value {
    let output = turns::outcome_text(pair.answer);
    json!({"type": "function_call_output", "call_id": pair.id, "output": output})
}
