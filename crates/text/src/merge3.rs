//! Three-way line merge of concurrent writes, as one text or as chunks, so that each conflict can be resolved by
//! itself.
//!
//! Overlapping changes are a conflict. Nothing is guessed: both sides are kept until somebody chooses.

use std::ops::Range;
use std::sync::Arc;

use crate::diff::{common_ends, differences, whole_lines};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeOutcome {
    /// Both sides' changes in one text.
    Clean(String),
    /// Both sides changed the same lines; the text has both between conflict marks.
    Conflict(String),
}

/// The marks around a conflict.
const BEGIN: &str = "<<<<<<< current";
const END: &str = ">>>>>>> new";

/// True if a text has a mark that [`merge`] made.
pub fn is_marked(text: &str) -> bool {
    text.lines().any(|line| line == BEGIN || line == END)
}

/// Merges the changes of `ours` and `theirs` to `base`, by lines.
///
/// In a conflict the lines of `ours` come first, as the current ones, then those of `theirs`, as the new ones.
pub fn merge(base: &str, ours: &str, theirs: &str) -> MergeOutcome {
    if ours == theirs || base == theirs {
        return MergeOutcome::Clean(ours.to_owned());
    }
    if base == ours {
        return MergeOutcome::Clean(theirs.to_owned());
    }
    let pieces = merge_chunks(base, ours, theirs);
    let mut text = String::new();
    for piece in &pieces {
        match piece {
            MergeChunk::Agreed(lines) => text.push_str(lines),
            MergeChunk::Conflict(conflict) => {
                let parts = [BEGIN, &conflict.ours, "=======", &conflict.theirs, END];
                for part in parts.into_iter().filter(|part| !part.is_empty()) {
                    // A mark begins its own line, also after a last line without a line end.
                    if !text.is_empty() && !text.ends_with('\n') {
                        text.push('\n');
                    }
                    text.push_str(part);
                }
                text.push('\n');
            }
        }
    }
    if conflict_count(&pieces) == 0 { MergeOutcome::Clean(text) } else { MergeOutcome::Conflict(text) }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeChunk {
    /// Lines without a conflict.
    Agreed(String),
    Conflict(Conflict),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub base: String,
    pub ours: String,
    pub theirs: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    Ours,
    Theirs,
    /// This side's lines, then the other's.
    Both,
    /// These lines instead of both.
    Lines(Arc<str>),
}

impl Conflict {
    /// Lines in place of a conflict, with the line end of its sides, which typed or proposed lines may lack.
    pub fn fitted(&self, lines: &str) -> String {
        let sides = [&self.ours, &self.theirs];
        let breaks = |text: &str| text.matches('\n').count();
        let by_windows = |side: &&String| breaks(side) == side.matches("\r\n").count();
        let mut text = lines.to_owned();
        if sides.iter().any(|side| side.ends_with('\n')) && !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        if sides.iter().any(|side| breaks(side) > 0) && sides.iter().all(by_windows) {
            return text.replace("\r\n", "\n").replace('\n', "\r\n");
        }
        text
    }
}

/// Merges two sides of `base` by lines, into chunks in order.
pub fn merge_chunks(base: &str, ours: &str, theirs: &str) -> Vec<MergeChunk> {
    let (base, ours, theirs) = (whole_lines(base), whole_lines(ours), whole_lines(theirs));
    let mut left = SideChanges::of(&base, &ours);
    let mut right = SideChanges::of(&base, &theirs);
    let mut pieces = ChunkList::default();
    let mut at = 0;
    while let Some(start) = left.next_start().into_iter().chain(right.next_start()).min() {
        pieces.agree(&slice(&base, at..start));
        // Touching changes belong together: their order is unknown.
        let mut end = start;
        loop {
            let before = end;
            end = left.take(end).max(right.take(end)).max(end);
            if end == before {
                break;
            }
        }
        let was = slice(&base, start..end);
        let (mine, others) = (left.text(&ours, start..end), right.text(&theirs, start..end));
        pieces.settle(&was, &mine, &others);
        at = end;
    }
    pieces.agree(&slice(&base, at..base.len()));
    pieces.0
}

pub fn conflict_count(pieces: &[MergeChunk]) -> usize {
    pieces.iter().filter(|piece| matches!(piece, MergeChunk::Conflict(_))).count()
}

/// The text, with each conflict resolved in order; `None` if there are more or fewer decisions than conflicts.
pub fn resolve(pieces: &[MergeChunk], sides: &[Resolution]) -> Option<String> {
    if conflict_count(pieces) != sides.len() {
        return None;
    }
    let mut sides = sides.iter();
    let mut text = String::new();
    for piece in pieces {
        match piece {
            MergeChunk::Agreed(lines) => text.push_str(lines),
            MergeChunk::Conflict(conflict) => match sides.next()? {
                Resolution::Ours => text.push_str(&conflict.ours),
                Resolution::Theirs => text.push_str(&conflict.theirs),
                Resolution::Both => {
                    let Conflict { ours, theirs, .. } = conflict;
                    // A last line without a line end would run into the first line of the other side.
                    let is_open = !ours.is_empty() && !ours.ends_with('\n') && !theirs.is_empty();
                    text.extend([ours.as_str(), if is_open { "\n" } else { "" }, theirs]);
                }
                Resolution::Lines(lines) => text.push_str(&conflict.fitted(lines)),
            },
        }
    }
    Some(text)
}

fn slice(lines: &[&str], range: Range<usize>) -> String {
    lines.get(range).map(<[&str]>::concat).unwrap_or_default()
}

/// The changes of one side, taken in order.
struct SideChanges {
    rest: std::collections::VecDeque<(Range<usize>, Range<usize>)>,
    /// The changes taken since the last text.
    taken: Vec<(Range<usize>, Range<usize>)>,
    /// How many lines longer the side is than the base, up to the last text.
    shift: isize,
}

impl SideChanges {
    fn of(base: &[&str], side: &[&str]) -> Self {
        Self { rest: differences(base, side).into(), taken: Vec::new(), shift: 0 }
    }

    fn next_start(&self) -> Option<usize> {
        self.rest.front().map(|(old, _)| old.start)
    }

    /// Takes all changes that begin up to `end`. Returns where the last of them ends.
    fn take(&mut self, end: usize) -> usize {
        let mut reach = end;
        while let Some(change) = self.rest.pop_front_if(|(old, _)| old.start <= reach) {
            reach = reach.max(change.0.end);
            self.taken.push(change);
        }
        reach
    }

    fn text(&mut self, side: &[&str], range: Range<usize>) -> String {
        let move_by = |line: usize, shift: isize| line.checked_add_signed(shift).unwrap_or_default();
        let start = move_by(range.start, self.shift);
        for (old, new) in self.taken.drain(..) {
            let grown = isize::try_from(new.len()).unwrap_or_default();
            self.shift += grown - isize::try_from(old.len()).unwrap_or_default();
        }
        slice(side, start..move_by(range.end, self.shift))
    }
}

#[derive(Default)]
struct ChunkList(Vec<MergeChunk>);

impl ChunkList {
    fn agree(&mut self, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(MergeChunk::Agreed(before)) => before.push_str(text),
            Some(MergeChunk::Conflict(_)) | None => self.0.push(MergeChunk::Agreed(text.to_owned())),
        }
    }

    fn settle(&mut self, base: &str, ours: &str, theirs: &str) {
        if ours == theirs || theirs == base {
            return self.agree(ours);
        }
        if ours == base {
            return self.agree(theirs);
        }
        // Common lines at the edges are not part of the conflict.
        let (mine, others) = (whole_lines(ours), whole_lines(theirs));
        let (head, tail) = common_ends(&mine, &others);
        self.agree(&slice(&mine, 0..head));
        self.0.push(MergeChunk::Conflict(Conflict {
            base: base.to_owned(),
            ours: slice(&mine, head..mine.len().saturating_sub(tail)),
            theirs: slice(&others, head..others.len().saturating_sub(tail)),
        }));
        self.agree(&slice(&mine, mine.len().saturating_sub(tail)..mine.len()));
    }
}

#[cfg(test)]
mod tests;
