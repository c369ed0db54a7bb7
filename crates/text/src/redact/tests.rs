//! Tests that no secret passes in any form or split, and that nothing else changes.

use proptest::prelude::*;

use super::*;
use crate::testing::{KEY_PATTERN, echoed_form};

fn any_key() -> impl Strategy<Value = String> {
    KEY_PATTERN.prop_filter("a secret", |key| is_secret(key))
}

/// A body split at these places, redacted piece by piece.
fn redacted(redactor: &Rc<Redactor>, body: &[u8], cuts: &[prop::sample::Index]) -> Vec<u8> {
    let mut places: Vec<_> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
    places.extend([0, body.len()]);
    places.sort_unstable();
    let mut stream = RedactedStream::new(Rc::clone(redactor));
    let mut out = Vec::new();
    for pair in places.windows(2) {
        out.extend(stream.push(body[pair[0]..pair[1]].to_vec()));
    }
    out.extend(stream.end());
    out
}

proptest! {
    #[test]
    fn key_never_passes_in_any_form_or_split(
        key in any_key(),
        around in proptest::collection::vec(("[ -~\\n]{0,20}", 0usize..8), 1..5),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let redactor = Rc::new(Redactor::new([key.as_str()]));
        let body: String = around.iter().map(|(text, number)| format!("{text} {}", echoed_form(&key, *number))).collect();
        let out = String::from_utf8(redacted(&redactor, body.as_bytes(), &cuts)).unwrap();
        for number in 0..8 {
            prop_assert!(!out.contains(&echoed_form(&key, number)), "{out}");
        }
        prop_assert!(out.matches(REDACTED_KEY).count() >= around.len(), "{out}");
        prop_assert_eq!(&out, &redactor.text(&body), "the pieces make no difference");
    }

    #[test]
    fn text_without_keys_is_unchanged(
        key in any_key(),
        body in proptest::collection::vec(any::<u8>(), 0..200),
        begun in any::<prop::sample::Index>(),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let mut body = body;
        // The first letters of a key, at the end: buffered, and returned at the end.
        body.extend(key.bytes().take(begun.index(key.len().min(PLAIN_BYTES))));
        let redactor = Rc::new(Redactor::new([key.as_str()]));
        prop_assert_eq!(redacted(&redactor, &body, &cuts), body);
    }
}

#[test]
fn stream_line_is_passed_on_at_once() {
    let mut stream = RedactedStream::new(Rc::new(Redactor::new(["d4ta-key-0123456789"])));
    assert_eq!(stream.push(b"data: {}\n\n".to_vec()), b"data: {}\n\n");
    assert_eq!(stream.push(b"data: d4t".to_vec()), b"data: ");
    assert_eq!(stream.push(b"a-cheap\n\n".to_vec()), b"d4ta-cheap\n\n");
    assert_eq!(stream.push(b"d4ta-key-01".to_vec()), b"");
    assert_eq!(stream.push(b"23456789!".to_vec()), b"[key]!");
}

#[test]
fn first_half_of_a_key_is_removed() {
    let redactor = Rc::new(Redactor::new(["d4ta-key-0123456789"]));
    assert_eq!(redactor.text("no access for d4ta-key-01234…"), "no access for [key]…");
    assert_eq!(redactor.text("no access for d4ta-key-01234"), "no access for [key]");
    assert_eq!(redactor.text("d4ta-key-01 is none"), "d4ta-key-01 is none");
    let mut stream = RedactedStream::new(redactor);
    assert_eq!(stream.push(b"cut: d4ta-key-".to_vec()), b"cut: ");
    assert_eq!(stream.push(b"01234".to_vec()), b"");
    assert_eq!(stream.end(), b"[key]");
}

#[test]
fn longer_key_with_a_shorter_prefix_is_removed() {
    let redactor = Rc::new(Redactor::new(["abcd1234", "abcd1234-and-more"]));
    assert_eq!(redactor.text("abcd1234-and-more, abcd1234"), "[key], [key]");
    let mut stream = RedactedStream::new(redactor);
    assert_eq!(stream.push(b"abcd1234-and".to_vec()), b"");
    assert_eq!(stream.push(b"-more.".to_vec()), b"[key].");
}

#[test]
fn placeholders_and_words_are_no_secrets() {
    for word in ["", "ollama", "not-needed", "lm-studio", "message", "candidates", "12345678", "sk-1"] {
        assert!(!is_secret(word), "{word}");
        assert_eq!(Redactor::new([word]).text(&format!("x {word} x")), format!("x {word} x"));
    }
    for key in ["abcd1234", "Abcdefgh", "test-key-canary", "123456789012"] {
        assert!(is_secret(key), "{key}");
    }
}

#[test]
fn many_backslashes_are_read_in_time() {
    let redactor = Redactor::new(["\\\\key-0123456789", "abcd1234"]);
    let body = "\\".repeat(200_000);
    assert_eq!(redactor.text(&body), body);
}

#[test]
fn report_contains_no_likely_keys() {
    let report = "no answer for AIzaSyCanary0123456789 at src/domain/mind.rs\nkey=sk-canary-0123456789 ok";
    let scrubbed = scrub(report);
    assert!(!scrubbed.contains("anary"), "{scrubbed}");
    assert!(scrubbed.contains("src/domain/mind.rs") && scrubbed.ends_with("ok"));
    assert!(scrub(&"word ".repeat(10_000)).len() <= MOST_BYTES + 4);
}
