//! Model calls without a wire format: configuration, prompt, tool specifications, usage and finish reason.
//!
//! Context assembly builds the prompt; a codec encodes it.

use std::sync::Arc;

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::ProviderId;
use crate::message::content::{MessagePart, ToolResult};
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecMap;

/// How an agent thinks. Stored with every turn, so that it may differ from turn to turn.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelConfig {
    pub provider: ProviderId,
    /// The model's id at that provider, such as `gemini-3.8-flash`.
    pub model: String,
    #[serde(default)]
    pub thinking: Thinking,
    /// The most tokens of one answer; the provider's own limit where absent.
    pub max_tokens: Option<u32>,
    /// Sampling temperature; the provider's default where absent.
    pub temperature: Option<f64>,
    /// The tokens of the model's window, where the operator or the provider's list says; a guess where absent.
    pub context_tokens: Option<u64>,
}

impl ModelConfig {
    /// A model as it comes, with no limits of its own.
    pub fn new(provider: impl Into<ProviderId>, model: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            model: model.into(),
            thinking: Thinking::Auto,
            max_tokens: None,
            temperature: None,
            context_tokens: None,
        }
    }

    /// What a compaction is made with: the model whose window is full, which can hold what is to be read.
    pub fn for_compaction(&self) -> Self {
        Self { max_tokens: None, temperature: None, ..self.clone() }
    }
}

/// How much a model thinks before it answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thinking {
    /// As the provider likes.
    #[default]
    Auto,
    /// As little as the model allows.
    Off,
    Low,
    Medium,
    High,
}

words!(Thinking { Auto: "auto", Off: "off", Low: "low", Medium: "medium", High: "high" });

/// What one model call used, in tokens. Counts that the provider did not report are absent.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request.
    pub input: Option<u64>,
    /// Tokens of the request that the provider had cached; part of `input`.
    pub cached: Option<u64>,
    /// Tokens of the answer that are billed, thinking included.
    pub output: Option<u64>,
    /// Tokens of thinking; part of `output`.
    pub reasoning: Option<u64>,
    /// The provider's own usage object, as received last.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub raw: Value,
}

impl Usage {
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// All tokens billed: input and output, as far as reported.
    pub fn total(&self) -> u64 {
        self.input.unwrap_or(0).saturating_add(self.output.unwrap_or(0))
    }

    /// Adds what another call used; the raw object of the later call is kept.
    pub fn add(&mut self, other: &Self) {
        fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
            match (a, b) {
                (None, None) => None,
                (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
            }
        }
        self.input = sum(self.input, other.input);
        self.cached = sum(self.cached, other.cached);
        self.output = sum(self.output, other.output);
        self.reasoning = sum(self.reasoning, other.reasoning);
        self.raw = other.raw.clone();
    }
}

/// How a model's answer ended, in one vocabulary for all providers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// It said all it wanted.
    Stop,
    ToolCalls,
    /// The token limit cut it.
    Length,
    /// A safety or policy filter ended or blocked it.
    ContentFilter,
    /// The provider reported an error.
    Error,
    /// The stream ended without a finish mark: a cut connection.
    Incomplete,
}

/// What of an answer's stream could not be used as it came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamFaults {
    /// How many pieces could not be read and were passed over.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: u32,
    /// How many pieces or calls came twice and were used once.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeated: u32,
}

impl StreamFaults {
    /// Whether all came once and could be read.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The complete question to a model, before any provider's format.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prompt {
    /// The system prompt: persona and house rules.
    pub system: String,
    /// The conversation, oldest first.
    pub entries: Vec<PromptEntry>,
    pub tools: Vec<ToolSpec>,
    pub config: ModelConfig,
    /// The bytes of the blobs that the entries hold, as standard base64, by content address. A blob that is not here
    /// is only told of.
    pub blobs: VecMap<ContentHash, Arc<str>>,
    /// JSON Schema that the answer's text must meet, where the answer is to be data and not prose.
    pub output: Option<Value>,
    /// Whether the answer has to be a call of the only tool on offer, as far as the provider can be told so.
    pub must_call: bool,
}

impl Prompt {
    /// A question beside any conversation.
    pub fn asking(system: &str, parts: Vec<MessagePart>, config: ModelConfig) -> Self {
        let entries = vec![PromptEntry::User(parts)];
        Self { system: system.to_owned(), entries, config, ..Self::default() }
    }

    /// The tool that the answer has to call, where it has to call one.
    pub fn forced_tool(&self) -> Option<&str> {
        match self.tools.as_slice() {
            [only] if self.must_call => Some(&only.name),
            _ => None,
        }
    }

    /// Leaves out the data that only the provider and model that made it understand. What was said and done stays.
    pub fn strip_opaque(&mut self) {
        for entry in &mut self.entries {
            match entry {
                PromptEntry::User(parts) | PromptEntry::Assistant(parts) => {
                    parts.iter_mut().for_each(|part| part.opaque = None);
                }
                PromptEntry::ToolResults(_) => {}
            }
        }
    }
}

/// One step of the conversation as a model is shown it.
#[derive(Clone, Debug, PartialEq)]
pub enum PromptEntry {
    /// Said to the model. Parts are text, JSON or blobs.
    User(Vec<MessagePart>),
    /// Said by this agent before, with its calls. Opaque data is replayed only where provider and model match.
    Assistant(Vec<MessagePart>),
    /// The results of all calls of the assistant entry before it, in the order of the calls.
    ToolResults(Vec<ToolResult>),
}

/// A tool as a model is told of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    /// What it does and when to use it, in words for the model.
    pub description: String,
    /// JSON Schema of the arguments, always of type object.
    pub parameters: Value,
}
