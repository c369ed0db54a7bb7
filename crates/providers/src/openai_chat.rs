//! Codec of OpenAI-compatible Chat Completions, and the model list. The standard has only ids; some hosts add context
//! window and prices, each under its own field names.
//!
//! The encoder follows the host's [`dialect`]; the decoder accepts all dialects at once.

mod calls;
pub mod decode;
pub mod dialect;
pub mod encode;
mod reasoning;
mod thinking;

#[cfg(test)]
mod decode_tests;
#[cfg(test)]
mod encode_rules_tests;
#[cfg(test)]
mod encode_tests;

use crate::http::{Endpoint, HttpRequest, KeyProbe};
use crate::openai_chat::dialect::Dialect;

pub fn models_request(endpoint: &Endpoint) -> HttpRequest {
    HttpRequest::get(dialect::address(&endpoint.base_url, "models"), endpoint.bearer())
}

/// How to check whether the host accepts the key: many hosts return the list to everyone.
pub fn key_probe(endpoint: &Endpoint) -> KeyProbe {
    match Dialect::of(&endpoint.base_url) {
        Dialect::Openai | Dialect::Groq | Dialect::Mistral | Dialect::DeepSeek | Dialect::Xai => {
            KeyProbe::List
        }
        Dialect::OpenRouter => KeyProbe::WithKey(HttpRequest {
            url: dialect::address(&endpoint.base_url, "key"),
            ..models_request(endpoint)
        }),
        Dialect::Perplexity
        | Dialect::Ollama
        | Dialect::LlamaCpp
        | Dialect::LmStudio
        | Dialect::Vllm
        | Dialect::Other => KeyProbe::without_key(endpoint, models_request),
    }
}
