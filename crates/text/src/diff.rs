//! Line diff: hunks with context for people and models, and line counts.

use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// How a line of a hunk differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiffLineKind {
    /// In both texts.
    Same,
    /// Only in the old text.
    Removed,
    /// Only in the new text.
    Added,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    pub change: DiffLineKind,
    /// Its number in the old text, from 1.
    pub old: Option<usize>,
    /// Its number in the new text, from 1.
    pub new: Option<usize>,
    /// The line without its end.
    pub text: String,
}

/// Lines that changed, with unchanged lines around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffHunk {
    pub lines: Vec<DiffLine>,
}

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

/// The hunks between two texts, each with up to `context` unchanged lines on both sides.
pub fn hunks(old: &str, new: &str, context: usize) -> Vec<DiffHunk> {
    let (old, new) = (lines(old), lines(new));
    let ops = capture_diff_slices(Algorithm::Myers, &old, &new);
    similar::group_diff_ops(ops, context)
        .into_iter()
        .map(|group| DiffHunk { lines: group.iter().flat_map(|op| hunk_lines(op, &old, &new)).collect() })
        .filter(|hunk| hunk.lines.iter().any(|line| line.change != DiffLineKind::Same))
        .collect()
}

fn hunk_lines(op: &DiffOp, old: &[&str], new: &[&str]) -> Vec<DiffLine> {
    let (_, old_range, new_range) = op.as_tag_tuple();
    let text = |all: &[&str], index: usize| (*all.get(index).unwrap_or(&"")).to_owned();
    if matches!(op, DiffOp::Equal { .. }) {
        return old_range
            .zip(new_range)
            .map(|(at_old, at_new)| DiffLine {
                change: DiffLineKind::Same,
                old: Some(at_old + 1),
                new: Some(at_new + 1),
                text: text(new, at_new),
            })
            .collect();
    }
    let removed = old_range.map(|at| DiffLine {
        change: DiffLineKind::Removed,
        old: Some(at + 1),
        new: None,
        text: text(old, at),
    });
    let added = new_range.map(|at| DiffLine {
        change: DiffLineKind::Added,
        old: None,
        new: Some(at + 1),
        text: text(new, at),
    });
    removed.chain(added).collect()
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
    let mut out = String::new();
    let mut written = 0usize;
    let hunks = hunks(old, new, 0);
    for line in hunks.iter().flat_map(|hunk| &hunk.lines) {
        let (sign, number) = match line.change {
            DiffLineKind::Same => continue,
            DiffLineKind::Removed => ('-', line.old),
            DiffLineKind::Added => ('+', line.new),
        };
        if written == most {
            out.push_str("… more lines changed\n");
            break;
        }
        written += 1;
        out.push_str(&format!("{sign}{:>4} {}\n", number.unwrap_or(0), line.text));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removals_are_shown_and_counted() {
        let hunks = hunks("a\nb\nc\nd\n", "a\nc\nD\n", 1);
        let changes: Vec<_> = hunks.iter().flat_map(|hunk| &hunk.lines).map(|line| line.change).collect();
        assert!(changes.contains(&DiffLineKind::Removed) && changes.contains(&DiffLineKind::Added));
        assert_eq!(count("a\nb\nc\nd\n", "a\nc\nD\n"), LineCount { added: 1, removed: 2 });
    }

    #[test]
    fn equal_texts_have_no_hunks() {
        assert!(hunks("same\n", "same\n", 3).is_empty());
        assert_eq!(brief("same\n", "same\n", 9), "");
    }

    #[test]
    fn a_brief_is_cut() {
        let new: String = (0..50).map(|n| format!("{n}\n")).collect();
        assert_eq!(brief("", &new, 5).lines().count(), 6);
    }
}
