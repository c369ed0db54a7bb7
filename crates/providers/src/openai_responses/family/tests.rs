use super::*;

fn set(model: &str, thinking: Thinking) -> ReasoningSettings {
    settings(&ModelConfig { thinking, temperature: Some(3.0), ..ModelConfig::new("openai", model) })
}

fn effort(model: &str, thinking: Thinking) -> Option<String> {
    let reasoning = set(model, thinking).reasoning?;
    reasoning.get("effort").and_then(Value::as_str).map(str::to_owned)
}

#[test]
fn off_uses_the_lowest_accepted_effort() {
    let cases = [
        ("o3-mini", Some("low")),
        ("gpt-5", Some("minimal")),
        ("gpt-5-mini-2025-08-07", Some("minimal")),
        ("gpt-5.1", Some("none")),
        ("gpt-5.6-terra", Some("none")),
        ("openai/gpt-6-luna", Some("none")),
        ("gpt-6-astra", Some("low")),
        ("gpt-6.1-sol", Some("low")),
        ("gpt-5.1-codex-max", Some("low")),
        ("gpt-5-pro", Some("high")),
        ("gpt-5.2-pro", Some("medium")),
        ("gpt-7", Some("low")),
        ("gpt-oss-120b", Some("low")),
        ("gpt-4o", None),
        ("ft:gpt-4.1-mini:org::id", None),
        ("gpt-5-chat-latest", None),
        ("llama-4", Some("low")),
    ];
    for (model, least) in cases {
        assert_eq!(effort(model, Thinking::Off).as_deref(), least, "{model}");
    }
}

#[test]
fn summaries_are_requested_from_reasoning_models() {
    let summary = Some(json!({"summary": "auto"}));
    assert_eq!(set("gpt-6.1-sol", Thinking::Auto).reasoning, summary);
    assert_eq!(set("llama-4", Thinking::Auto).reasoning, None);
    let high = Some(json!({"effort": "high", "summary": "auto"}));
    assert_eq!(set("gpt-6-luna", Thinking::High).reasoning, high);
    assert_eq!(effort("gpt-5.2-pro", Thinking::Low).as_deref(), Some("medium"));
    assert_eq!(set("gpt-6-luna", Thinking::Off).reasoning, Some(json!({"effort": "none"})));
    assert!(!set("gpt-4o", Thinking::High).wants_encrypted);
    assert!(set("o3", Thinking::High).wants_encrypted);
}

#[test]
fn temperature_is_sent_only_without_reasoning() {
    assert_eq!(set("gpt-4o", Thinking::Auto).temperature, Some(2.0));
    assert_eq!(set("gpt-5.1", Thinking::Off).temperature, Some(2.0));
    assert_eq!(set("gpt-5.1", Thinking::Auto).temperature, None);
    assert_eq!(set("gpt-5", Thinking::Off).temperature, None);
}
