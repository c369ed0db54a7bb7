//! Errors of model calls, in common terms for all providers.
//!
//! The provider's message is stored as received. The interface words the category.

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};

/// Message of a call that was not made because the key is missing.
pub const NO_KEY: &str = "No key is entered for this provider in this tab.";

/// Error code of an answer that reached its token limit.
pub const TOKEN_LIMIT: &str = "token_limit";

/// The kind of error of a model call.
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
    /// The provider rejected the request as malformed.
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
    /// The answer was empty.
    Empty,
    /// The agent's provider, model or key is not set up here.
    NotSetUp,
}

/// The error of a model call. The provider's message is stored as received.
#[sparse]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProviderError {
    pub category: ProviderErrorKind,
    /// The HTTP status, if there was a response.
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

    /// True if the provider's key is missing or wrong: every call to it fails until another key is entered.
    pub fn lacks_key(&self) -> bool {
        self.category == ProviderErrorKind::Authentication
            || self.category == ProviderErrorKind::NotSetUp && self.message == NO_KEY
    }
}
