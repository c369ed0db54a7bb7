//! Never measures or draws anything.
//!
//! Owns a review laid out row by row, so that a screen builds only the rows that are in view, however long the texts
//! are: heads of fields and hunks, lines on one side or on both, and what is folded between them.

use std::ops::Range;

use crate::domain::blame::{Author, Blame, Step};
use crate::domain::limits::COMPARE_CONTEXT;
use crate::domain::mind::Mind;
use crate::domain::review::{Change, Field, changes, is_reviewed};
use crate::domain::text::changed_words::pairs;
use crate::domain::text::compare::{Comparison, Hunk, HunkId};

/// A field that differs, compared.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The field with both texts.
    pub change: Change,
    /// Where they differ.
    pub found: Comparison,
    /// What is known of each hunk, in their order.
    pub facts: Vec<Facts>,
    /// Whether all of it is reviewed.
    pub reviewed: bool,
}

/// What is known of a hunk beside its lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// Who made it, who did most of it first; nobody where it is older than the turns that are loaded.
    pub by: Vec<Author>,
    /// Whether it is reviewed.
    pub reviewed: bool,
}

/// Compares two minds field by field. `reviewed` is what was reviewed of the new one, where anything was.
pub fn sections(old: &Mind, now: &Mind, reviewed: Option<&Mind>, history: &[Step]) -> Vec<Section> {
    changes(old, now)
        .into_iter()
        .map(|change| {
            let found = change.compare();
            let blame = Blame::of(history, &change.field);
            let left = reviewed.map(|reviewed| Change {
                field: change.field.clone(),
                old: change.field.text(reviewed),
                new: change.new.clone(),
            });
            let still = left.as_ref().map(Change::compare);
            let facts = found.hunks.iter().map(|hunk| Facts {
                by: blame.authors(history, &found, hunk),
                reviewed: still.as_ref().is_some_and(|still| is_reviewed(still, hunk)),
            });
            let facts = facts.collect();
            let reviewed = left.is_some_and(|left| left.old == left.new);
            Section { change, found, facts, reviewed }
        })
        .collect()
}

/// A hunk among all: its section and its place there.
pub type Place = (usize, usize);

/// The name of a hunk that holds while others come and go.
pub type HunkName = (Field, HunkId);

/// The name of the hunk at a place.
pub fn name_of(sections: &[Section], (section, hunk): Place) -> Option<HunkName> {
    let section = sections.get(section)?;
    Some((section.change.field.clone(), section.found.hunks.get(hunk)?.id.clone()))
}

/// Where the hunk of this name is.
pub fn place_of(sections: &[Section], (field, id): &HunkName) -> Option<Place> {
    let at = sections.iter().position(|section| section.change.field == *field)?;
    let hunk = sections.get(at)?.found.hunks.iter().position(|hunk| hunk.id == *id)?;
    Some((at, hunk))
}

/// All hunks, in order.
pub fn places(sections: &[Section]) -> Vec<Place> {
    let hunks = |(at, section): (usize, &Section)| (0..section.found.hunks.len()).map(move |hunk| (at, hunk));
    sections.iter().enumerate().flat_map(hunks).collect()
}

/// A row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Row {
    /// The head of a section.
    Field(usize),
    /// Says that both texts have no lines: a file was made or deleted empty.
    Empty(usize),
    /// The head of a hunk.
    Hunk(Place),
    /// Unchanged lines that are folded: those before the hunk of this number, or after the last.
    Fold(Fold),
    /// An unchanged line.
    Same {
        /// The section.
        section: usize,
        /// The old line, from 0.
        old: usize,
        /// The new line, from 0.
        new: usize,
    },
    /// A line that was removed.
    Old {
        /// The hunk.
        at: Place,
        /// The line, from 0.
        line: usize,
        /// The line that became of it.
        alike: Option<usize>,
    },
    /// A line that was added.
    New {
        /// The hunk.
        at: Place,
        /// The line, from 0.
        line: usize,
        /// The line that it was.
        alike: Option<usize>,
    },
    /// Both sides of a hunk next to each other.
    Both {
        /// The hunk.
        at: Place,
        /// The old line, from 0.
        old: Option<usize>,
        /// The new line, from 0.
        new: Option<usize>,
        /// Whether the new one is what became of the old one.
        alike: bool,
    },
}

/// Unchanged lines that are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fold {
    /// The section.
    pub section: usize,
    /// The first old line, from 0.
    pub old: usize,
    /// The first new line, from 0.
    pub new: usize,
    /// How many lines.
    pub lines: usize,
}

/// How a review is to be laid out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout<'l> {
    /// Old and new next to each other instead of one below the other.
    pub side_by_side: bool,
    /// Folds that were opened: their field and first new line.
    pub unfolded: &'l [(Field, usize)],
    /// Reviewed hunks whose lines are shown all the same.
    pub shown: &'l [HunkName],
}

/// The rows of a review.
pub fn rows(sections: &[Section], layout: &Layout<'_>) -> Vec<Row> {
    let mut out = Vec::new();
    for (at, section) in sections.iter().enumerate() {
        out.push(Row::Field(at));
        if section.found.hunks.is_empty() {
            out.push(Row::Empty(at));
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
    out: &'r mut Vec<Row>,
    at: usize,
    section: &'r Section,
    layout: &'r Layout<'l>,
}

impl SectionRows<'_, '_> {
    /// Unchanged lines: those next to a hunk are shown, the rest is folded where that saves a row.
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
        let same = |line: usize| Row::Same { section, old: old.start + line, new: new + line };
        if folded <= 1 || is_open(first) {
            self.out.extend((0..old.len()).map(same));
            return;
        }
        self.out.extend((0..head).map(same));
        self.out.push(Row::Fold(Fold { section, old: old.start + head, new: first, lines: folded }));
        self.out.extend((head + folded..old.len()).map(same));
    }

    fn hunk(&mut self, place: usize, hunk: &Hunk) {
        let at = (self.at, place);
        self.out.push(Row::Hunk(at));
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
            self.out.extend(pairs.iter().map(|pair| Row::Both {
                at,
                old: pair.old.map(|line| hunk.old.start + line),
                new: pair.new.map(|line| hunk.new.start + line),
                alike: pair.alike,
            }));
            return;
        }
        self.out.extend(pairs.iter().filter_map(|pair| {
            let alike = pair.new.filter(|_| pair.alike).map(|line| hunk.new.start + line);
            Some(Row::Old { at, line: hunk.old.start + pair.old?, alike })
        }));
        self.out.extend(pairs.iter().filter_map(|pair| {
            let alike = pair.old.filter(|_| pair.alike).map(|line| hunk.old.start + line);
            Some(Row::New { at, line: hunk.new.start + pair.new?, alike })
        }));
    }
}

#[cfg(test)]
#[path = "rows_tests.rs"]
mod tests;
