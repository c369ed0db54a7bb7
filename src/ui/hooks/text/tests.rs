use super::*;

#[test]
fn caret_keeps_its_place_in_the_text() {
    // Changes after the caret, before it, and with a surrogate pair.
    assert_eq!(moved("abc", "abcdef", 2), 2);
    assert_eq!(moved("abc", "xxabc", 3), 5);
    assert_eq!(moved("a🙂c", "a🙂bc", 4), 5);
    assert_eq!(moved("abc", "", 3), 0);
}
