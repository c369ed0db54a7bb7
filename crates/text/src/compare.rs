//! Compares two texts as hunks that a reader accepts or reverts one by one.
//!
//! Hunk ids stay the same when other lines change. Never decides about a hunk; returns the text that each choice
//! gives.

use std::ops::Range;
use std::sync::Arc;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::content_hash::ContentHash;
use crate::diff::LineCount;
use crate::small_sort::SmallSort as _;

/// A text cut into lines, each with its end: joined again they are the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLines {
    text: Arc<str>,
    /// Where each line ends, in bytes.
    ends: Vec<usize>,
}

impl TextLines {
    pub fn of(text: &Arc<str>) -> Self {
        let mut end = 0usize;
        let ends = text
            .split_inclusive('\n')
            .map(|line| {
                end += line.len();
                end
            })
            .collect();
        Self { text: Arc::clone(text), ends }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn start(&self, line: usize) -> usize {
        let before = line.checked_sub(1).and_then(|before| self.ends.get(before));
        before.copied().unwrap_or(0)
    }

    /// These lines as they stand in the text; lines that are not there are empty.
    pub fn slice(&self, lines: Range<usize>) -> &str {
        let end = lines.end.min(self.len());
        self.text.get(self.start(lines.start.min(end))..self.start(end)).unwrap_or_default()
    }

    /// A line, from 0, without its end.
    pub fn line(&self, line: usize) -> &str {
        self.slice(line..line.saturating_add(1)).trim_end_matches('\n')
    }

    fn all(&self) -> Vec<&str> {
        (0..self.len()).map(|line| self.slice(line..line + 1)).collect()
    }
}

/// What a hunk is known by: what it takes away and brings, and which one it is among the same. So it keeps its name
/// when lines elsewhere change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HunkId(pub String);

/// Lines in a row that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    pub id: HunkId,
    /// The old lines, from 0; none where lines were only added.
    pub old: Range<usize>,
    /// The new lines, from 0; none where lines were only removed.
    pub new: Range<usize>,
}

/// Two texts and where they differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    pub old: TextLines,
    pub new: TextLines,
    /// Where they differ, in order. Between two hunks there is a line at least that both have.
    pub hunks: Vec<Hunk>,
}

impl Comparison {
    /// Compares two texts.
    pub fn between(old: &Arc<str>, new: &Arc<str>) -> Self {
        let (old, new) = (TextLines::of(old), TextLines::of(new));
        let ranges = if old.text == new.text { Vec::new() } else { differences(&old.all(), &new.all()) };
        let hunks = named(&old, &new, ranges);
        Self { old, new, hunks }
    }

    pub fn hunk(&self, id: &HunkId) -> Option<&Hunk> {
        self.hunks.iter().find(|hunk| hunk.id == *id)
    }

    /// The text that has the new lines of the hunks that `is_new` picks, and the old lines of all others.
    pub fn mixed(&self, is_new: impl Fn(&Hunk) -> bool) -> String {
        let mut out = String::new();
        let mut at = 0usize;
        for hunk in &self.hunks {
            out.push_str(self.old.slice(at..hunk.old.start));
            out.push_str(if is_new(hunk) {
                self.new.slice(hunk.new.clone())
            } else {
                self.old.slice(hunk.old.clone())
            });
            at = hunk.old.end;
        }
        out.push_str(self.old.slice(at..self.old.len()));
        out
    }

    /// The new text with this hunk taken back.
    pub fn reverted(&self, id: &HunkId) -> String {
        self.mixed(|hunk| hunk.id != *id)
    }

    /// How many lines differ.
    pub fn count(&self) -> LineCount {
        self.hunks.iter().fold(LineCount::default(), |count, hunk| LineCount {
            added: count.added + hunk.new.len(),
            removed: count.removed + hunk.old.len(),
        })
    }

    /// The hunks that have something to do with these new lines, from 0. An empty range is the place between two lines.
    pub fn touching(&self, lines: &Range<usize>) -> impl Iterator<Item = &Hunk> {
        self.hunks.iter().filter(move |hunk| touch(&hunk.new, lines))
    }

    /// The hunk as people write one down: `-` and `+` before its lines, cut after `most` lines.
    pub fn quoted(&self, hunk: &Hunk, most: usize) -> String {
        let signed = |sign: char, lines: &TextLines, range: &Range<usize>| {
            range.clone().map(|line| format!("{sign}{}\n", lines.line(line))).collect::<Vec<_>>()
        };
        let mut lines = signed('-', &self.old, &hunk.old);
        lines.extend(signed('+', &self.new, &hunk.new));
        if lines.len() > most {
            let left = lines.len() - most;
            lines.truncate(most);
            lines.push(format!("… {left} more lines\n"));
        }
        lines.concat()
    }
}

/// Whether two ranges share a line; the place between two lines belongs to both.
fn touch(a: &Range<usize>, b: &Range<usize>) -> bool {
    if a.is_empty() || b.is_empty() {
        a.start <= b.end && b.start <= a.end
    } else {
        a.start < b.end && b.start < a.end
    }
}

/// The ranges of items in which two lists differ, in order and never side by side.
pub fn differences(old: &[&str], new: &[&str]) -> Vec<(Range<usize>, Range<usize>)> {
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

/// The lines around a change that a patch shows.
const CONTEXT: usize = 3;

/// The difference of a file's texts as `git apply` and `patch` read it; empty where there is none. A file that is not
/// there is `None`.
pub fn patch(name: &str, old: Option<&str>, new: Option<&str>) -> String {
    let lines = |text: Option<&str>| -> TextLines { TextLines::of(&text.unwrap_or_default().into()) };
    let (before, after) = (lines(old), lines(new));
    let changes = differences(&before.all(), &after.all());
    if changes.is_empty() {
        return String::new();
    }
    let side =
        |sign: char, is_there: bool| if is_there { format!("{sign}/{name}") } else { "/dev/null".into() };
    let mut out = format!("--- {}\n+++ {}\n", side('a', old.is_some()), side('b', new.is_some()));
    // Changes whose surroundings touch are shown as one.
    for group in changes.chunk_by(|one, next| next.0.start - one.0.end <= 2 * CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let lead = first.0.start.min(CONTEXT);
        let trail = (before.len() - last.0.end).min(CONTEXT);
        let place = |range: Range<usize>| match range.len() {
            0 => format!("{},0", range.start),
            many => format!("{},{many}", range.start + 1),
        };
        let of_old = place(first.0.start - lead..last.0.end + trail);
        let of_new = place(first.1.start - lead..last.1.end + trail);
        out.push_str(&format!("@@ -{of_old} +{of_new} @@\n"));
        let mut put = |sign: char, lines: &TextLines, range: Range<usize>| {
            for line in range {
                let line = lines.slice(line..line + 1);
                let end = if line.ends_with('\n') { "" } else { "\n\\ No newline at end of file\n" };
                out.push_str(&format!("{sign}{line}{end}"));
            }
        };
        let mut at = first.0.start - lead;
        for (removed, added) in group {
            put(' ', &before, at..removed.start);
            put('-', &before, removed.clone());
            put('+', &after, added.clone());
            at = removed.end;
        }
        put(' ', &before, at..last.0.end + trail);
    }
    out
}

fn named(old: &TextLines, new: &TextLines, ranges: Vec<(Range<usize>, Range<usize>)>) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = ranges
        .into_iter()
        .map(|(at_old, at_new)| {
            let both = format!("{}\0{}", old.slice(at_old.clone()), new.slice(at_new.clone()));
            let name: String = ContentHash::of_text(&both).to_string().chars().rev().take(16).collect();
            Hunk { id: HunkId(name), old: at_old, new: at_new }
        })
        .collect();
    // The same change made in several places: numbered in their order.
    let mut seen: Vec<(HunkId, usize)> = hunks.iter().map(|hunk| hunk.id.clone()).zip(0..).collect();
    seen.small_sort();
    let mut number = 0usize;
    let mut last: Option<HunkId> = None;
    for (id, place) in seen {
        number = if last.as_ref() == Some(&id) { number + 1 } else { 0 };
        if let Some(hunk) = hunks.get_mut(place).filter(|_| number > 0) {
            hunk.id = HunkId(format!("{}-{number}", id.0));
        }
        last = Some(id);
    }
    hunks
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
