//! Failures of model calls in one vocabulary for all providers, and whether a retry can help.
//!
//! Keeps the provider's message as received. The interface words the category.

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};

/// The words of a call that was not made for want of a key.
pub const NO_KEY: &str = "No key is entered for this provider in this tab.";

/// The code of an answer that ended at its most output tokens.
pub const TOKEN_LIMIT: &str = "token_limit";

/// What went wrong with a model call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderErrorKind {
    /// The key is missing or wrong.
    Authentication,
    /// The key is right but may not do this (restricted key, disabled API, region).
    Permission,
    /// Credit or a quota is used up; waiting minutes does not help.
    Quota,
    /// Too many requests; waiting helps.
    RateLimit,
    Overloaded,
    /// The provider failed (5xx).
    Server,
    /// The provider refused the request as malformed.
    BadRequest,
    /// The model or path does not exist.
    NotFound,
    /// The conversation does not fit the model's window.
    ContextOverflow,
    /// A safety filter blocked the request or the answer.
    Blocked,
    /// No answer could be had: offline, DNS, refused, CORS, policy. Script cannot tell these apart.
    Unreachable,
    /// No byte came for too long.
    Stalled,
    /// The stream ended without a finish mark.
    CutOff,
    /// What came back is not this provider's protocol (a captive portal's page, for example).
    Garbled,
    /// The answer held nothing.
    Empty,
    /// The agent has no usable provider, model or key set up here.
    NotSetUp,
}

/// Why a model call failed. Provider words are kept as received.
#[sparse]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProviderError {
    pub category: ProviderErrorKind,
    /// The HTTP status, where there was an answer.
    pub status: Option<u16>,
    /// The provider's own code, such as `RESOURCE_EXHAUSTED`.
    pub code: Option<String>,
    /// The provider's own words, or ours where it gave none. Never holds a key.
    pub message: String,
    /// How long the provider asks to wait, in milliseconds.
    pub retry_after_ms: Option<u64>,
}

impl ProviderError {
    /// A failure without an HTTP answer.
    pub fn new(category: ProviderErrorKind, message: impl Into<String>) -> Self {
        Self { category, status: None, code: None, message: message.into(), retry_after_ms: None }
    }
}
