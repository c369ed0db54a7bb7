use super::*;

fn names() -> Vec<String> {
    ["Architect", "Engineer", "Critic"].map(str::to_owned).to_vec()
}

#[test]
fn a_mention_begins_a_word_and_ends_at_a_space() {
    assert_eq!(at_caret("ask @arc", 8), Some(Mention { at: 4, is_file: false, typed: "arc" }));
    assert_eq!(at_caret("@", 1), Some(Mention { at: 0, is_file: false, typed: "" }));
    assert_eq!(at_caret("(@cr", 4), Some(Mention { at: 1, is_file: false, typed: "cr" }));
    assert_eq!(at_caret("see #src/a", 10), Some(Mention { at: 4, is_file: true, typed: "src/a" }));
    assert_eq!(at_caret("me@home", 7), None);
    assert_eq!(at_caret("@arc now", 8), None);
    assert_eq!(at_caret("ask @arc", 2), None);
    assert_eq!(at_caret("é", 1), None);
}

#[test]
fn no_completion_far_behind_the_mark() {
    let text = format!("@{}", "a".repeat(1_000_000));
    assert_eq!(at_caret(&text, text.len()), None);
    assert_eq!(at_caret(&text, MENTION_CHARS).map(|mention| mention.typed.len()), Some(MENTION_CHARS - 1));
}

#[test]
fn matching_prefixes_come_first_in_any_case() {
    assert_eq!(matching("", &names()).len(), 3);
    assert_eq!(matching("C", &names()), ["Critic", "Architect"]);
    assert!(matching("zz", &names()).is_empty());
}

#[test]
fn the_same_name_comes_before_longer_ones() {
    let names = ["Critic-2", "Critic"].map(str::to_owned);
    assert_eq!(matching("critic", &names), ["Critic", "Critic-2"]);
}

#[test]
fn a_whole_name_needs_no_completion() {
    assert!(is_whole("@Critic", 7, "@Critic"));
    assert!(is_whole("ask @critic", 11, "@Critic"));
    assert!(is_whole("see #a.rs", 9, "#a.rs"));
    assert!(!is_whole("@Criti", 6, "@Critic"));
    assert!(!is_whole("@Critic", 6, "@Critic"));
    assert!(!is_whole("#A.rs", 5, "#a.rs"));
    assert!(!is_whole("@Critic ", 8, "@Critic"));
}

#[test]
fn a_choice_replaces_the_mention_and_moves_the_caret_behind_it() {
    let (text, caret) = insert("ask @arc to plan", 4, 8, "@Architect");
    assert_eq!((text.as_str(), caret), ("ask @Architect to plan", 14));
    assert_eq!(insert("@", 0, 1, "@Critic"), ("@Critic ".to_owned(), 8));
}

#[test]
fn new_files_get_free_names() {
    let files = ["a.txt".to_owned(), "pasted-1.txt".to_owned()];
    assert_eq!(free_name(&files), "pasted-2.txt");
    assert_eq!(free_name(&[]), "pasted-1.txt");
}

#[test]
fn code_gets_its_own_name_or_one_of_its_language() {
    let files = ["code.rs".to_owned(), "app.js".to_owned()];
    assert_eq!(file_for(Some("lib.rs"), "rust", &files), "lib.rs");
    assert_eq!(file_for(Some("app.js"), "js", &files), "app-2.js");
    assert_eq!(file_for(None, "rust", &files), "code-2.rs");
    assert_eq!(file_for(None, "html", &files), "code.html");
    assert_eq!(file_for(None, "something else", &[]), "code.txt");
}

#[test]
fn offsets_convert_to_and_from_utf16() {
    let text = "a😀é";
    assert_eq!(byte_of(text, 3), 5);
    assert_eq!(byte_of(text, 99), text.len());
    assert_eq!(utf16_of(text, 5), 3);
    for utf16 in [0, 1, 3, 4] {
        assert_eq!(utf16_of(text, byte_of(text, utf16)), utf16);
    }
}

#[test]
fn a_message_that_begins_with_the_name_of_nobody() {
    let unknown = |text| unknown_recipient(text, names);
    assert_eq!(unknown("@foo look at this"), Some("foo"));
    assert_eq!(unknown("@foo, look"), Some("foo"));
    // Still being typed, somebody's name, no name, and a mention elsewhere.
    for known in ["@foo", "@critic look", "@Engineer, look", "@ foo", "@", "ask @foo now", ""] {
        assert_eq!(unknown(known), None, "{known}");
    }
    let spaced = || vec!["Old Hand".to_owned()];
    assert_eq!(unknown_recipient("@old hand, look", spaced), None);
    assert_eq!(unknown_recipient("@old handle", spaced), Some("old"));
}
