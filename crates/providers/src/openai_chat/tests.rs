use super::*;

#[test]
fn host_is_recognised_by_its_url() {
    let cases = [
        ("https://api.openai.com/v1", Dialect::Openai),
        ("https://me.openai.azure.com/openai/v1", Dialect::Openai),
        ("https://OpenRouter.ai/api/v1", Dialect::OpenRouter),
        ("https://api.groq.com/openai/v1", Dialect::Groq),
        ("https://api.mistral.ai", Dialect::Mistral),
        ("https://api.deepseek.com", Dialect::DeepSeek),
        ("https://api.x.ai/v1", Dialect::Xai),
        ("https://eu-west-1.api.x.ai/v1", Dialect::Xai),
        ("https://api.perplexity.ai", Dialect::Perplexity),
        ("http://127.0.0.1:11434/v1", Dialect::Ollama),
        ("http://localhost:8080", Dialect::LlamaCpp),
        ("http://[::1]:1234/v1", Dialect::LmStudio),
        ("http://box.lan:8000/v1", Dialect::Vllm),
        ("https://router.example/v1", Dialect::Other),
        ("https://notapi.x.ai.example/v1", Dialect::Other),
        ("https://evil-openrouter.ai/v1", Dialect::Other),
        ("https://api.openai.com@evil.example/v1", Dialect::Other),
        ("", Dialect::Other),
    ];
    for (url, expected) in cases {
        assert_eq!(Dialect::of(url), expected, "{url}");
    }
}

#[test]
fn providers_tool_support_matches_the_dialects() {
    for preset in &nexus_model::provider::presets::PRESETS {
        let provider = preset.provider(std::iter::empty());
        assert_eq!(provider.takes_tools(), Dialect::of(preset.base_url).accepts_tools(), "{}", preset.label);
    }
}

#[test]
fn any_entered_base_gives_a_valid_url() {
    let cases = [
        ("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
        ("https://api.openai.com", "https://api.openai.com/v1/chat/completions"),
        (" https://openrouter.ai/ ", "https://openrouter.ai/api/v1/chat/completions"),
        ("https://openrouter.ai/api", "https://openrouter.ai/api/v1/chat/completions"),
        ("https://api.groq.com", "https://api.groq.com/openai/v1/chat/completions"),
        ("https://api.groq.com/openai/", "https://api.groq.com/openai/v1/chat/completions"),
        ("https://api.deepseek.com", "https://api.deepseek.com/chat/completions"),
        ("https://api.deepseek.com/v1", "https://api.deepseek.com/v1/chat/completions"),
        ("https://api.perplexity.ai", "https://api.perplexity.ai/chat/completions"),
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1/chat/completions"),
        ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ("http://h/v1/models/", "http://h/v1/chat/completions"),
        ("http://h/sub/path", "http://h/sub/path/v1/chat/completions"),
        ("https://h/api/paas/v4", "https://h/api/paas/v4/chat/completions"),
        ("https://h/v1beta/openai", "https://h/v1beta/openai/chat/completions"),
        ("https://h/v1?api-version=2#x", "https://h/v1/chat/completions?api-version=2"),
    ];
    for (base, expected) in cases {
        assert_eq!(address(base, "chat/completions"), expected, "{base}");
    }
    assert_eq!(address("https://api.x.ai/v1", "models"), "https://api.x.ai/v1/models");
}
