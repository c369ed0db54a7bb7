//! Pairs removed with added lines of a hunk, and marks the words that changed.

use std::ops::Range;

use crate::compare::differences;
use crate::limits::CHANGED_WORDS_BYTES;
use crate::small_sort::SmallSort as _;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordSpan {
    pub text: String,
    /// Whether the other line does not have it.
    pub changed: bool,
}

/// A row of a hunk read side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinePair {
    /// The place of the old line in its hunk, where there is one.
    pub old: Option<usize>,
    /// The place of the new line in its hunk, where there is one.
    pub new: Option<usize>,
    /// Whether the new line is what became of the old one.
    pub alike: bool,
}

/// Lines of both sides that are looked through for likeness, multiplied; a larger hunk is paired by place.
const PAIRED: usize = 4_000;
/// How much of two lines must be the same for one to be what became of the other, in percent.
const ALIKE_PERCENT: usize = 40;

/// Words, runs of blanks, and single signs.
fn words(line: &str) -> Vec<&str> {
    let mut out: Vec<&str> = Vec::new();
    let mut start = 0usize;
    let mut last = None;
    for (at, letter) in line.char_indices() {
        let kind = match letter {
            _ if letter.is_alphanumeric() || letter == '_' => Some(true),
            _ if letter.is_whitespace() => Some(false),
            _ => None,
        };
        if at > start && (kind.is_none() || last != Some(kind)) {
            out.extend(line.get(start..at));
            start = at;
        }
        last = Some(kind);
    }
    out.extend(line.get(start..).filter(|rest| !rest.is_empty()));
    out
}

/// The letters that two lines have in common, in percent of both.
fn likeness(old: &str, new: &str) -> usize {
    let sorted = |line| {
        let mut words = words(line);
        words.retain(|word| !word.trim().is_empty());
        words.small_sort();
        words
    };
    let (old, new) = (sorted(old), sorted(new));
    let length = |words: &[&str]| words.iter().map(|word| word.len()).sum::<usize>();
    let both = length(&old) + length(&new);
    if both == 0 {
        return 100;
    }
    let (mut a, mut b) = (old.iter().peekable(), new.iter().peekable());
    let mut common = 0usize;
    while let (Some(left), Some(right)) = (a.peek(), b.peek()) {
        match left.cmp(right) {
            std::cmp::Ordering::Less => drop(a.next()),
            std::cmp::Ordering::Greater => drop(b.next()),
            std::cmp::Ordering::Equal => {
                common += left.len();
                a.next();
                b.next();
            }
        }
    }
    common * 200 / both
}

/// Pairs the removed lines of a hunk with the added ones, in the order of both.
pub fn pairs(old: &[&str], new: &[&str]) -> Vec<LinePair> {
    let anchors = if old.len().saturating_mul(new.len()) <= PAIRED {
        aligned(old, new)
    } else {
        // By place, where the lines are alike.
        (0..old.len().min(new.len()))
            .filter(|place| is_alike(old.get(*place), new.get(*place)))
            .map(|place| (place, place))
            .collect()
    };
    let mut out = Vec::new();
    let (mut at_old, mut at_new) = (0usize, 0usize);
    for (anchor_old, anchor_new) in anchors {
        side_by_side(&mut out, at_old..anchor_old, at_new..anchor_new);
        out.push(LinePair { old: Some(anchor_old), new: Some(anchor_new), alike: true });
        (at_old, at_new) = (anchor_old + 1, anchor_new + 1);
    }
    side_by_side(&mut out, at_old..old.len(), at_new..new.len());
    out
}

fn is_alike(old: Option<&&str>, new: Option<&&str>) -> bool {
    old.zip(new).is_some_and(|(old, new)| likeness(old, new) >= ALIKE_PERCENT)
}

fn side_by_side(out: &mut Vec<LinePair>, old: Range<usize>, new: Range<usize>) {
    let longer = old.len().max(new.len());
    let nth = |range: &Range<usize>, place: usize| range.clone().nth(place);
    out.extend((0..longer).map(|place| LinePair {
        old: nth(&old, place),
        new: nth(&new, place),
        alike: false,
    }));
}

/// The pairs of alike lines, in order on both sides, that have most in common.
fn aligned(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    let alike: Vec<Vec<usize>> = old
        .iter()
        .map(|old| {
            new.iter().map(|new| likeness(old, new)).map(|l| if l >= ALIKE_PERCENT { l } else { 0 }).collect()
        })
        .collect();
    // best[i][j]: the most that the lines from i and j on can have in common.
    let mut best = vec![vec![0usize; width]; old.len() + 1];
    let at = |table: &[Vec<usize>], i: usize, j: usize| {
        table.get(i).and_then(|row| row.get(j)).copied().unwrap_or(0)
    };
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let here = at(&alike, i, j);
            let with = if here > 0 { here + at(&best, i + 1, j + 1) } else { 0 };
            let most = with.max(at(&best, i + 1, j)).max(at(&best, i, j + 1));
            if let Some(cell) = best.get_mut(i).and_then(|row| row.get_mut(j)) {
                *cell = most;
            }
        }
    }
    let mut out = Vec::new();
    let (mut i, mut j) = (0usize, 0usize);
    while i < old.len() && j < new.len() {
        let here = at(&alike, i, j);
        if here > 0 && at(&best, i, j) == here + at(&best, i + 1, j + 1) {
            out.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if at(&best, i, j) == at(&best, i + 1, j) {
            i += 1;
        } else {
            j += 1;
        }
    }
    out
}

/// The pieces of two lines of which one became the other; each line whole and unmarked where marking would say nothing.
pub fn pieces(old: &str, new: &str) -> (Vec<WordSpan>, Vec<WordSpan>) {
    let whole = |line: &str| vec![WordSpan { text: line.to_owned(), changed: false }];
    if old.len().max(new.len()) > CHANGED_WORDS_BYTES {
        return (whole(old), whole(new));
    }
    let (old_words, new_words) = (words(old), words(new));
    let ranges = differences(&old_words, &new_words);
    (
        marked(&old_words, ranges.iter().map(|(old, _)| old.clone())),
        marked(&new_words, ranges.iter().map(|(_, new)| new.clone())),
    )
}

fn marked(words: &[&str], changed: impl Iterator<Item = Range<usize>>) -> Vec<WordSpan> {
    let mut out: Vec<WordSpan> = Vec::new();
    let mut at = 0usize;
    let mut push = |range: Range<usize>, changed: bool| {
        let text: String = words.get(range).unwrap_or_default().concat();
        if !text.is_empty() {
            out.push(WordSpan { text, changed });
        }
    };
    for range in changed {
        push(at..range.start, false);
        at = range.end;
        push(range, true);
    }
    push(at..words.len(), false);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_the_words_that_differ_are_marked() {
        let (old, new) = pieces("let total = price * 2;", "let total = price * count;");
        let changed = |pieces: &[WordSpan]| {
            pieces.iter().filter(|piece| piece.changed).map(|piece| piece.text.clone()).collect::<Vec<_>>()
        };
        assert_eq!(changed(&old), ["2"]);
        assert_eq!(changed(&new), ["count"]);
    }

    #[test]
    fn a_line_finds_what_became_of_it_past_new_lines() {
        let old = ["fn area(r: f64) -> f64 {"];
        let new = ["/// The area.", "fn area(radius: f64) -> f64 {"];
        assert_eq!(
            pairs(&old, &new),
            [
                LinePair { old: None, new: Some(0), alike: false },
                LinePair { old: Some(0), new: Some(1), alike: true },
            ]
        );
    }

    #[test]
    fn lines_that_have_nothing_in_common_stand_side_by_side_unmarked() {
        assert_eq!(pairs(&["alpha"], &["omega"]), [LinePair { old: Some(0), new: Some(0), alike: false }]);
    }

    proptest! {
        #[test]
        fn pieces_joined_are_the_lines(old in ".{0,40}", new in ".{0,40}") {
            let (left, right) = pieces(&old, &new);
            prop_assert_eq!(left.into_iter().map(|piece| piece.text).collect::<String>(), old);
            prop_assert_eq!(right.into_iter().map(|piece| piece.text).collect::<String>(), new);
        }

        #[test]
        fn every_line_has_one_place_and_keeps_its_order(
            old in prop::collection::vec("[ab ]{0,6}", 0..12),
            new in prop::collection::vec("[ab ]{0,6}", 0..12),
        ) {
            let (old, new): (Vec<_>, Vec<_>) =
                (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
            let pairs = pairs(&old, &new);
            let left: Vec<_> = pairs.iter().filter_map(|pair| pair.old).collect();
            let right: Vec<_> = pairs.iter().filter_map(|pair| pair.new).collect();
            prop_assert_eq!(left, (0..old.len()).collect::<Vec<_>>());
            prop_assert_eq!(right, (0..new.len()).collect::<Vec<_>>());
        }
    }
}
