//! Encodes a prompt for Ollama.
//!
//! Results follow their calls in order and without ids, and images are separate from the text. The context window is
//! always set, because the server's default is small and truncates prompts silently.

use serde_json::{Value, json};

use crate::fallback;
use crate::http::{Endpoint, HttpRequest, object};
use crate::ollama::decode::THINKING;
use crate::openai_chat::encode::declaration;
use crate::turns::{PromptTurn, effort, file, own, pair, turns, words};
use nexus_model::limits::OLLAMA_WINDOW_TOKENS;
use nexus_model::llm::{ModelConfig, Prompt, PromptEntry, Thinking};
use nexus_model::message::content::{MessagePart, ToolResult, calls_of};

/// The streaming request for `prompt`.
pub fn encode(prompt: &Prompt, endpoint: &Endpoint) -> HttpRequest {
    let config = &prompt.config;
    let tools: Vec<Value> = prompt.tools.iter().map(declaration).collect();
    let options = object(vec![
        ("num_ctx", config.context_tokens.unwrap_or(OLLAMA_WINDOW_TOKENS).into()),
        ("temperature", config.temperature.into()),
        ("num_predict", config.max_tokens.into()),
    ]);
    HttpRequest::post(
        address(endpoint, "chat"),
        endpoint.bearer(),
        vec![
            ("model", config.model.clone().into()),
            ("messages", messages(prompt).into()),
            ("tools", (!tools.is_empty()).then_some(tools).into()),
            ("stream", true.into()),
            ("think", think(config).into()),
            ("format", prompt.output.clone().into()),
            ("options", options.into()),
        ],
    )
}

/// The URL of `call`, whatever part of it the operator entered.
pub(super) fn address(endpoint: &Endpoint, call: &str) -> String {
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
                    let content = answer.map_or_else(fallback::interrupted, fallback::result);
                    json!({"role": "tool", "tool_name": fallback::tool_name(&call.name), "content": content})
                }));
                messages.extend(rest.into_iter().map(uncalled_message));
            }
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
        .map(|call| json!({"function": {"name": fallback::tool_name(&call.name), "arguments": fallback::arguments(&call.args)}}))
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

fn uncalled_message(answer: &ToolResult) -> Value {
    json!({"role": "user", "content": fallback::orphan_result(answer)})
}
