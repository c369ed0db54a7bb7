//! Line diff: the changed lines for models, line counts, and the number of changed lines up to a bound.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::limits::{COMPARED_LINES, DELTA_LINES};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCount {
    /// Lines only in the new text.
    pub added: usize,
    pub removed: usize,
}

impl std::iter::Sum for LineCount {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            added: sum.added.saturating_add(one.added),
            removed: sum.removed.saturating_add(one.removed),
        })
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

/// The lines of a text with their line ends; joined they are the text.
pub(crate) fn whole_lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The ranges in which two lists differ, in order and never adjacent. Long lists that differ too much count as
/// rewritten between their common ends: the time is the product of their lengths and their differences.
pub fn differences(old: &[&str], new: &[&str]) -> Vec<(Range<usize>, Range<usize>)> {
    if old.len().saturating_add(new.len()) > COMPARED_LINES && distance(old, new, DELTA_LINES).is_none() {
        let (head, tail) = common_ends(old, new);
        return vec![(head..old.len() - tail, head..new.len() - tail)];
    }
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
    let changes = differences(&lines(old), &lines(new)).into_iter();
    changes.map(|(removed, added)| LineCount { added: added.len(), removed: removed.len() }).sum()
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
    distance(&lines(old), &lines(new), most)
}

fn distance(old: &[&str], new: &[&str], most: usize) -> Option<usize> {
    let (head, tail) = common_ends(old, new);
    let inner = |all: &[&'_ str]| head..all.len() - tail;
    let (old, new) = (old.get(inner(old)).unwrap_or_default(), new.get(inner(new)).unwrap_or_default());
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
    use crate::diff::{common_ends, differences, whole_lines};
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
        let (old, now) = (whole_lines(old), whole_lines(new));
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
        let old = whole_lines(old);
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

    #[cfg(test)]
    mod tests;
}

/// Computes small edits between two texts, so that an editor's caret stays in place; converts line endings.
///
/// Offsets are UTF-16 units, as in the DOM.
pub mod text_edits {
    use std::borrow::Cow;
    use std::ops::Range;

    use crate::diff::{differences, whole_lines};

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
        let (old_lines, new_lines) = (whole_lines(old), whole_lines(new));
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
    mod tests;
}

#[cfg(test)]
mod tests;
