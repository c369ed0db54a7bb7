use super::*;

#[test]
fn slips_are_fixed() {
    for (entered, normalised) in [
        ("https://api.example.com", "https://api.example.com"),
        ("https://api.example.com/openai/v1/", "https://api.example.com/openai/v1"),
        ("  \"https://API.Example.com/V1\" ", "https://api.example.com/V1"),
        ("“https://api.example.com”", "https://api.example.com"),
        ("<https://api.example.com/v1>\n", "https://api.example.com/v1"),
        ("api.example.com/v1", "https://api.example.com/v1"),
        ("//api.example.com/v1", "https://api.example.com/v1"),
        ("api.example.com:8443", "https://api.example.com:8443"),
        ("localhost:1234/v1", "http://localhost:1234/v1"),
        ("127.0.0.1:11434", "http://127.0.0.1:11434"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("HTTP://localhost", "http://localhost"),
        ("https://example.com:443/v1", "https://example.com/v1"),
        ("http://localhost:80", "http://localhost"),
        ("https://example.com:80", "https://example.com:80"),
        ("https://openrouter.ai/api/v1/chat/completions", "https://openrouter.ai/api/v1"),
        ("https://api.anthropic.com/v1/messages", "https://api.anthropic.com/v1"),
        ("http://127.0.0.1:11434/api/tags/", "http://127.0.0.1:11434"),
        ("sk-host:8000/v1", "https://sk-host:8000/v1"),
        (
            "https://sk-something-longer-than-keys.example/v1",
            "https://sk-something-longer-than-keys.example/v1",
        ),
        (
            "https://gateway.example/0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c/models/tenant-with-a-long-name",
            "https://gateway.example/0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c/models/tenant-with-a-long-name",
        ),
    ] {
        assert_eq!(normalise(entered).as_deref(), Ok(normalised), "{entered}");
        assert_eq!(normalise(normalised).as_deref(), Ok(normalised), "mend is idempotent");
    }
}

#[test]
fn invalid_address_is_rejected_with_reason() {
    for (entered, problem) in [
        ("", AddressError::Empty),
        (" \" \" ", AddressError::Empty),
        ("ftp://example.com", AddressError::Scheme),
        ("file:///etc/hosts", AddressError::Scheme),
        ("javascript:alert(1)", AddressError::Scheme),
        ("mailto:someone", AddressError::Scheme),
        ("https://", AddressError::Host),
        ("https:///v1", AddressError::Host),
        ("https://exa$mple.com", AddressError::Host),
        ("https://bücher.example", AddressError::Host),
        ("https://a..b", AddressError::Host),
        ("https://example.com:99999", AddressError::Port),
        ("https://example.com:0", AddressError::Port),
        ("https://example.com:/v1", AddressError::Port),
        ("https://exam ple.com", AddressError::Blank),
        ("https://user:sk-123@example.com/v1", AddressError::KeyInside),
        ("sk-123@example.com", AddressError::KeyInside),
        ("user:sk-123@example.com", AddressError::KeyInside),
        ("https://example.com/v1?key=AIza123", AddressError::KeyInside),
        ("https://example.com/v1?a=b&api_key=1", AddressError::KeyInside),
        ("https://example.com/v1#access_token=1", AddressError::KeyInside),
        // An API key in the address field.
        ("sk-ant-api03-abc_DEF-0123456789", AddressError::KeyInside),
        ("AIzaSyCanary0123456789abcdefghijklmnopq", AddressError::KeyInside),
        ("0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c", AddressError::KeyInside),
        ("https://api.example.com/v1/gsk_canary0123456789abcdef", AddressError::KeyInside),
        ("https://example.com/v1?api-version=1", AddressError::Query),
        ("https://example.com/#top", AddressError::Query),
    ] {
        assert_eq!(normalise(entered), Err(problem), "{entered}");
    }
}

#[test]
fn distance_of_addresses() {
    for (url, scope) in [
        ("http://localhost:1", HostScope::Loopback),
        ("http://127.0.0.1:11434", HostScope::Loopback),
        ("http://[::1]:8080", HostScope::Loopback),
        ("http://192.168.1.5:8080", HostScope::LocalNetwork),
        ("http://172.20.0.1", HostScope::LocalNetwork),
        ("https://box.local/v1", HostScope::LocalNetwork),
        ("http://nas:8080", HostScope::LocalNetwork),
        ("http://10.0.0.1", HostScope::LocalNetwork),
        ("http://172.16.3.4:80", HostScope::LocalNetwork),
        ("http://172.32.0.1", HostScope::Public),
        ("https://10.example.com", HostScope::Public),
        ("http://[fd00::1]:80", HostScope::LocalNetwork),
        ("https://172.200.0.1", HostScope::Public),
        ("https://api.example.com/v1", HostScope::Public),
    ] {
        assert_eq!(reach(url), scope, "{url}");
    }
    assert!(is_callable("https://192.168.1.5") && is_callable("http://localhost:1/v1"));
    assert!(!is_callable("http://192.168.1.5") && !is_callable("http://[::1]:8080"));
    assert!(!is_callable("http://localhost.example.com"));
}

#[test]
fn key_is_extracted_from_pasted_text() {
    for pasted in [
        "sk-canary-1",
        "  sk-canary-1\r\n",
        "\"sk-canary-1\"",
        "'sk-canary-1',",
        "\"sk-canary-1\";\n",
        " \"'sk-canary-1' ,\" ",
        "OPENAI_API_KEY=sk-canary-1",
        "export ANTHROPIC_API_KEY=\"sk-canary-1\"",
        "HF_TOKEN = 'sk-canary-1'",
        "“sk-canary-1”",
        "`sk-canary-1`",
        "Bearer sk-canary-1",
        "bearer  \"sk-canary-1\"",
        "Authorization: Bearer sk-canary-1",
        "x-api-key: sk-canary-1",
        "\u{feff}sk-canary-1\u{200b}",
    ] {
        assert_eq!(clean_key(pasted).as_deref(), Ok("sk-canary-1"), "{pasted:?}");
    }
}

#[test]
fn parts_of_a_key_stay() {
    for key in ["c2stY2FuYXJ5LTE=", "a=b", "KEY=", "Sk_KEY=x", "a,b;c", "user:pass"] {
        assert_eq!(clean_key(key).as_deref(), Ok(key), "{key:?}");
    }
}

#[test]
fn invalid_key_is_rejected() {
    for (pasted, problem) in [
        ("", ApiKeyError::Empty),
        (" '' ", ApiKeyError::Empty),
        ("\",\"", ApiKeyError::Empty),
        ("Bearer ", ApiKeyError::Empty),
        ("sk-one sk-two", ApiKeyError::Blank),
        ("sk-one\nsk-two", ApiKeyError::Blank),
        ("schlüssel", ApiKeyError::Character),
        ("sk-…1234", ApiKeyError::Character),
        ("https://example.com", ApiKeyError::Address),
    ] {
        assert_eq!(clean_key(pasted), Err(problem), "{pasted:?}");
    }
    assert_eq!(clean_key(&"k".repeat(9_000)), Err(ApiKeyError::Long));
}
