//! Codec of OpenAI's Responses API.

pub mod decode;
pub mod encode;

#[cfg(test)]
mod decode_tests;
#[cfg(test)]
mod encode_rules_tests;
#[cfg(test)]
mod encode_tests;

use crate::http::{Endpoint, HttpRequest};
use crate::models;
use nexus_model::provider::{ModelInfo, ProviderError};

/// Words in the names of models without text chat.
const NO_CHAT: &str = "embedding tts whisper transcribe image dall-e moderation realtime audio sora davinci babbage \
    instruct translate";

pub fn models_request(endpoint: &Endpoint) -> HttpRequest {
    HttpRequest::get(format!("{}/models", endpoint.versioned()), endpoint.bearer())
}

/// Parses the list: the chat models in the provider's order.
pub fn read_models(status: u16, body: &str) -> Result<Vec<ModelInfo>, ProviderError> {
    let mut models = models::read(status, body)?;
    models.retain(|model| !NO_CHAT.split(' ').any(|word| model.id.contains(word)));
    Ok(models)
}

/// Differences between OpenAI's model families: reasoning, its lowest effort, and temperature.
///
/// Recognised by the model's name alone.
mod family {
    use serde_json::{Value, json};

    use crate::turns;
    use nexus_model::llm::{ModelConfig, Thinking};

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum ModelFamily {
        /// Does not reason, and rejects the parameter.
        Plain,
        /// Reasons, with at least this effort. Temperature is rejected while it does.
        Reasons(&'static str),
        /// Of another host: only explicit settings are sent.
        Foreign,
    }

    #[derive(Clone, Debug, PartialEq)]
    pub(super) struct ReasoningSettings {
        pub(super) reasoning: Option<Value>,
        /// True if encrypted reasoning is requested, which models without reasoning reject.
        pub(super) wants_encrypted: bool,
        /// `temperature`, if set and accepted.
        pub(super) temperature: Option<f64>,
    }

    pub(super) fn settings(config: &ModelConfig) -> ReasoningSettings {
        let family = family(&config.model);
        let effort = match (family, config.thinking) {
            (ModelFamily::Plain, _) | (_, Thinking::Auto) => None,
            (ModelFamily::Foreign, Thinking::Off) => Some("low"),
            (ModelFamily::Reasons(least), Thinking::Off) => Some(least),
            (ModelFamily::Foreign, level) => turns::effort(level),
            (ModelFamily::Reasons("high"), _) => Some("high"),
            (ModelFamily::Reasons("medium"), Thinking::Low) => Some("medium"),
            (ModelFamily::Reasons(_), level) => turns::effort(level),
        };
        let reasoning = match (family, effort) {
            (ModelFamily::Plain, _) | (ModelFamily::Foreign, None) => None,
            (ModelFamily::Reasons(_), None) => Some(json!({"summary": "auto"})),
            (_, Some("none")) => Some(json!({"effort": "none"})),
            (_, Some(effort)) => Some(json!({"effort": effort, "summary": "auto"})),
        };
        let reasons = matches!(family, ModelFamily::Reasons(_)) && effort != Some("none");
        ReasoningSettings {
            reasoning,
            wants_encrypted: family != ModelFamily::Plain,
            temperature: config.temperature.filter(|_| !reasons).map(|it| it.clamp(0.0, 2.0)),
        }
    }

    fn family(model: &str) -> ModelFamily {
        let name = model.rsplit('/').next().unwrap_or(model);
        let name = name.strip_prefix("ft:").unwrap_or(name);
        if name.starts_with("chatgpt-") || name.starts_with("gpt-3") || name.starts_with("gpt-4") {
            return ModelFamily::Plain;
        }
        if name.starts_with("gpt-oss") || name.starts_with("codex-") {
            return ModelFamily::Reasons("low");
        }
        if let Some(number) = name.strip_prefix('o') {
            let is_series = number.starts_with(|c: char| c.is_ascii_digit());
            return if is_series { ModelFamily::Reasons("low") } else { ModelFamily::Foreign };
        }
        // The version and the kind, as in `6.1-sol`.
        let Some(name) = name.strip_prefix("gpt-") else { return ModelFamily::Foreign };
        let (number, kind) = name.split_once('-').unwrap_or((name, ""));
        let is = |word: &str| kind.split('-').any(|other| other == word);
        match turns::version(number) {
            None => ModelFamily::Foreign,
            Some(_) if is("chat") => ModelFamily::Plain,
            Some((..=5, 0)) if is("pro") => ModelFamily::Reasons("high"),
            Some(_) if is("pro") => ModelFamily::Reasons("medium"),
            // These two of the newest models cannot stop reasoning, like all code models.
            Some(_) if is("astra") || is("sol") || is("codex") => ModelFamily::Reasons("low"),
            Some((..=5, 0)) => ModelFamily::Reasons("minimal"),
            Some((5 | 6, _)) => ModelFamily::Reasons("none"),
            Some(_) => ModelFamily::Reasons("low"),
        }
    }

    #[cfg(test)]
    mod tests;
}

#[cfg(test)]
mod tests;
