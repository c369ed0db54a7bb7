//! Models that answer in random histories.
//!
//! An answer is framed like its provider's and read by our decoder, so opaque data is never made by hand.

use nexus_model::message::content::MessagePart;
use nexus_model::provider::Protocol;
use nexus_providers::chat;
use nexus_providers::codec;

use crate::e2e::provider::{Answer, Framing, Host, IssuedData};

/// A model at a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Maker {
    pub(super) protocol: Protocol,
    pub(super) host: Host,
    /// Its id in the settings.
    pub(super) provider: &'static str,
    pub(super) base_url: &'static str,
    pub(super) model: &'static str,
}

const fn maker(
    protocol: Protocol,
    host: Host,
    provider: &'static str,
    base_url: &'static str,
    model: &'static str,
) -> Maker {
    Maker { protocol, host, provider, base_url, model }
}

const GOOGLE: &str = "https://generativelanguage.googleapis.com";
const OPENAI: &str = "https://api.openai.com/v1";
const ANTHROPIC: &str = "https://api.anthropic.com";

/// All models. Each also continues the others' conversations.
pub(super) const MAKERS: [Maker; 23] = [
    maker(Protocol::Gemini, Host::Other, "gemini", GOOGLE, "gemini-3.8-flash"),
    maker(Protocol::Gemini, Host::Other, "gemini", GOOGLE, "gemini-2.5-flash"),
    maker(Protocol::Responses, Host::Openai, "openai", OPENAI, "gpt-6-luna"),
    maker(Protocol::Responses, Host::Openai, "openai", OPENAI, "gpt-6.1-sol"),
    maker(Protocol::Responses, Host::Openai, "openai", OPENAI, "gpt-4.1"),
    maker(Protocol::Anthropic, Host::Other, "anthropic", ANTHROPIC, "claude-opus-5-5"),
    maker(Protocol::Anthropic, Host::Other, "anthropic", ANTHROPIC, "claude-sonnet-4-6"),
    maker(Protocol::Anthropic, Host::Other, "anthropic", ANTHROPIC, "claude-haiku-4-5-20251001"),
    maker(Protocol::Ollama, Host::Local, "ollama", "http://127.0.0.1:11434", "qwen3:8b"),
    maker(Protocol::Openai, Host::Openai, "openai-chat", OPENAI, "gpt-4.1"),
    maker(Protocol::Openai, Host::Openai, "openai-chat", OPENAI, "gpt-6-luna"),
    maker(Protocol::Openai, Host::OpenRouter, "openrouter", "https://openrouter.ai/api/v1", "a/claude"),
    maker(Protocol::Openai, Host::OpenRouter, "openrouter", "https://openrouter.ai/api/v1", "b/gpt"),
    maker(Protocol::Openai, Host::Groq, "groq", "https://api.groq.com/openai/v1", "gpt-oss-120b"),
    maker(Protocol::Openai, Host::Mistral, "mistral", "https://api.mistral.ai/v1", "mistral-medium-latest"),
    maker(Protocol::Openai, Host::DeepSeek, "deepseek", "https://api.deepseek.com", "deepseek-v4-pro"),
    maker(Protocol::Openai, Host::Xai, "xai", "https://api.x.ai/v1", "grok-5"),
    maker(Protocol::Openai, Host::Perplexity, "perplexity", "https://api.perplexity.ai", "sonar-pro"),
    maker(Protocol::Openai, Host::Local, "llama", "http://127.0.0.1:8080/v1", "gpt-oss"),
    maker(Protocol::Openai, Host::Local, "lm-studio", "http://localhost:1234/v1", "qwen3"),
    maker(Protocol::Openai, Host::Local, "vllm", "http://127.0.0.1:8000/v1", "qwen3"),
    maker(Protocol::Openai, Host::Other, "ollama-v1", "http://127.0.0.1:11434/v1", "qwen3:8b"),
    maker(Protocol::Openai, Host::Other, "gateway", "https://gateway.example/v1", "kimi-k3"),
];

impl Maker {
    /// True if both accept each other's opaque data.
    pub(super) fn is_same(self, other: Self) -> bool {
        (self.provider, self.model) == (other.provider, other.model)
    }

    /// The parts of an answer of this model as stored; records its opaque data.
    pub(super) fn answer(self, answer: &Answer, issued: &mut IssuedData) -> Vec<MessagePart> {
        let mut framing = Framing::new(self.protocol, self.host, self.model, issued.len());
        let mut decoder = (codec::of(self.protocol).decoder)();
        let mut read = chat::ModelAnswer::default();
        for piece in answer.pieces() {
            let bytes = framing.say(piece);
            decoder.feed(&bytes).into_iter().for_each(|event| read.apply(event));
        }
        decoder.end().into_iter().for_each(|event| read.apply(event));
        issued.extend(framing.take_issued());
        read.message_parts(&self.provider.into(), self.model)
    }
}
