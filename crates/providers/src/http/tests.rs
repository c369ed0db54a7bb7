use super::*;

#[test]
fn base_without_version_gets_one() {
    let cases = [
        ("https://api.anthropic.com", "https://api.anthropic.com/v1"),
        ("https://api.anthropic.com/v1/", "https://api.anthropic.com/v1"),
        ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"),
        ("http://localhost:1234/proxy", "http://localhost:1234/proxy/v1"),
        ("https://h/api/v4", "https://h/api/v4"),
        ("https://h/vault", "https://h/vault/v1"),
    ];
    for (base, expected) in cases {
        assert_eq!(Endpoint { base_url: base.to_owned(), key: None }.versioned(), expected);
    }
}
