use super::*;

fn config(model: &str, thinking: Thinking) -> ModelConfig {
    ModelConfig { thinking, temperature: Some(1.5), ..ModelConfig::new("anthropic", model) }
}

fn thinking(model: &str, thinking: Thinking) -> (Option<Value>, Option<&'static str>) {
    let settings = settings(&config(model, thinking), true);
    (settings.thinking, settings.effort)
}

#[test]
fn generation_is_derived_from_the_name() {
    let cases = [
        ("claude-2.1", ClaudeGeneration::Silent),
        ("claude-3-opus-20240229", ClaudeGeneration::Silent),
        ("claude-3-5-sonnet-latest", ClaudeGeneration::Silent),
        ("claude-3-7-sonnet-20250219", ClaudeGeneration::Budget),
        ("claude-opus-4-20250514", ClaudeGeneration::Budget),
        ("claude-haiku-4-5-20251001", ClaudeGeneration::Budget),
        ("anthropic/claude-sonnet-4.5", ClaudeGeneration::Budget),
        ("eu.anthropic.claude-sonnet-4-5-20250929-v1:0", ClaudeGeneration::Budget),
        ("claude-opus-4-6", ClaudeGeneration::Adaptive),
        ("claude-opus-4-7", ClaudeGeneration::Current),
        ("claude-fable-5", ClaudeGeneration::Current),
        ("claude-fable-5-1", ClaudeGeneration::Current),
        ("claude-opus-5-5", ClaudeGeneration::Current),
        ("claude-next", ClaudeGeneration::Current),
        ("deepseek-flash", ClaudeGeneration::Silent),
        ("", ClaudeGeneration::Silent),
    ];
    for (model, expected) in cases {
        assert_eq!(generation(model), expected, "{model}");
    }
}

#[test]
fn thinking_is_set_for_each_generation() {
    use Thinking::{Auto, High, Low, Medium, Off};
    let budget = |tokens: u32| Some(json!({"type": "enabled", "budget_tokens": tokens}));
    assert_eq!(thinking("claude-3-5-haiku-latest", High), (None, None));
    assert_eq!(thinking("claude-haiku-4-5", Auto), (None, None));
    assert_eq!(thinking("claude-haiku-4-5", Off), (None, None));
    assert_eq!(thinking("claude-haiku-4-5", Low), (budget(2_048), None));
    assert_eq!(thinking("claude-haiku-4-5", High), (budget(16_000), None));
    let adaptive = Some(json!({"type": "adaptive"}));
    assert_eq!(thinking("claude-opus-4-6", Medium), (adaptive.clone(), Some("medium")));
    assert_eq!(thinking("claude-opus-4-6", Auto), (adaptive, None));
    assert_eq!(thinking("claude-opus-4-6", Off), (None, None));
    let summarized = Some(json!({"type": "adaptive", "display": "summarized"}));
    assert_eq!(thinking("claude-opus-5-5", Auto), (summarized.clone(), None));
    assert_eq!(thinking("claude-haiku-5-5", High), (summarized.clone(), Some("high")));
    let off = Some(json!({"type": "disabled"}));
    assert_eq!(thinking("claude-haiku-5-5", Off), (off.clone(), None));
    assert_eq!(thinking("claude-sonnet-5", Off), (off, None));
    for model in ["claude-opus-5-5", "claude-fable-5-1", "claude-sonnet-5-5", "claude-opus-6"] {
        assert_eq!(thinking(model, Off), (summarized.clone(), Some("low")), "{model}");
    }
}

#[test]
fn budget_fits_into_the_answer_and_requires_earlier_thinking() {
    let with = |max_tokens, opens| {
        let config = ModelConfig { max_tokens, ..config("claude-haiku-4-5", Thinking::High) };
        settings(&config, opens).thinking.map(|it| it["budget_tokens"].clone())
    };
    assert_eq!(with(Some(8_000), true), Some(json!(4_000)));
    assert_eq!(with(Some(2_047), true), None);
    assert_eq!(with(None, false), None);
}

#[test]
fn output_limit_depends_on_the_model() {
    let most = |model| settings(&config(model, Thinking::Auto), true).max_tokens;
    assert_eq!(most("claude-3-haiku-20240307"), 4_096);
    assert_eq!(most("claude-3-5-haiku-latest"), 8_192);
    assert_eq!(most("claude-opus-5-5"), ANSWER_TOKENS);
    assert_eq!(most("other"), ANSWER_TOKENS);
}

#[test]
fn temperature_is_sent_only_if_accepted() {
    let temperature = |model, thinking| settings(&config(model, thinking), true).temperature;
    assert_eq!(temperature("claude-haiku-4-5", Thinking::Auto), Some(1.0));
    assert_eq!(temperature("claude-haiku-4-5", Thinking::Low), None);
    assert_eq!(temperature("claude-opus-4-6", Thinking::Off), Some(1.0));
    assert_eq!(temperature("claude-opus-5-5", Thinking::Auto), None);
    assert_eq!(temperature("claude-haiku-5-5", Thinking::Off), None);
    assert_eq!(temperature("other", Thinking::High), Some(1.0));
}

#[test]
fn schema_of_an_answer_is_closed() {
    let schema = json!({"type": "object", "properties": {"list": {"type": "array", "items":
        {"type": "object", "additionalProperties": true}}}});
    let output = output_config(None, Some(&schema)).unwrap();
    let expected = json!({"format": {"type": "json_schema", "schema": {"type": "object",
        "additionalProperties": false, "properties": {"list": {"type": "array", "items":
        {"type": "object", "additionalProperties": true}}}}}});
    assert_eq!(output, expected);
    assert_eq!(output_config(None, None), None);
}
