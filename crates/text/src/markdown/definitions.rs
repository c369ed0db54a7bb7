//! References and footnotes that the finished blocks of a streamed text define for later blocks.
//!
//! Finished blocks are never parsed again.

use std::borrow::Cow;
use std::ops::Range;

use crate::limits::MARKDOWN_KNOWN_BYTES;
use crate::markdown::tree::{Block, Document, Footnote};

/// Ends whatever the definitions may have opened.
const END: &str = "***\n\n";

/// A text as it was read, with the places that tell what of it is finished when some of its blocks are.
#[derive(Debug, Default)]
pub(super) struct ParsedText {
    pub(super) blocks: Vec<(Range<usize>, Block)>,
    /// The footnotes in the order in which they are written, each with where it begins.
    pub(super) notes: Vec<(usize, Footnote)>,
    /// What the text mentions that nothing before it did, each with where it does so first.
    pub(super) mentions: Vec<(usize, String)>,
    /// What was spent of the caps of a text when each of the blocks was read.
    pub(super) spent: Vec<Spent>,
    /// Whether it holds more than is laid out, so that its rest is one block, as it was written.
    pub(super) is_cut: bool,
    /// What its references stand for, in order, each with where it is defined.
    pub(super) references: Vec<(usize, LinkDefinition)>,
}

/// How much of the caps of a text is spent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
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
    fn told(&self) -> String {
        let (address, title) = (escaped(&self.address), escaped(&self.title));
        format!("[{}]: <{address}> \"{title}\"\n\n", self.label)
    }
}

/// A text that means itself between the marks of an address or a title.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '<' | '>' | '"' | '\\' => out.extend(['\\', sign]),
            '&' => out.push_str("&amp;"),
            // A line of its own could begin something else.
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            sign => out.push(sign),
        }
    }
    out
}

/// What finished blocks mean for those after them.
#[derive(Clone, Debug, Default)]
pub(super) struct Definitions {
    /// Their definitions, written again: of a footnote only that there is one.
    definitions: String,
    /// The footnotes that they mention, in the order in which they do so first.
    labels: Vec<String>,
    notes: Vec<Footnote>,
    pub(super) spent: Spent,
}

impl Definitions {
    /// The text for the parser, behind what it does not say itself, and how many bytes that is.
    pub(super) fn before<'t>(&self, text: &'t str) -> (Cow<'t, str>, usize) {
        if self.definitions.is_empty() {
            return (Cow::Borrowed(text), 0);
        }
        let before = self.definitions.len() + END.len();
        (Cow::Owned([&self.definitions, END, text].concat()), before)
    }

    pub(super) fn labels(&self) -> &[String] {
        &self.labels
    }

    pub(super) fn note_count(&self) -> usize {
        self.notes.len()
    }

    /// Keeps what a text says before this place, which is finished.
    pub(super) fn learn(&mut self, reading: ParsedText, end: usize) {
        let before = |at: usize| at < end;
        for (_, reference) in reading.references.into_iter().filter(|(at, _)| before(*at)) {
            self.define(&reference.told());
        }
        for (_, note) in reading.notes.into_iter().filter(|(at, _)| before(*at)) {
            self.define(&format!("[^{}]: .\n\n", note.label));
            self.notes.push(note);
        }
        let labels = reading.mentions.into_iter().filter(|(at, _)| before(*at));
        self.labels.extend(labels.map(|(_, label)| label));
    }

    /// Only what is defined, for another look at the same text from its beginning: there the footnotes and where they
    /// are mentioned come again.
    pub(super) fn definitions(&self) -> Self {
        Self { definitions: self.definitions.clone(), ..Self::default() }
    }

    /// Takes in what a text defines that is finished now.
    pub(super) fn learn_definitions(&mut self, reading: &ParsedText) {
        reading.references.iter().for_each(|(_, reference)| self.define(&reference.told()));
        reading.notes.iter().for_each(|(_, note)| self.define(&format!("[^{}]: .\n\n", note.label)));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.definitions.is_empty()
    }

    /// Every look reads these again. Where there are very many, later ones count once the text is whole.
    fn define(&mut self, definition: &str) {
        if self.definitions.len() + definition.len() <= MARKDOWN_KNOWN_BYTES {
            self.definitions.push_str(definition);
        }
    }

    /// The document of what is known and of the text behind it: the footnotes that are mentioned in the order in which
    /// they are first, then the others.
    pub(super) fn document(&self, reading: ParsedText) -> Document {
        let written = reading.notes.into_iter().map(|(_, note)| note);
        let mut written: Vec<Option<Footnote>> =
            self.notes.iter().cloned().chain(written).map(Some).collect();
        let mentions = reading.mentions.into_iter().map(|(_, label)| label);
        let mut note_of = |label: String| {
            let is_it = |note: &&mut Option<Footnote>| note.as_ref().is_some_and(|note| note.label == label);
            let found = written.iter_mut().find(is_it).and_then(Option::take);
            // A footnote that is mentioned but not written would be a mark without a note.
            found.unwrap_or_else(|| Footnote { label, blocks: Vec::new() })
        };
        let mut notes: Vec<Footnote> =
            self.labels.iter().cloned().chain(mentions).map(&mut note_of).collect();
        // A note that nothing mentions is still something that was written.
        notes.extend(written.into_iter().flatten());
        Document { blocks: reading.blocks, notes }
    }
}
