use super::*;

#[test]
fn invisible_characters_are_revealed_and_days_rounded_up() {
    assert!(!fork_mark("a\u{202e}b").contains('\u{202e}'));
    let day = 24 * 60 * 60_000;
    assert_eq!(purged_in(Millis(3 * day), Millis(0)), "deleted permanently in 3 days");
    assert_eq!(purged_in(Millis(day), Millis(1)), "deleted permanently within a day");
    assert!(purged_in(Millis(1), Millis(5)).starts_with("deleted permanently soon"));
}
