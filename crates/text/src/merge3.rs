//! Three-way line merge: of writes to the mind that are based on an older version, and into pieces, so that each
//! conflict can be resolved by itself.
//!
//! Overlapping changes are a conflict; nothing is guessed, and both sides are kept until somebody chooses.

use std::ops::Range;
use std::sync::Arc;

use crate::diff::{common_ends, differences};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeOutcome {
    /// Both sides' changes in one text.
    Clean(String),
    /// Both sides touched the same lines; the text with both between conflict marks.
    Clash(String),
}

/// Merges what `ours` and `theirs` changed in `base`, by lines.
///
/// In a clash the lines of `ours` stand first, between marks that carry the labels `ours` and `theirs`.
pub fn merge(base: &str, ours: &str, theirs: &str) -> MergeOutcome {
    if ours == theirs || base == theirs {
        return MergeOutcome::Clean(ours.to_owned());
    }
    if base == ours {
        return MergeOutcome::Clean(theirs.to_owned());
    }
    let pieces = join(base, ours, theirs);
    let mut text = String::new();
    for piece in &pieces {
        match piece {
            MergeChunk::Agreed(lines) => text.push_str(lines),
            MergeChunk::Clash(clash) => {
                let sides = ["<<<<<<< ours\n", &clash.ours, "=======\n", &clash.theirs, ">>>>>>> theirs\n"];
                for side in sides {
                    // A mark begins its line, also after a last line without its end.
                    if !text.is_empty() && !text.ends_with('\n') {
                        text.push('\n');
                    }
                    text.push_str(side);
                }
            }
        }
    }
    if clashes(&pieces) == 0 { MergeOutcome::Clean(text) } else { MergeOutcome::Clash(text) }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeChunk {
    /// Lines that nobody contests.
    Agreed(String),
    Clash(Conflict),
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
    /// These lines in the place of both.
    Lines(Arc<str>),
}

impl Conflict {
    /// Lines in the place of the clash, ended as its sides are: what was typed or proposed may have lost that.
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

/// Merges what two sides made of `base`, by lines, into pieces from the first to the last.
pub fn join(base: &str, ours: &str, theirs: &str) -> Vec<MergeChunk> {
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<_>>();
    let (base, ours, theirs) = (lines(base), lines(ours), lines(theirs));
    let mut left = SideChanges::of(&base, &ours);
    let mut right = SideChanges::of(&base, &theirs);
    let mut pieces = ChunkList::default();
    let mut at = 0;
    while let Some(start) = left.next_start().into_iter().chain(right.next_start()).min() {
        pieces.agree(&slice(&base, at..start));
        // What touches belongs together: there nobody can say which side comes first.
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
    pieces.all
}

pub fn clashes(pieces: &[MergeChunk]) -> usize {
    pieces.iter().filter(|piece| matches!(piece, MergeChunk::Clash(_))).count()
}

/// The text, with each clash decided in order; `None` where there are more or fewer decisions than clashes.
pub fn settled(pieces: &[MergeChunk], sides: &[Resolution]) -> Option<String> {
    if clashes(pieces) != sides.len() {
        return None;
    }
    let mut sides = sides.iter();
    let mut text = String::new();
    for piece in pieces {
        match piece {
            MergeChunk::Agreed(lines) => text.push_str(lines),
            MergeChunk::Clash(clash) => match sides.next()? {
                Resolution::Ours => text.push_str(&clash.ours),
                Resolution::Theirs => text.push_str(&clash.theirs),
                Resolution::Both => {
                    text.push_str(&clash.ours);
                    // A last line without its end would run into the first of the other side.
                    if !clash.ours.is_empty() && !clash.ours.ends_with('\n') && !clash.theirs.is_empty() {
                        text.push('\n');
                    }
                    text.push_str(&clash.theirs);
                }
                Resolution::Lines(lines) => text.push_str(&clash.fitted(lines)),
            },
        }
    }
    Some(text)
}

fn slice(lines: &[&str], range: Range<usize>) -> String {
    lines.get(range).map(<[&str]>::concat).unwrap_or_default()
}

/// What one side changed, taken from the front.
struct SideChanges {
    rest: std::collections::VecDeque<(Range<usize>, Range<usize>)>,
    /// What was taken since the last text was given.
    taken: Vec<(Range<usize>, Range<usize>)>,
    /// By how many lines the side is longer than the base, up to what was given.
    shift: isize,
}

impl SideChanges {
    fn of(base: &[&str], side: &[&str]) -> Self {
        Self { rest: differences(base, side).into(), taken: Vec::new(), shift: 0 }
    }

    fn next_start(&self) -> Option<usize> {
        self.rest.front().map(|(old, _)| old.start)
    }

    fn touches(&self, end: usize) -> bool {
        self.next_start().is_some_and(|start| start <= end)
    }

    /// Takes all changes that begin up to `end`; gives where the last of them ends.
    fn take(&mut self, end: usize) -> usize {
        let mut reach = end;
        while self.touches(reach) {
            let Some(change) = self.rest.pop_front() else { break };
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
struct ChunkList {
    all: Vec<MergeChunk>,
}

impl ChunkList {
    fn agree(&mut self, text: &str) {
        match self.all.last_mut() {
            _ if text.is_empty() => {}
            Some(MergeChunk::Agreed(before)) => before.push_str(text),
            Some(MergeChunk::Clash(_)) | None => self.all.push(MergeChunk::Agreed(text.to_owned())),
        }
    }

    fn settle(&mut self, base: &str, ours: &str, theirs: &str) {
        if ours == theirs || theirs == base {
            return self.agree(ours);
        }
        if ours == base {
            return self.agree(theirs);
        }
        // Lines that both sides have at the edges of a clash are no part of it.
        let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<_>>();
        let (mine, others) = (lines(ours), lines(theirs));
        let (head, tail) = common_ends(&mine, &others);
        self.agree(&slice(&mine, 0..head));
        self.all.push(MergeChunk::Clash(Conflict {
            base: base.to_owned(),
            ours: slice(&mine, head..mine.len().saturating_sub(tail)),
            theirs: slice(&others, head..others.len().saturating_sub(tail)),
        }));
        self.agree(&slice(&mine, mine.len().saturating_sub(tail)..mine.len()));
    }
}

#[cfg(test)]
mod tests;
