//! Rules of the Chat Completions hosts for the message list: roles, calls and results, ids, and each host's own.
//!
//! `fields` checks names and types, `settings` the settings.

mod fields;
mod settings;

use std::collections::BTreeSet;

use serde_json::Value;

use super::{ApiError, IssuedData, is_image_url, is_nothing, is_plain_name, items, text};

/// Hosts that speak the same format with different restrictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(dead_code, reason = "the native tests judge for all of them, the server for one")]
pub(crate) enum Host {
    Openai,
    OpenRouter,
    Groq,
    Mistral,
    DeepSeek,
    Xai,
    Perplexity,
    /// llama.cpp, LM Studio, vLLM: restricted by the model's template.
    Local,
    /// An unknown gateway, and Ollama, which merges messages that a template would reject.
    Other,
}

impl Host {
    /// True if user and assistant must alternate.
    fn wants_turns(self) -> bool {
        matches!(self, Self::Mistral | Self::Perplexity | Self::Local)
    }

    /// True if `system` is allowed only at the beginning.
    fn wants_system_first(self) -> bool {
        !matches!(self, Self::Openai | Self::OpenRouter)
    }

    /// True if an assistant message may contain thinking in this field.
    fn takes_back(self, field: &str) -> bool {
        match field {
            "reasoning_content" => matches!(self, Self::DeepSeek | Self::Xai | Self::Local | Self::Other),
            "reasoning_details" => matches!(self, Self::OpenRouter | Self::Other),
            "reasoning" => matches!(self, Self::OpenRouter | Self::Groq | Self::Local | Self::Other),
            _ => false,
        }
    }
}

/// Key of a recorded piece of `reasoning_details`.
pub(crate) fn detail_key(text: &str) -> String {
    format!("detail:{text}")
}

/// Checks the body of a request to this host.
pub(super) fn check(host: Host, model: &str, body: &Value, issued: &IssuedData) -> Result<(), ApiError> {
    fields::check(host, body)?;
    settings::check(host, model, body)?;
    let messages = items(body, "messages");
    if !messages.iter().any(|message| text(message, "role") == Some("user")) {
        return Err(ApiError::argument("Invalid 'messages': there must be at least one user message."));
    }
    for (index, message) in messages.iter().enumerate() {
        check_message(host, message, index)?;
    }
    check_roles(host, messages)?;
    check_calls(host, messages)?;
    check_reasoning(host, model, body, issued)
}

fn check_message(host: Host, message: &Value, index: usize) -> Result<(), ApiError> {
    let reject = |words: &str| Err(ApiError::argument(format!("Invalid 'messages[{index}]': {words}")));
    let content = message.get("content").unwrap_or(&Value::Null);
    let is_silent = is_nothing(content);
    for part in items(message, "content") {
        if text(part, "type") == Some("text") && text(part, "text").is_none_or(str::is_empty) {
            return reject("text content blocks must be non-empty");
        }
        if text(part, "type") == Some("thinking") && host != Host::Mistral {
            return reject("this host takes no thinking among the content");
        }
        if let Some(image) = part.get("image_url") {
            let url = text(image, "url").or_else(|| image.as_str()).unwrap_or_default();
            if !is_image_url(url) && !url.starts_with("https://") {
                return reject("Expected a base64-encoded data URL with an image MIME type");
            }
        }
    }
    match text(message, "role") {
        Some("assistant") => {
            let calls = message.get("tool_calls");
            if calls.is_some() && items(message, "tool_calls").is_empty() {
                return reject("[] is too short - 'tool_calls'");
            }
            if is_silent && calls.is_none() {
                return reject("Assistant message must have either content or tool_calls, but not none.");
            }
        }
        Some("tool") => {
            if content.is_null() {
                return reject("a tool message must have content");
            }
        }
        // An empty system prompt or user message is a mistake.
        Some(_) if is_silent => return reject("content must not be empty"),
        Some(_) | None => {}
    }
    if message.get("name").is_some() && host != Host::Mistral {
        return Err(ApiError::argument(format!("Unknown parameter: 'messages[{index}].name'.")));
    }
    if host == Host::Perplexity && text(message, "role") == Some("tool") {
        return reject("this host knows no tools");
    }
    Ok(())
}

/// Checks the order of roles.
fn check_roles(host: Host, messages: &[Value]) -> Result<(), ApiError> {
    let roles: Vec<&str> = messages.iter().filter_map(|message| text(message, "role")).collect();
    let turns: Vec<&str> = roles.iter().copied().filter(|role| !is_system(role)).collect();
    let leading = roles.iter().take_while(|role| is_system(role)).count();
    if host.wants_system_first() && roles.len() - leading != turns.len() {
        return Err(ApiError::argument("System message must be at the beginning."));
    }
    if host.wants_turns() && leading > 1 {
        return Err(ApiError::argument("Only one system message is allowed."));
    }
    if turns.first() != Some(&"user") {
        return Err(ApiError::argument("The first message after the system message must be of the user."));
    }
    if !matches!(turns.last(), Some(&"user" | &"tool")) {
        return Err(ApiError::argument("Expected last role User or Tool for serving but got assistant"));
    }
    if host.wants_turns() {
        for pair in turns.windows(2) {
            match pair {
                ["user", "user"] | ["assistant", "assistant"] => {
                    return Err(ApiError::argument(
                        "Conversation roles must alternate user/assistant/user/assistant/...",
                    ));
                }
                ["tool", "user"] if host == Host::Mistral => {
                    return Err(ApiError::argument("Unexpected role 'user' after role 'tool'"));
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn is_system(role: &str) -> bool {
    matches!(role, "system" | "developer")
}

/// Call ids have the right form and are unique; all results follow directly.
fn check_calls(host: Host, messages: &[Value]) -> Result<(), ApiError> {
    let mut used = BTreeSet::new();
    let mut open: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        if text(message, "role") == Some("tool") {
            let id = text(message, "tool_call_id").unwrap_or_default();
            let Some(place) = open.iter().position(|each| *each == id) else {
                return Err(ApiError::argument(format!(
                    "Invalid parameter: messages[{index}] with role 'tool' must be a response to a preceding \
                     message with 'tool_calls' ({id:?})."
                )));
            };
            open.remove(place);
            continue;
        }
        if !open.is_empty() {
            return Err(ApiError::argument(format!(
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
                 'tool_call_id'. The following tool_call_ids did not have response messages: {}",
                open.join(", ")
            )));
        }
        for call in items(message, "tool_calls") {
            let id = text(call, "id").unwrap_or_default();
            check_id(host, id, index)?;
            if !used.insert(id) {
                return Err(ApiError::argument(format!("Duplicate tool call id '{id}'.")));
            }
            open.push(id);
            let function = call.get("function").unwrap_or(&Value::Null);
            let name = text(function, "name").unwrap_or_default();
            if !is_plain_name(name, 64) {
                return Err(ApiError::argument(format!(
                    "Invalid 'messages[{index}].tool_calls[0].function.name': string does not match pattern. \
                     Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$', got {name:?}."
                )));
            }
            let arguments = text(function, "arguments").unwrap_or_default();
            if !serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object()) {
                return Err(ApiError::argument(format!(
                    "Invalid 'messages[{index}].tool_calls[0].function.arguments': not a JSON object: \
                     {arguments}"
                )));
            }
        }
    }
    if open.is_empty() {
        return Ok(());
    }
    Err(ApiError::argument(format!(
        "The following tool_call_ids did not have response messages: {}",
        open.join(", ")
    )))
}

fn check_id(host: Host, id: &str, index: usize) -> Result<(), ApiError> {
    let fits = match host {
        Host::Mistral => id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        Host::Openai => (1..=40).contains(&id.chars().count()),
        Host::OpenRouter | Host::Groq | Host::DeepSeek | Host::Xai | Host::Perplexity => {
            (1..=64).contains(&id.chars().count())
        }
        Host::Local | Host::Other => !id.is_empty(),
    };
    if fits {
        return Ok(());
    }
    let wanted = if host == Host::Mistral {
        "must be a-z, A-Z, 0-9, with a length of 9."
    } else {
        "string too long or empty."
    };
    Err(ApiError::argument(format!(
        "Invalid 'messages[{index}].tool_calls[0].id': Tool call id was {id} but {wanted}"
    )))
}

/// Thinking must be sent back unchanged, and only to the model that produced it.
fn check_reasoning(host: Host, model: &str, body: &Value, issued: &IssuedData) -> Result<(), ApiError> {
    let is_own = |key: &str, value: &Value| {
        issued.get(key).is_some_and(|signed| {
            // Several forms of it are accepted.
            let forms = signed.part.as_array().map_or(std::slice::from_ref(&signed.part), Vec::as_slice);
            signed.model == model && forms.contains(value)
        })
    };
    let thinks = text(body.get("thinking").unwrap_or(&Value::Null), "type") != Some("disabled");
    let wants_all = host == Host::DeepSeek && thinks && body.get("tools").is_some();
    let messages = items(body, "messages").iter().enumerate();
    for (index, message) in messages.filter(|(_, message)| text(message, "role") == Some("assistant")) {
        for field in ["reasoning_content", "reasoning_details", "reasoning"] {
            let Some(value) = message.get(field) else { continue };
            if !host.takes_back(field) {
                return Err(ApiError::argument(format!(
                    "'messages.{index}': property '{field}' is unsupported"
                )));
            }
            let is_own_detail = |detail: &Value| {
                let key = ["signature", "data", "text"].into_iter().find_map(|name| text(detail, name));
                key.is_some_and(|key| is_own(&detail_key(key), detail))
            };
            let is_given = value.as_str().is_some_and(|thought| thought.is_empty() || is_own(thought, value))
                || value.as_array().is_some_and(|details| details.iter().all(is_own_detail));
            if !is_given {
                return Err(ApiError::argument(format!(
                    "Invalid 'messages[{index}].{field}': it was not given by {model}, or it was changed."
                )));
            }
        }
        if wants_all && message.get("reasoning_content").is_none() {
            return Err(ApiError::argument(format!(
                "Missing `reasoning_content` field in the assistant message at message index {index}."
            )));
        }
    }
    Ok(())
}
