use proptest::prelude::*;

use super::*;

#[test]
fn quotation_marks_every_line() {
    let quoted = quotation("Engineer", "\none\n\n  two  \n").unwrap();
    assert_eq!(quoted, "> Engineer:\n> one\n>\n>   two\n\n");
    assert_eq!(quotation("Engineer", " \n\t"), None);
}

#[test]
fn quotation_is_added_below_the_draft() {
    assert_eq!(added("", "> a\n\n"), "> a\n\n");
    assert_eq!(added("so: ", "> a\n\n"), "so:\n\n> a\n\n");
    assert_eq!(added("", "theirs"), "theirs");
    assert_eq!(added("mine \n", "theirs"), "mine\n\ntheirs");
}

#[test]
fn own_words_exclude_quotations() {
    assert_eq!(without_quotations("a\n> b\n  > c\nd > e"), "a\nd > e");
}

proptest! {
    #[test]
    fn quotation_adds_no_own_words(text in "[ab>#@ \n\r]{0,60}") {
        if let Some(quoted) = quotation("@Who #file", &text) {
            let own = without_quotations(&added("mine", &quoted));
            prop_assert_eq!(own.trim(), "mine");
        }
    }

    #[test]
    fn every_quoted_line_is_marked(text in "[ab>#@ \n\r]{0,60}") {
        if let Some(quoted) = quotation("Who", &text) {
            prop_assert!(quoted.trim_end().lines().all(|line| line.starts_with('>')));
            let bare: String = quoted.lines().skip(1).filter_map(|line| line.get(1..)).collect();
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&bare), letters(&text));
        }
    }
}
