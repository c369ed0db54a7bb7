use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn text_is_whole_or_shortened_to_the_limit(text in "[a-cü€ \n]{0,40}", most in 0usize..50) {
        let shown = ellipsis(&text, most);
        prop_assert_eq!(shown == text, text.chars().count() <= most);
        prop_assert!(shown.chars().count() <= most + 1 && text.starts_with(shown.trim_end_matches('…')));
        let first = first_bytes(&text, most);
        prop_assert!(first.len() <= most && text.starts_with(first) && first.len() + 3 > most.min(text.len()));
        prop_assert_eq!(cut(&text, most) == text, text.len() <= most);
    }
}

#[test]
fn one_line_joins_words() {
    assert_eq!(one_line("  one\n two\t three "), "one two three");
}

#[test]
fn only_one_is_singular() {
    assert_eq!(counted(1, "turn", "turns"), "1 turn");
    assert_eq!(counted(0_u32, "turn", "turns"), "0 turns");
    assert_eq!(counted(2_usize, "turn", "turns"), "2 turns");
}
