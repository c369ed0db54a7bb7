use super::*;
use proptest::prelude::*;

#[test]
fn removals_are_listed_and_counted() {
    assert_eq!(brief("a\nb\nc\nd\n", "a\nc\nD\n", 9), "-   2 b\n-   4 d\n+   3 D\n");
    assert_eq!(count("a\nb\nc\nd\n", "a\nc\nD\n"), LineCount { added: 1, removed: 2 });
}

#[test]
fn equal_texts_have_no_difference() {
    assert_eq!(brief("same\n", "same\n", 9), "");
}

#[test]
fn brief_is_truncated() {
    let new: String = (0..50).map(|n| format!("{n}\n")).collect();
    assert_eq!(brief("", &new, 5).lines().count(), 6);
}

/// Lines in neither of the longest common subsequence, by the table that school teaches.
fn slow(old: &str, new: &str) -> usize {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut table = vec![vec![0usize; new.len() + 1]; old.len() + 1];
    for (i, a) in old.iter().enumerate() {
        for (j, b) in new.iter().enumerate() {
            table[i + 1][j + 1] = if a == b { table[i][j] + 1 } else { table[i][j + 1].max(table[i + 1][j]) };
        }
    }
    let common = table[old.len()][new.len()];
    old.len() + new.len() - 2 * common
}

#[test]
fn replaced_lines_count_twice_towards_the_bound() {
    let base = "a\nb\nc\nd\ne\nf\n";
    let inserted = |count: usize| format!("{base}{}", "new\n".repeat(count));
    assert_eq!(changed_lines(base, &inserted(6), 5), None);
    assert_eq!(changed_lines(base, &inserted(5), 5), Some(5));
    assert_eq!(changed_lines(base, "A\nB\nC\nd\ne\nf\n", 5), None);
    assert_eq!(changed_lines(base, "A\nB\nc\nd\ne\nf\n", 5), Some(4));
    assert_eq!(changed_lines(base, "", 5), None);
    assert_eq!(changed_lines(base, base, 0), Some(0));
    assert_eq!(changed_lines("", "", 0), Some(0));
    assert_eq!(changed_lines("a\n", "b\n", 1), None);
}

#[test]
fn changed_lines_are_counted_at_any_size() {
    let old: String = (0..200_000).map(|n| format!("old {n}\n")).collect();
    let new: String = (0..200_000).map(|n| format!("new {n}\n")).collect();
    assert_eq!(changed_lines(&old, &new, 5), None);
    let touched = old.replace("old 100000\n", "x\n").replace("old 7\n", "").replace("old 199000\n", "a\nb\n");
    assert_eq!(changed_lines(&old, &touched, 6), Some(6));
    assert_eq!(changed_lines(&old, &touched, 5), None);
    // Lines that repeat lead every diagonal far.
    let (same, more) = ("x\n".repeat(100_000), "x\n".repeat(100_003));
    assert_eq!(changed_lines(&same, &more, 5), Some(3));
}

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(prop_oneof!["[abc]", Just(String::new())], 0..14)
        .prop_map(|lines| lines.iter().map(|line| format!("{line}\n")).collect())
}

proptest! {
    #[test]
    fn agrees_with_the_slow_reference(old in text(), new in text(), most in 0usize..12) {
        let wanted = slow(&old, &new);
        prop_assert_eq!(changed_lines(&old, &new, most), (wanted <= most).then_some(wanted));
    }

    #[test]
    fn both_directions_count_the_same(old in text(), new in text()) {
        prop_assert_eq!(changed_lines(&old, &new, 6), changed_lines(&new, &old, 6));
    }
}

#[test]
fn long_text_in_another_order_is_compared_in_time() {
    let lines: Vec<String> = (0..60_000).map(|number| format!("{number}\n")).collect();
    let old: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut new = old.clone();
    new[10..].reverse();
    assert_eq!(differences(&old, &new), [(10..60_000, 10..60_000)]);
    // Few changes are found line by line.
    let mut new = old.clone();
    new.swap(100, 50_000);
    assert_eq!(differences(&old, &new).len(), 2);
}
