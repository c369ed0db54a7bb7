//! Encodes a prompt for Anthropic's Messages API.
//!
//! Roles alternate, all results of a step come first in the message after its calls, thinking goes back unchanged to
//! the model that produced it, and cache breakpoints are set.

use serde_json::{Map, Value, json};

use crate::anthropic::generation;
use crate::call_pairing::{CallIds, PairedCall};
use crate::fallback;
use crate::http::{Endpoint, HeaderValue, HttpRequest, Method};
use nexus_model::llm::{ModelConfig, Prompt, PromptEntry, ToolSpec};
use nexus_model::message::content::{MessagePart, OpaqueData, PartBody, ToolResult};
use nexus_model::mind::blob::is_document;
use nexus_text::vec_map::VecSet;

const VERSION: &str = "2023-06-01";

/// The kinds of pictures that are taken.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

type ContentBlock = Map<String, Value>;

/// The streaming call for `prompt`.
pub fn encode(prompt: &Prompt, endpoint: &Endpoint) -> HttpRequest {
    let mut all = vec![plain("content-type", "application/json")];
    all.extend(headers(endpoint));
    HttpRequest {
        method: Method::Post,
        url: format!("{}/messages", endpoint.versioned()),
        headers: all,
        body: Some(body(prompt).to_string()),
    }
}

/// The headers of every request. The one about browsers is what makes the provider answer a page at all.
pub(super) fn headers(endpoint: &Endpoint) -> Vec<(String, HeaderValue)> {
    let key = endpoint.key.clone().map(|key| ("x-api-key".to_owned(), HeaderValue::Secret(key)));
    let open =
        [plain("anthropic-version", VERSION), plain("anthropic-dangerous-direct-browser-access", "true")];
    open.into_iter().chain(key).collect()
}

fn plain(name: &str, value: &str) -> (String, HeaderValue) {
    (name.to_owned(), HeaderValue::Plain(value.to_owned()))
}

fn body(prompt: &Prompt) -> Value {
    let mut messages = messages(prompt);
    let settings = generation::settings(&prompt.config, opens_thinking(&messages));
    if !settings.replays {
        // No message is left empty: thinking never stands alone.
        messages.iter_mut().for_each(|message| message.content.retain(|block| !is_thinking(block)));
    }
    let mut body = Map::new();
    body.insert("model".into(), prompt.config.model.clone().into());
    body.insert("max_tokens".into(), settings.max_tokens.into());
    body.insert("stream".into(), true.into());
    if let Some(thinking) = settings.thinking {
        body.insert("thinking".into(), thinking);
    }
    if let Some(temperature) = settings.temperature {
        body.insert("temperature".into(), temperature.into());
    }
    if let Some(output) = generation::output_config(settings.effort, prompt.output.as_ref()) {
        body.insert("output_config".into(), output);
    }
    if let Some(system) = text(&prompt.system) {
        body.insert("system".into(), json!([marked(system)]));
    }
    if let Some((last, before)) = prompt.tools.split_last() {
        let mut tools: Vec<ContentBlock> = before.iter().map(tool).collect();
        tools.push(marked(tool(last)));
        body.insert("tools".into(), json!(tools));
        // A model that thinks may not be forced.
        let name = prompt.forced_tool().filter(|_| !settings.thinks);
        body.extend(name.map(|name| ("tool_choice".to_owned(), json!({"type": "tool", "name": name}))));
    } else if let Some(tools) = tools_called(&messages) {
        body.insert("tools".into(), tools);
        body.insert("tool_choice".into(), json!({"type": "none"}));
    }
    body.insert("messages".into(), messages.into_iter().map(AnthropicMessage::into_json).collect());
    body.into()
}

fn tool(tool: &ToolSpec) -> ContentBlock {
    let mut out = Map::new();
    out.insert("name".into(), tool.name.clone().into());
    out.insert("description".into(), tool.description.clone().into());
    out.insert("input_schema".into(), tool.parameters.clone());
    out
}

/// The tools that a history without tools on offer speaks of: calls of tools that are not declared are refused.
fn tools_called(messages: &[AnthropicMessage]) -> Option<Value> {
    let mut names = VecSet::new();
    for block in messages.iter().flat_map(|message| &message.content) {
        if kind(block) == Some("tool_use")
            && let Some(name) = block.get("name").and_then(Value::as_str)
        {
            names.insert(name.to_owned());
        }
    }
    let declared = |name: &String| json!({"name": name, "input_schema": {"type": "object"}});
    (!names.is_empty()).then(|| names.iter().map(declared).collect())
}

/// A block up to which the provider may keep what it read. At most four of a request are: the tools, which agents may
/// share; the system prompt; the history before the question, which the next turn repeats; and, where a loop of tools
/// may follow, the end, which its next step repeats.
fn marked(mut block: ContentBlock) -> ContentBlock {
    block.insert("cache_control".into(), json!({"type": "ephemeral"}));
    block
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnthropicRole {
    User,
    Assistant,
}

struct AnthropicMessage {
    role: AnthropicRole,
    content: Vec<ContentBlock>,
}

impl AnthropicMessage {
    fn into_json(self) -> Value {
        let role = match self.role {
            AnthropicRole::User => "user",
            AnthropicRole::Assistant => "assistant",
        };
        json!({"role": role, "content": self.content})
    }
}

/// The conversation. Neighbours of one role become one message, and the user has the first and the last word.
fn messages(prompt: &Prompt) -> Vec<AnthropicMessage> {
    let mut messages = Vec::new();
    let mut ids = CallIds::default();
    let question = prompt.entries.iter().rposition(|entry| matches!(entry, PromptEntry::User(_)));
    let mut entries = prompt.entries.iter().enumerate().peekable();
    while let Some((at, entry)) = entries.next() {
        if Some(at) == question {
            mark_end(&mut messages);
        }
        match entry {
            PromptEntry::User(parts) => {
                push(
                    &mut messages,
                    AnthropicRole::User,
                    parts.iter().filter_map(|p| said_by_user(p, prompt)).collect(),
                );
            }
            PromptEntry::Assistant(parts) => {
                let answers = match entries.peek() {
                    Some((_, PromptEntry::ToolResults(answers))) => {
                        entries.next();
                        answers.as_slice()
                    }
                    Some((_, PromptEntry::User(_) | PromptEntry::Assistant(_))) | None => &[],
                };
                let (pairs, rest) = ids.pair(parts, answers);
                push(&mut messages, AnthropicRole::Assistant, said_by_model(parts, &pairs, &prompt.config));
                let results = pairs.iter().map(answered);
                let told = rest.into_iter().filter_map(uncalled);
                push(&mut messages, AnthropicRole::User, results.chain(told).collect());
            }
            PromptEntry::ToolResults(answers) => {
                push(&mut messages, AnthropicRole::User, answers.iter().filter_map(uncalled).collect());
            }
        }
    }
    let go_on = || text(fallback::GO_ON).into_iter().collect::<Vec<_>>();
    if messages.first().is_none_or(|first| first.role == AnthropicRole::Assistant) {
        messages.insert(0, AnthropicMessage { role: AnthropicRole::User, content: go_on() });
    }
    if messages.last().is_some_and(|last| last.role == AnthropicRole::Assistant) {
        push(&mut messages, AnthropicRole::User, go_on());
    }
    if !prompt.tools.is_empty() {
        mark_end(&mut messages);
    }
    messages
}

fn push(messages: &mut Vec<AnthropicMessage>, role: AnthropicRole, content: Vec<ContentBlock>) {
    if content.is_empty() {
        return;
    }
    match messages.last_mut() {
        Some(last) if last.role == role => last.content.extend(content),
        _ => messages.push(AnthropicMessage { role, content }),
    }
}

/// Marks the last block so far. Thinking, which cannot be marked, never is the last.
fn mark_end(messages: &mut [AnthropicMessage]) {
    let last = messages.last_mut().and_then(|message| message.content.last_mut());
    if let Some(block) = last.filter(|block| !block.contains_key("cache_control")) {
        *block = marked(std::mem::take(block));
    }
}

/// Whether the answer that is being continued, if one is, begins with thinking.
fn opens_thinking(messages: &[AnthropicMessage]) -> bool {
    let [.., answer, results] = messages else { return true };
    let is_step = results.content.iter().any(|block| kind(block) == Some("tool_result"));
    !is_step || answer.content.first().is_some_and(is_thinking)
}

fn kind(block: &ContentBlock) -> Option<&str> {
    block.get("type").and_then(Value::as_str)
}

fn is_thinking(block: &ContentBlock) -> bool {
    matches!(kind(block), Some("thinking" | "redacted_thinking"))
}

/// A block of text; none where it would hold nothing but blanks, which is refused.
fn text(text: &str) -> Option<ContentBlock> {
    (!text.trim().is_empty()).then(|| block("text", [("text", text.into())]))
}

fn block<const N: usize>(kind: &str, fields: [(&str, Value); N]) -> ContentBlock {
    let fields = fields.into_iter().map(|(key, value)| (key.to_owned(), value));
    [("type".to_owned(), kind.into())].into_iter().chain(fields).collect()
}

fn said_by_user(part: &MessagePart, prompt: &Prompt) -> Option<ContentBlock> {
    match &part.body {
        PartBody::Text { text: said } => text(said),
        PartBody::Json { value } => text(&value.to_string()),
        PartBody::Blob { hash, mime, name, bytes } => match prompt.blobs.get(hash) {
            Some(base64) if PICTURES.contains(&mime.as_str()) => {
                let source = json!({"type": "base64", "media_type": mime, "data": base64.as_ref()});
                Some(block("image", [("source", source)]))
            }
            Some(base64) if is_document(mime) => {
                let source = json!({"type": "base64", "media_type": mime, "data": base64.as_ref()});
                Some(block("document", [("source", source)]))
            }
            Some(_) | None => text(&fallback::blob_note(name, mime, *bytes)),
        },
        // Users neither think aloud to a model nor call tools; results come as entries of their own.
        PartBody::Thinking { .. } | PartBody::ToolCall(_) | PartBody::ToolResult(_) => None,
    }
}

/// What the model said, in order. An answer may end neither in thinking nor in blanks.
fn said_by_model(parts: &[MessagePart], pairs: &[PairedCall<'_>], config: &ModelConfig) -> Vec<ContentBlock> {
    let mut pairs = pairs.iter();
    let mut blocks: Vec<ContentBlock> = parts
        .iter()
        .filter_map(|part| {
            let own = part
                .opaque
                .as_ref()
                .filter(|opaque| opaque.provider == config.provider && opaque.model == config.model);
            match &part.body {
                PartBody::Text { text: said } => text(said),
                PartBody::Thinking { text } => own.and_then(|opaque| thought(opaque, text)),
                PartBody::Json { value } => text(&value.to_string()),
                PartBody::Blob { name, mime, bytes, .. } => text(&fallback::blob_note(name, mime, *bytes)),
                PartBody::ToolCall(_) => pairs.next().map(called),
                PartBody::ToolResult(_) => None,
            }
        })
        .collect();
    while blocks.last().is_some_and(is_thinking) {
        blocks.pop();
    }
    if let Some(Value::String(last)) = blocks.last_mut().and_then(|block| block.get_mut("text")) {
        last.truncate(last.trim_end().len());
    }
    blocks
}

/// A block of thinking as it was received; none where the data is not what this provider gives.
fn thought(opaque: &OpaqueData, text: &str) -> Option<ContentBlock> {
    let mut block = opaque.data.as_object()?.clone();
    match kind(&block)? {
        "thinking" => {
            block.insert("thinking".into(), text.into());
            Some(block)
        }
        "redacted_thinking" => Some(block),
        _ => None,
    }
}

fn called(pair: &PairedCall<'_>) -> ContentBlock {
    block(
        "tool_use",
        [
            ("id", pair.id.clone().into()),
            ("name", fallback::tool_name(&pair.call.name).into()),
            ("input", fallback::arguments(&pair.call.args)),
        ],
    )
}

fn answered(pair: &PairedCall<'_>) -> ContentBlock {
    let content = pair.answer.map_or_else(fallback::interrupted, fallback::result);
    let mut out =
        block("tool_result", [("tool_use_id", pair.id.clone().into()), ("content", content.into())]);
    if pair.answer.is_none_or(|answer| answer.is_error) {
        out.insert("is_error".into(), true.into());
    }
    out
}

fn uncalled(answer: &ToolResult) -> Option<ContentBlock> {
    text(&fallback::uncalled(answer))
}
