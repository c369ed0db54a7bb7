//! The [`Codec`] interface of a provider family, and the lookup by `Protocol`.
//!
//! Calling [`of`] links all families; the page loads it before the first model call.

use crate::anthropic::decode::AnthropicDecoder;
use crate::chat::Decode;
use crate::gemini::decode::GeminiDecoder;
use crate::http::{Endpoint, HttpRequest, KeyProbe};
use crate::ollama::OllamaDecoder;
use crate::openai_chat::decode::OpenaiDecoder;
use crate::openai_responses::decode::ResponsesDecoder;
use crate::{anthropic, error, gemini, models, ollama, openai_chat, openai_responses};
use nexus_model::llm::Prompt;
use nexus_model::provider::address::origin_of;
use nexus_model::provider::{ModelInfo, Protocol, ProviderError};
use nexus_text::invisible::reveal_encoded;

/// A protocol family: builds requests and parses their responses.
#[derive(Clone, Copy, Debug)]
pub struct Codec {
    pub encode: fn(&Prompt, &Endpoint) -> HttpRequest,
    pub models_request: fn(&Endpoint) -> HttpRequest,
    /// How to check the key after the list was received.
    pub key_probe: fn(&Endpoint) -> KeyProbe,
    /// Parses the response to `models_request` (status and body).
    pub read_models: fn(u16, &str) -> Result<Vec<ModelInfo>, ProviderError>,
    /// Classifies a response that is no stream, by status, content type and body.
    pub classify: fn(u16, Option<&str>, &str) -> ProviderError,
    pub decoder: fn() -> Box<dyn Decode>,
}

/// Escapes invisible characters anywhere in a request, which only the model would read. JSON syntax has none of them.
fn without_invisible_text(request: HttpRequest) -> HttpRequest {
    HttpRequest { body: request.body.map(|body| reveal_encoded(&body)), ..request }
}

/// The probe of a protocol whose own host requires a key for the list. Other hosts with this protocol may not.
fn probe_at(own: &str, endpoint: &Endpoint, list: fn(&Endpoint) -> HttpRequest) -> KeyProbe {
    if origin_of(&endpoint.base_url).as_deref() == Some(own) {
        KeyProbe::List
    } else {
        KeyProbe::without_key(endpoint, list)
    }
}

macro_rules! families {
    ($($protocol:ident: $module:ident, $encode:path, $decoder:ident, $models:expr, $probe:expr;)+) => {
        pub fn of(protocol: Protocol) -> &'static Codec {
            match protocol {$(
                Protocol::$protocol => {
                    static CODEC: Codec = Codec {
                        encode: |prompt, endpoint| without_invisible_text($encode(prompt, endpoint)),
                        models_request: $module::models_request,
                        key_probe: $probe,
                        read_models: $models,
                        classify: error::classify,
                        decoder: || Box::new($decoder::default()),
                    };
                    &CODEC
                }
            )+}
        }
    };
}

families! {
    Gemini: gemini, gemini::encode::encode, GeminiDecoder, models::read,
        |endpoint| probe_at("https://generativelanguage.googleapis.com", endpoint, gemini::models_request);
    Openai: openai_chat, openai_chat::encode::encode, OpenaiDecoder, models::read, openai_chat::key_probe;
    Responses: openai_responses, openai_responses::encode::encode, ResponsesDecoder, openai_responses::read_models,
        |endpoint| probe_at("https://api.openai.com", endpoint, openai_responses::models_request);
    Anthropic: anthropic, anthropic::encode::encode, AnthropicDecoder, models::read,
        |endpoint| probe_at("https://api.anthropic.com", endpoint, anthropic::models_request);
    Ollama: ollama, ollama::encode, OllamaDecoder, models::read,
        |endpoint| KeyProbe::without_key(endpoint, ollama::models_request);
}

/// The request for a streamed answer to `prompt`.
pub fn encode(protocol: Protocol, prompt: &Prompt, endpoint: &Endpoint) -> HttpRequest {
    (of(protocol).encode)(prompt, endpoint)
}

#[cfg(test)]
mod tests;
