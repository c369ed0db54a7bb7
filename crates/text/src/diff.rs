//! Line diff: the changed lines for models, line counts, and the number of changed lines up to a bound.

use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// How many lines were added and removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCount {
    /// Lines only in the new text.
    pub added: usize,
    /// Lines only in the old text.
    pub removed: usize,
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

/// How many lines differ.
pub fn count(old: &str, new: &str) -> LineCount {
    let (old, new) = (lines(old), lines(new));
    let mut count = LineCount::default();
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        if !matches!(op, DiffOp::Equal { .. }) {
            let (_, old_range, new_range) = op.as_tag_tuple();
            count.removed += old_range.len();
            count.added += new_range.len();
        }
    }
    count
}

/// A short text of the difference for a model: `+` and `-` lines with their numbers, cut after `most` lines.
pub fn brief(old: &str, new: &str, most: usize) -> String {
    let (old, new) = (lines(old), lines(new));
    let mut out = String::new();
    let mut written = 0usize;
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (_, old_range, new_range) = op.as_tag_tuple();
        let removed = old_range.map(|at| ('-', at, old.get(at)));
        let added = new_range.map(|at| ('+', at, new.get(at)));
        for (sign, at, text) in removed.chain(added) {
            if written == most {
                out.push_str("… more lines changed\n");
                return out;
            }
            written += 1;
            out.push_str(&format!("{sign}{:>4} {}\n", at + 1, text.unwrap_or(&"")));
        }
    }
    out
}

/// How many lines are inserted and deleted between two texts; `None` where it is more than `most`.
///
/// A replaced line counts two. The bound keeps the time linear in the texts.
///
/// The search follows, for each number of steps up to `most`, how far each diagonal can be reached (Myers); each of
/// the few diagonals reads each line at most once.
pub fn changed_lines(old: &str, new: &str, most: usize) -> Option<usize> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let (old, new) = trimmed(&old, &new);
    if old.len().abs_diff(new.len()) > most {
        return None;
    }
    // How far in the old text each diagonal was reached. The diagonal with as many insertions as deletions is in the
    // middle; one more on each side saves asking for the edges.
    let middle = most.saturating_add(1);
    let mut reached = vec![0usize; middle.saturating_mul(2).saturating_add(1)];
    let goal = middle.saturating_add(old.len()).saturating_sub(new.len());
    for steps in 0..=most {
        let (first, last) = (middle - steps, middle + steps);
        for diagonal in (first..=last).step_by(2) {
            let at = |place: usize| reached.get(place).copied().unwrap_or(0);
            let (below, above) = (at(diagonal.saturating_sub(1)), at(diagonal + 1));
            let inserts = diagonal == first || (diagonal != last && below < above);
            let start = match (steps, inserts) {
                (0, _) => 0,
                (_, true) => above,
                (_, false) => below.saturating_add(1),
            };
            let end = along(old, new, start, diagonal, middle);
            if let Some(place) = reached.get_mut(diagonal) {
                *place = end;
            }
            if diagonal == goal && end >= old.len() {
                return Some(steps);
            }
        }
    }
    None
}

/// How far equal lines lead from here on this diagonal.
fn along(old: &[&str], new: &[&str], start: usize, diagonal: usize, middle: usize) -> usize {
    let mut x = start;
    loop {
        let Some(y) = x.saturating_add(middle).checked_sub(diagonal) else { return x };
        match (old.get(x), new.get(y)) {
            (Some(a), Some(b)) if a == b => x += 1,
            _ => return x,
        }
    }
}

/// Both without the lines that they begin and end with alike.
fn trimmed<'a, 't>(old: &'a [&'t str], new: &'a [&'t str]) -> (&'a [&'t str], &'a [&'t str]) {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let keep = |lines: &'a [&'t str]| lines.get(..lines.len() - tail).unwrap_or_default();
    (keep(old), keep(new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn removals_are_shown_and_counted() {
        assert_eq!(brief("a\nb\nc\nd\n", "a\nc\nD\n", 9), "-   2 b\n-   4 d\n+   3 D\n");
        assert_eq!(count("a\nb\nc\nd\n", "a\nc\nD\n"), LineCount { added: 1, removed: 2 });
    }

    #[test]
    fn nothing_differs_between_equal_texts() {
        assert_eq!(brief("same\n", "same\n", 9), "");
    }

    #[test]
    fn a_brief_is_cut() {
        let new: String = (0..50).map(|n| format!("{n}\n")).collect();
        assert_eq!(brief("", &new, 5).lines().count(), 6);
    }

    /// Lines in neither of the longest common subsequence, by the table that school teaches.
    fn slow(old: &str, new: &str) -> usize {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let mut table = vec![vec![0usize; new.len() + 1]; old.len() + 1];
        for (i, a) in old.iter().enumerate() {
            for (j, b) in new.iter().enumerate() {
                table[i + 1][j + 1] =
                    if a == b { table[i][j] + 1 } else { table[i][j + 1].max(table[i + 1][j]) };
            }
        }
        let common = table[old.len()][new.len()];
        old.len() + new.len() - 2 * common
    }

    #[test]
    fn six_inserted_or_three_replaced_are_more_than_five_and_five_or_two_are_not() {
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
    fn the_same_number_of_other_lines_is_seen_at_any_size() {
        let old: String = (0..200_000).map(|n| format!("old {n}\n")).collect();
        let new: String = (0..200_000).map(|n| format!("new {n}\n")).collect();
        assert_eq!(changed_lines(&old, &new, 5), None);
        let touched =
            old.replace("old 100000\n", "x\n").replace("old 7\n", "").replace("old 199000\n", "a\nb\n");
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
        fn it_agrees_with_the_slow_reference(old in text(), new in text(), most in 0usize..12) {
            let wanted = slow(&old, &new);
            prop_assert_eq!(changed_lines(&old, &new, most), (wanted <= most).then_some(wanted));
        }

        #[test]
        fn both_ways_are_equally_long(old in text(), new in text()) {
            prop_assert_eq!(changed_lines(&old, &new, 6), changed_lines(&new, &old, 6));
        }
    }
}
