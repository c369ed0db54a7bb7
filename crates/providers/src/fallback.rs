//! Fallback text for content that a protocol cannot express, and parsing of tool arguments.
//!
//! Covers files, results without a call, calls without a result, and arguments that are no object.

use serde_json::{Value, json};

use crate::stream::lenient;
use nexus_model::message::content::{ToolArgs, ToolResult};

/// Filler user message where a protocol requires one.
pub(super) const GO_ON: &str = "Go on.";

/// Replaces a file that the model cannot read.
pub(super) fn blob_note(name: &str, mime: &str, bytes: u64) -> String {
    format!("[attached file “{name}”, type {mime}, {bytes} bytes; its content is not shown here]")
}

/// A result without its call in the prompt, as text.
pub(super) fn orphan_result(answer: &ToolResult) -> String {
    format!("Result of the tool {}: {}", answer.name, result(answer))
}

/// A result; errors are under `error`.
pub(super) fn outcome(answer: &ToolResult) -> Value {
    if answer.is_error && answer.result.get("error").is_none() {
        json!({"error": answer.result})
    } else {
        answer.result.clone()
    }
}

pub(super) fn no_outcome() -> Value {
    json!({"error": "This call was interrupted and has no result."})
}

pub(super) fn result(answer: &ToolResult) -> String {
    outcome(answer).to_string()
}

pub(super) fn interrupted() -> String {
    no_outcome().to_string()
}

/// The longest tool name that all protocols accept.
const NAME_CHARS: usize = 64;

/// Makes a tool's name valid for all protocols. Models call nonexistent tools by names that their own provider then
/// rejects, which must not end the conversation.
pub(super) fn tool_name(name: &str) -> String {
    let valid = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    let valid_name: String = name.chars().take(NAME_CHARS).map(valid).collect();
    if valid_name.is_empty() { "unnamed".to_owned() } else { valid_name }
}

pub(super) fn arguments(args: &ToolArgs) -> Value {
    match args {
        ToolArgs::Parsed(args @ Value::Object(_)) => args.clone(),
        ToolArgs::Parsed(other) => json!({"unreadable": other.to_string()}),
        ToolArgs::Broken(text) => json!({"unreadable": text}),
    }
}

/// Parses arguments given as a value: an object, or a text of one. Missing arguments are an empty object.
pub(super) fn arguments_in(value: Option<&Value>) -> ToolArgs {
    match value {
        None | Some(Value::Null) => ToolArgs::Parsed(json!({})),
        Some(Value::String(text)) => read_arguments(text),
        Some(args @ Value::Object(_)) => ToolArgs::Parsed(args.clone()),
        Some(other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_))) => {
            ToolArgs::Broken(other.to_string())
        }
    }
}

/// Parses arguments given as text: empty text and `null` are no arguments, and some servers encode the JSON text as a
/// JSON string again.
pub(super) fn read_arguments(text: &str) -> ToolArgs {
    if text.trim().is_empty() {
        return ToolArgs::Parsed(json!({}));
    }
    match lenient::parse(text) {
        Ok(args @ Value::Object(_)) => ToolArgs::Parsed(args),
        Ok(Value::Null) => ToolArgs::Parsed(json!({})),
        Ok(Value::String(inner)) => match lenient::parse(&inner) {
            Ok(args @ Value::Object(_)) => ToolArgs::Parsed(args),
            _ => ToolArgs::Broken(text.to_owned()),
        },
        _ => ToolArgs::Broken(text.to_owned()),
    }
}
