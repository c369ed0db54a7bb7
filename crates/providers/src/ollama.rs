//! Codec of Ollama's native API: `/api/chat`, which streams lines of JSON, and the list of pulled models.
//!
//! Errors, as the response body or as a line of the stream, have the format of OpenAI-compatible hosts.

pub mod decode;
pub mod encode;

#[cfg(test)]
mod decode_tests;
#[cfg(test)]
mod encode_tests;

use crate::http::{Endpoint, HttpRequest};

pub fn models_request(endpoint: &Endpoint) -> HttpRequest {
    HttpRequest::get(encode::address(endpoint, "tags"), endpoint.bearer())
}
