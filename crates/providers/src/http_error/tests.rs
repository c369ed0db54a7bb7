use super::*;

#[test]
fn html_page_is_garbled_and_quoted() {
    let page = format!("<!doctype html>\n<title>Hotel\n  Wi-Fi</title>{}", "x".repeat(500));
    let failure = unexplained(200, Some("text/html"), &page);
    assert_eq!(failure.category, ProviderErrorKind::Garbled);
    assert!(failure.message.starts_with("<!doctype html> <title>Hotel Wi-Fi</title>"));
    assert_eq!(failure.message.chars().count(), EXCERPT_CHARS);
}

#[test]
fn empty_body_has_a_message() {
    assert_eq!(unexplained(502, None, " \n").message, "HTTP 502 with an empty body");
    assert_eq!(unexplained(502, None, "").category, ProviderErrorKind::Server);
}

#[test]
fn keys_are_redacted() {
    let key = format!("AIza{}", "Sy_-0".repeat(7));
    let redacted = without_keys(&format!("Consumer 'api_key:{key}' is suspended; {key}, ?key=short"));
    assert_eq!(redacted, "Consumer 'api_key:[key]' is suspended; [key], ?key=[key]");
    assert_eq!(without_keys("API key not valid. Größe 3.5"), "API key not valid. Größe 3.5");
    for start in KEY_STARTS {
        let key = format!("{start}{}", "a1B2".repeat(5));
        assert_eq!(without_keys(&format!("refused: {key}!")), "refused: [key]!");
    }
}

#[test]
fn delays_are_read_from_messages() {
    let cases = [
        ("Limit reached. Please try again in 1.2s. Visit us.", Some(1_200)),
        ("Please try again in 20ms.", Some(20)),
        ("Please try again in 6m0s.", Some(360_000)),
        ("try again in 1h2m3.5s", Some(3_723_500)),
        ("Please retry after 30 seconds", Some(30_000)),
        ("Try again in 2 minutes.", Some(120_000)),
        ("Please try again in a while.", None),
        ("Please try again later.", None),
        ("retry in -1s", None),
        ("retry after 12 apples", None),
        ("", None),
    ];
    for (words, expected) in cases {
        assert_eq!(delay_in_words(words), expected, "{words}");
    }
}
