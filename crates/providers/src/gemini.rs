//! Codec of Gemini's `streamGenerateContent`.

pub mod decode;
pub mod encode;
pub mod error;

#[cfg(test)]
mod decode_tests;
#[cfg(test)]
mod encode_rules_tests;
#[cfg(test)]
mod encode_tests;

use serde_json::Value;

use crate::http::{Endpoint, HttpRequest};
use crate::http_error;
use nexus_model::provider::ModelInfo;
use nexus_model::provider::failure::ProviderError;

/// Asks for the list. One page holds more models than there are.
pub fn models_request(endpoint: &Endpoint) -> HttpRequest {
    HttpRequest::get(
        format!("{}/models?pageSize=1000", encode::versioned(endpoint)),
        encode::key_header(endpoint),
    )
}

/// Reads the list: the models that can be talked to, in the provider's order.
pub fn read_models(status: u16, body: &str) -> Result<Vec<ModelInfo>, ProviderError> {
    http_error::read((status, body), list_in, model, error::classify)
}

fn list_in(value: &Value) -> Option<&[Value]> {
    let whole = value.as_object()?;
    // A key without models gets an object without a list.
    let empty: &[Value] = &[];
    whole.get("models").map_or(whole.is_empty().then_some(empty), |list| list.as_array().map(Vec::as_slice))
}

fn model(model: &Value) -> Option<ModelInfo> {
    let name = model.get("name")?.as_str()?;
    let methods = model.get("supportedGenerationMethods").and_then(Value::as_array);
    if methods.is_some_and(|methods| !methods.iter().any(|method| method == "generateContent")) {
        return None;
    }
    let id = name.strip_prefix("models/").unwrap_or(name);
    let shown = model.get("displayName").and_then(Value::as_str).unwrap_or(id);
    Some(ModelInfo {
        id: id.to_owned(),
        name: shown.to_owned(),
        input_limit: model.get("inputTokenLimit").and_then(Value::as_u64),
        output_limit: model.get("outputTokenLimit").and_then(Value::as_u64),
        thinks: model.get("thinking").and_then(Value::as_bool),
        ..ModelInfo::default()
    })
}

/// Differences between generations of Gemini: thinking configuration and required call signatures.
///
/// Recognised by the model's name alone.
mod thinking {
    use serde_json::{Value, json};

    use crate::turns::effort;
    use nexus_model::llm::Thinking;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum GeminiGeneration {
        /// Before 2.5, or of another family: thinking cannot be set.
        Silent,
        /// 2.5: thinking has a budget in tokens.
        Budget,
        /// From 3 on: thinking has a level, and calls are signed.
        Level,
    }

    /// The model's name without the collection that Google's list puts before it.
    pub(super) fn bare_name(model: &str) -> &str {
        model.strip_prefix("models/").unwrap_or(model)
    }

    /// Whether the model refuses calls of the current turn without a signature.
    pub(super) fn wants_signatures(model: &str) -> bool {
        generation(model) == GeminiGeneration::Level
    }

    /// The `thinkingConfig` of `model`; none where it would be refused. Budget and level are never sent together.
    pub(super) fn config(model: &str, thinking: Thinking) -> Option<Value> {
        match (generation(model), thinking) {
            (GeminiGeneration::Silent, _) => None,
            (GeminiGeneration::Budget | GeminiGeneration::Level, Thinking::Auto) => {
                Some(json!({"includeThoughts": true}))
            }
            // Pro models cannot stop thinking; this is the least they accept.
            (GeminiGeneration::Budget, Thinking::Off) => {
                Some(json!({"thinkingBudget": if model.contains("pro") { 128 } else { 0 }}))
            }
            (GeminiGeneration::Budget, Thinking::Low) => budget(1024),
            (GeminiGeneration::Budget, Thinking::Medium) => budget(8192),
            // The most that every model of the generation accepts.
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
        // 3.8 Flash lost the lowest level, and the alias of the newest Flash may stand for it.
        let lost = name.starts_with("gemini-3.8") || name.ends_with("-latest");
        if name.contains("flash") && (is_lite || !lost) { "minimal" } else { "low" }
    }

    fn generation(model: &str) -> GeminiGeneration {
        let Some(name) = bare_name(model).strip_prefix("gemini-") else { return GeminiGeneration::Silent };
        // Aliases such as `gemini-flash-latest` always mean a current model.
        if name.ends_with("-latest") && !name.starts_with(|c: char| c.is_ascii_digit()) {
            return GeminiGeneration::Level;
        }
        let version = name.split('-').next().unwrap_or_default();
        let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
        match (major.parse::<u32>(), minor.parse::<u32>()) {
            (Ok(3..), _) => GeminiGeneration::Level,
            (Ok(2), Ok(5..)) => GeminiGeneration::Budget,
            _ => GeminiGeneration::Silent,
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_generation_is_read_off_the_name() {
            let cases = [
                ("gemini-1.5-pro", GeminiGeneration::Silent),
                ("gemini-2.0-flash", GeminiGeneration::Silent),
                ("gemini-2.5-flash", GeminiGeneration::Budget),
                ("models/gemini-2.5-pro", GeminiGeneration::Budget),
                ("gemini-3-pro-preview", GeminiGeneration::Level),
                ("gemini-3.8-flash", GeminiGeneration::Level),
                ("gemini-4-argon", GeminiGeneration::Level),
                ("gemini-10.1-flash", GeminiGeneration::Level),
                ("gemini-flash-latest", GeminiGeneration::Level),
                ("gemini-1.5-flash-latest", GeminiGeneration::Silent),
                ("gemini-robotics-er-1.5", GeminiGeneration::Silent),
                ("gemma-3-27b-it", GeminiGeneration::Silent),
                ("", GeminiGeneration::Silent),
            ];
            for (model, wanted) in cases {
                assert_eq!(generation(model), wanted, "{model}");
            }
        }

        #[test]
        fn thinking_is_set_as_each_generation_wants_it() {
            use Thinking::{Auto, High, Low, Medium, Off};
            let told = json!({"includeThoughts": true});
            for model in ["gemini-2.5-flash", "gemini-3.8-flash", "gemini-flash-latest"] {
                assert_eq!(config(model, Auto), Some(told.clone()), "{model}");
            }
            assert_eq!(config("gemini-2.5-flash", Low), budget(1024));
            assert_eq!(config("gemini-2.5-flash", Medium), budget(8192));
            assert_eq!(config("gemini-2.5-pro", High), budget(24_576));
            assert_eq!(config("gemini-2.5-flash", Off), Some(json!({"thinkingBudget": 0})));
            assert_eq!(config("gemini-2.5-pro", Off), Some(json!({"thinkingBudget": 128})));
            assert_eq!(config("gemini-4-argon", Low), Some(level("low")));
            assert_eq!(config("gemini-4-argon", Medium), Some(level("medium")));
            assert_eq!(config("gemini-3.1-pro-preview", High), Some(level("high")));
            for model in ["gemini-2.0-flash", "gemma-3-27b-it"] {
                assert_eq!(config(model, High), None, "{model}");
            }
        }

        #[test]
        fn off_is_the_lowest_level_that_the_model_has() {
            let cases = [
                ("gemini-3.7-flash", "minimal"),
                ("gemini-3.5-flash-lite", "minimal"),
                ("gemini-flash-lite-latest", "minimal"),
                ("gemini-3.8-flash", "low"),
                ("gemini-flash-latest", "low"),
                ("gemini-3.1-pro-preview", "low"),
                ("gemini-4-argon", "low"),
            ];
            for (model, lowest) in cases {
                assert_eq!(config(model, Thinking::Off), Some(json!({"thinkingLevel": lowest})), "{model}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::http::{HeaderValue, Secret};
    use nexus_model::provider::failure::ProviderErrorKind;

    #[test]
    fn the_list_is_asked_for_with_the_key_in_a_header() {
        let endpoint = Endpoint {
            base_url: "https://generativelanguage.googleapis.com".into(),
            key: Some(Secret::new("k3y")),
        };
        let request = models_request(&endpoint);
        assert_eq!(request.url, "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000");
        assert_eq!(request.headers, [("x-goog-api-key".to_owned(), HeaderValue::Secret(Secret::new("k3y")))]);
    }

    #[test]
    fn only_models_that_talk_are_listed() {
        let body = json!({"models": [
            {"name": "models/gemini-3.8-flash", "displayName": "Gemini 3.8 Flash",
             "inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536, "thinking": true,
             "supportedGenerationMethods": ["generateContent", "countTokens"]},
            {"name": "models/embedder", "supportedGenerationMethods": ["embedContent"]},
            {"name": "models/plain"},
            {"unexpected": true}
        ]});
        let plain = |id: &str| ModelInfo { id: id.into(), name: id.into(), ..ModelInfo::default() };
        let flash = ModelInfo {
            name: "Gemini 3.8 Flash".into(),
            input_limit: Some(1_048_576),
            output_limit: Some(65_536),
            thinks: Some(true),
            ..plain("gemini-3.8-flash")
        };
        assert_eq!(read_models(200, &body.to_string()), Ok(vec![flash, plain("plain")]));
        assert_eq!(read_models(200, "{}"), Ok(vec![]));
    }

    #[test]
    fn what_is_no_list_is_a_failure() {
        let category = |status, body: &str| read_models(status, body).unwrap_err().category;
        assert_eq!(category(200, "<html>Log in"), ProviderErrorKind::Garbled);
        assert_eq!(category(404, ""), ProviderErrorKind::NotFound);
        let refused = json!({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "no",
            "details": [{"reason": "API_KEY_INVALID"}]}});
        assert_eq!(category(400, &refused.to_string()), ProviderErrorKind::Authentication);
    }
}
