//! Rules of OpenAI's Responses: roles, calls and outputs, reasoning items, and settings of reasoning models.
//!
//! `fields` checks names and types.

mod fields;

use std::collections::BTreeSet;

use serde_json::Value;

use super::{ApiError, IssuedData, is_image_url, is_plain_name, items, open_place, text};

/// Checks the body of a request to this model.
pub(super) fn check(model: &str, body: &Value, issued: &IssuedData) -> Result<(), ApiError> {
    fields::check(body)?;
    check_settings(model, body)?;
    check_tools(body)?;
    let input = items(body, "input");
    if input.is_empty() {
        return Err(ApiError::argument("Missing required parameter: 'input'."));
    }
    for (index, item) in input.iter().enumerate() {
        check_content(item, index)?;
    }
    check_calls(input)?;
    check_reasoning(model, input, issued)?;
    let ends_well = input
        .last()
        .is_some_and(|last| kind(last) == "function_call_output" || text(last, "role") == Some("user"));
    if ends_well { Ok(()) } else { Err(ApiError::argument("Invalid 'input': nothing is asked at its end.")) }
}

/// The type of an item; messages may omit it.
fn kind(item: &Value) -> &str {
    text(item, "type").unwrap_or("message")
}

fn check_content(item: &Value, index: usize) -> Result<(), ApiError> {
    if kind(item) != "message" {
        return Ok(());
    }
    let is_assistant = text(item, "role") == Some("assistant");
    let content = item.get("content").unwrap_or(&Value::Null);
    if content.as_str().is_some_and(str::is_empty) || content.as_array().is_some_and(Vec::is_empty) {
        return Err(ApiError::argument(format!("Invalid 'input[{index}].content': it is empty.")));
    }
    for (place, part) in items(item, "content").iter().enumerate() {
        let path = format!("input[{index}].content[{place}]");
        let part_kind = text(part, "type").unwrap_or_default();
        let fits = matches!(part_kind, "output_text" | "refusal") == is_assistant;
        if !fits {
            let wanted =
                if is_assistant { "'output_text' and 'refusal'" } else { "'input_text', 'input_image'" };
            return Err(ApiError::argument(format!(
                "Invalid value: '{part_kind}'. Supported values are: {wanted}. ('{path}')"
            )));
        }
        if text(part, "text").is_some_and(str::is_empty) {
            return Err(ApiError::argument(format!("Invalid '{path}.text': it is empty.")));
        }
        if text(part, "image_url").is_some_and(|url| !is_image_url(url) && !url.starts_with("https://")) {
            return Err(ApiError::argument(format!(
                "Invalid '{path}.image_url'. Expected a base64-encoded data URL with an image MIME type."
            )));
        }
    }
    Ok(())
}

/// Each call has one output and each output its call, without messages between them.
fn check_calls(input: &[Value]) -> Result<(), ApiError> {
    let mut used = BTreeSet::new();
    let mut open: Vec<&str> = Vec::new();
    for (index, item) in input.iter().enumerate() {
        let id = text(item, "call_id").unwrap_or_default();
        match kind(item) {
            "function_call" => {
                if !(1..=64).contains(&id.chars().count()) {
                    return Err(ApiError::argument(format!(
                        "Invalid 'input[{index}].call_id': empty, or string too long. Expected a string with \
                         maximum length 64."
                    )));
                }
                if !used.insert(id) {
                    return Err(ApiError::argument(format!("Duplicate call_id '{id}' at 'input[{index}]'.")));
                }
                let name = text(item, "name").unwrap_or_default();
                if !is_plain_name(name, 64) {
                    return Err(ApiError::argument(format!(
                        "Invalid 'input[{index}].name': string does not match pattern. Expected a string that \
                         matches the pattern '^[a-zA-Z0-9_-]+$', got {name:?}."
                    )));
                }
                let arguments = text(item, "arguments").unwrap_or_default();
                if !serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object()) {
                    return Err(ApiError::argument(format!(
                        "Invalid 'input[{index}].arguments': not a JSON object: {arguments}"
                    )));
                }
                if text(item, "id").is_some_and(|id| !id.starts_with("fc_")) {
                    return Err(ApiError::argument(format!(
                        "Invalid 'input[{index}].id': Expected an ID that begins with 'fc'."
                    )));
                }
                open.push(id);
            }
            "function_call_output" => {
                let Some(place) = open.iter().position(|each| *each == id) else {
                    return Err(ApiError::argument(format!(
                        "No tool call found for function call output with call_id {id}."
                    )));
                };
                open.remove(place);
            }
            // An answer may continue with text after its calls; no other message may precede their outputs.
            "message" if !open.is_empty() && text(item, "role") != Some("assistant") => break,
            _ => {}
        }
    }
    match open.first() {
        None => Ok(()),
        Some(id) => Err(ApiError::argument(format!("No tool output found for function call {id}."))),
    }
}

/// Reasoning must be sent back unchanged, to the same model, and before what followed it.
fn check_reasoning(model: &str, input: &[Value], issued: &IssuedData) -> Result<(), ApiError> {
    for (index, item) in input.iter().enumerate().filter(|(_, item)| kind(item) == "reasoning") {
        let id = text(item, "id").unwrap_or_default();
        let sealed = text(item, "encrypted_content").unwrap_or_default();
        let Some(signed) = issued.get(sealed).filter(|signed| signed.model == model) else {
            return Err(ApiError::argument(format!(
                "The encrypted content for item {id} could not be verified. Reason: Encrypted content could not be \
                 decrypted or parsed."
            )));
        };
        for field in ["id", "summary", "encrypted_content", "content"] {
            if item.get(field) != signed.part.get(field) {
                return Err(ApiError::argument(format!(
                    "Item {id} of type 'reasoning' was changed in '{field}'."
                )));
            }
        }
        let follower = input.iter().skip(index + 1).find(|item| kind(item) != "reasoning");
        let is_followed = follower
            .is_some_and(|item| kind(item) == "function_call" || text(item, "role") == Some("assistant"));
        if !is_followed {
            return Err(ApiError::argument(format!(
                "Item '{id}' of type 'reasoning' was provided without its required following item."
            )));
        }
    }
    Ok(())
}

fn check_tools(body: &Value) -> Result<(), ApiError> {
    let mut names = BTreeSet::new();
    for (index, tool) in items(body, "tools").iter().enumerate() {
        let name = text(tool, "name").unwrap_or_default();
        if !is_plain_name(name, 64) {
            return Err(ApiError::argument(format!(
                "Invalid 'tools[{index}].name': string does not match pattern '^[a-zA-Z0-9_-]+$'."
            )));
        }
        if !names.insert(name) {
            return Err(ApiError::argument(format!("Tool names must be unique: {name}")));
        }
        let schema = tool.get("parameters").unwrap_or(&Value::Null);
        if text(schema, "type") != Some("object") {
            return Err(ApiError::argument(format!(
                "Invalid schema for function '{name}': schema must be of 'type: \"object\"'."
            )));
        }
        // Tools are strict by default.
        let is_strict = tool.get("strict").and_then(Value::as_bool).unwrap_or(true);
        if is_strict && let Some(place) = open_place(schema, "()") {
            return Err(ApiError::argument(format!("Invalid schema for function '{name}': In {place}")));
        }
    }
    for setting in ["tool_choice", "parallel_tool_calls"] {
        if body.get(setting).is_some() && names.is_empty() {
            return Err(ApiError::argument(format!(
                "'{setting}' is only allowed when 'tools' are specified."
            )));
        }
    }
    Ok(())
}

fn check_settings(model: &str, body: &Value) -> Result<(), ApiError> {
    let thinks = ["gpt-5", "gpt-6", "o1", "o3", "o4"].iter().any(|family| model.starts_with(family));
    let effort = body.pointer("/reasoning/effort").and_then(Value::as_str);
    let is_sealed = items(body, "include").iter().any(|word| word == "reasoning.encrypted_content");
    if !thinks {
        if body.get("reasoning").is_some_and(|reasoning| !reasoning.is_null()) {
            return Err(ApiError::argument(
                "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
            ));
        }
        if is_sealed {
            return Err(ApiError::argument("Encrypted content is not supported with this model."));
        }
    }
    let always_thinks = model.starts_with("gpt-6-astra") || model.starts_with("gpt-6.1-sol");
    if always_thinks && effort == Some("none") {
        return Err(ApiError::argument(
            "Unsupported value: 'none' is not supported with this model ('reasoning.effort').",
        ));
    }
    for setting in ["temperature", "top_p"] {
        if thinks && effort != Some("none") && body.get(setting).is_some() {
            return Err(ApiError::argument(format!(
                "Unsupported parameter: '{setting}' is not supported with this model."
            )));
        }
    }
    if body.get("max_output_tokens").and_then(Value::as_u64).is_some_and(|most| most < 16) {
        return Err(ApiError::argument(
            "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.",
        ));
    }
    if body.get("store") != Some(&Value::Bool(false)) {
        return Err(ApiError::argument("what the operator says would be stored at the provider"));
    }
    if body.get("stream") != Some(&Value::Bool(true)) {
        return Err(ApiError::argument("an answer that does not stream was never meant"));
    }
    let format = body.pointer("/text/format").unwrap_or(&Value::Null);
    if text(format, "type") == Some("json_schema") && format.get("strict") == Some(&Value::Bool(true)) {
        let schema = format.get("schema").unwrap_or(&Value::Null);
        if let Some(place) = open_place(schema, "schema") {
            return Err(ApiError::argument(format!("Invalid schema for response_format: {place}")));
        }
    }
    Ok(())
}
