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
    let llama = json!({"models": [{"name": "x"}], "data": [{"id": "x.gguf", "meta": {"n_ctx_train": 8192}}]});
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
