use super::*;

#[test]
fn model_is_the_same_without_vendor_variant_or_date() {
    let cases = [
        ("gpt-6.1-sol", "gpt-6.1-sol-2026-10-01", true),
        ("anthropic/claude-sonnet-5-5:floor", "claude-sonnet-5-5-20260901", true),
        ("models/gemini-3.8-flash", "gemini-3.8-flash", true),
        ("Qwen3", "qwen3:latest", true),
        ("claude-sonnet-5", "claude-sonnet-5-5", false),
        ("qwen3:8b", "qwen3:14b", false),
        ("gemini-flash-latest", "gemini-3.8-flash", false),
        ("openrouter/auto", "anthropic/claude-opus-5-5", false),
    ];
    for (asked, answered, same) in cases {
        assert_eq!(is_same_model(asked, answered), same, "{asked} and {answered}");
    }
}

#[test]
fn origin_has_scheme_host_and_port() {
    assert_eq!(origin_of("https://API.example.com:8443/v1?x"), Some("https://api.example.com:8443".into()));
    assert_eq!(origin_of("http://localhost:1234"), Some("http://localhost:1234".into()));
    assert_eq!(origin_of("https://good.example@evil.example/"), Some("https://evil.example".into()));
    assert_eq!(Provider::demo().origin(), None);
}

#[test]
fn stored_demo_gets_its_new_name() {
    let stored = serde_json::to_value(Provider::demo()).unwrap();
    let old = stored.to_string().replace("\"Demo\"", "\"Rehearsal\"");
    assert_ne!(old, stored.to_string());
    assert_eq!(serde_json::from_str::<Provider>(&old).unwrap(), Provider::demo());
    let mine = Provider { label: "Mine".to_owned(), ..Provider::gemini() };
    let restored: Provider = serde_json::from_str(&serde_json::to_string(&mine).unwrap()).unwrap();
    assert_eq!(restored, mine);
}

#[test]
fn only_loopback_addresses_are_local() {
    let is_local = |url: &str| Provider { base_url: url.to_owned(), ..Provider::gemini() }.is_local();
    for url in ["http://localhost:11434", "http://127.0.0.1/v1", "http://[::1]:80", DEMO_URL] {
        assert!(is_local(url), "{url}");
    }
    for url in [
        "https://localhost.example",
        "http://127.evil.example",
        "http://127.0.0.1.evil.example",
        "http://192.168.0.2:1234",
        "x",
    ] {
        assert!(!is_local(url), "{url}");
    }
}

#[test]
fn protocol_has_one_name() {
    for protocol in Protocol::ALL {
        assert_eq!(serde_json::to_value(protocol).unwrap(), protocol.name());
        assert_eq!(Protocol::named(protocol.name()), Some(protocol));
    }
}
