use super::*;

#[test]
fn only_three_schemes_are_allowed_in_any_spelling() {
    for good in ["https://a.example/x", "HTTP://a.example", "mailto:a@b.example", " https://a.example\n"] {
        assert!(allowed(good).is_some(), "{good}");
    }
    for bad in [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\nscript:alert(1)",
        "\u{1}javascript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "blob:https://a.example/x",
        "//a.example",
        "/relative",
        "a.html",
        "",
        "https:",
        "https://",
        "http:///",
        "ftp://a.example",
        "about:blank",
        "mailto:",
    ] {
        assert_eq!(allowed(bad), None, "{bad}");
    }
}

#[test]
fn host_is_where_the_browser_would_go() {
    for (address, host) in [
        ("https://user:pass@evil.example:8080/x", "evil.example"),
        ("https://good.example@evil.example", "evil.example"),
        ("https:\\\\evil.example\\@good.example", "evil.example"),
        ("http://[::1]:3000/", "[::1]"),
        ("mailto:a@b.example?subject=x@y", "b.example"),
    ] {
        assert_eq!(host_of(address), Some(host), "{address}");
    }
}

#[test]
fn link_text_with_another_host_is_detected() {
    assert!(is_misleading("https://bank.example", "https://evil.example/"));
    assert!(is_misleading("www.bank.example", "https://evil.example/"));
    assert!(is_misleading("bank.com", "https://evil.example/"));
    assert!(!is_misleading("https://www.a.example/x", "https://a.example/y"));
    assert!(!is_misleading("main.rs", "https://a.example/main.rs"));
    assert!(!is_misleading("the manual", "https://a.example/"));
}

#[test]
fn link_with_words_of_the_conversation_is_detected() {
    let text = "Our launch is planned for the twelfth of May, in secret.";
    let address = "https://evil.example/?q=launch%20is+planned%20for%20the%20twelfth%20of%20May";
    assert!(carries(address, [text].into_iter()));
    assert!(!carries("https://docs.example/std/string/struct.String.html", [text].into_iter()));
    assert!(!carries("https://a.example/?q=launch", [text].into_iter()));
    assert!(is_laden(&format!("https://a.example/?{}", "x".repeat(201))));
    assert!(!is_laden("https://a.example/?q=x"));
}

#[test]
fn only_bitmaps_may_be_inlined_in_an_address() {
    assert_eq!(image_in("data:image/png;base64,AAAA", 10), Some("image/png"));
    for bad in [
        "data:image/svg+xml;base64,AAAA",
        "data:image/png,AAAA",
        "data:text/html;base64,AAAA",
        "data:image/png;base64,AA\"A",
        "data:image/png;charset=x;base64,AAAA",
    ] {
        assert_eq!(image_in(bad, 10), None, "{bad}");
    }
    assert_eq!(image_in(&format!("data:image/png;base64,{}", "A".repeat(40)), 10), None);
}
