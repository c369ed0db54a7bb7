//! Never sends anything.
//!
//! Owns HTTP as data: what an adapter of the `Http` port is asked to send.

use std::fmt;

/// A text that must not be shown, logged or stored: an API key.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a key.
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
    /// The key, where the provider wants one.
    pub key: Option<Secret>,
}

/// A request method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// GET.
    Get,
    /// POST.
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
    /// The method.
    pub method: Method,
    /// The whole address. Never holds a key.
    pub url: String,
    /// Headers in order, names in lower case.
    pub headers: Vec<(String, HeaderValue)>,
    /// The body, JSON text.
    pub body: Option<String>,
}
