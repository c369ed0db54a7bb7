//! References and footnotes that the finished blocks of a streamed text define for later blocks.
//!
//! Finished blocks are never parsed again.

use std::borrow::Cow;
use std::ops::Range;

use crate::limits::MARKDOWN_KNOWN_BYTES;
use crate::markdown::tree::{Block, Document, Footnote};

/// Closes anything that the definitions may have opened.
const END: &str = "***\n\n";

/// A parsed text, with the positions that tell which parts belong to finished blocks.
#[derive(Debug, Default)]
pub(super) struct ParsedText {
    pub(super) blocks: Vec<(Range<usize>, Block)>,
    /// The footnotes in the order of the text, each with its start.
    pub(super) notes: Vec<(usize, Footnote)>,
    /// Mentions without an earlier definition, each with its first position.
    pub(super) mentions: Vec<(usize, String)>,
    /// The used limits after each block.
    pub(super) used_limits: Vec<UsedLimits>,
    /// True if it exceeds the limits, so that its rest is one block, shown as written.
    pub(super) is_cut: bool,
    /// The definitions of its references in order, each with its position.
    pub(super) references: Vec<(usize, LinkDefinition)>,
}

/// The used part of the limits of a text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UsedLimits {
    pub(super) pieces: usize,
    pub(super) links: usize,
}

#[derive(Clone, Debug)]
pub(super) struct LinkDefinition {
    pub(super) label: String,
    pub(super) address: String,
    pub(super) title: String,
}

impl LinkDefinition {
    fn source(&self) -> String {
        let (address, title) = (escaped(&self.address), escaped(&self.title));
        format!("[{}]: <{address}> \"{title}\"\n\n", self.label)
    }
}

/// The definition of a footnote without its text.
fn existence_of(note: &Footnote) -> String {
    format!("[^{}]: .\n\n", note.label)
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '<' | '>' | '"' | '\\' => out.extend(['\\', sign]),
            '&' => out.push_str("&amp;"),
            // A line of its own could begin another block.
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            sign => out.push(sign),
        }
    }
    out
}

/// The definitions of finished blocks for later ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Definitions {
    /// Their definitions, written again: of a footnote only that it exists.
    definitions: String,
    /// The footnotes that they mention, in the order of first mention.
    pub(super) labels: Vec<String>,
    pub(super) notes: Vec<Footnote>,
    pub(super) spent: UsedLimits,
}

impl Definitions {
    /// The text for the parser after the known definitions, and how many bytes these take.
    pub(super) fn before<'t>(&self, text: &'t str) -> (Cow<'t, str>, usize) {
        if self.definitions.is_empty() {
            return (Cow::Borrowed(text), 0);
        }
        let before = self.definitions.len() + END.len();
        (Cow::Owned([&self.definitions, END, text].concat()), before)
    }

    /// Stores what a text defines and mentions before this position, which is finished.
    pub(super) fn learn(&mut self, reading: ParsedText, end: usize) {
        let before = |at: usize| at < end;
        for (_, reference) in reading.references.into_iter().filter(|(at, _)| before(*at)) {
            self.define(&reference.source());
        }
        for (_, note) in reading.notes.into_iter().filter(|(at, _)| before(*at)) {
            self.define(&existence_of(&note));
            self.notes.push(note);
        }
        let labels = reading.mentions.into_iter().filter(|(at, _)| before(*at));
        self.labels.extend(labels.map(|(_, label)| label));
    }

    /// Only the definitions, for another pass over the same text: there the footnotes and their mentions come again.
    pub(super) fn definitions(&self) -> Self {
        Self { definitions: self.definitions.clone(), ..Self::default() }
    }

    /// Adds the definitions of a text that is finished now.
    pub(super) fn learn_definitions(&mut self, reading: &ParsedText) {
        reading.references.iter().for_each(|(_, reference)| self.define(&reference.source()));
        reading.notes.iter().for_each(|(_, note)| self.define(&existence_of(note)));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.definitions.is_empty()
    }

    /// Every pass reads these again. If there are very many, later ones count only in the complete text.
    fn define(&mut self, definition: &str) {
        if self.definitions.len() + definition.len() <= MARKDOWN_KNOWN_BYTES {
            self.definitions.push_str(definition);
        }
    }

    /// The document of the known blocks and the text after them: the mentioned footnotes in the order of first
    /// mention, then the others.
    pub(super) fn document(&self, reading: ParsedText) -> Document {
        let written = reading.notes.into_iter().map(|(_, note)| note);
        let mut written: Vec<Option<Footnote>> =
            self.notes.iter().cloned().chain(written).map(Some).collect();
        let mentions = reading.mentions.into_iter().map(|(_, label)| label);
        let mut note_of = |label: String| {
            let is_it = |note: &&mut Option<Footnote>| note.as_ref().is_some_and(|note| note.label == label);
            let found = written.iter_mut().find(is_it).and_then(Option::take);
            // A mention without a definition would be a mark without a note.
            found.unwrap_or_else(|| Footnote { label, blocks: Vec::new() })
        };
        let mut notes: Vec<Footnote> =
            self.labels.iter().cloned().chain(mentions).map(&mut note_of).collect();
        // A footnote without a mention was still written.
        notes.extend(written.into_iter().flatten());
        Document { blocks: reading.blocks, notes }
    }
}
