use super::*;

#[test]
fn lines_and_bytes_are_counted() {
    assert_eq!(figures(""), "0 lines · 0 B");
    assert_eq!(figures("a"), "1 line · 1 B");
    assert_eq!(figures("a\nb\n"), "2 lines · 4 B");
    assert_eq!(figures(&"x".repeat(1536)), "1 line · 1.5 kB");
}
