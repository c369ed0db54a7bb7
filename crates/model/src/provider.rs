//! Providers that the operator configured, and the model lists that they returned.
//!
//! API keys live in memory, bound to an origin; a provider never holds one.

pub mod address;
pub mod api_key_input;
pub mod cost;
pub mod demo;
pub mod failure;
pub mod presets;
pub mod price;
pub mod vision;

use std::fmt;
use std::str::FromStr;

use nexus_markup::sparse;
use serde::{Deserialize, Deserializer, Serialize};

use crate::id::{Millis, ProviderId};
use crate::provider::failure::ProviderError;
use crate::provider::price::Price;
use crate::settings::schema::MODEL_LIST_ROWS;

/// A family of wire formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// Google's Generative Language API.
    Gemini,
    /// Chat Completions, OpenAI's older format, which most other hosts and local servers speak.
    Openai,
    /// OpenAI's Responses, which its own current models want.
    Responses,
    /// Anthropic's Messages.
    Anthropic,
    /// Ollama's own format.
    Ollama,
}

words!(Protocol {
    Gemini: "gemini",
    Openai: "openai",
    Responses: "responses",
    Anthropic: "anthropic",
    Ollama: "ollama",
});

impl Protocol {
    /// Whether a PDF goes along as it is. Hosts of Chat Completions differ, and most refuse it.
    pub fn takes_documents(self) -> bool {
        match self {
            Self::Gemini | Self::Responses | Self::Anthropic => true,
            Self::Openai | Self::Ollama => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseProtocolError(pub String);

impl fmt::Display for ParseProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Protocol::ALL.map(Protocol::name).join(", ");
        write!(f, "“{}” is no protocol; there is: {known}", self.0)
    }
}

impl std::error::Error for ParseProtocolError {}

impl FromStr for Protocol {
    type Err = ParseProtocolError;
    fn from_str(text: &str) -> Result<Self, ParseProtocolError> {
        Self::named(text).ok_or_else(|| ParseProtocolError(text.to_owned()))
    }
}

/// A place where models are called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provider {
    pub id: ProviderId,
    /// What the operator calls it.
    #[serde(deserialize_with = "label")]
    pub label: String,
    pub protocol: Protocol,
    /// The address up to the version path, without a slash at its end. [`REHEARSAL_URL`] names the stand-in.
    pub base_url: String,
    /// Whether calls carry a key.
    pub needs_key: bool,
}

/// What the demo was called in logs and exports of before.
pub const OLD_DEMO_LABEL: &str = "Rehearsal";
const DEMO_LABEL: &str = "Demo";

/// A label; the demo has its present name, also where it was stored under its old one.
fn label<'de, D: Deserializer<'de>>(stored: D) -> Result<String, D::Error> {
    let label = String::deserialize(stored)?;
    Ok(if label == OLD_DEMO_LABEL { DEMO_LABEL.to_owned() } else { label })
}

/// The address of the demo, which never leaves the page.
pub const REHEARSAL_URL: &str = "rehearsal:";

impl Provider {
    /// Google's Gemini at its usual address.
    pub fn gemini() -> Self {
        Self {
            id: "gemini".into(),
            label: "Google Gemini".to_owned(),
            protocol: Protocol::Gemini,
            base_url: "https://generativelanguage.googleapis.com".to_owned(),
            needs_key: true,
        }
    }

    /// The stand-in that answers without key and network.
    pub fn rehearsal() -> Self {
        Self {
            id: "rehearsal".into(),
            label: DEMO_LABEL.to_owned(),
            protocol: Protocol::Gemini,
            base_url: REHEARSAL_URL.to_owned(),
            needs_key: false,
        }
    }

    pub fn is_rehearsal(&self) -> bool {
        self.base_url.starts_with(REHEARSAL_URL)
    }

    /// Whether its models can be offered tools. Perplexity's search and answer; they call nothing.
    pub fn takes_tools(&self) -> bool {
        self.origin().as_deref() != Some("https://api.perplexity.ai")
    }

    /// Whether it answers from this machine: Rehearsal, or a server on a loopback address.
    pub fn is_local(&self) -> bool {
        let host = self.origin().and_then(|origin| origin.split_once("://").map(|(_, host)| host.to_owned()));
        self.is_rehearsal()
            || host.is_some_and(|host| {
                let name =
                    if host.starts_with('[') { host.as_str() } else { host.split(':').next().unwrap_or("") };
                name == "localhost"
                    || name.ends_with(".localhost")
                    || name.starts_with("[::1]")
                    || (name.starts_with("127.")
                        && name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
            })
    }

    /// The origin that a key is bound to: scheme, host and port of the base address, in lower case.
    pub fn origin(&self) -> Option<String> {
        origin_of(&self.base_url)
    }
}

/// Scheme, host and port of an address, in lower case; `None` where it has no host.
pub fn origin_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next().filter(|host| !host.is_empty())?;
    // What stands before an @ is a user name, not the host.
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    Some(format!("{}://{}", scheme.to_ascii_lowercase(), host.to_ascii_lowercase()))
}

/// What a provider's list says of one model.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// The id to call it by, such as `gemini-3.8-flash`.
    pub id: String,
    /// The name for people; the id where the provider gives none.
    pub name: String,
    /// The most tokens of a request.
    pub input_limit: Option<u64>,
    /// The most tokens of an answer.
    pub output_limit: Option<u64>,
    /// Whether it thinks before it answers, where the provider says so.
    pub thinks: Option<bool>,
    /// Whether it looks at pictures, where the provider says so.
    pub sees: Option<bool>,
    /// What its tokens cost, where the provider says so.
    pub price: Option<Price>,
}

/// The models that a provider told of, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelList {
    pub at: Millis,
    pub models: Vec<ModelInfo>,
}

/// What came of asking a provider for its models.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedModels {
    pub models: Vec<ModelInfo>,
    pub key: KeyCheck,
}

/// Whether a provider takes the key that it was asked with.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyCheck {
    Accepted,
    Rejected(ProviderError),
    /// It was asked with none, or nothing that it answers needs one.
    NotChecked,
}

/// Whether the model of a list is the one that is called `model`. A name without a tag is that of the newest, as servers
/// have it that tell names with tags.
pub fn is_called(id: &str, model: &str) -> bool {
    id == model || id.strip_suffix(":latest") == Some(model)
}

/// Whether a provider that was asked for one model and names another means the same: one without its maker, its variant
/// or its date, as in `maker/model:free` and `model-2026-10-07`.
pub fn is_same_model(asked: &str, answered: &str) -> bool {
    let name = |model: &str| model.rsplit('/').next().unwrap_or_default().to_lowercase();
    let (asked, answered) = (name(asked), name(answered));
    let plain = asked.split(':').next().unwrap_or_default();
    let rest = answered.strip_prefix(&asked).or_else(|| answered.strip_prefix(plain));
    let is_date = |rest: &str| {
        let digits = rest.bytes().filter(u8::is_ascii_digit).count();
        rest.starts_with('-') && digits > 2 && rest.bytes().all(|b| b == b'-' || b.is_ascii_digit())
    };
    is_called(&answered, &asked) || rest.is_some_and(|rest| rest.is_empty() || is_date(rest))
}

impl ModelList {
    pub fn setting(provider: &ProviderId) -> String {
        MODEL_LIST_ROWS.row(provider)
    }

    /// Whether a model looks at pictures, as far as the list tells.
    pub fn sees(&self, model: &str) -> Option<bool> {
        self.models.iter().find(|one| is_called(&one.id, model))?.sees
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_the_same_without_its_maker_variant_or_date() {
        let cases = [
            ("gpt-6.1-sol", "gpt-6.1-sol-2026-10-01", true),
            ("anthropic/claude-sonnet-5-5:floor", "claude-sonnet-5-5-20260901", true),
            ("models/gemini-3.8-flash", "gemini-3.8-flash", true),
            ("Qwen3", "qwen3:latest", true),
            ("claude-sonnet-5", "claude-sonnet-5-5", false),
            ("qwen3:8b", "qwen3:14b", false),
            ("gemini-flash-latest", "gemini-3.8-flash", false),
            ("openrouter/auto", "anthropic/claude-opus-5-5", false),
        ];
        for (asked, answered, same) in cases {
            assert_eq!(is_same_model(asked, answered), same, "{asked} and {answered}");
        }
    }

    #[test]
    fn the_origin_is_what_a_key_is_bound_to() {
        assert_eq!(
            origin_of("https://API.example.com:8443/v1?x"),
            Some("https://api.example.com:8443".into())
        );
        assert_eq!(origin_of("http://localhost:1234"), Some("http://localhost:1234".into()));
        assert_eq!(origin_of("https://good.example@evil.example/"), Some("https://evil.example".into()));
        assert_eq!(Provider::rehearsal().origin(), None);
    }

    #[test]
    fn a_demo_that_was_stored_under_its_old_name_has_its_new_one() {
        let stored = serde_json::to_value(Provider::rehearsal()).unwrap();
        let old = stored.to_string().replace("\"Demo\"", "\"Rehearsal\"");
        assert_ne!(old, stored.to_string());
        assert_eq!(serde_json::from_str::<Provider>(&old).unwrap(), Provider::rehearsal());
        let mine = Provider { label: "Mine".to_owned(), ..Provider::gemini() };
        let again: Provider = serde_json::from_str(&serde_json::to_string(&mine).unwrap()).unwrap();
        assert_eq!(again, mine);
    }

    #[test]
    fn a_loopback_address_is_local_and_one_that_looks_like_it_is_not() {
        let is_local = |url: &str| Provider { base_url: url.to_owned(), ..Provider::gemini() }.is_local();
        for url in ["http://localhost:11434", "http://127.0.0.1/v1", "http://[::1]:80", REHEARSAL_URL] {
            assert!(is_local(url), "{url}");
        }
        for url in ["https://localhost.example", "http://127.evil.example", "http://192.168.0.2:1234", "x"] {
            assert!(!is_local(url), "{url}");
        }
    }

    #[test]
    fn a_protocol_has_one_name_in_storage_and_on_the_command_line() {
        for protocol in Protocol::ALL {
            assert_eq!(serde_json::to_value(protocol).unwrap(), protocol.name());
            assert_eq!(protocol.name().parse(), Ok(protocol));
        }
        let error = "telepathy".parse::<Protocol>().unwrap_err();
        assert!(error.to_string().contains("gemini"), "{error}");
    }
}
