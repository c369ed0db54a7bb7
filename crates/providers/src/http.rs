//! HTTP requests as data, for adapters of the `Http` port.
//!
//! API keys are secrets, and never appear in `Debug` output.

use std::fmt;

use serde_json::{Map, Value};

/// A secret text that must not be shown, logged or stored: an API key.
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

#[derive(Clone, Debug, PartialEq)]
pub struct Endpoint {
    /// The URL up to the version path, without a trailing slash, such as `https://generativelanguage.googleapis.com`.
    pub base_url: String,
    pub key: Option<Secret>,
}

impl Endpoint {
    /// The URL with a version path: as entered, with `/v1` appended if it has none.
    pub fn versioned(&self) -> String {
        let base = self.base_url.trim_end_matches('/');
        let last = base.rsplit('/').next().unwrap_or_default();
        let is_version = last
            .strip_prefix('v')
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()));
        if is_version { base.to_owned() } else { format!("{base}/v1") }
    }

    /// The key as a bearer header; none without a key, as for most local servers.
    pub(crate) fn bearer(&self) -> Vec<Header> {
        let key = self.key.as_ref().map(|key| key.reveal().trim()).filter(|key| !key.is_empty());
        let secret = |key| HeaderValue::Secret(Secret::new(format!("Bearer {key}")));
        key.map(|key| ("authorization".to_owned(), secret(key))).into_iter().collect()
    }

    /// The key in a header of this name. Never put it into the URL: URLs end up in logs.
    pub(crate) fn key_header(&self, name: &str) -> Vec<Header> {
        self.key.clone().map(|key| (name.to_owned(), HeaderValue::Secret(key))).into_iter().collect()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
}

/// A header's value; `Debug` hides secrets.
#[derive(Clone, Debug, PartialEq)]
pub enum HeaderValue {
    Plain(String),
    Secret(Secret),
}

impl HeaderValue {
    pub fn reveal(&self) -> &str {
        match self {
            Self::Plain(text) => text,
            Self::Secret(secret) => secret.reveal(),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct HttpRequest {
    pub method: Method,
    /// The URL. Never contains a key.
    pub url: String,
    /// Headers in order, names in lower case.
    pub headers: Vec<Header>,
    pub body: Option<String>,
}

pub type Header = (String, HeaderValue);

impl HttpRequest {
    pub(crate) fn get(url: String, headers: Vec<Header>) -> Self {
        Self { method: Method::Get, url, headers, body: None }
    }

    /// A request with `fields` as a JSON object, without null fields.
    pub(crate) fn post(url: String, mut headers: Vec<Header>, fields: Vec<(&str, Value)>) -> Self {
        headers.insert(0, ("content-type".to_owned(), HeaderValue::Plain("application/json".to_owned())));
        Self { method: Method::Post, url, headers, body: Some(Value::from(object(fields)).to_string()) }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum KeyProbe {
    /// Unnecessary: the model list already requires the key.
    List,
    /// A request that only succeeds with the key.
    WithKey(HttpRequest),
    /// The list request without a key: if it is rejected, the key was needed.
    WithoutKey(HttpRequest),
}

impl KeyProbe {
    pub(crate) fn without_key(endpoint: &Endpoint, list: fn(&Endpoint) -> HttpRequest) -> Self {
        Self::WithoutKey(list(&Endpoint { key: None, ..endpoint.clone() }))
    }
}

/// An object of the fields that are not null.
pub(crate) fn object(fields: Vec<(&str, Value)>) -> Map<String, Value> {
    let present = fields.into_iter().filter(|(_, value)| !value.is_null());
    present.map(|(key, value)| (key.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests;
