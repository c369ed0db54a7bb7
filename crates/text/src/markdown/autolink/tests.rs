use proptest::prelude::*;

use super::*;
use crate::limits::counted;

fn addresses(text: &str) -> Vec<String> {
    let linked = link(vec![Inline::Text(text.to_owned())], &mut 0);
    let address = |word: &Inline| {
        let Inline::Link { address, .. } = word else { return None };
        Some(address.clone())
    };
    linked.iter().filter_map(address).collect()
}

#[test]
fn addresses_are_found_within_sentences() {
    for (text, expected) in [
        ("Visit www.commonmark.org/help for more.", "http://www.commonmark.org/help"),
        ("(see https://a.example/x_(y))", "https://a.example/x_(y)"),
        ("https://a.example/?q=1&copy;", "https://a.example/?q=1"),
        ("at http://localhost:3000/x!", "http://localhost:3000/x"),
        ("ask foo.bar+baz@mail.example.com.", "mailto:foo.bar+baz@mail.example.com"),
        ("https://münchen.example/straße", "https://münchen.example/straße"),
    ] {
        assert_eq!(addresses(text), [expected], "{text}");
    }
}

#[test]
fn look_alikes_stay_text() {
    for text in ["xhttps://a.example", "www.", "http://", "ftp://a.example", "a@b", "a@b.c_", "@example.com"]
    {
        assert!(addresses(text).is_empty(), "{text}: {:?}", addresses(text));
    }
}

#[test]
fn host_within_another_is_checked_by_itself() {
    assert_eq!(addresses("www._www.a"), ["http://www.a"]);
    assert_eq!(addresses("http://_.http://a"), ["http://a"]);
    assert_eq!(addresses("www._.x.y"), ["http://www._.x.y"]);
    assert!(addresses("www.a_.b").is_empty());
    assert!(addresses("www._www.").is_empty());
}

/// The steps per byte of a search for addresses.
fn steps_per_byte(text: &str) -> usize {
    let (_, steps) = counted(|| addresses(text));
    steps / text.len().max(1)
}

#[test]
fn possible_beginnings_cost_linear_time() {
    for piece in [
        "www._",
        "www.",
        "www._.",
        "http://_",
        "http://a_.",
        "a@",
        "a@b.c_",
        "www.a.b!",
        "https://",
        "(www.a_b",
        "ww",
        "a.b@c-",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        assert!(steps_per_byte(&text) <= 16, "{piece}: {}", steps_per_byte(&text));
    }
    let dots = format!("{}{}", "www._".repeat(100_000), ".".repeat(500_000));
    assert!(steps_per_byte(&dots) <= 16);
}

proptest! {
    #[test]
    fn search_takes_a_few_steps_per_byte(
        pieces in proptest::collection::vec(
            prop_oneof!["www\\.", "_", "\\.", "@", "http://", "https://", "[a-c]", "\\(", "\\)", "&amp;", ";", " ", "<", "ü", "-"],
            1..12,
        ),
        times in 1_usize..400,
    ) {
        let text = pieces.concat().repeat(times);
        prop_assert!(steps_per_byte(&text) <= 16, "{}", steps_per_byte(&text));
    }
}

#[test]
fn brackets_cost_linear_time() {
    let text = format!("https://a.example/{}", ")".repeat(1_000_000));
    assert_eq!(addresses(&text), ["https://a.example/"]);
    let text = "a@".repeat(500_000);
    assert!(addresses(&text).is_empty());
}
