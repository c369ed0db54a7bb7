//! Never knows how any provider speaks: it only picks who does.
//!
//! Owns the way from a [`Protocol`] to its codec, by static dispatch.

use crate::domain::failure::Failure;
use crate::domain::model::Prompt;
use crate::domain::provider::{ModelInfo, Protocol};
use crate::wire::anthropic::decode::AnthropicDecoder;
use crate::wire::chat::ModelEvent;
use crate::wire::gemini::decode::GeminiDecoder;
use crate::wire::http::{Endpoint, HttpRequest};
use crate::wire::ollama::decode::OllamaDecoder;
use crate::wire::openai::decode::OpenaiDecoder;
use crate::wire::responses::decode::ResponsesDecoder;
use crate::wire::{anthropic, gemini, ollama, openai, responses};

/// The request that asks for a streamed answer to `prompt`.
pub fn encode(protocol: Protocol, prompt: &Prompt, endpoint: &Endpoint) -> HttpRequest {
    match protocol {
        Protocol::Gemini => gemini::encode::encode(prompt, endpoint),
        Protocol::Openai => openai::encode::encode(prompt, endpoint),
        Protocol::Responses => responses::encode::encode(prompt, endpoint),
        Protocol::Anthropic => anthropic::encode::encode(prompt, endpoint),
        Protocol::Ollama => ollama::encode::encode(prompt, endpoint),
    }
}

/// The request for the list of models; it also tells whether the key is right.
pub fn models_request(protocol: Protocol, endpoint: &Endpoint) -> HttpRequest {
    match protocol {
        Protocol::Gemini => gemini::models::models_request(endpoint),
        Protocol::Openai => openai::models::models_request(endpoint),
        Protocol::Responses => responses::models::models_request(endpoint),
        Protocol::Anthropic => anthropic::models::models_request(endpoint),
        Protocol::Ollama => ollama::models::models_request(endpoint),
    }
}

/// Reads the answer to [`models_request`].
///
/// # Errors
/// What went wrong, where the answer is not a list of models.
pub fn read_models(protocol: Protocol, status: u16, body: &str) -> Result<Vec<ModelInfo>, Failure> {
    match protocol {
        Protocol::Gemini => gemini::models::read_models(status, body),
        Protocol::Openai => openai::models::read_models(status, body),
        Protocol::Responses => responses::models::read_models(status, body),
        Protocol::Anthropic => anthropic::models::read_models(status, body),
        Protocol::Ollama => ollama::models::read_models(status, body),
    }
}

/// What an answer means that is no stream: one with a bad status, or with a good one and something else inside.
///
/// A good status with an unexpected content type may just as well be fed to a [`Decoder`]: it looks at what
/// comes, not at what it is called, and tells a page from an answer.
pub fn classify(protocol: Protocol, status: u16, content_type: Option<&str>, body: &str) -> Failure {
    match protocol {
        Protocol::Gemini => gemini::error::classify(status, content_type, body),
        Protocol::Openai => openai::error::classify(status, content_type, body),
        Protocol::Responses => responses::error::classify(status, content_type, body),
        Protocol::Anthropic => anthropic::error::classify(status, content_type, body),
        Protocol::Ollama => ollama::error::classify(status, content_type, body),
    }
}

/// Reads one streamed answer, in pieces of any size. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub enum Decoder {
    /// Gemini's.
    Gemini(GeminiDecoder),
    /// That of OpenAI-compatible hosts.
    Openai(OpenaiDecoder),
    /// That of OpenAI's Responses.
    Responses(ResponsesDecoder),
    /// Anthropic's.
    Anthropic(AnthropicDecoder),
    /// Ollama's.
    Ollama(OllamaDecoder),
}

impl Decoder {
    /// A decoder for one answer.
    pub fn new(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Gemini => Self::Gemini(GeminiDecoder::default()),
            Protocol::Openai => Self::Openai(OpenaiDecoder::default()),
            Protocol::Responses => Self::Responses(ResponsesDecoder::default()),
            Protocol::Anthropic => Self::Anthropic(AnthropicDecoder::default()),
            Protocol::Ollama => Self::Ollama(OllamaDecoder::default()),
        }
    }

    /// Takes in more bytes and gives what they completed.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<ModelEvent> {
        match self {
            Self::Gemini(decoder) => decoder.feed(bytes),
            Self::Openai(decoder) => decoder.feed(bytes),
            Self::Responses(decoder) => decoder.feed(bytes),
            Self::Anthropic(decoder) => decoder.feed(bytes),
            Self::Ollama(decoder) => decoder.feed(bytes),
        }
    }

    /// The stream is over: gives what was pending. Where no finish was among all events, the answer was cut off.
    pub fn end(&mut self) -> Vec<ModelEvent> {
        match self {
            Self::Gemini(decoder) => decoder.end(),
            Self::Openai(decoder) => decoder.end(),
            Self::Responses(decoder) => decoder.end(),
            Self::Anthropic(decoder) => decoder.end(),
            Self::Ollama(decoder) => decoder.end(),
        }
    }
}
