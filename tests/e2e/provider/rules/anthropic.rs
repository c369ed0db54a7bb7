//! Rules of Anthropic's Messages for the message list: turns, tool calls and results, thinking, cache breakpoints.
//!
//! `fields` checks names and types, `settings` what each generation of models rejects.

mod fields;
mod settings;

use std::collections::BTreeSet;

use serde_json::Value;

use super::{ApiError, IssuedData, is_base64, is_image_type, is_nothing, is_plain_name, items, text};

/// Checks the body of a request to this model.
pub(super) fn check(model: &str, body: &Value, issued: &IssuedData) -> Result<(), ApiError> {
    fields::check(body)?;
    settings::check(model, body)?;
    let messages = items(body, "messages");
    check_turns(messages)?;
    for (index, block) in items(body, "system").iter().enumerate() {
        check_text(block, &format!("system.{index}"))?;
    }
    if text(body, "system") == Some("") {
        return Err(ApiError::argument("system: text content blocks must be non-empty"));
    }
    for (index, message) in messages.iter().enumerate() {
        check_message(message, index)?;
    }
    check_calls(messages)?;
    check_thinking(model, body, messages, issued)?;
    check_cache_marks(body)
}

/// User and assistant alternate; the user is first and last.
fn check_turns(messages: &[Value]) -> Result<(), ApiError> {
    let role = |message: Option<&Value>| message.and_then(|each| text(each, "role")).map(str::to_owned);
    if messages.is_empty() {
        return Err(ApiError::argument("messages: at least one message is required"));
    }
    if role(messages.first()).as_deref() != Some("user") {
        return Err(ApiError::argument("messages: first message must use the \"user\" role"));
    }
    if role(messages.last()).as_deref() != Some("user") {
        return Err(ApiError::argument(
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        ));
    }
    if messages.windows(2).any(|pair| role(pair.first()) == role(pair.last())) {
        return Err(ApiError::argument(
            "messages: roles must alternate between \"user\" and \"assistant\", but found multiple of one in a row",
        ));
    }
    Ok(())
}

fn check_text(block: &Value, path: &str) -> Result<(), ApiError> {
    if text(block, "type") != Some("text") {
        return Ok(());
    }
    let content = text(block, "text").unwrap_or_default();
    if content.is_empty() {
        return Err(ApiError::argument(format!("{path}: text content blocks must be non-empty")));
    }
    if content.trim().is_empty() {
        return Err(ApiError::argument(format!(
            "{path}: text content blocks must contain non-whitespace text"
        )));
    }
    Ok(())
}

fn check_message(message: &Value, index: usize) -> Result<(), ApiError> {
    let is_user = text(message, "role") == Some("user");
    let content = message.get("content").unwrap_or(&Value::Null);
    let is_blank = content.as_str().is_some_and(|text| text.trim().is_empty());
    if is_blank || content.as_array().is_some_and(Vec::is_empty) {
        return Err(ApiError::argument(format!(
            "messages.{index}: all messages must have non-empty content"
        )));
    }
    let mut has_content = false;
    for (place, block) in items(message, "content").iter().enumerate() {
        let path = format!("messages.{index}.content.{place}");
        check_text(block, &path)?;
        let kind = text(block, "type").unwrap_or_default();
        let is_theirs = matches!(kind, "tool_use" | "thinking" | "redacted_thinking");
        let is_ours = matches!(kind, "tool_result" | "image" | "document");
        if (is_user && is_theirs) || (!is_user && is_ours) {
            return Err(ApiError::argument(format!(
                "{path}: `{kind}` blocks are not allowed in messages of this role"
            )));
        }
        if kind == "tool_result" && has_content {
            return Err(ApiError::argument(format!(
                "{path}: `tool_result` blocks must come first in the content"
            )));
        }
        has_content |= kind != "tool_result";
        check_block(block, kind, &path)?;
    }
    Ok(())
}

fn check_block(block: &Value, kind: &str, path: &str) -> Result<(), ApiError> {
    match kind {
        "image" => check_image(block, path),
        "tool_use" => {
            let name = text(block, "name").unwrap_or_default();
            if is_plain_name(name, 128) {
                return Ok(());
            }
            Err(ApiError::argument(format!(
                "{path}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$' ({name:?})"
            )))
        }
        "tool_result" => {
            let content = block.get("content").unwrap_or(&Value::Null);
            if is_nothing(content) && block.get("is_error") == Some(&Value::Bool(true)) {
                return Err(ApiError::argument(format!(
                    "{path}.tool_result: content cannot be empty if `is_error` is true"
                )));
            }
            for (place, inner) in items(block, "content").iter().enumerate() {
                let path = format!("{path}.tool_result.content.{place}");
                check_text(inner, &path)?;
                if text(inner, "type") == Some("image") {
                    check_image(inner, &path)?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn check_image(block: &Value, path: &str) -> Result<(), ApiError> {
    let source = block.get("source").unwrap_or(&Value::Null);
    if text(source, "type") == Some("base64") {
        if !text(source, "media_type").is_some_and(is_image_type) {
            return Err(ApiError::argument(format!(
                "{path}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or \
                 'image/webp'"
            )));
        }
        if !text(source, "data").is_some_and(is_base64) {
            return Err(ApiError::argument(format!("{path}.image.source.base64: invalid base64 data")));
        }
    }
    Ok(())
}

/// Each call has its result in the next message, and each result its call.
fn check_calls(messages: &[Value]) -> Result<(), ApiError> {
    let mut used = BTreeSet::new();
    let mut open: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let blocks = items(message, "content");
        for block in blocks.iter().filter(|block| text(block, "type") == Some("tool_result")) {
            let id = text(block, "tool_use_id").unwrap_or_default();
            let Some(place) = open.iter().position(|each| *each == id) else {
                return Err(ApiError::argument(format!(
                    "messages.{index}.content: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each \
                     `tool_result` block must have a corresponding `tool_use` block in the previous message."
                )));
            };
            open.remove(place);
        }
        if !open.is_empty() {
            return Err(ApiError::argument(format!(
                "messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: {}.",
                open.join(", ")
            )));
        }
        for block in blocks.iter().filter(|block| text(block, "type") == Some("tool_use")) {
            let id = text(block, "id").unwrap_or_default();
            if !is_plain_name(id, 256) {
                return Err(ApiError::argument(format!(
                    "messages.{index}.content.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$' ({id:?})"
                )));
            }
            if !used.insert(id) {
                return Err(ApiError::argument(format!(
                    "messages.{index}.content: `tool_use` ids must be unique ({id})"
                )));
            }
            open.push(id);
        }
    }
    Ok(())
}

/// Thinking must be sent back unchanged, before the calls that followed it, and to the same model.
fn check_thinking(
    model: &str,
    body: &Value,
    messages: &[Value],
    issued: &IssuedData,
) -> Result<(), ApiError> {
    for (index, message) in messages.iter().enumerate() {
        let mut has_called = false;
        for (place, block) in items(message, "content").iter().enumerate() {
            let kind = text(block, "type").unwrap_or_default();
            has_called |= kind == "tool_use";
            if !is_thought(block) {
                continue;
            }
            let path = format!("messages.{index}.content.{place}");
            let seal = text(block, "signature").or_else(|| text(block, "data")).unwrap_or_default();
            let Some(signed) = issued.get(seal).filter(|signed| signed.model == model) else {
                return Err(ApiError::argument(format!("{path}: Invalid `signature` in `{kind}` block")));
            };
            if *block != signed.part {
                return Err(ApiError::argument(format!(
                    "{path}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be \
                     modified. These blocks must remain as they were in the original response."
                )));
            }
            if has_called {
                return Err(ApiError::argument(format!("{path}: `{kind}` stands behind a `tool_use`")));
            }
        }
    }
    if settings::thinks_by_budget(body) {
        check_first_thought(messages)?;
    }
    Ok(())
}

/// With manually enabled thinking, an answer that continues after a tool call must begin with thinking.
fn check_first_thought(messages: &[Value]) -> Result<(), ApiError> {
    let [.., answer, results] = messages else {
        return Ok(());
    };
    let has = |message: &Value, kind| {
        items(message, "content").iter().any(|block| text(block, "type") == Some(kind))
    };
    let is_step = has(answer, "tool_use") && has(results, "tool_result");
    if is_step && !items(answer, "content").first().is_some_and(is_thought) {
        return Err(ApiError::argument(format!(
            "messages.{}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When \
             `thinking` is enabled, a final `assistant` message must start with a thinking block.",
            messages.len() - 2
        )));
    }
    Ok(())
}

fn is_thought(block: &Value) -> bool {
    matches!(text(block, "type"), Some("thinking" | "redacted_thinking"))
}

/// At most four breakpoints, none on thinking.
fn check_cache_marks(body: &Value) -> Result<(), ApiError> {
    let messages = items(body, "messages").iter().flat_map(|message| items(message, "content"));
    let all = items(body, "tools").iter().chain(items(body, "system")).chain(messages);
    let marked: Vec<&Value> = all.filter(|block| block.get("cache_control").is_some()).collect();
    if marked.len() > 4 {
        return Err(ApiError::argument(format!(
            "A maximum of 4 blocks with cache_control may be provided. Found {}.",
            marked.len()
        )));
    }
    if marked.iter().any(|block| is_thought(block)) {
        return Err(ApiError::argument("cache_control cannot be set for thinking blocks"));
    }
    Ok(())
}
