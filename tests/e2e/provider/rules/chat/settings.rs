//! Settings that Chat Completions hosts reject: tools, schemas, token limits, temperature, effort, answer format.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::{ApiError, is_plain_name, items, open_place, text};
use super::Host;

/// Checks everything except messages.
pub(super) fn check(host: Host, model: &str, body: &Value) -> Result<(), ApiError> {
    check_tools(host, body)?;
    if host == Host::Openai {
        check_openai(model, body)?;
    }
    if let Some(temperature) = body.get("temperature").and_then(Value::as_f64) {
        let most = if host == Host::Mistral { 1.5 } else { 2.0 };
        if !(0.0..=most).contains(&temperature) {
            return Err(ApiError::argument(format!("Invalid 'temperature': {temperature} is out of range.")));
        }
    }
    for limit in ["max_tokens", "max_completion_tokens"] {
        if body.get(limit).and_then(Value::as_u64) == Some(0) {
            return Err(ApiError::argument(format!("Invalid '{limit}': integer below minimum value.")));
        }
    }
    let format = body.get("response_format").unwrap_or(&Value::Null);
    if let Some(wanted) = format.get("json_schema") {
        if !text(wanted, "name").is_some_and(|name| is_plain_name(name, 64)) {
            return Err(ApiError::argument("Invalid 'response_format.json_schema.name'."));
        }
        if wanted.get("strict") == Some(&Value::Bool(true)) {
            let schema = wanted.get("schema").unwrap_or(&Value::Null);
            if let Some(place) = open_place(schema, "schema") {
                return Err(ApiError::argument(format!("Invalid schema for response_format: {place}")));
            }
        }
    }
    Ok(())
}

fn check_tools(host: Host, body: &Value) -> Result<(), ApiError> {
    let tools = items(body, "tools");
    if body.get("tools").is_some() {
        if tools.is_empty() {
            return Err(ApiError::argument("[] is too short - 'tools'"));
        }
        if host == Host::Perplexity {
            return Err(ApiError::argument("Tool calling is not supported for this model"));
        }
    }
    for setting in ["tool_choice", "parallel_tool_calls"] {
        if body.get(setting).is_some() && tools.is_empty() {
            return Err(ApiError::argument(format!(
                "'{setting}' is only allowed when 'tools' are specified."
            )));
        }
    }
    let mut names = BTreeSet::new();
    for (index, tool) in tools.iter().enumerate() {
        let function = tool.get("function").unwrap_or(&Value::Null);
        let name = text(function, "name").unwrap_or_default();
        if !is_plain_name(name, 64) {
            return Err(ApiError::argument(format!(
                "Invalid 'tools[{index}].function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'."
            )));
        }
        if !names.insert(name) {
            return Err(ApiError::argument(format!("Tool names must be unique: {name}")));
        }
        let schema = function.get("parameters");
        if schema.is_some_and(|schema| text(schema, "type") != Some("object")) {
            return Err(ApiError::argument(format!(
                "Invalid schema for function '{name}': schema must be of 'type: \"object\"'"
            )));
        }
        if function.get("strict") == Some(&Value::Bool(true))
            && let Some(place) = schema.and_then(|schema| open_place(schema, "()"))
        {
            return Err(ApiError::argument(format!("Invalid schema for function '{name}': In {place}")));
        }
    }
    Ok(())
}

/// Settings that OpenAI's reasoning models reject.
fn check_openai(model: &str, body: &Value) -> Result<(), ApiError> {
    let thinks = ["gpt-5", "gpt-6", "o1", "o3", "o4"].iter().any(|family| model.starts_with(family));
    let effort = text(body, "reasoning_effort");
    if !thinks {
        return match effort {
            Some(_) => Err(ApiError::argument("Unrecognized request argument supplied: reasoning_effort")),
            None => Ok(()),
        };
    }
    if body.get("max_tokens").is_some() {
        return Err(ApiError::argument(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' \
             instead.",
        ));
    }
    let always_thinks = model.starts_with("gpt-6-astra") || model.starts_with("gpt-6.1-sol");
    if always_thinks && effort == Some("none") {
        return Err(ApiError::argument("Unsupported value: 'reasoning_effort' does not support 'none'."));
    }
    let is_new = model.starts_with("gpt-6") || ["gpt-5.4", "gpt-5.6"].iter().any(|it| model.starts_with(it));
    if is_new
        && body.get("tools").is_some()
        && (always_thinks || effort.is_some_and(|effort| effort != "none"))
    {
        return Err(ApiError::argument(format!(
            "Function tools with reasoning_effort are not supported for {model} in /v1/chat/completions. To use \
             function tools, use /v1/responses or set reasoning_effort to 'none'."
        )));
    }
    let is_unthinking = effort == Some("none");
    for setting in ["temperature", "top_p"] {
        let is_default = body.get(setting).and_then(Value::as_f64) == Some(1.0);
        if body.get(setting).is_some() && !is_default && !is_unthinking {
            return Err(ApiError::argument(format!(
                "Unsupported value: '{setting}' does not support {} with this model. Only the default (1) value \
                 is supported.",
                body.get(setting).unwrap_or(&Value::Null)
            )));
        }
    }
    Ok(())
}
