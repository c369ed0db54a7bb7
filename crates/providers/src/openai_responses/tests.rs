use serde_json::json;

use super::*;

#[test]
fn only_chat_models_are_listed() {
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
