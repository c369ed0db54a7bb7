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

use crate::http::{Endpoint, HttpRequest};
use crate::http_error;
pub(crate) use crate::openai_chat::error;
use nexus_model::provider::ModelInfo;
use nexus_model::provider::failure::ProviderError;

pub fn models_request(endpoint: &Endpoint) -> HttpRequest {
    HttpRequest::get(encode::address(endpoint, "tags"), endpoint.bearer())
}

/// Reads the answer: the models that can be talked to, in the server's order.
pub fn read_models(status: u16, body: &str) -> Result<Vec<ModelInfo>, ProviderError> {
    http_error::read((status, body), list_in, model, error::classify)
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
    use nexus_model::provider::failure::ProviderErrorKind;

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

    #[test]
    fn what_is_no_list_is_a_failure() {
        let category = |status, body: &str| read_models(status, body).unwrap_err().category;
        assert_eq!(category(200, "Ollama is running"), ProviderErrorKind::Garbled);
        assert_eq!(category(404, "404 page not found"), ProviderErrorKind::NotFound);
        assert_eq!(category(401, "{\"error\": \"unauthorized\"}"), ProviderErrorKind::Authentication);
    }

    #[test]
    fn each_refusal_has_its_category() {
        use ProviderErrorKind as C;
        let cases = [
            (400, "registry.ollama.ai/library/gemma3:1b does not support tools", C::BadRequest),
            (400, "\"llama3\" does not support thinking", C::BadRequest),
            (404, "model \"llama9\" not found, try pulling it first", C::NotFound),
            (401, "unauthorized", C::Authentication),
            (503, "server busy, please try again.  maximum pending requests exceeded", C::Overloaded),
            (500, "llama runner process has terminated: signal: killed", C::Server),
            (429, "you have reached your hourly usage limit", C::RateLimit),
        ];
        for (status, words, category) in cases {
            let body = json!({ "error": words });
            let failure = error::classify(status, None, &body.to_string());
            assert_eq!((failure.category, failure.message.as_str()), (category, words));
            assert_eq!(failure.status, Some(status));
        }
        assert_eq!(error::classify(403, None, "").category, C::Permission);
        let midway =
            error::failure_in(&json!({"error": "an error was encountered while running the model"}), None)
                .unwrap();
        assert_eq!((midway.category, midway.status), (C::Server, None));
        assert_eq!(error::failure_in(&json!({"message": {"content": "x"}, "done": false}), None), None);
    }
}
