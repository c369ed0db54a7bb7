//! Provider presets: address, protocol and a first model for each known host.

use crate::id::ProviderId;
use crate::provider::address::{HostScope, reach};
use crate::provider::{Protocol, Provider, origin_of};

/// The model that agents get when the operator first brings a Gemini key.
pub const GEMINI_MODEL: &str = "gemini-3.8-flash";

/// A kind of provider, which decides what a person must do to use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderKind {
    /// Google's Gemini API.
    Gemini,
    OpenAi,
    Anthropic,
    /// OpenRouter, which passes on to many.
    OpenRouter,
    Groq,
    Mistral,
    DeepSeek,
    Xai,
    Perplexity,
    Ollama,
    LmStudio,
    /// The server of llama.cpp on this machine.
    LlamaCpp,
    /// vLLM on this machine.
    Vllm,
    Other,
}

/// A provider that can be set up by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    pub host: ProviderKind,
    /// Its name in ids and tests, such as `openrouter`.
    pub id: &'static str,
    pub label: &'static str,
    pub protocol: Protocol,
    /// Where it is; empty where the operator has to say.
    pub base_url: &'static str,
    /// Whether calls carry a key.
    pub needs_key: bool,
    /// A model to begin with, where one is known; else the provider's list is asked.
    pub model: Option<&'static str>,
    /// Where its keys are made, where it has any.
    pub key_page: Option<&'static str>,
}

/// Every preset, in the order in which they are offered.
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

/// The preset that a provider was made from, as far as its address and protocol tell.
pub fn preset_of(provider: &Provider) -> Option<&'static Preset> {
    let origin = provider.origin()?;
    let at_home = reach(&provider.base_url) == HostScope::Loopback;
    PRESETS.iter().find(|preset| {
        let Some(usual) = origin_of(preset.base_url) else { return false };
        let same_port =
            at_home && port_of(&usual) == port_of(&origin) && reach(preset.base_url) == HostScope::Loopback;
        // OpenAI's other protocol is still OpenAI; on this machine the protocol tells the servers apart.
        usual == origin || (same_port && preset.protocol == provider.protocol)
    })
}

/// The kind of host that a provider is. A server near by that speaks Ollama's own format is Ollama, at whichever port.
pub fn host_of(provider: &Provider) -> ProviderKind {
    let is_near = reach(&provider.base_url) != HostScope::Public;
    match preset_of(provider) {
        Some(preset) => preset.host,
        None if is_near && provider.protocol == Protocol::Ollama => ProviderKind::Ollama,
        None => ProviderKind::Other,
    }
}

fn port_of(origin: &str) -> Option<&str> {
    origin.rsplit_once(':').map(|(_, port)| port)
}

impl Preset {
    /// A provider of this kind, with an id and a label that none of `others` has.
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
    use crate::provider::address::{is_callable, mend};

    #[test]
    fn every_preset_has_an_address_that_stays_as_it_is() {
        let mut ids = std::collections::BTreeSet::new();
        for preset in PRESETS {
            assert!(ids.insert(preset.id), "{} is there twice", preset.id);
            if preset.host == ProviderKind::Other {
                continue;
            }
            assert_eq!(mend(preset.base_url).as_deref(), Ok(preset.base_url));
            assert!(is_callable(preset.base_url), "{}", preset.id);
            assert_eq!(preset.needs_key, preset.key_page.is_some(), "{}", preset.id);
            let provider = preset.provider(std::iter::empty());
            assert_eq!(host_of(&provider), preset.host, "{}", preset.id);
        }
        assert_eq!(preset_of(&Provider::rehearsal()), None);
        assert_eq!(host_of(&Provider::gemini()), ProviderKind::Gemini);
    }

    #[test]
    fn several_accounts_of_one_provider_differ_in_id_and_label() {
        let groq = PRESETS.iter().find(|preset| preset.host == ProviderKind::Groq).unwrap();
        let first = groq.provider(std::iter::empty());
        let second = groq.provider([&first].into_iter());
        let third = groq.provider([&first, &second].into_iter());
        assert_eq!((first.id.as_str(), first.label.as_str()), ("groq", "Groq"));
        assert_eq!((second.id.as_str(), second.label.as_str()), ("groq-2", "Groq 2"));
        assert_eq!((third.id.as_str(), third.label.as_str()), ("groq-3", "Groq 3"));
    }

    #[test]
    fn a_server_near_by_is_known_by_its_port_and_protocol() {
        let mut ollama = Provider {
            id: "x".into(),
            label: "x".into(),
            protocol: Protocol::Ollama,
            base_url: "http://localhost:11434".into(),
            needs_key: false,
        };
        assert_eq!(host_of(&ollama), ProviderKind::Ollama);
        for near in ["http://127.0.0.1:5000", "http://localhost:8080", "http://192.168.0.2:11434"] {
            ollama.base_url = near.into();
            assert_eq!(host_of(&ollama), ProviderKind::Ollama, "{near}");
        }
        ollama.base_url = "https://models.example.com".into();
        assert_eq!(host_of(&ollama), ProviderKind::Other);
        ollama.protocol = Protocol::Openai;
        ollama.base_url = "http://127.0.0.1:5000".into();
        assert_eq!(host_of(&ollama), ProviderKind::Other, "the format is what tells");
    }
}
