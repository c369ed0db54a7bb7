//! Model calls independent of the wire format: configuration, prompt, tool specifications, usage and finish reason.
//!
//! Context assembly builds the prompt; a codec encodes it.

use std::sync::Arc;

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::ProviderId;
use crate::message::content::{MessagePart, ToolResult};
use nexus_text::{content_hash::ContentHash, vec_map::VecMap};

/// A model and its parameters. Stored with every turn, because it may change between turns.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelConfig {
    pub provider: ProviderId,
    /// For example `gemini-3.8-flash`.
    pub model: String,
    #[serde(default)]
    pub thinking: Thinking,
    /// Maximum tokens of one answer; by default the provider's limit.
    pub max_tokens: Option<u32>,
    /// Sampling temperature; by default the provider's.
    pub temperature: Option<f64>,
    /// Context window in tokens, if the operator or the provider's list gives it.
    pub context_tokens: Option<u64>,
}

impl ModelConfig {
    /// A model with default parameters.
    pub fn new(provider: impl Into<ProviderId>, model: impl Into<String>) -> Self {
        Self { provider: provider.into(), model: model.into(), ..Self::default() }
    }

    /// The configuration for a compaction: the model whose window is full, because it can read the content.
    pub fn for_compaction(&self) -> Self {
        Self { max_tokens: None, temperature: None, ..self.clone() }
    }
}

/// How much a model thinks before it answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thinking {
    /// The provider's default.
    #[default]
    Auto,
    /// As little as the model supports.
    Off,
    Low,
    Medium,
    High,
}

words!(Thinking { Auto: "auto", Off: "off", Low: "low", Medium: "medium", High: "high" });

/// Token usage of model calls. Counts that the provider did not report are absent.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Request tokens.
    pub input: Option<u64>,
    /// Request tokens from the provider's cache; included in `input`.
    pub cached: Option<u64>,
    /// Answer tokens, including thinking.
    pub output: Option<u64>,
    /// Thinking tokens; included in `output`.
    pub reasoning: Option<u64>,
    /// The last usage object of the provider, as received.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub raw: Value,
}

impl Usage {
    /// Input and output tokens, as far as reported.
    pub fn total(&self) -> u64 {
        self.input.unwrap_or(0).saturating_add(self.output.unwrap_or(0))
    }

    /// Adds the usage of a later call, whose raw object is kept.
    pub fn add(&mut self, other: &Self) {
        fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
            a.or(b).map(|_| a.unwrap_or(0).saturating_add(b.unwrap_or(0)))
        }
        self.input = sum(self.input, other.input);
        self.cached = sum(self.cached, other.cached);
        self.output = sum(self.output, other.output);
        self.reasoning = sum(self.reasoning, other.reasoning);
        self.raw = other.raw.clone();
    }
}

/// How a model's answer ended, in common terms for all providers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// Complete.
    Stop,
    ToolCalls,
    /// Truncated by the token limit.
    Length,
    /// Ended or blocked by a safety or policy filter.
    ContentFilter,
    Error,
    /// The stream ended without a finish reason, such as by a lost connection.
    #[default]
    Incomplete,
}

/// Chunks of an answer's stream that could not be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamFaults {
    /// The number of unreadable chunks, which were skipped.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub skipped: u32,
    /// The number of repeated chunks or calls, which were used once.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub repeated: u32,
}

/// A complete request to a model, independent of the provider's format.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prompt {
    /// The system prompt: persona and house rules.
    pub system: String,
    /// The conversation, oldest first.
    pub entries: Vec<PromptEntry>,
    pub tools: Vec<ToolSpec>,
    pub config: ModelConfig,
    /// The blobs of the entries by content address, as standard base64. Of a missing blob only the name is sent.
    pub blobs: VecMap<ContentHash, Arc<str>>,
    /// JSON Schema for the answer's text, if it must be data.
    pub output: Option<Value>,
    /// True if the answer must be a call of the only tool, as far as the provider supports it.
    pub must_call: bool,
}

impl Prompt {
    /// A prompt outside any conversation.
    pub fn asking(system: &str, parts: Vec<MessagePart>, config: ModelConfig) -> Self {
        let entries = vec![PromptEntry::User(parts)];
        Self { system: system.to_owned(), entries, config, ..Self::default() }
    }

    /// The tool that the answer must call, if any.
    pub fn forced_tool(&self) -> Option<&str> {
        match self.tools.as_slice() {
            [only] if self.must_call => Some(&only.name),
            _ => None,
        }
    }

    /// Removes opaque data, which only its own provider and model understand.
    pub fn strip_opaque(&mut self) {
        for entry in &mut self.entries {
            if let PromptEntry::User(parts) | PromptEntry::Assistant(parts) = entry {
                parts.iter_mut().for_each(|part| part.opaque = None);
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum PromptEntry {
    /// Input for the model. Parts are text, JSON or blobs.
    User(Vec<MessagePart>),
    /// The agent's earlier answer with its calls. Opaque data is sent only if provider and model match.
    Assistant(Vec<MessagePart>),
    /// The results of all calls of the previous assistant entry, in the order of the calls.
    ToolResults(Vec<ToolResult>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    /// What it does and when to use it, for the model.
    pub description: String,
    /// JSON Schema of the arguments, always of type object.
    pub parameters: Value,
}
