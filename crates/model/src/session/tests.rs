use proptest::prelude::*;

use super::*;

#[test]
fn title_is_shown_instead_of_automatic_label() {
    for (label, fork) in [
        ("main", ""),
        ("session 12", ""),
        ("main, fork", ", fork"),
        ("session 2, fork 3", ", fork 3"),
        ("main, fork, fork 2", ", fork, fork 2"),
    ] {
        let shown = format!("A quiz about birds{fork}");
        assert_eq!(shown_name(label, Some("A quiz about birds"), Some("Hi")), shown, "{label}");
        assert_eq!(shown_name(label, None, None), label);
        assert_eq!(shown_name(label, Some(""), Some("")), label);
        let begins = if label.starts_with("main") { label.to_owned() } else { format!("Write a quiz{fork}") };
        assert_eq!(shown_name(label, None, Some("Write a quiz")), begins);
    }
    for label in ["Birds", "session notes", "session ", "birds, fork", "Main"] {
        assert_eq!(shown_name(label, Some("A quiz about birds"), Some("Hi")), label);
    }
}

#[test]
fn a_fork_is_shown_under_the_name_of_its_origin() {
    let title = Some("A quiz about birds".to_owned());
    let opened = |label: &str| Session::opened(SessionId::default(), label.to_owned(), Millis(1));
    let origin = Session { title, ..opened("main") };
    let fork = origin.fork(SessionRole::Conversation, opened("main, fork"));
    assert_eq!(fork.name(), "A quiz about birds, fork");
    let begins = Some((MessageId::default(), "Write a quiz".to_owned()));
    let origin_without_title = Session { begins, ..opened("session 2") };
    let fork_of_it = origin_without_title.fork(SessionRole::Conversation, opened("session 2, fork"));
    assert_eq!(fork_of_it.name(), "Write a quiz, fork");
    assert_eq!(origin.fork(SessionRole::Conversation, opened("mine")).name(), "mine");
}

#[test]
fn beginning_is_one_line() {
    assert_eq!(beginning("  one\n\ntwo   three ", 40), "one two three");
    assert_eq!(beginning("one two three", 7), "one two…");
    assert_eq!(beginning("one two three", 6), "one…");
    assert_eq!(beginning("immeasurable", 4), "imme…");
    assert_eq!(beginning("", 4), "");
}

proptest! {
    #[test]
    fn beginning_has_at_most_the_given_length(text in "[a-cü \n]{0,80}", most in 1usize..30) {
        let begins = beginning(&text, most);
        prop_assert!(begins.chars().count() <= most + 1);
        prop_assert!(!begins.contains('\n'));
        let whole = text.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert!(whole.starts_with(begins.trim_end_matches('…')));
        let shown = begins.trim_end_matches('…').chars().count();
        prop_assert_eq!(begins.ends_with('…'), whole.chars().count() > shown);
    }
}
