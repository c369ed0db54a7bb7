//! Parses the conversation of a request of any protocol: authors, texts, calls and results, in order.
//!
//! Checks nothing.

use nexus_model::provider::Protocol;
use serde_json::{Value, json};

use super::rules::{items, text};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    User,
    Model,
}

#[derive(Debug, Clone)]
pub(crate) struct SentMessage {
    pub(crate) who: Author,
    pub(crate) texts: Vec<String>,
    /// Ids and names of the calls.
    pub(crate) calls: Vec<(String, String)>,
    /// Tool results: `id`, `name` and `response`.
    pub(crate) results: Vec<Value>,
    pub(crate) images: usize,
}

impl SentMessage {
    fn new(who: Author) -> Self {
        Self { who, texts: Vec::new(), calls: Vec::new(), results: Vec::new(), images: 0 }
    }
}

/// The system prompt.
pub(crate) fn system_text(protocol: Protocol, body: &Value) -> String {
    match protocol {
        Protocol::Gemini => body.get("systemInstruction").map(|each| texts(items(each, "parts"))),
        Protocol::Responses => text(body, "instructions").map(str::to_owned),
        Protocol::Anthropic => body.get("system").map(content_text),
        Protocol::Openai | Protocol::Ollama => {
            let all: Vec<String> = items(body, "messages")
                .iter()
                .filter(|message| matches!(text(message, "role"), Some("system" | "developer")))
                .filter_map(|message| message.get("content").map(content_text))
                .collect();
            Some(all.join("\n"))
        }
    }
    .unwrap_or_default()
}

/// The conversation, oldest first, without the system prompt.
pub(crate) fn conversation(protocol: Protocol, body: &Value) -> Vec<SentMessage> {
    match protocol {
        Protocol::Gemini => items(body, "contents").iter().map(content).collect(),
        Protocol::Anthropic => named(items(body, "messages").iter().map(blocks).collect()),
        Protocol::Responses => named(items(body, "input").iter().map(item).collect()),
        Protocol::Openai | Protocol::Ollama => {
            let messages = items(body, "messages")
                .iter()
                .filter(|message| !matches!(text(message, "role"), Some("system" | "developer")));
            named(messages.map(message).collect())
        }
    }
}

fn content(content: &Value) -> SentMessage {
    let parts = items(content, "parts");
    let mut entry =
        SentMessage::new(if text(content, "role") == Some("model") { Author::Model } else { Author::User });
    entry.texts = parts.iter().filter_map(|part| text(part, "text").map(str::to_owned)).collect();
    entry.results = parts.iter().filter_map(|part| part.get("functionResponse").cloned()).collect();
    entry.images = parts.iter().filter(|part| part.get("inlineData").is_some()).count();
    let calls = parts.iter().filter_map(|part| part.get("functionCall"));
    entry.calls = calls.map(|call| call_of(call, "id", "name")).collect();
    entry
}

fn call_of(call: &Value, id: &str, name: &str) -> (String, String) {
    let field = |field: &str| text(call, field).unwrap_or_default().to_owned();
    (field(id), field(name))
}

fn blocks(message: &Value) -> SentMessage {
    let is_model = text(message, "role") == Some("assistant");
    let mut entry = SentMessage::new(if is_model { Author::Model } else { Author::User });
    entry.texts.extend(text(message, "content").map(str::to_owned));
    for block in items(message, "content") {
        match text(block, "type") {
            Some("text") => entry.texts.extend(text(block, "text").map(str::to_owned)),
            Some("tool_use") => entry.calls.push(call_of(block, "id", "name")),
            Some("image") => entry.images += 1,
            Some("tool_result") => entry.results.push(result(
                text(block, "tool_use_id"),
                None,
                &block.get("content").map(content_text).unwrap_or_default(),
                block.get("is_error") == Some(&Value::Bool(true)),
            )),
            _ => {}
        }
    }
    entry
}

fn item(item: &Value) -> SentMessage {
    let kind = text(item, "type").unwrap_or("message");
    let is_model = matches!(kind, "function_call" | "reasoning") || text(item, "role") == Some("assistant");
    let mut entry = SentMessage::new(if is_model { Author::Model } else { Author::User });
    match kind {
        "function_call" => entry.calls.push(call_of(item, "call_id", "name")),
        "function_call_output" => {
            let output = item.get("output").map(content_text).unwrap_or_default();
            entry.results.push(result(text(item, "call_id"), None, &output, false));
        }
        "message" => fill(&mut entry, item),
        _ => {}
    }
    entry
}

fn message(message: &Value) -> SentMessage {
    let role = text(message, "role").unwrap_or_default();
    let mut entry = SentMessage::new(if role == "assistant" { Author::Model } else { Author::User });
    if role == "tool" {
        let output = message.get("content").map(content_text).unwrap_or_default();
        let name = text(message, "tool_name");
        entry.results.push(result(text(message, "tool_call_id"), name, &output, false));
        return entry;
    }
    fill(&mut entry, message);
    entry.images += items(message, "images").len();
    for call in items(message, "tool_calls") {
        let name = call.pointer("/function/name").and_then(Value::as_str).unwrap_or_default();
        entry.calls.push((text(call, "id").unwrap_or_default().to_owned(), name.to_owned()));
    }
    entry
}

/// Adds texts and images of a message whose content is a text or a list of parts.
fn fill(entry: &mut SentMessage, message: &Value) {
    entry.texts.extend(text(message, "content").filter(|text| !text.is_empty()).map(str::to_owned));
    for part in items(message, "content") {
        entry.texts.extend(text(part, "text").map(str::to_owned));
        entry.images += usize::from(part.get("image_url").is_some());
    }
}

/// A tool result in Gemini's format, which has all fields.
fn result(id: Option<&str>, name: Option<&str>, output: &str, is_error: bool) -> Value {
    let mut response = serde_json::from_str(output).unwrap_or_else(|_| json!({ "output": output }));
    if is_error && response.get("error").is_none() {
        response = json!({ "error": response });
    }
    json!({ "id": id, "name": name, "response": response })
}

/// Adds the name of its call to each result, if the protocol omits it.
fn named(mut all: Vec<SentMessage>) -> Vec<SentMessage> {
    let calls: Vec<(String, String)> = all.iter().flat_map(|entry| entry.calls.clone()).collect();
    for result in all.iter_mut().flat_map(|entry| &mut entry.results) {
        let id = text(result, "id").unwrap_or_default();
        let name = calls.iter().find(|(call, _)| call == id).map(|(_, name)| name.clone());
        if let (true, Some(name)) = (text(result, "name").is_none(), name) {
            result["name"] = name.into();
        }
    }
    all
}

fn content_text(content: &Value) -> String {
    let parts = content.as_array().map(Vec::as_slice).unwrap_or_default();
    content.as_str().map_or_else(|| texts(parts), str::to_owned)
}

fn texts(parts: &[Value]) -> String {
    let texts: Vec<_> = parts.iter().filter_map(|part| text(part, "text")).collect();
    texts.join("\n")
}
