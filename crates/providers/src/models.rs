//! Parses model lists, whose fields have other names at every provider.

use serde_json::Value;

use crate::{error, http_error};
use nexus_model::provider::price::Price;
use nexus_model::provider::{ModelInfo, ProviderError};

/// The chat models in the provider's order. Anything but a list is an error.
pub(crate) fn read(status: u16, body: &str) -> Result<Vec<ModelInfo>, ProviderError> {
    let value = serde_json::from_str::<Value>(body).ok();
    match value.as_ref().and_then(list_in) {
        Some(models) if (200..300).contains(&status) => Ok(models.iter().filter_map(model).collect()),
        Some(_) => Err(http_error::unexplained(status, None, body)),
        None => Err(error::classify(status, None, body)),
    }
}

fn list_in(value: &Value) -> Option<&[Value]> {
    match ["data", "models"].into_iter().find_map(|key| value.get(key)) {
        // Ollama without models returns `null`.
        Some(Value::Null) => Some(&[]),
        Some(list) => list.as_array().map(Vec::as_slice),
        // For a key without models, Google returns an empty object.
        None if value.as_object().is_some_and(|whole| whole.is_empty()) => Some(&[]),
        None => value.as_array().map(Vec::as_slice),
    }
}

fn model(model: &Value) -> Option<ModelInfo> {
    let word = |path: &str| model.pointer(path).and_then(Value::as_str).filter(|word| !word.is_empty());
    let first = |paths: &[&str]| {
        paths.iter().filter_map(|path| model.pointer(path)).find_map(Value::as_u64).filter(|count| *count > 0)
    };
    let id = ["/id", "/model"].into_iter().find_map(word).or_else(|| word("/name").map(bare_name))?;
    if !is_chat_model(model) {
        return None;
    }
    let name = ["/display_name", "/displayName", "/name"].into_iter().find_map(word).map_or(id, bare_name);
    let size = word("/details/parameter_size").map_or_else(String::new, |size| format!(" ({size})"));
    Some(ModelInfo {
        id: id.to_owned(),
        name: format!("{name}{size}"),
        input_limit: first(&[
            "/max_input_tokens",
            "/inputTokenLimit",
            "/context_length",
            "/context_window",
            "/max_context_length",
            "/max_model_len",
            "/details/context_length",
            "/meta/n_ctx",
            "/meta/n_ctx_train",
        ]),
        output_limit: first(&[
            "/top_provider/max_completion_tokens",
            "/max_completion_tokens",
            "/max_tokens",
            "/max_output_tokens",
            "/max_output_length",
            "/outputTokenLimit",
        ]),
        thinks: capability(
            model,
            &[
                ("/supported_parameters", "reasoning"),
                (OLLAMA_CAPABILITIES, "thinking"),
                ("/capabilities/reasoning", ""),
                ("/capabilities/thinking", ""),
                ("/capabilities/thinking/supported", ""),
                ("/thinking", ""),
            ],
        ),
        accepts_images: capability(
            model,
            &[
                ("/architecture/input_modalities", "image"),
                (OLLAMA_CAPABILITIES, "vision"),
                ("/capabilities/vision", ""),
            ],
        ),
        price: model.get("pricing").and_then(price),
    })
}

/// The model's name without the prefix of Google's list.
fn bare_name(name: &str) -> &str {
    name.strip_prefix("models/").unwrap_or(name)
}

/// Where Ollama lists a model's capabilities. Other hosts, whose entries have ids, use other words there.
const OLLAMA_CAPABILITIES: &str = "/capabilities";

/// The first of these places that exists: whether its list contains the word, or its boolean.
fn capability(model: &Value, places: &[(&str, &str)]) -> Option<bool> {
    let counts = |path: &str| path != OLLAMA_CAPABILITIES || model.get("id").is_none();
    places.iter().filter(|(path, _)| counts(path)).find_map(|(path, word)| {
        let value = model.pointer(path)?;
        value.as_array().map_or_else(|| value.as_bool(), |list| Some(list.iter().any(|one| one == word)))
    })
}

/// True unless the host marks the model as no chat model.
fn is_chat_model(model: &Value) -> bool {
    let lists = [
        ("/architecture/output_modalities", "text"),
        ("/supportedGenerationMethods", "generateContent"),
        (OLLAMA_CAPABILITIES, "completion"),
        ("/capabilities/completion_chat", ""),
        ("/active", ""),
    ];
    let word = |path: &str| model.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let other = ["embedding", "embeddings", "rerank", "image", "audio", "moderation"];
    lists.iter().all(|place| capability(model, std::slice::from_ref(place)) != Some(false))
        && !other.contains(&word("/type"))
        && !word("/details/family").ends_with("bert")
}

/// OpenRouter's prices: US dollars per token, as text. A variable price is negative.
fn price(pricing: &Value) -> Option<Price> {
    let per_million = |key: &str| {
        let per_token = pricing.get(key)?.as_str()?.parse::<f64>().ok()?;
        // Rounded to a millionth of a cent, to remove floating-point error.
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

    fn plain(id: &str) -> ModelInfo {
        ModelInfo { id: id.into(), name: id.into(), ..ModelInfo::default() }
    }

    fn read(body: &Value) -> Vec<ModelInfo> {
        super::read(200, &body.to_string()).unwrap()
    }

    #[test]
    fn context_window_is_read_for_each_host() {
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
            accepts_images: None,
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
    fn vision_is_read_for_each_host() {
        let body = json!({"data": [
            {"id": "a", "architecture": {"input_modalities": ["text", "image"]}},
            {"id": "b", "architecture": {"input_modalities": ["text"]}},
            {"id": "c", "capabilities": {"vision": false}},
            {"id": "d"},
            {"id": "e", "capabilities": ["tool_use"]},
        ]});
        let vision: Vec<_> = read(&body).iter().map(|model| model.accepts_images).collect();
        assert_eq!(vision, [Some(true), Some(false), Some(false), None, None]);
    }

    #[test]
    fn limits_of_models_are_read() {
        let body = json!({"has_more": false, "data": [
            {"type": "model", "id": "claude-opus-5-5", "display_name": "Claude Opus 5.5",
             "max_input_tokens": 1_000_000, "max_tokens": 128_000,
             "capabilities": {"thinking": {"supported": true}}},
            {"type": "model", "id": "claude-old"},
            {"unexpected": true}
        ]});
        let models = read(&body);
        assert_eq!(models.len(), 2);
        assert_eq!(models[0].name, "Claude Opus 5.5");
        assert_eq!((models[0].input_limit, models[0].output_limit), (Some(1_000_000), Some(128_000)));
        assert_eq!((models[0].thinks, models[1].thinks), (Some(true), None));
        assert_eq!(models[1].name, "claude-old");
    }

    #[test]
    fn only_chat_models_are_listed() {
        let body = json!({"models": [
            {"name": "models/gemini-3.8-flash", "displayName": "Gemini 3.8 Flash",
             "inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536, "thinking": true,
             "supportedGenerationMethods": ["generateContent", "countTokens"]},
            {"name": "models/embedder", "supportedGenerationMethods": ["embedContent"]},
            {"name": "models/plain"},
            {"unexpected": true}
        ]});
        let flash = ModelInfo {
            name: "Gemini 3.8 Flash".into(),
            input_limit: Some(1_048_576),
            output_limit: Some(65_536),
            thinks: Some(true),
            ..plain("gemini-3.8-flash")
        };
        assert_eq!(read(&body), [flash, plain("plain")]);
        assert_eq!(read(&json!({})), []);
    }

    #[test]
    fn pulled_chat_models_are_listed() {
        let body = json!({"models": [
            {"name": "qwen3:8b", "model": "qwen3:8b", "details": {"family": "qwen3", "parameter_size": "8.2B"},
             "capabilities": ["completion", "tools", "thinking"]},
            {"name": "plain", "details": {}},
            {"name": "nomic-embed-text", "details": {"family": "nomic-bert"}},
            {"name": "embeds", "capabilities": ["embedding"]},
            {"size": 1},
        ]});
        let models = read(&body);
        let listed: Vec<_> =
            models.iter().map(|m| (m.id.as_str(), m.name.as_str(), m.thinks, m.accepts_images)).collect();
        assert_eq!(
            listed,
            [("qwen3:8b", "qwen3:8b (8.2B)", Some(true), Some(false)), ("plain", "plain", None, None)]
        );
        assert_eq!(read(&json!({"models": null})), []);
    }
}
