//! Codec of Anthropic's Messages API.

pub mod decode;
pub mod encode;
pub mod error;
mod generation;

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
    HttpRequest::get(format!("{}/models?limit=1000", endpoint.versioned()), encode::headers(endpoint))
}

/// Reads the list, in the provider's order: the newest first.
pub fn read_models(status: u16, body: &str) -> Result<Vec<ModelInfo>, ProviderError> {
    http_error::read((status, body), http_error::in_data, model, error::classify)
}

fn model(model: &Value) -> Option<ModelInfo> {
    let id = model.get("id")?.as_str()?;
    let shown = model.get("display_name").and_then(Value::as_str).unwrap_or(id);
    let limit = |key: &str| model.get(key).and_then(Value::as_u64).filter(|limit| *limit > 0);
    let thinking = model.pointer("/capabilities/thinking");
    Some(ModelInfo {
        id: id.to_owned(),
        name: shown.to_owned(),
        input_limit: limit("max_input_tokens").or_else(|| limit("context_window")),
        output_limit: limit("max_tokens").or_else(|| limit("max_output_tokens")),
        thinks: thinking.and_then(|it| it.as_bool().or_else(|| it.get("supported")?.as_bool())),
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
    fn the_list_is_asked_for_as_a_browser_may() {
        let base_url = "https://api.anthropic.com".to_owned();
        let request = models_request(&Endpoint { base_url, key: Some(Secret::new("k3y")) });
        assert_eq!(request.url, "https://api.anthropic.com/v1/models?limit=1000");
        let names: Vec<_> = request.headers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            ["anthropic-version", "anthropic-dangerous-direct-browser-access", "x-api-key"],
            "a GET has no content type"
        );
        assert!(!format!("{request:?}").contains("k3y"));
    }

    #[test]
    fn models_are_listed_with_their_limits_where_given() {
        let body = json!({"has_more": false, "data": [
            {"type": "model", "id": "claude-opus-5-5", "display_name": "Claude Opus 5.5",
             "max_input_tokens": 1_000_000, "max_tokens": 128_000,
             "capabilities": {"thinking": {"supported": true}}},
            {"type": "model", "id": "claude-old"},
            {"unexpected": true}
        ]});
        let models = read_models(200, &body.to_string()).unwrap();
        assert_eq!(models.len(), 2);
        assert_eq!(models[0].name, "Claude Opus 5.5");
        assert_eq!((models[0].input_limit, models[0].output_limit), (Some(1_000_000), Some(128_000)));
        assert_eq!((models[0].thinks, models[1].thinks), (Some(true), None));
        assert_eq!(models[1].name, "claude-old");
    }

    #[test]
    fn what_is_no_list_is_a_failure() {
        let category = |status, body: &str| read_models(status, body).unwrap_err().category;
        assert_eq!(category(200, "<html>Log in"), ProviderErrorKind::Garbled);
        let refused = json!({"type": "error", "error": {"type": "authentication_error", "message": "no"}});
        assert_eq!(category(401, &refused.to_string()), ProviderErrorKind::Authentication);
        assert_eq!(category(404, ""), ProviderErrorKind::NotFound);
    }
}
