//! Line diff: the changed lines for models, line counts, and the number of changed lines up to a bound.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffOp, capture_diff_slices};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCount {
    /// Lines only in the new text.
    pub added: usize,
    pub removed: usize,
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

/// The ranges in which two lists differ, in order and never adjacent.
pub(crate) fn differences(old: &[&str], new: &[&str]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut ranges: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, old, new) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (_, old, new) = op.as_tag_tuple();
        match ranges.last_mut() {
            Some(last) if last.0.end == old.start && last.1.end == new.start => {
                last.0.end = old.end;
                last.1.end = new.end;
            }
            _ => ranges.push((old, new)),
        }
    }
    ranges
}

pub fn count(old: &str, new: &str) -> LineCount {
    let mut count = LineCount::default();
    for (removed, added) in differences(&lines(old), &lines(new)) {
        count.removed += removed.len();
        count.added += added.len();
    }
    count
}

/// A short diff for a model: `+` and `-` lines with their numbers, truncated after `most` lines.
pub fn brief(old: &str, new: &str, most: usize) -> String {
    let (old, new) = (lines(old), lines(new));
    let mut out = String::new();
    let mut written = 0usize;
    for (removed, added) in differences(&old, &new) {
        let removed = removed.map(|at| ('-', at, old.get(at)));
        let added = added.map(|at| ('+', at, new.get(at)));
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

/// The number of inserted and deleted lines between two texts; `None` if it exceeds `most`.
///
/// A replaced line counts two. The bound keeps the time linear in the texts.
///
/// The search follows, for each number of steps up to `most`, how far each diagonal can be reached (Myers); each of
/// the few diagonals reads each line at most once.
pub fn changed_lines(old: &str, new: &str, most: usize) -> Option<usize> {
    let (old, new) = (lines(old), lines(new));
    let (head, tail) = common_ends(&old, &new);
    let inner = |all: &[&'_ str]| head..all.len() - tail;
    let (old, new) = (old.get(inner(&old)).unwrap_or_default(), new.get(inner(&new)).unwrap_or_default());
    if old.len().abs_diff(new.len()) > most {
        return None;
    }
    // The position in the old text that each diagonal has reached. The middle diagonal has as many insertions as
    // deletions; one more on each side saves checks at the edges.
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

/// How far equal lines extend from here on this diagonal.
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

/// The numbers of common lines at the start, and at the end of the rest.
pub(crate) fn common_ends(old: &[&str], new: &[&str]) -> (usize, usize) {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    (head, tail)
}

/// Line deltas between two texts, used by events and stored rows.
pub mod delta {
    use crate::diff::{common_ends, differences};
    use crate::limits::{DELTA_LINES, DELTA_SHARE, DELTA_TEXT_BYTES};
    use serde::{Deserialize, Serialize};

    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct LineSplice {
        /// The first line of the old text that is replaced, or before which lines are inserted, from 0.
        pub at: usize,
        #[serde(default, skip_serializing_if = "crate::json::is_default")]
        pub removed: usize,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub lines: String,
    }

    /// The changes from `old` to `new`, in line order; `None` if they are hardly shorter than the text itself.
    pub fn between(old: &str, new: &str) -> Option<Vec<LineSplice>> {
        if new.len() < DELTA_TEXT_BYTES {
            return None;
        }
        let (old, now): (Vec<&str>, Vec<&str>) = (lines(old), lines(new));
        let (start, end) = common_ends(&old, &now);
        let old = old.get(start..old.len().saturating_sub(end)).unwrap_or_default();
        let now = now.get(start..now.len().saturating_sub(end)).unwrap_or_default();
        let changes = if old.len().saturating_add(now.len()) > DELTA_LINES {
            // A closer look would be slow, and a rewritten text has little in common with the old one.
            vec![LineSplice { at: start, removed: old.len(), lines: now.concat() }]
        } else {
            differences(old, now)
                .into_iter()
                .map(|(removed, added)| LineSplice {
                    at: start.saturating_add(removed.start),
                    removed: removed.len(),
                    lines: now.get(added).unwrap_or_default().concat(),
                })
                .collect()
        };
        // A change weighs its lines and some forty bytes around them.
        let weight: usize = changes.iter().map(|change| change.lines.len().saturating_add(40)).sum();
        (weight.saturating_mul(DELTA_SHARE) <= new.len()).then_some(changes)
    }

    /// `old` with the changes applied; `None` if they belong to another text.
    pub fn apply(old: &str, changes: &[LineSplice]) -> Option<String> {
        let old = lines(old);
        let mut new = String::new();
        let mut at = 0;
        for change in changes {
            old.get(at..change.at)?.iter().for_each(|line| new.push_str(line));
            new.push_str(&change.lines);
            at = change.at.checked_add(change.removed)?;
        }
        old.get(at..)?.iter().for_each(|line| new.push_str(line));
        Some(new)
    }

    fn lines(text: &str) -> Vec<&str> {
        text.split_inclusive('\n').collect()
    }

    #[cfg(test)]
    mod tests {
        use proptest::prelude::*;

        use super::*;

        fn text(lines: &[u8]) -> String {
            lines.iter().map(|line| format!("{line} {}\n", "stays as it is ".repeat(4))).collect()
        }

        #[test]
        fn changed_line_of_a_long_text_gives_a_small_delta() {
            let old = text(&[1; 200]);
            let new = old.replacen("1 stays", "one stays", 1);
            let changes = between(&old, &new).unwrap();
            assert_eq!(changes.len(), 1);
            assert_eq!((changes[0].at, changes[0].removed, changes[0].lines.lines().count()), (0, 1, 1));
            assert_eq!(apply(&old, &changes).unwrap(), new);
            assert!(between(&new, &new).unwrap().is_empty());
        }

        #[test]
        fn short_or_rewritten_text_gives_no_delta() {
            assert_eq!(between("a\nb\n", "a\nc\n"), None);
            assert_eq!(between(&text(&[1; 200]), &text(&[2; 200])), None);
            let (old, new) = (text(&[1; 9000]), text(&[2; 9000]));
            assert_eq!(between(&old, &new), None, "too long to look closer");
        }

        #[test]
        fn delta_of_another_text_is_rejected() {
            let change = |at, removed| LineSplice { at, removed, lines: "new\n".to_owned() };
            for odd in [
                vec![change(3, 0)],
                vec![change(1, 9)],
                vec![change(2, 0), change(1, 0)],
                vec![change(1, usize::MAX), change(1, 0)],
            ] {
                assert_eq!(apply("a\nb\n", &odd), None, "{odd:?}");
            }
            assert_eq!(apply("a\nb\n", &[change(2, 0)]).unwrap(), "a\nb\nnew\n");
        }

        proptest! {
            #[test]
            fn delta_restores_the_text(
                base in proptest::collection::vec(0..9_u8, 30..120),
                edits in proptest::collection::vec((0..120_usize, 0..4_usize, proptest::collection::vec(0..9_u8, 0..4)), 0..6),
                open in any::<bool>(),
            ) {
                let mut lines = base.clone();
                for (at, removed, added) in edits {
                    let at = at.min(lines.len());
                    lines.splice(at..(at + removed).min(lines.len()), added);
                }
                let (old, mut new) = (text(&base), text(&lines));
                if open {
                    new.pop();
                }
                if let Some(changes) = between(&old, &new) {
                    prop_assert_eq!(apply(&old, &changes), Some(new));
                    let json = serde_json::to_string(&changes).unwrap();
                    prop_assert_eq!(serde_json::from_str::<Vec<LineSplice>>(&json).unwrap(), changes);
                }
            }
        }
    }
}

/// Computes small edits between two texts, so that an editor's caret stays in place; converts line endings.
///
/// Offsets are UTF-16 units, as in the DOM.
pub mod text_edits {
    use std::borrow::Cow;
    use std::ops::Range;

    use crate::diff::differences;

    /// What takes the place of a range of the old text. Ranges do not touch, and come in order.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct TextEdit {
        /// The range of the old text, in UTF-16 units.
        pub range: Range<usize>,
        pub insert: String,
    }

    /// The edits from `old` to `new`. Compares whole lines first; in changed lines only the part between common
    /// beginning and end is replaced.
    pub fn edits(old: &str, new: &str) -> Vec<TextEdit> {
        let (old_lines, new_lines) = (lines(old), lines(new));
        let text = |lines: &[&str], range: Range<usize>| lines.get(range).unwrap_or_default().concat();
        let units = |text: &str| text.encode_utf16().count();
        let (mut line, mut at) = (0, 0);
        let mut found = Vec::new();
        for (removed, added) in differences(&old_lines, &new_lines) {
            at += units(&text(&old_lines, line..removed.start));
            line = removed.end;
            let old = text(&old_lines, removed);
            found.extend(narrowed(at, &old, &text(&new_lines, added)));
            at += units(&old);
        }
        found
    }

    fn lines(text: &str) -> Vec<&str> {
        text.split_inclusive('\n').collect()
    }

    /// Replaces only the differing part of two texts, of which the old one begins at `at`.
    fn narrowed(at: usize, old: &str, new: &str) -> Option<TextEdit> {
        if old == new {
            return None;
        }
        let start: usize =
            old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        let (head, old) = old.split_at_checked(start)?;
        let (_, new) = new.split_at_checked(start)?;
        let end: usize = old
            .chars()
            .rev()
            .zip(new.chars().rev())
            .take_while(|(a, b)| a == b)
            .map(|(a, _)| a.len_utf8())
            .sum();
        let (old, _) = old.split_at_checked(old.len() - end)?;
        let (new, _) = new.split_at_checked(new.len() - end)?;
        let from = at + head.encode_utf16().count();
        Some(TextEdit { range: from..from + old.encode_utf16().count(), insert: new.to_owned() })
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum LineEnding {
        /// Line feeds, or mixed: then carriage returns are ordinary characters.
        Feed,
        ReturnAndFeed,
    }

    impl LineEnding {
        pub fn of(text: &str) -> Self {
            let mut any = false;
            let mut before = ' ';
            for sign in text.chars() {
                match (before, sign) {
                    ('\r', '\n') => any = true,
                    (_, '\n') | ('\r', _) => return Self::Feed,
                    _ => {}
                }
                before = sign;
            }
            if any && before != '\r' { Self::ReturnAndFeed } else { Self::Feed }
        }

        /// A text of such line endings as an editor works on it, with line feeds only.
        pub fn plain(self, text: &str) -> Cow<'_, str> {
            match self {
                Self::Feed => Cow::Borrowed(text),
                Self::ReturnAndFeed => Cow::Owned(text.replace("\r\n", "\n")),
            }
        }

        pub fn restored(self, plain: String) -> String {
            match self {
                Self::Feed => plain,
                Self::ReturnAndFeed => plain.replace('\n', "\r\n"),
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use proptest::prelude::*;

        use super::*;

        fn applied(old: &str, edits: &[TextEdit]) -> String {
            let mut units: Vec<u16> = old.encode_utf16().collect();
            for edit in edits.iter().rev() {
                units.splice(edit.range.clone(), edit.insert.encode_utf16());
            }
            String::from_utf16(&units).unwrap()
        }

        fn edit(range: Range<usize>, insert: &str) -> TextEdit {
            TextEdit { range, insert: insert.to_owned() }
        }

        #[test]
        fn only_changes_are_replaced() {
            assert_eq!(edits("one\ntwo\nthree\n", "one\ntwo!\nthree\n"), [edit(7..7, "!")]);
            assert_eq!(edits("a\nb\nc\n", "A\nb\nC\n"), [edit(0..1, "A"), edit(4..5, "C")]);
            assert_eq!(edits("", "new\n"), [edit(0..0, "new\n")]);
            assert_eq!(edits("gone\n", ""), [edit(0..5, "")]);
            assert_eq!(edits("same\n", "same\n"), []);
        }

        #[test]
        fn offsets_are_utf16_units_and_never_split_a_character() {
            // Both characters begin with the same unit of UTF-16 and the same bytes of UTF-8.
            assert_eq!(edits("🙂x\n", "🙃x\n"), [edit(0..2, "🙃")]);
            assert_eq!(edits("ü🙂\nb\n", "ü🙂\nc\n"), [edit(4..5, "c")]);
        }

        #[test]
        fn line_endings_are_restored() {
            for (text, ends) in [
                ("a\r\nb\r\n", LineEnding::ReturnAndFeed),
                ("a\nb\r\n", LineEnding::Feed),
                ("a\rb\r\n", LineEnding::Feed),
                ("a\r\nb\r", LineEnding::Feed),
                ("a\n", LineEnding::Feed),
                ("", LineEnding::Feed),
            ] {
                assert_eq!(LineEnding::of(text), ends, "{text:?}");
                assert_eq!(ends.restored(ends.plain(text).into_owned()), text);
            }
        }

        fn any_text() -> impl Strategy<Value = String> {
            proptest::collection::vec(prop_oneof!["[ab]{0,3}", "[aü🙂🙃]{0,4}"], 0..12)
                .prop_map(|lines| lines.join("\n"))
        }

        proptest! {
            #[test]
            fn edits_turn_the_old_text_into_the_new_one((old, new) in (any_text(), any_text())) {
                let edits = edits(&old, &new);
                prop_assert_eq!(applied(&old, &edits), new);
                for pair in edits.windows(2) {
                    prop_assert!(pair[0].range.end <= pair[1].range.start);
                }
            }

            #[test]
            fn any_text_is_restored_from_its_plain_form(text in "[ab\r\n]{0,20}") {
                let ends = LineEnding::of(&text);
                prop_assert_eq!(ends.restored(ends.plain(&text).into_owned()), text);
            }
        }
    }
}

#[cfg(test)]
mod tests;
