//! HTTP requests as data, for adapters of the `Http` port.
//!
//! API keys are secrets, and never appear in `Debug` output.

use std::fmt;

/// A text that must not be shown, logged or stored: an API key.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// The key itself, for the request header and nothing else.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Where a provider is reached and with which key.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoint {
    /// The address up to the version path, without a slash at its end, such as
    /// `https://generativelanguage.googleapis.com`.
    pub base_url: String,
    pub key: Option<Secret>,
}

impl Endpoint {
    /// The address with its version path: what the operator entered, and `/v1` where that names no version.
    pub fn versioned(&self) -> String {
        let base = self.base_url.trim_end_matches('/');
        let last = base.rsplit('/').next().unwrap_or_default();
        let is_version = last
            .strip_prefix('v')
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()));
        if is_version { base.to_owned() } else { format!("{base}/v1") }
    }
}

/// A request method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
}

/// A header's value; secrets stay out of `Debug`.
#[derive(Clone, Debug, PartialEq)]
pub enum HeaderValue {
    /// May be shown.
    Plain(String),
    /// May not.
    Secret(Secret),
}

impl HeaderValue {
    /// The text to send.
    pub fn reveal(&self) -> &str {
        match self {
            Self::Plain(text) => text,
            Self::Secret(secret) => secret.reveal(),
        }
    }
}

/// A request to a model provider.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpRequest {
    pub method: Method,
    /// The whole address. Never holds a key.
    pub url: String,
    /// Headers in order, names in lower case.
    pub headers: Vec<(String, HeaderValue)>,
    /// The body, JSON text.
    pub body: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_gets_a_version_where_it_has_none() {
        let cases = [
            ("https://api.anthropic.com", "https://api.anthropic.com/v1"),
            ("https://api.anthropic.com/v1/", "https://api.anthropic.com/v1"),
            ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"),
            ("http://localhost:1234/proxy", "http://localhost:1234/proxy/v1"),
            ("https://h/api/v4", "https://h/api/v4"),
            ("https://h/vault", "https://h/vault/v1"),
        ];
        for (base, wanted) in cases {
            assert_eq!(Endpoint { base_url: base.to_owned(), key: None }.versioned(), wanted);
        }
    }
}
