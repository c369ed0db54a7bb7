//! Configured providers, the model lists that they returned, and the errors of model calls in common terms.
//!
//! API keys live in memory, bound to an origin; a provider never holds one. A provider's error message is stored as
//! received. The interface words the category.

pub mod address;
pub mod presets;
pub mod price;
pub mod vision;

use serde::{Deserialize, Deserializer, Serialize};

use crate::id::{Millis, ProviderId};
use crate::provider::address::{HostScope, origin_of};
use crate::provider::price::Price;
use crate::settings::schema::MODEL_LIST_ROWS;
use nexus_markup::sparse;

/// A family of wire formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// Google's Generative Language API.
    Gemini,
    /// OpenAI's older Chat Completions, which most other hosts and local servers use.
    Openai,
    /// OpenAI's Responses, for its current models.
    Responses,
    Anthropic,
    Ollama,
}

words!(Protocol {
    Gemini: "gemini",
    Openai: "openai",
    Responses: "responses",
    Anthropic: "anthropic",
    Ollama: "ollama",
});

impl Protocol {
    /// True if PDFs can be sent as they are. Hosts of Chat Completions differ, and most reject them.
    pub fn takes_documents(self) -> bool {
        matches!(self, Self::Gemini | Self::Responses | Self::Anthropic)
    }
}

/// A configured host of models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provider {
    pub id: ProviderId,
    /// Chosen by the operator.
    #[serde(deserialize_with = "label")]
    pub label: String,
    pub protocol: Protocol,
    /// The address up to the version path, without a trailing slash. [`DEMO_URL`] for the demo.
    pub base_url: String,
    /// True if calls need an API key.
    pub needs_key: bool,
}

/// The name of the demo in logs and exports of earlier versions.
pub const OLD_DEMO_LABEL: &str = "Rehearsal";
const DEMO_LABEL: &str = "Demo";

/// Reads a label; the demo's old label is replaced by its present one.
fn label<'de, D: Deserializer<'de>>(stored: D) -> Result<String, D::Error> {
    let label = String::deserialize(stored)?;
    Ok(if label == OLD_DEMO_LABEL { DEMO_LABEL.to_owned() } else { label })
}

/// The address of the demo, which makes no network calls.
pub const DEMO_URL: &str = "rehearsal:";

impl Provider {
    pub fn gemini() -> Self {
        Self {
            id: "gemini".into(),
            label: "Google Gemini".to_owned(),
            protocol: Protocol::Gemini,
            base_url: "https://generativelanguage.googleapis.com".to_owned(),
            needs_key: true,
        }
    }

    /// The demo, which answers without key or network.
    pub fn demo() -> Self {
        Self {
            id: "rehearsal".into(),
            label: DEMO_LABEL.to_owned(),
            protocol: Protocol::Gemini,
            base_url: DEMO_URL.to_owned(),
            needs_key: false,
        }
    }

    pub fn is_demo(&self) -> bool {
        self.base_url.starts_with(DEMO_URL)
    }

    /// True if its models accept tools. Perplexity's do not.
    pub fn takes_tools(&self) -> bool {
        self.origin().as_deref() != Some("https://api.perplexity.ai")
    }

    /// True if it runs on this machine: the demo, or a server on a loopback address.
    pub fn is_local(&self) -> bool {
        self.is_demo() || address::reach(&self.base_url) == HostScope::Loopback
    }

    /// The origin to which its key is bound: scheme, host and port in lower case.
    pub fn origin(&self) -> Option<String> {
        origin_of(&self.base_url)
    }
}

#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// For example `gemini-3.8-flash`.
    pub id: String,
    /// The display name; the id if the provider gives none.
    pub name: String,
    /// Maximum tokens of a request.
    pub input_limit: Option<u64>,
    /// Maximum tokens of an answer.
    pub output_limit: Option<u64>,
    /// True if it thinks before it answers, if known.
    pub thinks: Option<bool>,
    #[serde(rename = "sees")]
    pub accepts_images: Option<bool>,
    pub price: Option<Price>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelList {
    pub at: Millis,
    pub models: Vec<ModelInfo>,
}

/// The response to a request for a provider's models.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedModels {
    pub models: Vec<ModelInfo>,
    pub key: KeyCheck,
}

#[derive(Clone, Debug, PartialEq)]
pub enum KeyCheck {
    Accepted,
    Rejected(ProviderError),
    /// No key was sent, or none of its responses needs one.
    NotChecked,
}

/// True if the listed model `id` is the one called `model`. A name without tag means `:latest`.
pub fn is_called(id: &str, model: &str) -> bool {
    id == model || id.strip_suffix(":latest") == Some(model)
}

/// True if the answering model counts as the requested one: without vendor, variant or date, as in `maker/model:free`
/// and `model-2026-10-07`.
pub fn is_same_model(requested: &str, actual: &str) -> bool {
    let name = |model: &str| model.rsplit('/').next().unwrap_or_default().to_lowercase();
    let (requested, actual) = (name(requested), name(actual));
    let plain = requested.split(':').next().unwrap_or_default();
    let rest = actual.strip_prefix(&requested).or_else(|| actual.strip_prefix(plain));
    let is_date = |rest: &str| {
        let digits = rest.bytes().filter(u8::is_ascii_digit).count();
        rest.starts_with('-') && digits > 2 && rest.bytes().all(|b| b == b'-' || b.is_ascii_digit())
    };
    is_called(&actual, &requested) || rest.is_some_and(|rest| rest.is_empty() || is_date(rest))
}

impl ModelList {
    pub fn setting(provider: &ProviderId) -> String {
        MODEL_LIST_ROWS.row(provider)
    }

    pub fn accepts_images(&self, model: &str) -> Option<bool> {
        self.models.iter().find(|one| is_called(&one.id, model))?.accepts_images
    }
}

/// Message of a call that was not made because the key is missing.
pub const NO_KEY: &str = "No key is entered for this provider in this tab.";

/// Message of a call that was not made because the operator did not unlock the key.
pub const KEY_LOCKED: &str = "The key of this provider is locked in this tab.";

/// Message of a call that was not made because no model is chosen.
pub const NO_MODEL: &str = "No model is chosen.";

/// Error code of an answer that reached its token limit.
pub const TOKEN_LIMIT: &str = "token_limit";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderErrorKind {
    /// The key is missing or wrong.
    Authentication,
    /// The key is valid but lacks permission (restricted key, disabled API, region).
    Permission,
    /// Credit or a quota is used up; waiting does not help.
    Quota,
    /// Too many requests; waiting helps.
    RateLimit,
    Overloaded,
    /// The provider failed (5xx).
    Server,
    BadRequest,
    /// The model or path does not exist.
    NotFound,
    /// The request exceeds the model's context window.
    ContextOverflow,
    /// A safety filter blocked the request or the answer.
    Blocked,
    /// No response: offline, DNS, connection refused, CORS or policy. Scripts cannot tell these apart.
    Unreachable,
    /// No data was received for too long.
    Stalled,
    /// The stream ended without a finish reason.
    CutOff,
    /// The response is not in the provider's protocol, for example a captive portal's page.
    Garbled,
    Empty,
    /// The agent's provider, model or key is not set up here.
    NotSetUp,
}

/// The error of a model call. The provider's message is stored as received.
#[sparse]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProviderError {
    pub category: ProviderErrorKind,
    pub status: Option<u16>,
    /// The provider's error code, such as `RESOURCE_EXHAUSTED`.
    pub code: Option<String>,
    /// The provider's message, or ours if it gave none. Never contains a key.
    pub message: String,
    /// The delay that the provider asks for, in milliseconds.
    pub retry_after_ms: Option<u64>,
}

impl ProviderError {
    /// An error without an HTTP response.
    pub fn new(category: ProviderErrorKind, message: impl Into<String>) -> Self {
        Self { category, status: None, code: None, message: message.into(), retry_after_ms: None }
    }

    /// True if the provider's key is missing, locked or wrong: every call to it fails until the operator enters or
    /// unlocks one.
    pub fn lacks_key(&self) -> bool {
        self.category == ProviderErrorKind::Authentication
            || self.category == ProviderErrorKind::NotSetUp && [NO_KEY, KEY_LOCKED].contains(&&*self.message)
    }
}

#[cfg(test)]
mod tests;
