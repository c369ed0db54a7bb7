use super::*;

fn opaque_of(deltas: &[Value]) -> (String, Option<Value>) {
    let mut reasoning = Reasoning::default();
    let shown = deltas.iter().map(|delta| reasoning.take(delta)).collect();
    (shown, reasoning.opaque())
}

#[test]
fn text_under_two_names_counts_once() {
    let (shown, opaque_of) = opaque_of(&[
        json!({"reasoning": "a", "reasoning_content": "a"}),
        json!({"reasoning_content": null, "reasoning": "b"}),
        json!({"reasoning_content": ""}),
    ]);
    assert_eq!((shown.as_str(), opaque_of), ("ab", Some(json!({"reasoning_content": "ab"}))));
}

#[test]
fn details_keep_their_order_and_fragments_are_joined() {
    let text = |text: &str| json!({"type": "reasoning.text", "text": text, "format": "f", "index": 0});
    let sealed = |data: &str| json!({"type": "reasoning.encrypted", "data": data, "index": 0});
    let (shown, opaque_of) = opaque_of(&[
        json!({"reasoning": "a", "reasoning_details": [text("a")]}),
        json!({"reasoning": "b", "reasoning_details": [text("b")]}),
        json!({"reasoning_details": [{"type": "reasoning.text", "signature": "s", "index": 0}]}),
        json!({"reasoning_details": [sealed("x"), sealed("y")]}),
        json!({"reasoning_details": [text("c")]}),
    ]);
    assert_eq!(shown, "abc");
    let first = json!({"type": "reasoning.text", "text": "ab", "format": "f", "index": 0,
        "signature": "s"});
    let all = json!([first, sealed("x"), sealed("y"), text("c")]);
    assert_eq!(opaque_of, Some(json!({"reasoning_details": all})));
}

#[test]
fn chunks_in_the_content_are_joined_to_thoughts() {
    let mut reasoning = Reasoning::default();
    let text = |text: &str| json!({"type": "text", "text": text});
    let reference = json!({"type": "reference", "reference_ids": [1]});
    let shown: Vec<_> = [
        json!({"type": "thinking", "thinking": [text("a")]}),
        json!({"type": "thinking", "thinking": [text("b"), reference], "signature": null}),
        json!({"type": "thinking", "thinking": [text("c")], "closed": true, "signature": "s"}),
        json!({"type": "thinking", "thinking": "d"}),
        json!({"type": "thinking"}),
    ]
    .iter()
    .map(|chunk| reasoning.take_chunk(chunk))
    .collect();
    assert_eq!(shown.concat(), "abcd");
    let first = json!({"type": "thinking", "thinking": [text("ab"), reference, text("c")], "closed": true,
        "signature": "s"});
    let second = json!({"type": "thinking", "thinking": [text("d")], "closed": true});
    assert_eq!(reasoning.opaque(), Some(json!({"thinking": [first, second]})));
}

#[test]
fn without_thinking_nothing_is_stored() {
    let (shown, opaque_of) =
        opaque_of(&[json!({"reasoning_details": [], "reasoning": null}), json!({"content": "a"})]);
    assert_eq!((shown.as_str(), opaque_of), ("", None));
}

fn asked(dialect: Dialect, model: &str, thinking: Thinking, has_tools: bool) -> Value {
    let config = ModelConfig { thinking, ..ModelConfig::new("p", model) };
    object(effort_fields(dialect, &config, has_tools)).into()
}

#[test]
fn auto_sends_no_parameter() {
    for dialect in [Dialect::Openai, Dialect::OpenRouter, Dialect::DeepSeek, Dialect::Vllm, Dialect::Other] {
        assert_eq!(asked(dialect, "m", Thinking::Auto, true), json!({}), "{dialect:?}");
    }
}

#[test]
fn each_host_has_its_own_parameter() {
    use Thinking::{High, Low, Medium, Off};
    let effort = |word: &str| json!({ "reasoning_effort": word });
    let cases = [
        (Dialect::OpenRouter, "x/y", Off, json!({"reasoning": {"effort": "none"}})),
        (Dialect::OpenRouter, "x/y", High, json!({"reasoning": {"effort": "high"}})),
        (Dialect::DeepSeek, "deepseek-flash", Off, json!({"thinking": {"type": "disabled"}})),
        (Dialect::DeepSeek, "deepseek-flash", Low, json!({"thinking": {"type": "enabled"}})),
        (Dialect::Groq, "openai/gpt-oss-120b", Off, effort("low")),
        (
            Dialect::Groq,
            "qwen/qwen3-32b",
            Off,
            json!({"reasoning_effort": "none", "reasoning_format": "parsed"}),
        ),
        (Dialect::Groq, "moonshotai/kimi-k2", High, json!({})),
        (Dialect::Xai, "grok-3-mini", Medium, effort("high")),
        (Dialect::Xai, "grok-4", High, json!({})),
        (Dialect::Mistral, "mistral-small-latest", Low, effort("high")),
        (Dialect::Mistral, "mistral-small-latest", Off, json!({})),
        (Dialect::Mistral, "magistral-medium", High, json!({})),
        (Dialect::Perplexity, "sonar-deep-research", Medium, effort("medium")),
        (Dialect::Perplexity, "sonar", Medium, json!({})),
        (Dialect::Ollama, "qwen3", Off, effort("none")),
        (Dialect::LmStudio, "qwen3", Off, json!({})),
        (Dialect::Other, "m", High, effort("high")),
        (Dialect::LlamaCpp, "m", Off, json!({"chat_template_kwargs": {"enable_thinking": false}})),
        (
            Dialect::Vllm,
            "m",
            High,
            json!({"reasoning_effort": "high",
            "chat_template_kwargs": {"enable_thinking": true, "reasoning_effort": "high"}}),
        ),
    ];
    for (dialect, model, level, expected) in cases {
        assert_eq!(asked(dialect, model, level, true), expected, "{dialect:?} {model} {level:?}");
    }
}

#[test]
fn newer_openai_models_reject_tools_with_thinking() {
    let effort = |model: &str, level, tools| {
        asked(Dialect::Openai, model, level, tools).get("reasoning_effort").cloned()
    };
    assert_eq!(effort("gpt-5.6-sol", Thinking::High, true), Some(json!("none")));
    assert_eq!(effort("gpt-5.6-sol", Thinking::High, false), Some(json!("high")));
    assert_eq!(effort("gpt-6-astra", Thinking::High, true), None);
    assert_eq!(effort("gpt-6-astra", Thinking::Off, false), Some(json!("low")));
    assert_eq!(effort("gpt-5-mini", Thinking::Off, true), Some(json!("minimal")));
    assert_eq!(effort("gpt-5.1", Thinking::Off, false), Some(json!("none")));
    assert_eq!(effort("o3", Thinking::Off, false), Some(json!("low")));
    assert_eq!(effort("gpt-4o", Thinking::High, false), None);
    assert!(rejects_temperature(Dialect::Openai, "gpt-6-luna"));
    assert!(!rejects_temperature(Dialect::Openai, "gpt-4o"));
    assert!(!rejects_temperature(Dialect::OpenRouter, "openai/gpt-6-luna"));
}
