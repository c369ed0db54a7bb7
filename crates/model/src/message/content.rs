//! Content parts of a message: text, thinking, attachments, tool calls and tool results.
//!
//! Parts keep their order, and the opaque data that a provider needs back.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::ProviderId;
use nexus_text::{content_hash::ContentHash, json};

/// A piece of a message's content: text, thinking, a tool call, an attachment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MessagePart {
    pub body: PartBody,
    /// Data that is sent back unchanged to the provider that made the part, and to no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<OpaqueData>,
}

impl MessagePart {
    pub fn text(text: impl Into<String>) -> Self {
        PartBody::Text { text: text.into() }.into()
    }

    pub fn thinking(text: impl Into<String>) -> Self {
        PartBody::Thinking { text: text.into() }.into()
    }

    pub fn is_attached(&self) -> bool {
        matches!(self.body, PartBody::Blob { .. })
    }
}

impl From<PartBody> for MessagePart {
    fn from(body: PartBody) -> Self {
        Self { body, opaque: None }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartBody {
    Text {
        text: String,
    },
    /// The model's reasoning; shown collapsed, never part of the answer.
    Thinking {
        /// The reasoning, or the provider's summary of it.
        text: String,
    },
    /// Structured data.
    Json {
        value: Value,
    },
    /// Bytes stored under their content address.
    Blob {
        hash: ContentHash,
        /// For example `image/png`.
        mime: String,
        name: String,
        bytes: u64,
    },
    ToolCall(ToolCall),
    ToolResult(ToolResult),
}

/// A model's request to use a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id of the call, or one made here.
    pub id: String,
    /// True if the id was made here because the provider gave none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_id: bool,
    pub name: String,
    pub args: ToolArgs,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolArgs {
    /// Valid JSON (absent, null and the empty string count as `{}`).
    Parsed(Value),
    /// Invalid JSON, as received. The call is never run.
    Broken(String),
}

impl Default for ToolArgs {
    fn default() -> Self {
        Self::Parsed(Value::Object(Map::new()))
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    pub call_id: String,
    pub name: String,
    /// Always a JSON object.
    pub result: Value,
    /// True if the tool failed, was denied, or never ran.
    pub is_error: bool,
}

/// Data that only its provider and model understand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpaqueData {
    pub provider: ProviderId,
    pub model: String,
    /// Byte for byte as received.
    pub data: Value,
}

/// The text of `parts`, without thinking and calls.
pub fn text_of(parts: &[MessagePart]) -> String {
    let texts = parts.iter().filter_map(|part| {
        let PartBody::Text { text } = &part.body else { return None };
        Some(text.as_str())
    });
    texts.collect()
}

pub fn thinking_of(parts: &[MessagePart]) -> String {
    let thoughts = parts.iter().filter_map(|part| {
        let PartBody::Thinking { text } = &part.body else { return None };
        Some(text.as_str())
    });
    thoughts.collect()
}

pub fn calls_of(parts: &[MessagePart]) -> impl Iterator<Item = &ToolCall> {
    parts.iter().filter_map(|part| {
        let PartBody::ToolCall(call) = &part.body else { return None };
        Some(call)
    })
}

pub fn answers_of(parts: &[MessagePart]) -> impl Iterator<Item = &ToolResult> {
    parts.iter().filter_map(|part| {
        let PartBody::ToolResult(answer) = &part.body else { return None };
        Some(answer)
    })
}

/// The arguments of the call of `tool` if there is one, else the JSON object in the text. `wrong` is the error for
/// arguments that are no object.
pub fn object_of(
    parts: &[MessagePart],
    tool: &str,
    wrong: &'static str,
) -> Result<Map<String, Value>, &'static str> {
    let text = match calls_of(parts).find(|call| call.name == tool).map(|call| &call.args) {
        Some(ToolArgs::Parsed(Value::Object(object))) => return Ok(object.clone()),
        Some(ToolArgs::Parsed(_)) => return Err(wrong),
        // Broken arguments may still parse as an answer in text.
        Some(ToolArgs::Broken(text)) => text,
        None => &text_of(parts),
    };
    object_in(text).ok_or(NOT_JSON)
}

pub const NOT_JSON: &str = "The answer is not JSON.";

/// The first JSON object in a text.
pub fn object_in(text: &str) -> Option<Map<String, Value>> {
    json_candidates(text, '{', '}').into_iter().find_map(|text| match json::tree(text) {
        Ok(Value::Object(object)) => Some(object),
        Ok(_) | Err(_) => None,
    })
}

/// The parts of a text that may be JSON, most likely first: the whole text, a fenced block, the outermost brackets.
pub fn json_candidates(text: &str, open: char, close: char) -> Vec<&str> {
    let mut found = vec![text.trim()];
    if let Some((_, rest)) = text.split_once("```") {
        // Skips the language after the opening fence. The last fence closes the block, as its texts may contain fences.
        let body = rest.split_once('\n').map_or(rest, |(_, body)| body);
        found.push(body.rsplit_once("```").map_or(body, |(body, _)| body).trim());
    }
    if let (Some(first), Some(last)) = (text.find(open), text.rfind(close)) {
        found.extend(text.get(first..=last));
    }
    found
}

#[cfg(test)]
mod tests;
