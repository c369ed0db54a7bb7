use super::*;

#[test]
fn generation_is_derived_from_the_name() {
    let cases = [
        ("gemini-1.5-pro", GeminiGeneration::Silent),
        ("gemini-2.0-flash", GeminiGeneration::Silent),
        ("gemini-2.5-flash", GeminiGeneration::Budget),
        ("models/gemini-2.5-pro", GeminiGeneration::Budget),
        ("gemini-3-pro-preview", GeminiGeneration::Level),
        ("gemini-3.8-flash", GeminiGeneration::Level),
        ("gemini-4-argon", GeminiGeneration::Level),
        ("gemini-10.1-flash", GeminiGeneration::Level),
        ("gemini-flash-latest", GeminiGeneration::Level),
        ("gemini-1.5-flash-latest", GeminiGeneration::Silent),
        ("gemini-robotics-er-1.5", GeminiGeneration::Silent),
        ("gemma-3-27b-it", GeminiGeneration::Silent),
        ("", GeminiGeneration::Silent),
    ];
    for (model, expected) in cases {
        assert_eq!(generation(model), expected, "{model}");
    }
}

#[test]
fn thinking_is_set_for_each_generation() {
    use Thinking::{Auto, High, Low, Medium, Off};
    let thoughts = json!({"includeThoughts": true});
    for model in ["gemini-2.5-flash", "gemini-3.8-flash", "gemini-flash-latest"] {
        assert_eq!(config(model, Auto), Some(thoughts.clone()), "{model}");
    }
    assert_eq!(config("gemini-2.5-flash", Low), budget(1024));
    assert_eq!(config("gemini-2.5-flash", Medium), budget(8192));
    assert_eq!(config("gemini-2.5-pro", High), budget(24_576));
    assert_eq!(config("gemini-2.5-flash", Off), Some(json!({"thinkingBudget": 0})));
    assert_eq!(config("gemini-2.5-pro", Off), Some(json!({"thinkingBudget": 128})));
    assert_eq!(config("gemini-4-argon", Low), Some(level("low")));
    assert_eq!(config("gemini-4-argon", Medium), Some(level("medium")));
    assert_eq!(config("gemini-3.1-pro-preview", High), Some(level("high")));
    for model in ["gemini-2.0-flash", "gemma-3-27b-it"] {
        assert_eq!(config(model, High), None, "{model}");
    }
}

#[test]
fn off_uses_the_models_lowest_level() {
    let cases = [
        ("gemini-3.7-flash", "minimal"),
        ("gemini-3.5-flash-lite", "minimal"),
        ("gemini-flash-lite-latest", "minimal"),
        ("gemini-3.8-flash", "low"),
        ("gemini-flash-latest", "low"),
        ("gemini-3.1-pro-preview", "low"),
        ("gemini-4-argon", "low"),
    ];
    for (model, lowest) in cases {
        assert_eq!(config(model, Thinking::Off), Some(json!({"thinkingLevel": lowest})), "{model}");
    }
}
