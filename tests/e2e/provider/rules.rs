//! Rules of the real providers: checks a request, given the opaque data sent so far.
//!
//! This file has what all protocols share: rejections, the record of opaque data, and checks of names, ids, schemas
//! and encoded bytes. Each protocol has its own file, based on the service's documentation and recordings, not on the
//! program's codecs. Pure.

mod anthropic;
mod chat;
mod gemini;
mod ollama;
mod responses;
mod shape;

use std::collections::BTreeMap;

use nexus_model::provider::Protocol;
use serde_json::{Map, Value, json};

pub(crate) use chat::{Host, detail_key};
pub(crate) use gemini::{SIGNATURE_SENTINEL, bare_part};

/// All opaque data that a provider sent, by its unique string.
pub(crate) type IssuedData = BTreeMap<String, Signed>;

/// Origin of opaque data.
#[derive(Debug, Clone)]
pub(crate) struct Signed {
    /// The model that produced it; other models cannot use it.
    pub(crate) model: String,
    /// The part, item or block that contained it and must be sent back.
    pub(crate) part: Value,
}

/// An error response, independent of the protocol.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ApiError {
    pub(crate) code: u16,
    /// The provider's code for the kind of error: upper case for Google, lower case for others.
    pub(crate) status: &'static str,
    pub(crate) message: String,
    pub(crate) details: Vec<Value>,
}

impl ApiError {
    /// 400: the request breaks a rule.
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self { code: 400, status: "INVALID_ARGUMENT", message: message.into(), details: Vec::new() }
    }

    /// The body in the format of this protocol.
    pub(crate) fn body(&self, protocol: Protocol) -> Value {
        match protocol {
            Protocol::Gemini => self.google_body(),
            Protocol::Openai | Protocol::Responses => json!({ "error": self.openai_error() }),
            Protocol::Anthropic => json!({
                "type": "error",
                "error": { "type": self.anthropic_type(), "message": self.message },
                "request_id": "req_011CFakeFakeFakeFakeFake",
            }),
            Protocol::Ollama => json!({ "error": self.message }),
        }
    }

    pub(crate) fn google_body(&self) -> Value {
        let mut error = Map::new();
        error.insert("code".to_owned(), self.code.into());
        error.insert("message".to_owned(), self.message.clone().into());
        error.insert("status".to_owned(), self.status.into());
        if !self.details.is_empty() {
            error.insert("details".to_owned(), self.details.clone().into());
        }
        json!({ "error": error })
    }

    /// OpenAI's error object, which compatible hosts copy.
    pub(crate) fn openai_error(&self) -> Value {
        let kind = match self.code {
            429 if self.lower_case_code() == Some("insufficient_quota") => "insufficient_quota",
            429 => "requests",
            500.. => "server_error",
            _ => "invalid_request_error",
        };
        json!({ "message": self.message, "type": kind, "param": null, "code": self.lower_case_code() })
    }

    /// Anthropic's name for the kind of error.
    pub(crate) fn anthropic_type(&self) -> &'static str {
        match self.code {
            401 => "authentication_error",
            402 => "billing_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            504 => "timeout_error",
            529 => "overloaded_error",
            400..500 => "invalid_request_error",
            _ => "api_error",
        }
    }

    fn lower_case_code(&self) -> Option<&'static str> {
        Some(self.status).filter(|word| word.starts_with(|first: char| first.is_ascii_lowercase()))
    }
}

/// A request to check.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) protocol: Protocol,
    /// The host, for the many that speak Chat Completions.
    pub(crate) host: Host,
    pub(crate) model: &'a str,
    pub(crate) body: &'a Value,
}

/// Checks a request for an answer.
pub(crate) fn check(call: Call<'_>, issued: &IssuedData) -> Result<(), ApiError> {
    match call.protocol {
        Protocol::Gemini => gemini::check(call.model, call.body, issued),
        Protocol::Openai => chat::check(call.host, call.model, call.body, issued),
        Protocol::Responses => responses::check(call.model, call.body, issued),
        Protocol::Anthropic => anthropic::check(call.model, call.body, issued),
        Protocol::Ollama => ollama::check(call.model, call.body, issued),
    }
}

/// The list in this field; empty if there is none.
pub(crate) fn items<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

pub(crate) fn text<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    value.get(field).and_then(Value::as_str)
}

/// True unless it is a non-empty text or list.
fn is_nothing(content: &Value) -> bool {
    content.as_str().is_none_or(str::is_empty) && content.as_array().is_none_or(Vec::is_empty)
}

/// True for standard, padded base64 of at least one byte.
fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    !body.is_empty()
        && text.len().is_multiple_of(4)
        && text.len() - body.len() <= 2
        && body.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/')
}

/// True for a `data:` URL of an image type that all providers accept.
fn is_image_url(url: &str) -> bool {
    url.strip_prefix("data:")
        .and_then(|rest| rest.split_once(";base64,"))
        .is_some_and(|(mime, data)| is_image_type(mime) && is_base64(data))
}

fn is_image_type(mime: &str) -> bool {
    ["image/png", "image/jpeg", "image/gif", "image/webp"].contains(&mime)
}

/// True for 1 to `most` letters, digits, `_` and `-`.
fn is_plain_name(name: &str, most: usize) -> bool {
    (1..=most).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// Why a schema is not closed, as strict mode requires: each object must list all its properties as required and
/// allow no others.
fn open_place(schema: &Value, path: &str) -> Option<String> {
    if text(schema, "type") == Some("object") {
        if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
            return Some(format!(
                "{path}: 'additionalProperties' is required to be supplied and to be false."
            ));
        }
        let required = items(schema, "required");
        let mut names = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        if let Some((name, _)) = names.find(|(name, _)| !required.iter().any(|each| each == name.as_str())) {
            return Some(format!(
                "{path}: 'required' must include every key in properties. Missing '{name}'."
            ));
        }
    }
    let mut below = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let below = below.find_map(|(name, schema)| open_place(schema, &format!("{path}.{name}")));
    below.or_else(|| schema.get("items").and_then(|schema| open_place(schema, &format!("{path}[]"))))
}
