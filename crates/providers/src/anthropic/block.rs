//! Assembles one content block of an answer from its stream events.
//!
//! A tool call is emitted only when its block is closed.

use serde_json::{Map, Value};

use crate::fallback;
use crate::stream::sse::LINE_CAP;
use nexus_model::message::content::ToolArgs;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum BlockBody {
    Text,
    /// Thinking: the block as it began, without its text, and the signature that vouches for that.
    Thinking {
        block: Map<String, Value>,
        signature: String,
    },
    /// Thinking that only the provider can read; the whole block.
    Redacted(Map<String, Value>),
    Call {
        id: String,
        name: String,
        input: Value,
        json: String,
    },
    /// Of no use to us: tools that the provider ran itself, and kinds of next year.
    Other,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct OpenBlock {
    pub(super) index: Option<u64>,
    /// The part that it fills, once it has one.
    pub(super) part: Option<usize>,
    pub(super) body: BlockBody,
    /// Whether a piece of it may be missing.
    pub(super) torn: bool,
}

impl OpenBlock {
    pub(super) fn open(index: Option<u64>, content: &Map<String, Value>) -> Self {
        let word = |key: &str| content.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let body = match content.get("type").and_then(Value::as_str) {
            Some("text") => BlockBody::Text,
            Some("thinking") => {
                let mut block = content.clone();
                block.remove("thinking");
                block.remove("signature");
                BlockBody::Thinking { block, signature: word("signature") }
            }
            Some("redacted_thinking") => BlockBody::Redacted(content.clone()),
            Some("tool_use") => BlockBody::Call {
                id: word("id"),
                name: word("name"),
                input: content.get("input").cloned().unwrap_or_default(),
                json: String::new(),
            },
            _ => BlockBody::Other,
        };
        Self { index, part: None, body, torn: false }
    }

    pub(super) fn is_call(&self) -> bool {
        matches!(self.body, BlockBody::Call { .. })
    }

    /// Takes in a piece of a call's arguments. More than any call needs tears it.
    pub(super) fn extend_json(&mut self, piece: &str) -> bool {
        let BlockBody::Call { json, .. } = &mut self.body else { return false };
        if json.len().saturating_add(piece.len()) > LINE_CAP {
            self.torn = true;
        } else if !self.torn {
            json.push_str(piece);
        }
        true
    }
}

/// The arguments of a call whose block is closed: the pieces, or what it began with where no piece came.
pub(super) fn arguments(input: &Value, json: String, torn: bool) -> ToolArgs {
    if torn {
        return ToolArgs::Broken(json);
    }
    if !json.trim().is_empty() {
        return fallback::read_arguments(&json);
    }
    fallback::arguments_in(Some(input))
}
