//! Encodes a prompt for Ollama.
//!
//! Results follow their calls in order and without ids, and images go beside the text. The context window is always
//! set, because a server's default is small and truncates prompts silently.

use serde_json::{Map, Value, json};

use crate::fallback;
use crate::http::{Endpoint, HeaderValue, HttpRequest, Method};
use crate::ollama::decode::THINKING;
use crate::openai_chat::encode::{declaration, key_header};
use nexus_model::limits::OLLAMA_WINDOW_TOKENS;
use nexus_model::llm::{ModelConfig, Prompt, PromptEntry, Thinking};
use nexus_model::message::content::{MessagePart, PartBody, ToolResult, calls_of};

/// The streaming call for `prompt`.
pub fn encode(prompt: &Prompt, endpoint: &Endpoint) -> HttpRequest {
    let mut headers = vec![("content-type".to_owned(), HeaderValue::Plain("application/json".to_owned()))];
    headers.extend(key_header(endpoint));
    HttpRequest {
        method: Method::Post,
        url: address(endpoint, "chat"),
        headers,
        body: Some(body(prompt).to_string()),
    }
}

/// The address of `call`, whatever part of it the operator typed.
pub(super) fn address(endpoint: &Endpoint, call: &str) -> String {
    let mut base = endpoint.base_url.trim().trim_end_matches('/');
    for end in ["/chat", "/tags", "/api", "/v1"] {
        base = base.strip_suffix(end).unwrap_or(base).trim_end_matches('/');
    }
    format!("{base}/api/{call}")
}

fn body(prompt: &Prompt) -> Value {
    let config = &prompt.config;
    let mut body = Map::new();
    body.insert("model".into(), config.model.clone().into());
    body.insert("messages".into(), messages(prompt).into());
    if !prompt.tools.is_empty() {
        body.insert("tools".into(), prompt.tools.iter().map(declaration).collect());
    }
    body.insert("stream".into(), true.into());
    if let Some(think) = think(config) {
        body.insert("think".into(), think);
    }
    if let Some(schema) = &prompt.output {
        body.insert("format".into(), schema.clone());
    }
    body.insert("options".into(), options(config).into());
    body.into()
}

fn options(config: &ModelConfig) -> Map<String, Value> {
    let mut options = Map::new();
    options.insert("num_ctx".into(), config.context_tokens.unwrap_or(OLLAMA_WINDOW_TOKENS).into());
    if let Some(temperature) = config.temperature {
        options.insert("temperature".into(), temperature.into());
    }
    if let Some(max_tokens) = config.max_tokens {
        options.insert("num_predict".into(), max_tokens.into());
    }
    options
}

/// Only one family knows how much; the others think or do not.
fn think(config: &ModelConfig) -> Option<Value> {
    let has_levels = config.model.contains("gpt-oss");
    match config.thinking {
        Thinking::Auto => None,
        // That family cannot stop, and ignores a plain no.
        Thinking::Off | Thinking::Low if has_levels => Some("low".into()),
        Thinking::Medium if has_levels => Some("medium".into()),
        Thinking::High if has_levels => Some("high".into()),
        Thinking::Off => Some(false.into()),
        Thinking::Low | Thinking::Medium | Thinking::High => Some(true.into()),
    }
}

fn messages(prompt: &Prompt) -> Vec<Value> {
    let mut messages = Vec::new();
    if !prompt.system.is_empty() {
        messages.push(json!({"role": "system", "content": prompt.system}));
    }
    // Thinking is told again within the tool loop, where it led to the calls, and not later.
    let loop_from = prompt
        .entries
        .iter()
        .rposition(|entry| matches!(entry, PromptEntry::User(_)))
        .map_or(0, |at| at.saturating_add(1));
    let mut entries = prompt.entries.iter().enumerate().peekable();
    while let Some((at, entry)) = entries.next() {
        match entry {
            PromptEntry::User(parts) => messages.extend(user(parts, prompt)),
            PromptEntry::Assistant(parts) => {
                let answers = match entries.peek() {
                    Some((_, PromptEntry::ToolResults(answers))) => {
                        entries.next();
                        answers.as_slice()
                    }
                    Some((_, PromptEntry::User(_) | PromptEntry::Assistant(_))) | None => &[],
                };
                let thought = (at >= loop_from).then(|| thought(parts, &prompt.config)).flatten();
                messages.extend(assistant(parts, thought));
                results(parts, answers, &mut messages);
            }
            PromptEntry::ToolResults(answers) => messages.extend(answers.iter().map(tell)),
        }
    }
    let has_last_word = |message: &Value| message.get("role").is_some_and(|role| role == "assistant");
    if messages.iter().all(|message| message.get("role").is_some_and(|role| role == "system"))
        || messages.last().is_some_and(has_last_word)
    {
        messages.push(json!({"role": "user", "content": fallback::GO_ON}));
    }
    messages
}

fn user(parts: &[MessagePart], prompt: &Prompt) -> Option<Value> {
    let mut texts = Vec::new();
    let mut images: Vec<Value> = Vec::new();
    for part in parts {
        match &part.body {
            PartBody::Text { text } => texts.push(text.clone()),
            PartBody::Json { value } => texts.push(value.to_string()),
            PartBody::Blob { hash, mime, name, bytes } => {
                match prompt.blobs.get(hash).filter(|_| mime.starts_with("image/")) {
                    Some(data) => images.push(data.as_ref().into()),
                    None => texts.push(fallback::blob_note(name, mime, *bytes)),
                }
            }
            // Users neither think aloud to a model nor call tools; results come as entries of their own.
            PartBody::Thinking { .. } | PartBody::ToolCall(_) | PartBody::ToolResult(_) => {}
        }
    }
    texts.retain(|text| !text.is_empty());
    if texts.is_empty() && images.is_empty() {
        return None;
    }
    let mut message = Map::new();
    message.insert("role".into(), "user".into());
    message.insert("content".into(), texts.join("\n\n").into());
    if !images.is_empty() {
        message.insert("images".into(), images.into());
    }
    Some(message.into())
}

fn assistant(parts: &[MessagePart], thought: Option<&Value>) -> Option<Value> {
    let text: String = parts
        .iter()
        .filter_map(|part| match &part.body {
            PartBody::Text { text } => Some(text.clone()),
            PartBody::Json { value } => Some(value.to_string()),
            PartBody::Blob { name, mime, bytes, .. } => Some(fallback::blob_note(name, mime, *bytes)),
            PartBody::Thinking { .. } | PartBody::ToolCall(_) | PartBody::ToolResult(_) => None,
        })
        .collect();
    let calls: Vec<Value> = calls_of(parts)
        .map(|call| json!({"function": {"name": fallback::tool_name(&call.name), "arguments": fallback::arguments(&call.args)}}))
        .collect();
    if text.is_empty() && calls.is_empty() {
        return None;
    }
    let mut message = Map::new();
    message.insert("role".into(), "assistant".into());
    message.insert("content".into(), text.into());
    if let Some(thought) = thought {
        message.insert(THINKING.into(), thought.clone());
    }
    if !calls.is_empty() {
        message.insert("tool_calls".into(), calls.into());
    }
    Some(message.into())
}

fn thought<'p>(parts: &'p [MessagePart], config: &ModelConfig) -> Option<&'p Value> {
    parts
        .iter()
        .filter_map(|part| part.opaque.as_ref())
        .filter(|opaque| opaque.provider == config.provider && opaque.model == config.model)
        .find_map(|opaque| opaque.data.get(THINKING))
}

/// One result for each call in the order of the calls, then what answers none of them.
fn results(parts: &[MessagePart], answers: &[ToolResult], messages: &mut Vec<Value>) {
    let mut open: Vec<&ToolResult> = answers.iter().collect();
    for call in calls_of(parts) {
        let at = open.iter().position(|answer| answer.call_id == call.id);
        let content = at.map_or_else(fallback::interrupted, |at| fallback::result(open.remove(at)));
        messages
            .push(json!({"role": "tool", "tool_name": fallback::tool_name(&call.name), "content": content}));
    }
    messages.extend(open.into_iter().map(tell));
}

fn tell(answer: &ToolResult) -> Value {
    json!({"role": "user", "content": fallback::uncalled(answer)})
}
