//! The Markdown document tree: blocks and inlines with owned text; and Markdown as plain words, for lists that show
//! the beginning of a text.

use std::ops::Range;

pub use pulldown_cmark::{Alignment, BlockQuoteKind};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Its blocks, each with its range in the text, in bytes.
    pub blocks: Vec<(Range<usize>, Block)>,
    /// Its footnotes, in the order of first mention.
    pub notes: Vec<Footnote>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Footnote {
    pub label: String,
    pub blocks: Vec<Block>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    Heading {
        /// From 1 to 6.
        level: u8,
        words: Vec<Inline>,
    },
    Paragraph(Vec<Inline>),
    /// Words without the spacing of a paragraph, as in a tight list.
    Words(Vec<Inline>),
    Code {
        /// The info string of the fence: a language, perhaps a file's name.
        info: String,
        text: String,
    },
    Quote {
        alert: Option<BlockQuoteKind>,
        blocks: Vec<Block>,
    },
    List {
        /// The number of the first item, if items are numbered.
        start: Option<u64>,
        items: Vec<ListItem>,
    },
    Table(Table),
    Rule,
    /// Text that is shown as written: raw HTML, or what is too large to lay out.
    Plain(String),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListItem {
    /// Whether the task is done, if the item is one.
    pub done: Option<bool>,
    pub blocks: Vec<Block>,
}

/// A table. Rows and columns above the limits are omitted; `whole` then has everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub columns: Vec<Alignment>,
    pub head: Vec<Vec<Inline>>,
    pub rows: Vec<Vec<Vec<Inline>>>,
    /// The text of a table that is too large to be shown completely.
    pub whole: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    Text(String),
    Code(String),
    Maths {
        tex: String,
        /// True if it is on lines of its own.
        display: bool,
    },
    Emphasis(Vec<Inline>),
    Strong(Vec<Inline>),
    Struck(Vec<Inline>),
    /// Words with an address. The layout decides whether it may be opened.
    Link {
        words: Vec<Inline>,
        address: String,
        /// Its title; may be empty.
        title: String,
    },
    Image {
        /// The alternative text.
        alt: Vec<Inline>,
        address: String,
        /// Its title; may be empty.
        title: String,
    },
    Html(String),
    /// A mention of a footnote: its index in [`Document::notes`].
    Note(usize),
    /// A line break in the source, which is shown as a space.
    SoftBreak,
    Break,
}

pub fn words_of(inlines: &[Inline]) -> String {
    let mut out = String::new();
    gather(inlines, &mut out);
    out
}

fn gather(inlines: &[Inline], out: &mut String) {
    for inline in inlines {
        match inline {
            Inline::Text(text) | Inline::Code(text) | Inline::Html(text) => out.push_str(text),
            Inline::Maths { tex, .. } => out.push_str(tex),
            Inline::Emphasis(words) | Inline::Strong(words) | Inline::Struck(words) => gather(words, out),
            Inline::Link { words, .. } | Inline::Image { alt: words, .. } => gather(words, out),
            Inline::Note(_) => {}
            Inline::SoftBreak => out.push(' '),
            Inline::Break => out.push('\n'),
        }
    }
}

/// The text without the markup of headings, lists, quotes, tables, emphasis and code. Keeps the lines.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            continue;
        }
        let words = strip_begin(line);
        // Cells are adjacent; the line below the head of a table has none.
        let cells = words.strip_prefix('|').and_then(|row| row.strip_suffix('|'));
        let row = cells.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>().join(" · "));
        let words = match &row {
            Some(row) if row.chars().all(|sign| matches!(sign, '-' | ':' | ' ' | '·')) => continue,
            Some(row) => row,
            None => words,
        };
        if !out.is_empty() && !words.is_empty() {
            out.push('\n');
        }
        let mut rest = words;
        // The single open mark, and the letter before it.
        let (mut open, mut before) = (None, None);
        while let Some(next) = rest.chars().next() {
            let mark = ["**", "__", "~~", "`"].into_iter().find(|mark| rest.starts_with(mark));
            let after = rest.get(next.len_utf8()..).unwrap_or_default();
            match mark {
                Some(mark) => rest = rest.get(mark.len()..).unwrap_or_default(),
                None if open == Some(next) && ends(before, after) => {
                    open = None;
                    rest = after;
                }
                None if open.is_none() && begins(before, next, after) => {
                    open = Some(next);
                    rest = after;
                }
                None => {
                    out.push(next);
                    before = Some(next);
                    rest = after;
                }
            }
        }
    }
    out
}

/// True if a mark between these two ends emphasis: after a word, and not within one.
fn ends(before: Option<char>, after: &str) -> bool {
    before.is_some_and(|before| !before.is_whitespace()) && !after.starts_with(char::is_alphanumeric)
}

/// True if a mark begins emphasis that ends in this line.
fn begins(before: Option<char>, sign: char, after: &str) -> bool {
    let is_free = !before.is_some_and(char::is_alphanumeric) && !after.starts_with(char::is_whitespace);
    let closes = |(at, _): (usize, &str)| {
        let (words, rest) = (after.get(..at), after.get(at.saturating_add(1)..));
        words.zip(rest).is_some_and(|(words, rest)| ends(words.chars().next_back(), rest))
    };
    matches!(sign, '*' | '_') && is_free && after.match_indices(sign).any(closes)
}

/// A line without the mark of a heading, a quote or an item.
fn strip_begin(line: &str) -> &str {
    let mut line = line;
    loop {
        let bare = line.trim_start_matches('#');
        let marks = ["- [ ] ", "- [x] ", "- ", "* ", "+ ", "> "];
        let next = if bare.len() < line.len() && bare.starts_with(' ') {
            bare
        } else if let Some(bare) = marks.into_iter().find_map(|mark| line.strip_prefix(mark)) {
            bare
        } else {
            return line;
        };
        line = next.trim_start();
    }
}

#[cfg(test)]
mod tests;
