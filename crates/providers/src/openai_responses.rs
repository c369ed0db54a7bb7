//! Codec of OpenAI's Responses API.

pub mod decode;
pub mod encode;
pub mod error;
mod family;

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

/// Words in the names of models that cannot be talked to in text.
const NO_CHAT: [&str; 14] = [
    "embedding",
    "tts",
    "whisper",
    "transcribe",
    "image",
    "dall-e",
    "moderation",
    "realtime",
    "audio",
    "sora",
    "davinci",
    "babbage",
    "instruct",
    "translate",
];

pub fn models_request(endpoint: &Endpoint) -> HttpRequest {
    HttpRequest::get(format!("{}/models", endpoint.versioned()), endpoint.bearer())
}

/// Reads the list: the models that can be talked to, in the provider's order.
pub fn read_models(status: u16, body: &str) -> Result<Vec<ModelInfo>, ProviderError> {
    http_error::read((status, body), http_error::in_data, model, error::classify)
}

fn model(model: &Value) -> Option<ModelInfo> {
    let id = model.get("id")?.as_str()?;
    if NO_CHAT.iter().any(|word| id.contains(word)) {
        return None;
    }
    let limit = |keys: [&str; 3]| {
        keys.iter().find_map(|key| model.get(key).and_then(Value::as_u64)).filter(|limit| *limit > 0)
    };
    Some(ModelInfo {
        id: id.to_owned(),
        name: model.get("name").and_then(Value::as_str).unwrap_or(id).to_owned(),
        input_limit: limit(["context_length", "context_window", "max_context_length"]),
        output_limit: limit(["max_output_tokens", "max_completion_tokens", "max_output_length"]),
        ..ModelInfo::default()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::http::Secret;
    use nexus_model::provider::failure::ProviderErrorKind;

    #[test]
    fn the_list_is_asked_for_with_the_key_in_a_header() {
        let base_url = "https://api.openai.com/v1".to_owned();
        let request = models_request(&Endpoint { base_url, key: Some(Secret::new("k3y")) });
        assert_eq!(request.url, "https://api.openai.com/v1/models");
        assert_eq!(request.headers[0].1.reveal(), "Bearer k3y");
        assert!(!format!("{request:?}").contains("k3y"));
    }

    #[test]
    fn only_models_that_talk_are_listed() {
        let body = json!({"object": "list", "data": [
            {"id": "gpt-6.1-sol", "object": "model"},
            {"id": "text-embedding-3-large"}, {"id": "gpt-4o-mini-tts"}, {"id": "whisper-1"},
            {"id": "gpt-image-1"}, {"id": "omni-moderation-latest"}, {"id": "gpt-realtime"},
            {"id": "vendor/model", "name": "Model", "context_length": 65_536, "max_output_tokens": 0},
            {"unexpected": true}
        ]});
        let models = read_models(200, &body.to_string()).unwrap();
        let names: Vec<_> = models.iter().map(|model| model.name.as_str()).collect();
        assert_eq!(names, ["gpt-6.1-sol", "Model"]);
        assert_eq!((models[1].input_limit, models[1].output_limit), (Some(65_536), None));
    }

    #[test]
    fn what_is_no_list_is_a_failure() {
        let category = |status, body: &str| read_models(status, body).unwrap_err().category;
        assert_eq!(category(200, "<html>Log in"), ProviderErrorKind::Garbled);
        assert_eq!(
            category(401, "{\"error\":{\"code\":\"invalid_api_key\"}}"),
            ProviderErrorKind::Authentication
        );
        assert_eq!(category(404, ""), ProviderErrorKind::NotFound);
    }
}
