//! Codec of OpenAI-compatible Chat Completions, and the model list. The standard has only ids; some hosts add context
//! window and prices, each under its own field names.
//!
//! The encoder follows the host's [`Dialect`], recognised by its URL alone; the decoder accepts all dialects at once.

mod calls;
pub mod decode;
pub mod encode;
mod reasoning;

use serde_json::{Value, json};

use crate::http::{Endpoint, HttpRequest, KeyProbe};
use nexus_model::provider::address::origin_of;

pub fn models_request(endpoint: &Endpoint) -> HttpRequest {
    HttpRequest::get(address(&endpoint.base_url, "models"), endpoint.bearer())
}

/// How to check whether the host accepts the key: many hosts return the list to everyone.
pub fn key_probe(endpoint: &Endpoint) -> KeyProbe {
    match Dialect::of(&endpoint.base_url) {
        Dialect::Openai | Dialect::Groq | Dialect::Mistral | Dialect::DeepSeek | Dialect::Xai => {
            KeyProbe::List
        }
        Dialect::OpenRouter => KeyProbe::WithKey(HttpRequest {
            url: address(&endpoint.base_url, "key"),
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// OpenAI itself, and Azure's copy of it.
    Openai,
    OpenRouter,
    Groq,
    Mistral,
    DeepSeek,
    Xai,
    Perplexity,
    /// Ollama's `/v1`, recognised by its default port.
    Ollama,
    LlamaCpp,
    LmStudio,
    Vllm,
    /// Any other host: only what every host understands is sent.
    Other,
}

const HOSTS: &[(&str, Dialect)] = &[
    ("api.openai.com", Dialect::Openai),
    ("openai.azure.com", Dialect::Openai),
    ("openrouter.ai", Dialect::OpenRouter),
    ("api.groq.com", Dialect::Groq),
    ("api.mistral.ai", Dialect::Mistral),
    ("api.deepseek.com", Dialect::DeepSeek),
    ("api.x.ai", Dialect::Xai),
    ("api.perplexity.ai", Dialect::Perplexity),
];

/// Servers by their default port.
const PORTS: &[(&str, Dialect)] = &[
    ("11434", Dialect::Ollama),
    ("8080", Dialect::LlamaCpp),
    ("1234", Dialect::LmStudio),
    ("8000", Dialect::Vllm),
];

impl Dialect {
    pub fn of(base_url: &str) -> Self {
        let origin = origin_of(base_url.trim()).unwrap_or_default();
        let host = origin.split_once("://").map_or("", |(_, host)| host);
        let (name, port) = host.rsplit_once(':').unwrap_or((host, ""));
        let is_at = |known: &str| {
            name.strip_suffix(known).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        HOSTS
            .iter()
            .find(|(known, _)| is_at(known))
            .or_else(|| PORTS.iter().find(|(known, _)| *known == port))
            .map_or(Self::Other, |(_, dialect)| *dialect)
    }

    /// The name of the field for the max tokens of an answer.
    pub fn max_tokens_key(self) -> &'static str {
        if matches!(self, Self::Openai | Self::Groq) { "max_completion_tokens" } else { "max_tokens" }
    }

    /// True if token counts must be requested. Mistral and Perplexity always send them, and Mistral rejects the field.
    pub fn must_request_usage(self) -> bool {
        !matches!(self, Self::Mistral | Self::Perplexity)
    }

    /// True if the host accepts tools. Perplexity's models search by themselves and call none.
    pub fn accepts_tools(self) -> bool {
        self != Self::Perplexity
    }

    /// The `tool_choice` that forces a call of this tool. Mistral can only force a call of any tool.
    pub fn forced(self, tool: &str) -> Value {
        if self == Self::Mistral {
            return "any".into();
        }
        json!({"type": "function", "function": {"name": tool}})
    }

    /// True if cache breakpoints must be set: Anthropic's models cache nothing else.
    pub fn marks_cache(self, model: &str) -> bool {
        self == Self::OpenRouter && model.contains("claude")
    }

    /// True if the host accepts a schema; DeepSeek only knows JSON mode.
    pub fn accepts_schema(self) -> bool {
        self != Self::DeepSeek
    }

    pub fn accepts_thinking_as_content(self) -> bool {
        self == Self::Mistral
    }

    /// True if the host accepts its own thinking in a field. Others reject unknown fields.
    pub fn accepts_reasoning(self) -> bool {
        !matches!(self, Self::Openai | Self::Mistral | Self::Xai | Self::Perplexity)
    }

    /// True if user and assistant must alternate. Local servers and unknown hosts may use templates that require it.
    pub fn requires_turns(self) -> bool {
        let may_insist =
            [Self::Mistral, Self::Perplexity, Self::LlamaCpp, Self::LmStudio, Self::Vllm, Self::Other];
        may_insist.contains(&self)
    }

    /// True if `model` at this host has Mistral's rules: ids of nine characters, and no user message right after a
    /// tool.
    pub fn has_mistral_rules(self, model: &str) -> bool {
        let name = model.to_lowercase();
        let families = ["mistral", "mixtral", "ministral", "magistral", "devstral", "codestral"];
        self == Self::Mistral || families.iter().any(|family| name.contains(family))
    }

    /// The version path if the operator entered none.
    fn version_path(self, path: &str) -> &'static str {
        match (self, path) {
            (Self::OpenRouter, "") => "/api/v1",
            (Self::Groq, "") => "/openai/v1",
            // These have no version in their URL.
            (Self::Perplexity | Self::DeepSeek, _) => "",
            _ => "/v1",
        }
    }
}

/// The URL of `call` (such as `chat/completions`) at `base_url`, which may have a version path, none, a whole call, or
/// a query that is part of every URL.
pub fn address(base_url: &str, call: &str) -> String {
    let trimmed = base_url.trim();
    let trimmed = trimmed.split_once('#').map_or(trimmed, |(before, _)| before);
    let (base, query) = match trimmed.split_once('?') {
        Some((base, query)) => (base, format!("?{query}")),
        None => (trimmed, String::new()),
    };
    let mut base = base.trim_end_matches('/');
    for call in ["/chat/completions", "/completions", "/models"] {
        base = base.strip_suffix(call).unwrap_or(base).trim_end_matches('/');
    }
    let after_scheme = base.split_once("://").map_or(base, |(_, rest)| rest);
    let path = after_scheme.find('/').and_then(|at| after_scheme.get(at..)).unwrap_or_default();
    let is_versioned = path.split('/').any(is_version);
    let version = if is_versioned { "" } else { Dialect::of(base_url).version_path(path) };
    format!("{base}{version}/{call}{query}")
}

/// True if a path segment names a version: `v1`, `v1beta`, `v4`.
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod decode_tests;

#[cfg(test)]
mod encode_rules_tests;

#[cfg(test)]
mod encode_tests;

#[cfg(test)]
mod tests;
