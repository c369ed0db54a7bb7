//! Provider presets: address, protocol and default model of each known host.

use crate::id::ProviderId;
use crate::provider::address::{HostScope, reach};
use crate::provider::{Protocol, Provider, origin_of};

/// The default model when the operator first enters a Gemini key.
pub const GEMINI_MODEL: &str = "gemini-3.8-flash";

/// The kind of a provider, which determines its setup steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderKind {
    /// Google's Gemini API.
    Gemini,
    OpenAi,
    Anthropic,
    /// OpenRouter, a gateway to many hosts.
    OpenRouter,
    Groq,
    Mistral,
    DeepSeek,
    Xai,
    Perplexity,
    Ollama,
    LmStudio,
    /// llama.cpp's server on this machine.
    LlamaCpp,
    /// vLLM on this machine.
    Vllm,
    Other,
}

/// A provider that is offered by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    pub host: ProviderKind,
    /// For example `openrouter`.
    pub id: &'static str,
    pub label: &'static str,
    pub protocol: Protocol,
    /// Empty if the operator enters it.
    pub base_url: &'static str,
    /// True if calls need an API key.
    pub needs_key: bool,
    /// The default model; without one the provider's list is requested.
    pub model: Option<&'static str>,
    /// The page where keys are created.
    pub key_page: Option<&'static str>,
}

/// In the order in which they are offered.
pub const PRESETS: [Preset; 14] = [
    cloud(
        (ProviderKind::Gemini, "gemini", "Google Gemini", Protocol::Gemini),
        "https://generativelanguage.googleapis.com",
        Some(GEMINI_MODEL),
        "https://aistudio.google.com/apikey",
    ),
    cloud(
        (ProviderKind::OpenAi, "openai", "OpenAI", Protocol::Responses),
        "https://api.openai.com/v1",
        Some("gpt-6.1-terra"),
        "https://platform.openai.com/api-keys",
    ),
    cloud(
        (ProviderKind::Anthropic, "anthropic", "Anthropic", Protocol::Anthropic),
        "https://api.anthropic.com",
        Some("claude-haiku-5-5"),
        "https://platform.claude.com/settings/keys",
    ),
    cloud(
        (ProviderKind::OpenRouter, "openrouter", "OpenRouter", Protocol::Openai),
        "https://openrouter.ai/api/v1",
        None,
        "https://openrouter.ai/settings/keys",
    ),
    cloud(
        (ProviderKind::Groq, "groq", "Groq", Protocol::Openai),
        "https://api.groq.com/openai/v1",
        None,
        "https://console.groq.com/keys",
    ),
    cloud(
        (ProviderKind::Mistral, "mistral", "Mistral", Protocol::Openai),
        "https://api.mistral.ai/v1",
        None,
        "https://console.mistral.ai/api-keys",
    ),
    cloud(
        (ProviderKind::DeepSeek, "deepseek", "DeepSeek", Protocol::Openai),
        "https://api.deepseek.com",
        Some("deepseek-flash"),
        "https://platform.deepseek.com/api_keys",
    ),
    cloud(
        (ProviderKind::Xai, "xai", "xAI", Protocol::Openai),
        "https://api.x.ai/v1",
        None,
        "https://console.x.ai",
    ),
    cloud(
        (ProviderKind::Perplexity, "perplexity", "Perplexity", Protocol::Openai),
        "https://api.perplexity.ai",
        None,
        "https://www.perplexity.ai/account/api/keys",
    ),
    local((ProviderKind::Ollama, "ollama", "Ollama", Protocol::Ollama), "http://127.0.0.1:11434"),
    local((ProviderKind::LmStudio, "lmstudio", "LM Studio", Protocol::Openai), "http://127.0.0.1:1234/v1"),
    local((ProviderKind::LlamaCpp, "llamacpp", "llama.cpp", Protocol::Openai), "http://127.0.0.1:8080/v1"),
    local((ProviderKind::Vllm, "vllm", "vLLM", Protocol::Openai), "http://127.0.0.1:8000/v1"),
    Preset {
        host: ProviderKind::Other,
        id: "other",
        label: "Any other host",
        protocol: Protocol::Openai,
        base_url: "",
        needs_key: true,
        model: None,
        key_page: None,
    },
];

type PresetRow = (ProviderKind, &'static str, &'static str, Protocol);

const fn cloud(
    (host, id, label, protocol): PresetRow,
    base_url: &'static str,
    model: Option<&'static str>,
    key_page: &'static str,
) -> Preset {
    Preset { host, id, label, protocol, base_url, needs_key: true, model, key_page: Some(key_page) }
}

const fn local((host, id, label, protocol): PresetRow, base_url: &'static str) -> Preset {
    Preset { host, id, label, protocol, base_url, needs_key: false, model: None, key_page: None }
}

/// The preset of a provider, judged by address and protocol.
pub fn preset_of(provider: &Provider) -> Option<&'static Preset> {
    let origin = provider.origin()?;
    let is_loopback = reach(&provider.base_url) == HostScope::Loopback;
    PRESETS.iter().find(|preset| {
        let Some(preset_origin) = origin_of(preset.base_url) else { return false };
        let same_port = is_loopback
            && port_of(&preset_origin) == port_of(&origin)
            && reach(preset.base_url) == HostScope::Loopback;
        // OpenAI has two protocols at one origin; on this machine the protocol tells servers apart.
        preset_origin == origin || (same_port && preset.protocol == provider.protocol)
    })
}

/// The kind of a provider. A server that is not public and uses Ollama's protocol is Ollama, at any port.
pub fn host_of(provider: &Provider) -> ProviderKind {
    let is_not_public = reach(&provider.base_url) != HostScope::Public;
    match preset_of(provider) {
        Some(preset) => preset.host,
        None if is_not_public && provider.protocol == Protocol::Ollama => ProviderKind::Ollama,
        None => ProviderKind::Other,
    }
}

fn port_of(origin: &str) -> Option<&str> {
    origin.rsplit_once(':').map(|(_, port)| port)
}

impl Preset {
    /// A new provider of this preset, with an id and a label that no provider in `others` has.
    pub fn provider<'p>(&self, others: impl Iterator<Item = &'p Provider> + Clone) -> Provider {
        let free = |first: &str, gap: &str, taken: &dyn Fn(&str) -> bool| {
            let numbered = (2u32..).map(|number| format!("{first}{gap}{number}"));
            std::iter::once(first.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
        };
        let id = free(self.id, "-", &|name| others.clone().any(|other| other.id.as_str() == name));
        let label = free(self.label, " ", &|name| others.clone().any(|other| other.label == name));
        Provider {
            id: ProviderId(id),
            label,
            protocol: self.protocol,
            base_url: self.base_url.to_owned(),
            needs_key: self.needs_key,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::address::{is_callable, normalise};

    #[test]
    fn preset_addresses_are_normalised() {
        let mut ids = std::collections::BTreeSet::new();
        for preset in PRESETS {
            assert!(ids.insert(preset.id), "{} is there twice", preset.id);
            if preset.host == ProviderKind::Other {
                continue;
            }
            assert_eq!(normalise(preset.base_url).as_deref(), Ok(preset.base_url));
            assert!(is_callable(preset.base_url), "{}", preset.id);
            assert_eq!(preset.needs_key, preset.key_page.is_some(), "{}", preset.id);
            let provider = preset.provider(std::iter::empty());
            assert_eq!(host_of(&provider), preset.host, "{}", preset.id);
        }
        assert_eq!(preset_of(&Provider::demo()), None);
        assert_eq!(host_of(&Provider::gemini()), ProviderKind::Gemini);
    }

    #[test]
    fn accounts_of_one_provider_differ_in_id_and_label() {
        let groq = PRESETS.iter().find(|preset| preset.host == ProviderKind::Groq).unwrap();
        let first = groq.provider(std::iter::empty());
        let second = groq.provider([&first].into_iter());
        let third = groq.provider([&first, &second].into_iter());
        assert_eq!((first.id.as_str(), first.label.as_str()), ("groq", "Groq"));
        assert_eq!((second.id.as_str(), second.label.as_str()), ("groq-2", "Groq 2"));
        assert_eq!((third.id.as_str(), third.label.as_str()), ("groq-3", "Groq 3"));
    }

    #[test]
    fn local_server_is_recognised_by_port_and_protocol() {
        let mut ollama = Provider {
            id: "x".into(),
            label: "x".into(),
            protocol: Protocol::Ollama,
            base_url: "http://localhost:11434".into(),
            needs_key: false,
        };
        assert_eq!(host_of(&ollama), ProviderKind::Ollama);
        for local in ["http://127.0.0.1:5000", "http://localhost:8080", "http://192.168.0.2:11434"] {
            ollama.base_url = local.into();
            assert_eq!(host_of(&ollama), ProviderKind::Ollama, "{local}");
        }
        ollama.base_url = "https://models.example.com".into();
        assert_eq!(host_of(&ollama), ProviderKind::Other);
        ollama.protocol = Protocol::Openai;
        ollama.base_url = "http://127.0.0.1:5000".into();
        assert_eq!(host_of(&ollama), ProviderKind::Other, "the protocol decides");
    }
}
