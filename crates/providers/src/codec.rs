//! The [`Codec`] interface of a provider family, and the lookup by [`Protocol`].
//!
//! Calling [`of`] links all families; the page instead loads each codec when it is first needed.

use crate::anthropic::decode::AnthropicDecoder;
use crate::chat::ModelEvent;
use crate::gemini::decode::GeminiDecoder;
use crate::http::{Endpoint, HttpRequest};
use crate::ollama::decode::OllamaDecoder;
use crate::openai_chat::decode::OpenaiDecoder;
use crate::openai_responses::decode::ResponsesDecoder;
use crate::{anthropic, gemini, ollama, openai_chat, openai_responses};
use nexus_model::llm::Prompt;
use nexus_model::provider::failure::ProviderError;
use nexus_model::provider::{ModelInfo, Protocol};

/// How one family of providers speaks.
#[derive(Clone, Copy, Debug)]
pub struct Codec {
    /// The request that asks for a streamed answer to a prompt.
    pub encode: fn(&Prompt, &Endpoint) -> HttpRequest,
    /// The request for the list of models; it also tells whether the key is right.
    pub models_request: fn(&Endpoint) -> HttpRequest,
    /// Reads the answer to `models_request` (status and body), or says what went wrong.
    pub read_models: fn(u16, &str) -> Result<Vec<ModelInfo>, ProviderError>,
    /// What an answer means that is no stream, by status, content type and body.
    pub classify: fn(u16, Option<&str>, &str) -> ProviderError,
    pub decoder: fn() -> Box<dyn Decode>,
}

/// Reads one streamed answer, in pieces of any size.
pub trait Decode {
    /// Takes in more bytes and gives what they completed.
    fn feed(&mut self, bytes: &[u8]) -> Vec<ModelEvent>;
    /// The stream is over: gives what was pending. Where no finish was among all events, the answer was cut off.
    fn end(&mut self) -> Vec<ModelEvent>;
}

/// Puts together what the modules of a family offer.
macro_rules! family {
    ($(#[$about:meta])* $codec:ident, $room:ident, $decoder:ident) => {
        $(#[$about])*
        pub static $codec: Codec = Codec {
            encode: $room::encode::encode,
            models_request: $room::models::models_request,
            read_models: $room::models::read_models,
            classify: $room::error::classify,
            decoder: || Box::new($decoder::default()),
        };

        impl Decode for $decoder {
            fn feed(&mut self, bytes: &[u8]) -> Vec<ModelEvent> {
                $decoder::feed(self, bytes)
            }

            fn end(&mut self) -> Vec<ModelEvent> {
                $decoder::end(self)
            }
        }
    };
}

family! {
    GEMINI, gemini, GeminiDecoder
}
family! {
    /// That of OpenAI-compatible hosts.
    OPENAI, openai_chat, OpenaiDecoder
}
family! {
    /// That of OpenAI's Responses.
    RESPONSES, openai_responses, ResponsesDecoder
}
family! {
    ANTHROPIC, anthropic, AnthropicDecoder
}
family! {
    OLLAMA, ollama, OllamaDecoder
}

pub fn of(protocol: Protocol) -> &'static Codec {
    match protocol {
        Protocol::Gemini => &GEMINI,
        Protocol::Openai => &OPENAI,
        Protocol::Responses => &RESPONSES,
        Protocol::Anthropic => &ANTHROPIC,
        Protocol::Ollama => &OLLAMA,
    }
}

/// The request that asks for a streamed answer to `prompt`.
pub fn encode(protocol: Protocol, prompt: &Prompt, endpoint: &Endpoint) -> HttpRequest {
    (of(protocol).encode)(prompt, endpoint)
}

/// The request for the list of models; it also tells whether the key is right.
pub fn models_request(protocol: Protocol, endpoint: &Endpoint) -> HttpRequest {
    (of(protocol).models_request)(endpoint)
}

/// Reads the answer to [`models_request`].
pub fn read_models(protocol: Protocol, status: u16, body: &str) -> Result<Vec<ModelInfo>, ProviderError> {
    (of(protocol).read_models)(status, body)
}

/// What an answer means that is no stream: one with a bad status, or with a good one and something else inside.
///
/// A good status with an unexpected content type may just as well be fed to a [`AnyDecoder`]: it looks at what
/// comes, not at what it is called, and tells a page from an answer.
pub fn classify(protocol: Protocol, status: u16, content_type: Option<&str>, body: &str) -> ProviderError {
    (of(protocol).classify)(status, content_type, body)
}

/// A decoder of any family as a value: cheap to clone and to compare, for tests and tools.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyDecoder {
    Gemini(GeminiDecoder),
    /// That of OpenAI-compatible hosts.
    Openai(OpenaiDecoder),
    /// That of OpenAI's Responses.
    Responses(ResponsesDecoder),
    Anthropic(AnthropicDecoder),
    Ollama(OllamaDecoder),
}

impl AnyDecoder {
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
