//! Compares two texts as hunks that a reader accepts or reverts one by one.
//!
//! Hunk ids stay the same when other lines change. Never decides about a hunk; returns the text that each choice
//! gives.

use std::ops::Range;
use std::sync::Arc;

use crate::content_hash::ContentHash;
use crate::diff::{LineCount, differences, whole_lines};
use crate::small_sort::SmallSort as _;

/// A text split into lines with their line ends; joined they are the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLines {
    text: Arc<str>,
    /// The end of each line, in bytes.
    ends: Vec<usize>,
}

impl TextLines {
    pub fn of(text: &Arc<str>) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let last = (!text.is_empty() && !text.ends_with('\n')).then_some(text.len());
        Self { text: Arc::clone(text), ends: ends.chain(last).collect() }
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

    /// These lines as one slice of the text; missing lines are empty.
    pub fn slice(&self, lines: Range<usize>) -> &str {
        let end = lines.end.min(self.len());
        self.text.get(self.start(lines.start.min(end))..self.start(end)).unwrap_or_default()
    }

    /// A line, from 0, without its line end.
    pub fn line(&self, line: usize) -> &str {
        self.slice(line..line.saturating_add(1)).trim_end_matches('\n')
    }

    fn all(&self) -> Vec<&str> {
        whole_lines(&self.text)
    }
}

/// The id of a hunk: its removed and added lines, and its number among equal hunks. Changes of other lines do not
/// affect it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HunkId(pub String);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    pub id: HunkId,
    /// The old lines, from 0; empty if lines were only added.
    pub old: Range<usize>,
    /// The new lines, from 0; empty if lines were only removed.
    pub new: Range<usize>,
}

/// Two texts and their differences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    pub old: TextLines,
    pub new: TextLines,
    /// The hunks in order. Between two of them is at least one common line.
    pub hunks: Vec<Hunk>,
}

impl Comparison {
    pub fn between(old: &Arc<str>, new: &Arc<str>) -> Self {
        let (old, new) = (TextLines::of(old), TextLines::of(new));
        let ranges = if old.text == new.text { Vec::new() } else { differences(&old.all(), &new.all()) };
        let hunks = named(&old, &new, ranges);
        Self { old, new, hunks }
    }

    pub fn hunk(&self, id: &HunkId) -> Option<&Hunk> {
        self.hunks.iter().find(|hunk| hunk.id == *id)
    }

    /// The text with the new lines of the hunks that `is_new` selects, and the old lines of all others.
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

    pub fn reverted(&self, id: &HunkId) -> String {
        self.mixed(|hunk| hunk.id != *id)
    }

    pub fn count(&self) -> LineCount {
        self.hunks.iter().map(|hunk| LineCount { added: hunk.new.len(), removed: hunk.old.len() }).sum()
    }

    /// The hunks that touch these new lines, from 0. An empty range is the place between two lines.
    pub fn touching(&self, lines: &Range<usize>) -> impl Iterator<Item = &Hunk> {
        self.hunks.iter().filter(move |hunk| touch(&hunk.new, lines))
    }

    /// The hunk with `-` and `+` before its lines, truncated after `most` lines.
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

/// True if two ranges share a line; the place between two lines belongs to both.
fn touch(a: &Range<usize>, b: &Range<usize>) -> bool {
    if a.is_empty() || b.is_empty() {
        a.start <= b.end && b.start <= a.end
    } else {
        a.start < b.end && b.start < a.end
    }
}

const CONTEXT: usize = 3;

/// The diff of a file's texts for `git apply` and `patch`; empty without changes. A missing file is `None`.
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
    // Changes whose contexts touch share a hunk.
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
    // Equal changes in several places are numbered in order.
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

/// Pairs removed with added lines of a hunk, and marks the words that changed.
pub mod changed_words {
    use std::ops::Range;

    use crate::diff::differences;
    use crate::limits::CHANGED_WORDS_BYTES;
    use crate::small_sort::SmallSort as _;

    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct WordSpan {
        pub text: String,
        pub changed: bool,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LinePair {
        /// The index of the old line in its hunk, if any.
        pub old: Option<usize>,
        /// The index of the new line in its hunk, if any.
        pub new: Option<usize>,
        pub alike: bool,
    }

    /// Maximum product of both line counts for a search of similar lines; a larger hunk is paired by position.
    const PAIRED: usize = 4_000;
    /// Minimum similarity for a line to count as the new version of another, in percent.
    const ALIKE_PERCENT: usize = 40;

    /// Words, runs of blanks, and single characters.
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
            // By position, if the lines are similar.
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

    /// The pairs of similar lines, in order on both sides, with the highest total similarity.
    fn aligned(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
        let width = new.len() + 1;
        let alike: Vec<Vec<usize>> = old
            .iter()
            .map(|old| {
                new.iter()
                    .map(|new| likeness(old, new))
                    .map(|l| if l >= ALIKE_PERCENT { l } else { 0 })
                    .collect()
            })
            .collect();
        // best[i][j]: the highest similarity of the lines from i and j on.
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

    /// The spans of two versions of a line; each line is one unmarked span if marks would not help.
    pub fn pieces(old: &str, new: &str) -> (Vec<WordSpan>, Vec<WordSpan>) {
        let whole = |line: &str| vec![WordSpan { text: line.to_owned(), changed: false }];
        if old.len().max(new.len()) > CHANGED_WORDS_BYTES {
            return (whole(old), whole(new));
        }
        let (old, new) = (words(old), words(new));
        let (removed, added): (Vec<_>, Vec<_>) = differences(&old, &new).into_iter().unzip();
        (marked(&old, removed), marked(&new, added))
    }

    fn marked(words: &[&str], changed: Vec<Range<usize>>) -> Vec<WordSpan> {
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
    mod tests;
}

#[cfg(test)]
mod tests;
