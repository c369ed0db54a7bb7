//! Lays out a review as rows, so that the screen renders only the visible ones.
//!
//! Rows are field and hunk headers, lines (unified or side by side), and folds.

use std::ops::Range;
use std::sync::Arc;

use crate::blame::{Author, AuthoredChange, Blame};
use nexus_model::limits::COMPARE_CONTEXT;
use nexus_model::mind::review::{FieldDiff, MindField, changes, is_reviewed, revert_all};
use nexus_model::mind::{Mind, MindWrite};
use nexus_text::compare::changed_words::pairs;
use nexus_text::compare::{Comparison, Hunk, HunkId};

#[derive(Clone, Debug, PartialEq)]
pub struct DiffSection {
    pub change: FieldDiff,
    pub found: Comparison,
    /// For each hunk.
    pub facts: Vec<HunkInfo>,
    pub reviewed: bool,
}

impl DiffSection {
    /// A section without authors or review state.
    pub fn unreviewed(change: FieldDiff) -> Self {
        Self { found: change.compare(), change, facts: Vec::new(), reviewed: false }
    }

    /// The write that reverts every hunk except those of the operator alone; `None` if there is none.
    pub fn revert_others(&self) -> Option<MindWrite> {
        let is_own =
            |facts: &HunkInfo| !facts.by.is_empty() && facts.by.iter().all(|by| *by == Author::Operator);
        let hunks = self.found.hunks.iter().zip(&self.facts);
        let own: Vec<&HunkId> = hunks.filter(|(_, facts)| is_own(facts)).map(|(hunk, _)| &hunk.id).collect();
        if own.len() == self.found.hunks.len() {
            return None;
        }
        if own.is_empty() || self.change.is_of_image() {
            return Some(revert_all(&self.change));
        }
        Some(self.change.field.write(Some(self.found.mixed(|hunk| own.contains(&&hunk.id)))))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct HunkInfo {
    /// Authors, the main one first; empty if the hunk is older than the known history.
    pub by: Vec<Author>,
    pub reviewed: bool,
}

/// Compares two minds field by field. `reviewed` is the reviewed part of the new mind, if any. `before` is the previous
/// result for the same old and reviewed minds, with its history: unchanged fields are not compared again.
pub fn sections_since(
    before: (&[DiffSection], &[AuthoredChange]),
    old: &Mind,
    now: &Mind,
    reviewed: Option<&Mind>,
    history: &[AuthoredChange],
) -> Vec<DiffSection> {
    let is_longer = before.1.len() <= history.len()
        && before.1.iter().zip(history).all(|(previous, now)| Arc::ptr_eq(&previous.after, &now.after));
    let new_steps = history.get(before.1.len()..).filter(|_| is_longer);
    let known = |change: &FieldDiff| {
        let section = before.0.iter().find(|section| section.change == *change)?;
        let text = |mind| change.field.text(mind);
        new_steps?.iter().all(|step| text(&step.before) == text(&step.after)).then(|| section.clone())
    };
    changes(old, now)
        .into_iter()
        .map(|change| {
            if let Some(section) = known(&change) {
                return section;
            }
            let found = change.compare();
            let blame = Blame::of(history, &change.field);
            let remaining = reviewed.map(|reviewed| FieldDiff {
                field: change.field.clone(),
                old: change.field.text(reviewed),
                new: change.new.clone(),
            });
            let left = remaining.as_ref().map(FieldDiff::compare);
            let facts = found.hunks.iter().map(|hunk| HunkInfo {
                by: blame.authors(history, &found, hunk),
                reviewed: left.as_ref().is_some_and(|left| is_reviewed(left, hunk)),
            });
            let facts = facts.collect();
            let reviewed = remaining.is_some_and(|remaining| remaining.old == remaining.new);
            DiffSection { change, found, facts, reviewed }
        })
        .collect()
}

pub fn has_unknown(sections: &[DiffSection]) -> bool {
    sections.iter().flat_map(|section| &section.facts).any(|facts| facts.by.is_empty())
}

/// A section's index and a hunk's index in it.
pub type HunkIndex = (usize, usize);

/// Identifies a hunk across recomputations.
pub type HunkKey = (MindField, HunkId);

pub fn name_of(sections: &[DiffSection], (section, hunk): HunkIndex) -> Option<HunkKey> {
    let section = sections.get(section)?;
    Some((section.change.field.clone(), section.found.hunks.get(hunk)?.id.clone()))
}

pub fn place_of(sections: &[DiffSection], (field, id): &HunkKey) -> Option<HunkIndex> {
    let at = sections.iter().position(|section| section.change.field == *field)?;
    let hunk = sections.get(at)?.found.hunks.iter().position(|hunk| hunk.id == *id)?;
    Some((at, hunk))
}

/// All hunks, in order.
pub fn places(sections: &[DiffSection]) -> Vec<HunkIndex> {
    let hunks =
        |(at, section): (usize, &DiffSection)| (0..section.found.hunks.len()).map(move |hunk| (at, hunk));
    sections.iter().enumerate().flat_map(hunks).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DiffRow {
    /// The header of a field.
    Field(usize),
    /// Both texts are empty: an empty file was created or deleted.
    Empty(usize),
    /// The header of a hunk.
    Hunk(HunkIndex),
    /// Folded unchanged lines.
    Fold(FoldedLines),
    /// An unchanged line: its number in the old and in the new text, from 0, as in the rows below.
    Same { section: usize, old: usize, new: usize },
    /// A removed line, and the new line that replaced it.
    Old { at: HunkIndex, line: usize, alike: Option<usize> },
    /// An added line, and the old line that it replaced.
    New { at: HunkIndex, line: usize, alike: Option<usize> },
    /// A line of each side, and whether they are alike.
    Both { at: HunkIndex, old: Option<usize>, new: Option<usize>, alike: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FoldedLines {
    pub section: usize,
    /// The first old line, from 0.
    pub old: usize,
    /// The first new line, from 0.
    pub new: usize,
    pub lines: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct DiffLayout<'l> {
    /// Old and new in two columns instead of one.
    pub side_by_side: bool,
    pub unfolded: &'l [(MindField, usize)],
    /// Reviewed hunks that are expanded.
    pub shown: &'l [HunkKey],
}

pub fn rows(sections: &[DiffSection], layout: &DiffLayout<'_>) -> Vec<DiffRow> {
    let mut out = Vec::new();
    for (at, section) in sections.iter().enumerate() {
        out.push(DiffRow::Field(at));
        if section.found.hunks.is_empty() {
            out.push(DiffRow::Empty(at));
            continue;
        }
        let mut rows = SectionRows { out: &mut out, at, section, layout };
        let (mut old, mut new) = (0usize, 0usize);
        for (place, hunk) in section.found.hunks.iter().enumerate() {
            rows.unchanged(old..hunk.old.start, new, place > 0, true);
            rows.hunk(place, hunk);
            (old, new) = (hunk.old.end, hunk.new.end);
        }
        rows.unchanged(old..section.found.old.len(), new, true, false);
    }
    out
}

struct SectionRows<'r, 'l> {
    out: &'r mut Vec<DiffRow>,
    at: usize,
    section: &'r DiffSection,
    layout: &'r DiffLayout<'l>,
}

impl SectionRows<'_, '_> {
    /// Adds unchanged lines: shows the context of hunks and folds the rest if that saves a row.
    fn unchanged(&mut self, old: Range<usize>, new: usize, after_hunk: bool, before_hunk: bool) {
        let head = if after_hunk { COMPARE_CONTEXT } else { 0 };
        let tail = if before_hunk { COMPARE_CONTEXT } else { 0 };
        let section = self.at;
        let is_open = |first: usize| {
            let field = &self.section.change.field;
            self.layout.unfolded.iter().any(|(other, line)| other == field && *line == first)
        };
        let folded = old.len().saturating_sub(head + tail);
        let first = new + head;
        let same = |line: usize| DiffRow::Same { section, old: old.start + line, new: new + line };
        if folded <= 1 || is_open(first) {
            self.out.extend((0..old.len()).map(same));
            return;
        }
        self.out.extend((0..head).map(same));
        let fold = FoldedLines { section, old: old.start + head, new: first, lines: folded };
        self.out.push(DiffRow::Fold(fold));
        self.out.extend((head + folded..old.len()).map(same));
    }

    fn hunk(&mut self, place: usize, hunk: &Hunk) {
        let at = (self.at, place);
        self.out.push(DiffRow::Hunk(at));
        let reviewed = self.section.facts.get(place).is_some_and(|facts| facts.reviewed);
        let name = (&self.section.change.field, &hunk.id);
        if reviewed && !self.layout.shown.iter().any(|(field, id)| (field, id) == name) {
            return;
        }
        let found = &self.section.found;
        let old: Vec<&str> = hunk.old.clone().map(|line| found.old.line(line)).collect();
        let new: Vec<&str> = hunk.new.clone().map(|line| found.new.line(line)).collect();
        let pairs = pairs(&old, &new);
        if self.layout.side_by_side {
            self.out.extend(pairs.iter().map(|pair| DiffRow::Both {
                at,
                old: pair.old.map(|line| hunk.old.start + line),
                new: pair.new.map(|line| hunk.new.start + line),
                alike: pair.alike,
            }));
            return;
        }
        self.out.extend(pairs.iter().filter_map(|pair| {
            let alike = pair.new.filter(|_| pair.alike).map(|line| hunk.new.start + line);
            Some(DiffRow::Old { at, line: hunk.old.start + pair.old?, alike })
        }));
        self.out.extend(pairs.iter().filter_map(|pair| {
            let alike = pair.old.filter(|_| pair.alike).map(|line| hunk.old.start + line);
            Some(DiffRow::New { at, line: hunk.new.start + pair.new?, alike })
        }));
    }
}

#[cfg(test)]
mod tests;
