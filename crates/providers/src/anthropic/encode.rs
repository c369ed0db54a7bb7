//! Encodes a prompt for Anthropic's Messages API.
//!
//! Roles alternate, all results of a step come first in the message after its calls, thinking is returned unchanged to
//! the model that produced it, and cache breakpoints are set.

use serde_json::{Map, Value, json};

use crate::anthropic::generation;
use crate::http::{Endpoint, Header, HeaderValue, HttpRequest, object};
use crate::turns;
use crate::turns::{
    CallIds, PICTURES, PairedCall, PromptTurn, RoleMessage, USER, close, file, own, push, turns, words,
};
use nexus_model::llm::{ModelConfig, Prompt, PromptEntry, ToolSpec};
use nexus_model::message::content::{MessagePart, PartBody, ToolResult};
use nexus_model::mind::blob::is_document;
use nexus_text::vec_map::VecSet;

const VERSION: &str = "2023-06-01";

type ContentBlock = Map<String, Value>;

pub fn encode(prompt: &Prompt, endpoint: &Endpoint) -> HttpRequest {
    let mut messages = messages(prompt);
    let settings = generation::settings(&prompt.config, opens_thinking(&messages));
    if !settings.replays {
        // No message becomes empty: thinking is never its only block.
        messages.iter_mut().for_each(|message| message.parts.retain(|block| !is_thinking(block)));
    }
    let (tools, choice) = match prompt.tools.split_last() {
        Some((last, before)) => {
            let mut tools: Vec<ContentBlock> = before.iter().map(tool).collect();
            tools.push(with_breakpoint(tool(last)));
            // A model that thinks cannot be forced.
            let name = prompt.forced_tool().filter(|_| !settings.thinks);
            (tools, name.map(|name| json!({"type": "tool", "name": name})))
        }
        None => {
            let tools = tools_called(&messages);
            let choice = (!tools.is_empty()).then(|| json!({"type": "none"}));
            (tools, choice)
        }
    };
    let output = generation::output_config(settings.effort, prompt.output.as_ref());
    let encoded_messages =
        messages.into_iter().map(|message| json!({"role": message.role, "content": message.parts}));
    let fields = vec![
        ("model", prompt.config.model.clone().into()),
        ("max_tokens", settings.max_tokens.into()),
        ("stream", true.into()),
        ("thinking", settings.thinking.into()),
        ("temperature", settings.temperature.into()),
        ("output_config", output.into()),
        ("system", text(&prompt.system).map(|system| json!([with_breakpoint(system)])).into()),
        ("tools", (!tools.is_empty()).then_some(tools).into()),
        ("tool_choice", choice.into()),
        ("messages", encoded_messages.collect()),
    ];
    HttpRequest::post(format!("{}/messages", endpoint.versioned()), headers(endpoint), fields)
}

/// The headers of every request. Without the one about browsers, the provider answers no page.
pub(super) fn headers(endpoint: &Endpoint) -> Vec<Header> {
    let plain = |name: &str, value: &str| (name.to_owned(), HeaderValue::Plain(value.to_owned()));
    let open =
        [plain("anthropic-version", VERSION), plain("anthropic-dangerous-direct-browser-access", "true")];
    open.into_iter().chain(endpoint.key_header("x-api-key")).collect()
}

fn tool(tool: &ToolSpec) -> ContentBlock {
    declared(&tool.name, Some(&tool.description), &tool.parameters)
}

fn declared(name: &str, description: Option<&str>, schema: &Value) -> ContentBlock {
    object(vec![("name", name.into()), ("description", description.into()), ("input_schema", schema.clone())])
}

/// The tools called in a history without offered tools: calls of undeclared tools are rejected.
fn tools_called(messages: &[RoleMessage]) -> Vec<ContentBlock> {
    let mut names = VecSet::new();
    for block in messages.iter().flat_map(|message| &message.parts) {
        if kind(block) == Some("tool_use")
            && let Some(name) = block.get("name").and_then(Value::as_str)
        {
            names.insert(name.to_owned());
        }
    }
    names.iter().map(|name| declared(name, None, &json!({"type": "object"}))).collect()
}

/// Sets a cache breakpoint on a block. A request has at most four: the tools, which agents may share; the system
/// prompt; the history before the query, which the next turn repeats; and, if a tool loop may follow, the end, which
/// its next step repeats.
fn with_breakpoint(mut block: ContentBlock) -> ContentBlock {
    block.insert("cache_control".into(), json!({"type": "ephemeral"}));
    block
}

const MODEL: &str = "assistant";

/// The conversation. Merges adjacent messages of one role; the first and the last are the user's.
fn messages(prompt: &Prompt) -> Vec<RoleMessage> {
    let mut messages = Vec::new();
    let mut ids = CallIds::default();
    let question = prompt.entries.iter().rposition(|entry| matches!(entry, PromptEntry::User(_)));
    for (at, turn) in turns(prompt) {
        if Some(at) == question {
            mark_end(&mut messages);
        }
        match turn {
            PromptTurn::User(parts) => {
                let content = parts.iter().filter_map(|part| user_block(part, prompt));
                push(&mut messages, USER, content.collect());
            }
            PromptTurn::Model(parts, answers) => {
                let (pairs, rest) = ids.pair(parts, answers);
                push(&mut messages, MODEL, model_blocks(parts, &pairs, &prompt.config));
                let texts =
                    rest.into_iter().filter_map(|answer: &ToolResult| text(&turns::orphan_result(answer)));
                push(&mut messages, USER, pairs.iter().map(answered).chain(texts).collect());
            }
        }
    }
    close(&mut messages, &block("text", [("text", turns::GO_ON.into())]));
    if !prompt.tools.is_empty() {
        mark_end(&mut messages);
    }
    messages
}

/// Sets a breakpoint on the last block, which is never thinking, as that cannot have one.
fn mark_end(messages: &mut [RoleMessage]) {
    let last = messages.last_mut().and_then(|message| message.parts.last_mut());
    if let Some(block) = last.filter(|block| !block.contains_key("cache_control")) {
        *block = with_breakpoint(std::mem::take(block));
    }
}

/// True if the answer being continued, if any, begins with thinking.
fn opens_thinking(messages: &[RoleMessage]) -> bool {
    let [.., answer, results] = messages else { return true };
    let is_step = results.parts.iter().any(|block| kind(block) == Some("tool_result"));
    !is_step || answer.parts.first().is_some_and(is_thinking)
}

fn kind(block: &ContentBlock) -> Option<&str> {
    block.get("type").and_then(Value::as_str)
}

fn is_thinking(block: &ContentBlock) -> bool {
    matches!(kind(block), Some("thinking" | "redacted_thinking"))
}

/// A text block; none for blank text, which is rejected.
fn text(text: &str) -> Option<ContentBlock> {
    (!text.trim().is_empty()).then(|| block("text", [("text", text.into())]))
}

fn block<const N: usize>(kind: &str, fields: [(&str, Value); N]) -> ContentBlock {
    let fields = fields.into_iter().map(|(key, value)| (key.to_owned(), value));
    [("type".to_owned(), kind.into())].into_iter().chain(fields).collect()
}

fn user_block(part: &MessagePart, prompt: &Prompt) -> Option<ContentBlock> {
    if let Some((mime, _, base64)) = file(part, prompt) {
        let kind =
            if is_document(mime) { Some("document") } else { PICTURES.contains(&mime).then_some("image") };
        if let Some(kind) = kind {
            let source = json!({"type": "base64", "media_type": mime, "data": base64});
            return Some(block(kind, [("source", source)]));
        }
    }
    text(&words(part)?)
}

/// The model's content in order. An answer must not end with thinking or whitespace.
fn model_blocks(parts: &[MessagePart], pairs: &[PairedCall<'_>], config: &ModelConfig) -> Vec<ContentBlock> {
    let mut pairs = pairs.iter();
    let mut blocks: Vec<ContentBlock> = parts
        .iter()
        .filter_map(|part| match &part.body {
            PartBody::Thinking { text } => thought(own(part, config)?, text),
            PartBody::ToolCall(_) => pairs.next().map(called),
            PartBody::Text { .. }
            | PartBody::Json { .. }
            | PartBody::Blob { .. }
            | PartBody::ToolResult(_) => text(&words(part)?),
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

/// A thinking block as received; none if the data is not this provider's.
fn thought(data: &Value, text: &str) -> Option<ContentBlock> {
    let mut block = data.as_object()?.clone();
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
            ("name", turns::tool_name(&pair.call.name).into()),
            ("input", turns::arguments(&pair.call.args)),
        ],
    )
}

fn answered(pair: &PairedCall<'_>) -> ContentBlock {
    let content = turns::outcome_text(pair.answer);
    let mut out =
        block("tool_result", [("tool_use_id", pair.id.clone().into()), ("content", content.into())]);
    if pair.answer.is_none_or(|answer| answer.is_error) {
        out.insert("is_error".into(), true.into());
    }
    out
}
