//! Parses model lists, whose fields have other names at every provider.

use serde_json::Value;

use crate::{error, http_error};
use nexus_model::provider::price::Price;
use nexus_model::provider::{ModelInfo, ProviderError};
use nexus_text::json;

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
        let per_token = json::number(pricing.get(key)?.as_str()?)?;
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
mod tests;
