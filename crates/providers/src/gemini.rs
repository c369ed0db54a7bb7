//! Codec of Gemini's `streamGenerateContent`.

pub mod decode;
pub mod encode;

#[cfg(test)]
mod decode_tests;
#[cfg(test)]
mod encode_rules_tests;
#[cfg(test)]
mod encode_tests;

use crate::http::{Endpoint, HttpRequest};

/// Requests the model list. One page has room for all models.
pub fn models_request(endpoint: &Endpoint) -> HttpRequest {
    let address = format!("{}/models?pageSize=1000", encode::versioned(endpoint));
    HttpRequest::get(address, endpoint.key_header(encode::KEY_HEADER))
}

/// Differences between generations of Gemini: thinking configuration and required call signatures.
///
/// Recognised by the model's name alone.
mod thinking {
    use serde_json::{Value, json};

    use crate::turns::{effort, version};
    use nexus_model::llm::Thinking;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum GeminiGeneration {
        /// Before 2.5, or another family: thinking cannot be set.
        Silent,
        /// 2.5: thinking has a token budget.
        Budget,
        /// From 3 on: thinking has a level, and calls are signed.
        Level,
    }

    /// The model's name without the prefix of Google's list.
    pub(super) fn bare_name(model: &str) -> &str {
        model.strip_prefix("models/").unwrap_or(model)
    }

    /// True if the model rejects unsigned calls in the current turn.
    pub(super) fn requires_signatures(model: &str) -> bool {
        generation(model) == GeminiGeneration::Level
    }

    /// The `thinkingConfig` of `model`; none if it would be rejected. Budget and level are never sent together.
    pub(super) fn config(model: &str, thinking: Thinking) -> Option<Value> {
        match (generation(model), thinking) {
            (GeminiGeneration::Silent, _) => None,
            (GeminiGeneration::Budget | GeminiGeneration::Level, Thinking::Auto) => {
                Some(json!({"includeThoughts": true}))
            }
            // Pro models cannot stop thinking; this is their minimum.
            (GeminiGeneration::Budget, Thinking::Off) => {
                Some(json!({"thinkingBudget": if model.contains("pro") { 128 } else { 0 }}))
            }
            (GeminiGeneration::Budget, Thinking::Low) => budget(1024),
            (GeminiGeneration::Budget, Thinking::Medium) => budget(8192),
            // The maximum that every model of the generation accepts.
            (GeminiGeneration::Budget, Thinking::High) => budget(24_576),
            (GeminiGeneration::Level, Thinking::Off) => Some(json!({"thinkingLevel": lowest_level(model)})),
            (GeminiGeneration::Level, _) => effort(thinking).map(level),
        }
    }

    fn budget(tokens: u32) -> Option<Value> {
        Some(json!({"includeThoughts": true, "thinkingBudget": tokens}))
    }

    fn level(level: &str) -> Value {
        json!({"includeThoughts": true, "thinkingLevel": level})
    }

    fn lowest_level(model: &str) -> &'static str {
        let name = bare_name(model);
        let is_lite = name.contains("flash-lite");
        // 3.8 Flash has no lowest level, and the alias of the newest Flash may refer to it.
        let lost = name.starts_with("gemini-3.8") || name.ends_with("-latest");
        if name.contains("flash") && (is_lite || !lost) { "minimal" } else { "low" }
    }

    fn generation(model: &str) -> GeminiGeneration {
        let Some(name) = bare_name(model).strip_prefix("gemini-") else { return GeminiGeneration::Silent };
        // Aliases such as `gemini-flash-latest` refer to a current model.
        if name.ends_with("-latest") && !name.starts_with(|c: char| c.is_ascii_digit()) {
            return GeminiGeneration::Level;
        }
        match name.split('-').next().and_then(version) {
            Some((3.., _)) => GeminiGeneration::Level,
            Some((2, 5..)) => GeminiGeneration::Budget,
            Some(_) | None => GeminiGeneration::Silent,
        }
    }

    #[cfg(test)]
    mod tests;
}
