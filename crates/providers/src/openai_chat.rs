//! Codec of OpenAI-compatible Chat Completions, and the list of models. The standard has only ids; some hosts add context
//! window and prices, each under its own field names.
//!
//! The encoder follows the host's [`dialect`]; the decoder accepts all dialects at once.

mod calls;
pub mod decode;
pub mod dialect;
pub mod encode;
pub mod error;
mod reasoning;
mod thinking;

#[cfg(test)]
mod decode_tests;
#[cfg(test)]
mod encode_rules_tests;
#[cfg(test)]
mod encode_tests;

use serde_json::Value;

use crate::http::{Endpoint, HttpRequest, KeyProbe};
use crate::http_error;
use crate::openai_chat::dialect::Dialect;
use nexus_model::provider::ModelInfo;
use nexus_model::provider::failure::ProviderError;
use nexus_model::provider::price::Price;

pub fn models_request(endpoint: &Endpoint) -> HttpRequest {
    HttpRequest::get(dialect::address(&endpoint.base_url, "models"), endpoint.bearer())
}

/// What tells whether the host takes the key: many give the list to everybody.
pub fn key_probe(endpoint: &Endpoint) -> KeyProbe {
    match Dialect::of(&endpoint.base_url) {
        Dialect::Openai | Dialect::Groq | Dialect::Mistral | Dialect::DeepSeek | Dialect::Xai => {
            KeyProbe::List
        }
        Dialect::OpenRouter => KeyProbe::Taken(HttpRequest {
            url: dialect::address(&endpoint.base_url, "key"),
            ..models_request(endpoint)
        }),
        Dialect::Perplexity
        | Dialect::Ollama
        | Dialect::LlamaCpp
        | Dialect::LmStudio
        | Dialect::Vllm
        | Dialect::Other => KeyProbe::without_key(endpoint, models_request),
    }
}

/// Reads the answer: the models that can be talked to, in the host's order.
pub fn read_models(status: u16, body: &str) -> Result<Vec<ModelInfo>, ProviderError> {
    http_error::read((status, body), list_in, model, error::classify)
}

fn list_in(value: &Value) -> Option<&[Value]> {
    let named = ["data", "models"].into_iter().find_map(|key| value.get(key));
    named.unwrap_or(value).as_array().map(Vec::as_slice)
}

fn model(model: &Value) -> Option<ModelInfo> {
    let id = model.get("id").or_else(|| model.get("name"))?.as_str().filter(|id| !id.is_empty())?;
    if !talks(model) {
        return None;
    }
    let word = |key: &str| model.get(key).and_then(Value::as_str).filter(|word| !word.is_empty());
    let first = |paths: &[&str]| {
        paths.iter().filter_map(|path| model.pointer(path)).find_map(Value::as_u64).filter(|count| *count > 0)
    };
    Some(ModelInfo {
        id: id.to_owned(),
        name: word("display_name").or_else(|| word("name")).unwrap_or(id).to_owned(),
        input_limit: first(&[
            "/context_length",
            "/context_window",
            "/max_context_length",
            "/max_model_len",
            "/meta/n_ctx",
            "/meta/n_ctx_train",
        ]),
        output_limit: first(&[
            "/top_provider/max_completion_tokens",
            "/max_completion_tokens",
            "/max_output_tokens",
        ]),
        thinks: thinks(model),
        sees: sees(model),
        price: model.get("pricing").and_then(price),
    })
}

/// Whether a chat can be held with the model, as far as the host says.
fn talks(model: &Value) -> bool {
    let is_off = |path: &str| model.pointer(path).and_then(Value::as_bool) == Some(false);
    let is_other = model.get("type").and_then(Value::as_str).is_some_and(|kind| {
        matches!(kind, "embedding" | "embeddings" | "rerank" | "image" | "audio" | "moderation")
    });
    let speaks = model
        .pointer("/architecture/output_modalities")
        .and_then(Value::as_array)
        .is_none_or(|kinds| kinds.iter().any(|kind| kind == "text"));
    !is_off("/capabilities/completion_chat") && !is_off("/active") && !is_other && speaks
}

fn sees(model: &Value) -> Option<bool> {
    let kinds = model.pointer("/architecture/input_modalities").and_then(Value::as_array);
    kinds
        .map(|kinds| kinds.iter().any(|kind| kind == "image"))
        .or_else(|| model.pointer("/capabilities/vision").and_then(Value::as_bool))
}

fn thinks(model: &Value) -> Option<bool> {
    let parameters = model.get("supported_parameters").and_then(Value::as_array);
    parameters
        .map(|parameters| parameters.iter().any(|parameter| parameter == "reasoning"))
        .or_else(|| model.pointer("/capabilities/reasoning").and_then(Value::as_bool))
}

/// OpenRouter's prices: US dollars per token, as text. A price that varies is told as a negative one.
fn price(pricing: &Value) -> Option<Price> {
    let per_million = |key: &str| {
        let per_token = pricing.get(key)?.as_str()?.parse::<f64>().ok()?;
        // Rounded to a millionth of a cent: the product of two decimal fractions is no decimal fraction.
        let rounded = (per_token * 1e14).round() / 1e8;
        (rounded.is_finite() && rounded >= 0.0).then_some(rounded)
    };
    Some(Price {
        input: per_million("prompt")?,
        cached: per_million("input_cache_read"),
        output: per_million("completion")?,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::http::Secret;
    use nexus_model::provider::failure::ProviderErrorKind;

    fn plain(id: &str) -> ModelInfo {
        ModelInfo { id: id.into(), name: id.into(), ..ModelInfo::default() }
    }

    fn read(body: &Value) -> Vec<ModelInfo> {
        read_models(200, &body.to_string()).unwrap()
    }

    #[test]
    fn the_list_is_asked_for_with_the_key_in_a_header() {
        let endpoint = Endpoint { base_url: "https://api.x.ai/v1/".into(), key: Some(Secret::new(" k3y\n")) };
        let request = models_request(&endpoint);
        assert_eq!(request.url, "https://api.x.ai/v1/models");
        assert_eq!(request.headers[0].1.reveal(), "Bearer k3y");
        assert!(!format!("{request:?}").contains("k3y"));
    }

    #[test]
    fn each_host_tells_the_window_under_its_own_name() {
        let openrouter = json!({"data": [
            {"id": "a/b", "name": "A: B", "context_length": 200_000,
             "top_provider": {"max_completion_tokens": 64_000},
             "pricing": {"prompt": "0.000001", "completion": "0.000005", "input_cache_read": "0.0000001"},
             "supported_parameters": ["tools", "reasoning"], "architecture": {"output_modalities": ["text"]}},
            {"id": "openrouter/auto", "pricing": {"prompt": "-1", "completion": "-1"}},
            {"id": "painter", "architecture": {"output_modalities": ["image"]}},
        ]});
        let priced = ModelInfo {
            name: "A: B".into(),
            input_limit: Some(200_000),
            output_limit: Some(64_000),
            thinks: Some(true),
            sees: None,
            price: Some(Price { input: 1.0, cached: Some(0.1), output: 5.0 }),
            ..plain("a/b")
        };
        assert_eq!(read(&openrouter), [priced, plain("openrouter/auto")]);
        let groq = json!({"object": "list", "data": [
            {"id": "g", "active": true, "context_window": 131_072, "max_completion_tokens": 32_768},
            {"id": "old", "active": false}]});
        let limited = ModelInfo { input_limit: Some(131_072), output_limit: Some(32_768), ..plain("g") };
        assert_eq!(read(&groq), [limited]);
        let mistral = json!({"data": [
            {"id": "m", "max_context_length": 32_000, "capabilities": {"completion_chat": true}},
            {"id": "embed", "capabilities": {"completion_chat": false}}]});
        assert_eq!(read(&mistral), [ModelInfo { input_limit: Some(32_000), ..plain("m") }]);
        let llama =
            json!({"models": [{"name": "x"}], "data": [{"id": "x.gguf", "meta": {"n_ctx_train": 8192}}]});
        assert_eq!(read(&llama), [ModelInfo { input_limit: Some(8_192), ..plain("x.gguf") }]);
        assert_eq!(read(&json!([{"id": "bare"}, {"id": ""}, 7])), [plain("bare")]);
        assert_eq!(read(&json!({"object": "list", "data": []})), []);
    }

    #[test]
    fn what_is_no_list_is_a_failure() {
        let category = |status, body: &str| read_models(status, body).unwrap_err().category;
        assert_eq!(category(200, "<html>Log in"), ProviderErrorKind::Garbled);
        assert_eq!(category(404, ""), ProviderErrorKind::NotFound);
        assert_eq!(category(401, "{\"detail\": \"Unauthorized\"}"), ProviderErrorKind::Authentication);
        assert_eq!(category(503, "{\"data\": []}"), ProviderErrorKind::Overloaded);
    }

    #[test]
    fn hosts_say_which_models_look_at_pictures() {
        let body = json!({"data": [
            {"id": "a", "architecture": {"input_modalities": ["text", "image"]}},
            {"id": "b", "architecture": {"input_modalities": ["text"]}},
            {"id": "c", "capabilities": {"vision": false}},
            {"id": "d"},
        ]});
        let told: Vec<_> = read(&body).iter().map(|model| model.sees).collect();
        assert_eq!(told, [Some(true), Some(false), Some(false), None]);
    }
}
