use super::*;
use nexus_text::merge3::merge;

fn left(typed: &str, saved: &str, now: &str) -> Option<(String, bool)> {
    let buffer =
        EditBuffer { text: Arc::from(typed), base: ContentHash::of_text("then"), in_conflict: false };
    let left = buffer.after_settling(saved, now, &ContentHash::of_text("now"), Some(merge))?;
    assert_eq!(left.base, ContentHash::of_text("now"));
    Some((left.text.to_string(), left.in_conflict))
}

#[test]
fn a_fully_saved_buffer_is_closed() {
    assert_eq!(left("ab", "ab", "ab"), None);
    assert_eq!(left("ab", "ab", "ab\nand an agent's text"), None);
}

#[test]
fn without_a_merger_the_buffer_keeps_its_base() {
    let buffer =
        EditBuffer { text: Arc::from("abc"), base: ContentHash::of_text("then"), in_conflict: false };
    let left = buffer.after_settling("ab", "ab, and theirs", &ContentHash::of_text("now"), None);
    assert_eq!(left, Some(buffer.clone()));
    assert_eq!(buffer.after_settling("abc", "abc", &ContentHash::of_text("now"), None), None);
}

#[test]
fn text_typed_since_stays() {
    assert_eq!(left("abc", "ab", "ab"), Some(("abc".into(), false)));
}

#[test]
fn concurrent_edits_are_merged() {
    let left = left("ONE!\ntwo\nthree\nfour\n", "ONE\ntwo\nthree\nfour\n", "ONE\ntwo\nthree\nFOUR\n");
    assert_eq!(left, Some(("ONE!\ntwo\nthree\nFOUR\n".into(), false)));
}

#[test]
fn conflicting_lines_both_stay_with_markers() {
    let (text, in_conflict) = left("mine!\n", "mine\n", "theirs\n").expect("something was typed since");
    assert!(in_conflict && text.contains("mine!") && text.contains("theirs"), "{text}");
}
