//! Fallback text for content that a protocol cannot express, and parsing of tool arguments.
//!
//! Covers files, results without a call, calls without a result, and arguments that are no object.

use serde_json::{Value, json};

use crate::stream::lenient;
use nexus_model::message::content::{ToolArgs, ToolResult};

/// What the user says where the rules of a protocol want them to speak and they did not.
pub(super) const GO_ON: &str = "Go on.";

/// A file whose content the model cannot be shown.
pub(super) fn blob_note(name: &str, mime: &str, bytes: u64) -> String {
    format!("[attached file “{name}”, type {mime}, {bytes} bytes; its content is not shown here]")
}

/// A result whose call is not in the prompt.
pub(super) fn uncalled(answer: &ToolResult) -> String {
    format!("Result of the tool {}: {}", answer.name, result(answer))
}

/// A result; under `error` the model knows it for a failure.
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

/// The longest name of a tool that all protocols take.
const NAME_CHARS: usize = 64;

/// A tool's name in a form that all protocols take. Models call tools that there are not, by names that their own
/// provider refuses to see again; the conversation must not end over it.
pub(super) fn tool_name(name: &str) -> String {
    let valid = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    let told: String = name.chars().take(NAME_CHARS).map(valid).collect();
    if told.is_empty() { "unnamed".to_owned() } else { told }
}

pub(super) fn arguments(args: &ToolArgs) -> Value {
    match args {
        ToolArgs::Parsed(args @ Value::Object(_)) => args.clone(),
        ToolArgs::Parsed(other) => json!({"unreadable": other.to_string()}),
        ToolArgs::Broken(text) => json!({"unreadable": text}),
    }
}

/// Reads arguments that came as a value: an object, or a text that holds one. Where there are none, none are meant.
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

/// Reads arguments that came as text: nothing and `null` count as no arguments, and some servers write the JSON text
/// as a JSON string once more.
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
