//! Codec of Ollama's native API: `/api/chat`, which streams lines of JSON, and the list of pulled models.
//!
//! Errors, as the response body or as a line of the stream, have the shapes of OpenAI-compatible hosts.

pub mod decode;
pub mod encode;

#[cfg(test)]
mod decode_tests;
#[cfg(test)]
mod encode_tests;

use serde_json::Value;

use crate::error;
use crate::http::{Endpoint, HttpRequest};
use nexus_model::provider::ModelInfo;
use nexus_model::provider::failure::ProviderError;

pub fn models_request(endpoint: &Endpoint) -> HttpRequest {
    HttpRequest::get(encode::address(endpoint, "tags"), endpoint.bearer())
}

/// Reads the answer: the models that can be talked to, in the server's order.
pub fn read_models(status: u16, body: &str) -> Result<Vec<ModelInfo>, ProviderError> {
    error::read_list((status, body), list_in, model)
}

fn list_in(value: &Value) -> Option<&[Value]> {
    // A server without models says `null`.
    value.get("models").map(|list| list.as_array().map(Vec::as_slice).unwrap_or_default())
}

fn model(model: &Value) -> Option<ModelInfo> {
    let id = model.get("model").or_else(|| model.get("name"))?.as_str().filter(|id| !id.is_empty())?;
    let capabilities = model.get("capabilities").and_then(Value::as_array);
    let can = |what: &str| capabilities.map(|all| all.iter().any(|one| one == what));
    let embeds = model
        .pointer("/details/family")
        .and_then(Value::as_str)
        .is_some_and(|family| family.ends_with("bert"));
    if embeds || can("completion") == Some(false) {
        return None;
    }
    let size =
        model.pointer("/details/parameter_size").and_then(Value::as_str).filter(|size| !size.is_empty());
    Some(ModelInfo {
        id: id.to_owned(),
        name: size.map_or_else(|| id.to_owned(), |size| format!("{id} ({size})")),
        input_limit: model.pointer("/details/context_length").and_then(Value::as_u64),
        thinks: can("thinking"),
        sees: can("vision"),
        ..ModelInfo::default()
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_pulled_and_talks_is_listed() {
        let body = json!({"models": [
            {"name": "qwen3:8b", "model": "qwen3:8b", "details": {"family": "qwen3", "parameter_size": "8.2B"},
             "capabilities": ["completion", "tools", "thinking"]},
            {"name": "plain", "details": {}},
            {"name": "nomic-embed-text", "details": {"family": "nomic-bert"}},
            {"name": "embeds", "capabilities": ["embedding"]},
            {"size": 1},
        ]});
        let models = read_models(200, &body.to_string()).unwrap();
        let told: Vec<_> =
            models.iter().map(|m| (m.id.as_str(), m.name.as_str(), m.thinks, m.sees)).collect();
        assert_eq!(
            told,
            [("qwen3:8b", "qwen3:8b (8.2B)", Some(true), Some(false)), ("plain", "plain", None, None)]
        );
        assert_eq!(read_models(200, "{\"models\": null}"), Ok(vec![]));
    }
}
