//! Codec of Gemini's `streamGenerateContent`.

pub mod decode;
pub mod encode;
pub mod error;
mod thinking;

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
