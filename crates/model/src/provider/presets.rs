//! Provider presets: address, protocol, default model and setup steps of each known host, in English.
//!
//! Each has its own origin, by which a provider is recognised. A default model needs a row in `price.rs`, even if its
//! price is unknown: other models without a row have an unknown cost, and a window of
//! [`UNKNOWN_WINDOW_TOKENS`](crate::limits::UNKNOWN_WINDOW_TOKENS).
//!
//! And the names of the objectives that the demo can play. The scenarios are in the engine.

use crate::agent::defaults::free;
use crate::id::ProviderId;
use crate::provider::address::{HostScope, origin_of, reach};
use crate::provider::{Protocol, Provider};

/// The default model when the operator first enters a Gemini key.
pub const GEMINI_MODEL: &str = "gemini-3.8-flash";

/// A provider that is offered by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// For example `openrouter`.
    pub id: &'static str,
    pub label: &'static str,
    pub protocol: Protocol,
    /// Empty if the operator enters it.
    pub base_url: &'static str,
    /// The default model; without one the provider's list is requested.
    pub model: Option<&'static str>,
    pub key_page: Option<&'static str>,
    /// True if calls need an API key; local servers need none.
    pub needs_key: bool,
    /// A local server's own question for the case that it does not allow calls from `{page}`, the origin of this page.
    pub cors_switch: Option<&'static str>,
}

const fn cloud(
    id: &'static str,
    label: &'static str,
    protocol: Protocol,
    base_url: &'static str,
    model: Option<&'static str>,
    key_page: &'static str,
) -> Preset {
    let key_page = Some(key_page);
    Preset { id, label, protocol, base_url, model, key_page, needs_key: true, cors_switch: None }
}

const fn local(
    id: &'static str,
    label: &'static str,
    protocol: Protocol,
    base_url: &'static str,
    cors_switch: Option<&'static str>,
) -> Preset {
    Preset { id, label, protocol, base_url, model: None, key_page: None, needs_key: false, cors_switch }
}

const OLLAMA: Preset = local(
    "ollama",
    "Ollama",
    Protocol::Ollama,
    "http://127.0.0.1:11434",
    Some("Was Ollama started with `OLLAMA_ORIGINS={page}`?"),
);

/// The preset of every provider that no other one fits.
const OTHER: Preset = Preset {
    id: "other",
    label: "Any other host",
    protocol: Protocol::Openai,
    base_url: "",
    model: None,
    key_page: None,
    needs_key: true,
    cors_switch: None,
};

macro_rules! presets {
    ($($preset:expr => [$($step:literal),+ $(,)?];)+) => {
        /// All presets, in the order in which they are offered.
        pub static PRESETS: [Preset; [$(stringify!($preset)),+].len()] = [$($preset),+];

        /// The steps to set up each preset. They are a table of their own, so that they load with the settings, while
        /// the presets are part of the first load.
        static STEPS: [&[&str]; PRESETS.len()] = [$(&[$($step),+]),+];
    };
}

// Id, label, protocol, address, default model and key page, or question about CORS; then the steps to set it up.
presets! {
    cloud("gemini", "Google Gemini", Protocol::Gemini, "https://generativelanguage.googleapis.com",
        Some(GEMINI_MODEL), "https://aistudio.google.com/apikey") => [
        "Create an API key in Google AI Studio. It begins with AIza or AQ.",
        "Google allows calls from web pages; no other setup is needed.",
    ];
    cloud("openai", "OpenAI", Protocol::Responses, "https://api.openai.com/v1",
        Some("gpt-6.1-terra"), "https://platform.openai.com/api-keys") => [
        "Create an API key on OpenAI's platform, ideally in its own project with a monthly limit.",
        "Nexus uses the Responses API, which current models need for tools.",
    ];
    cloud("anthropic", "Anthropic", Protocol::Anthropic, "https://api.anthropic.com",
        Some("claude-haiku-5-5"), "https://platform.claude.com/settings/keys") => [
        "Create an API key in Anthropic's console, ideally in its own workspace with a spend limit.",
        "Nexus sends the header that allows calls from web pages. An organisation may have disabled that.",
    ];
    cloud("openrouter", "OpenRouter", Protocol::Openai, "https://openrouter.ai/api/v1",
        None, "https://openrouter.ai/settings/keys") => [
        "Create an API key at OpenRouter, with its own credit limit.",
        "Its model list includes context window and prices.",
    ];
    cloud("groq", "Groq", Protocol::Openai, "https://api.groq.com/openai/v1",
        None, "https://console.groq.com/keys") => [
        "Create an API key in Groq's console.",
        "Test the connection to see whether Groq allows calls from web pages; this has changed before.",
    ];
    cloud("mistral", "Mistral", Protocol::Openai, "https://api.mistral.ai/v1",
        None, "https://console.mistral.ai/api-keys") => [
        "Create an API key in Mistral's console. It may take a few minutes to work.",
    ];
    cloud("deepseek", "DeepSeek", Protocol::Openai, "https://api.deepseek.com",
        Some("deepseek-flash"), "https://platform.deepseek.com/api_keys") => [
        "Create an API key on DeepSeek's platform, and add credit to the account.",
    ];
    cloud("xai", "xAI", Protocol::Openai, "https://api.x.ai/v1", None, "https://console.x.ai") => [
        "Create an API key in xAI's console.",
    ];
    cloud("perplexity", "Perplexity", Protocol::Openai, "https://api.perplexity.ai",
        None, "https://www.perplexity.ai/account/api/keys") => [
        "Create an API key in Perplexity's account settings, under API.",
        "Perplexity may provide no model list: then enter the model id, such as `sonar-pro`.",
        "Perplexity's models search the web and answer. They cannot call tools: agents with them cannot read or change files.",
    ];
    OLLAMA => [
        "Allow this page in Ollama: set `OLLAMA_ORIGINS={page}` in its environment, then restart it. On macOS: `launchctl setenv OLLAMA_ORIGINS \"{page}\"`. With systemd: `systemctl edit ollama`, and add `Environment=\"OLLAMA_ORIGINS={page}\"`. On Windows: in the user's environment variables.",
        "Pull a model that supports tools, such as: `ollama pull qwen3`",
        "Ollama's default context window is small. Set `OLLAMA_CONTEXT_LENGTH`, for example 32768, and enter the same number for the agents.",
    ];
    local("lmstudio", "LM Studio", Protocol::Openai, "http://127.0.0.1:1234/v1",
        Some("Is Enable CORS on, on LM Studio's Developer page?")) => [
        "In LM Studio, open the Developer page, turn on Enable CORS, and start the server. Or: `lms server start --cors`",
        "Load a model there, or let LM Studio load it on the first call.",
    ];
    local("llamacpp", "llama.cpp", Protocol::Openai, "http://127.0.0.1:8080/v1", None) => [
        "Start the server with: `llama-server -m MODEL.gguf --jinja --port 8080`. Tools need `--jinja`.",
        "It allows calls from any web page. If you set `--api-key`, enter that key here.",
    ];
    local("vllm", "vLLM", Protocol::Openai, "http://127.0.0.1:8000/v1",
        Some("Was vLLM started with `--allowed-origins '[\"{page}\"]'`?")) => [
        "Start the server with: `vllm serve MODEL --enable-auto-tool-choice --tool-call-parser PARSER --allowed-origins '[\"{page}\"]'`",
        "If you set `--api-key`, enter that key here.",
    ];
    OTHER => [
        "Choose the API format. Most hosts use OpenAI's Chat Completions.",
        "The host must allow calls from {page} (CORS). Test the connection to see whether it does.",
    ];
}

/// The preset of a provider, judged by address and protocol. A server that is not public and uses Ollama's protocol is
/// Ollama, at any port.
pub fn preset_of(provider: &Provider) -> &'static Preset {
    let scope = reach(&provider.base_url);
    let is_ollama = scope != HostScope::Public && provider.protocol == Protocol::Ollama;
    let other = || if is_ollama { &OLLAMA } else { &OTHER };
    let Some(origin) = provider.origin() else { return other() };
    let found = PRESETS.iter().find(|preset| {
        let Some(preset_origin) = origin_of(preset.base_url) else { return false };
        let same_port = scope == HostScope::Loopback
            && port_of(&preset_origin) == port_of(&origin)
            && reach(preset.base_url) == HostScope::Loopback;
        // OpenAI has two protocols at one origin; on this machine the protocol tells servers apart.
        preset_origin == origin || (same_port && preset.protocol == provider.protocol)
    });
    found.unwrap_or_else(other)
}

fn port_of(origin: &str) -> Option<&str> {
    origin.rsplit_once(':').map(|(_, port)| port)
}

/// Sets a provider's address. Unless the operator named it, it gets the name of its host.
pub fn set_address<'p>(
    provider: &mut Provider,
    url: &str,
    others: impl Iterator<Item = &'p Provider> + Clone,
) {
    let host = |url: &str| origin_of(url).and_then(|origin| Some(origin.split_once("://")?.1.to_owned()));
    let is_from = |name: &str| {
        let number = provider.label.strip_prefix(name);
        number.is_some_and(|number| number.trim_start().bytes().all(|digit| digit.is_ascii_digit()))
    };
    let is_unnamed = is_from(OTHER.label) || host(&provider.base_url).is_some_and(|host| is_from(&host));
    if let Some(host) = host(url).filter(|_| is_unnamed) {
        let id = provider.id.clone();
        provider.label = free(&host, " ", |name| {
            others.clone().any(|other| other.id != id && other.label.eq_ignore_ascii_case(name))
        });
    }
    url.clone_into(&mut provider.base_url);
}

impl Preset {
    /// The steps to set it up, with `{page}` for the origin of this page.
    pub fn steps(&self) -> &'static [&'static str] {
        let steps = PRESETS.iter().zip(STEPS).find(|(preset, _)| preset.id == self.id);
        steps.map_or(&[], |(_, steps)| steps)
    }

    /// A new provider of this preset, with an id and a label that no provider in `others` has.
    pub fn provider<'p>(&self, others: impl Iterator<Item = &'p Provider> + Clone) -> Provider {
        let id = free(self.id, "-", |name| others.clone().any(|other| other.id.as_str() == name));
        let label = free(self.label, " ", |name| others.clone().any(|other| other.label == name));
        Provider {
            id: ProviderId(id),
            label,
            protocol: self.protocol,
            base_url: self.base_url.to_owned(),
            needs_key: self.needs_key,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemoObjective {
    /// For a button.
    pub title: &'static str,
    /// The text of the message.
    pub objective: &'static str,
}

/// The objectives of the demo, in the order in which they are offered.
pub const DEMO_OBJECTIVES: [DemoObjective; 5] = [
    DemoObjective { title: "Tip calculator", objective: "A tip calculator for a small restaurant" },
    DemoObjective { title: "Snake", objective: "A Snake game" },
    DemoObjective { title: "To-do list", objective: "A to-do list with filters" },
    DemoObjective { title: "Pomodoro timer", objective: "A Pomodoro timer" },
    DemoObjective { title: "Unit converter", objective: "A unit converter" },
];

/// First sentence of the demo's answer to other objectives. The interface offers to set up a model when it sees this.
pub const NEEDS_MODEL: &str = "This is the demo, and this needs a model.";

/// Leading words that are ignored in comparisons.
const FILLERS: [&str; 12] =
    ["please", "build", "make", "create", "write", "me", "us", "a", "an", "the", "i", "want"];

/// The prepared objective that `text` names, by its text or title; similar ones do not match.
pub fn demo_objective(text: &str) -> Option<&'static DemoObjective> {
    let wanted = demo_key(text);
    DEMO_OBJECTIVES.iter().find(|one| [one.title, one.objective].iter().any(|name| demo_key(name) == wanted))
}

/// The text for comparisons: letters and digits in lower case, without `@` names and leading fillers. ASCII only,
/// because lower-casing all alphabets would add 4 kB to the first load.
pub fn demo_key(text: &str) -> String {
    let spoken = text.split_whitespace().filter(|word| !word.starts_with('@')).collect::<Vec<_>>().join(" ");
    let words = spoken.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).skip_while(|word| FILLERS.contains(&word.as_str())).collect()
}

#[cfg(test)]
mod tests;
