//! The Markdown document tree: blocks and inlines with owned text; and Markdown as plain words, for lists that show
//! the beginning of a text.

use std::ops::Range;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Its blocks, each with its place in the text, in bytes.
    pub blocks: Vec<(Range<usize>, Block)>,
    /// Its footnotes, in the order in which they are first mentioned.
    pub notes: Vec<Footnote>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footnote {
    pub label: String,
    pub blocks: Vec<Block>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    Heading {
        /// From 1 to 6.
        level: u8,
        words: Vec<Inline>,
    },
    Paragraph(Vec<Inline>),
    /// Words without the space of a paragraph around them, as in a list whose items stand close.
    Words(Vec<Inline>),
    Code {
        /// What stands behind the opening fence: a language, perhaps a file's name.
        info: String,
        text: String,
    },
    Quote {
        alert: Option<AlertKind>,
        blocks: Vec<Block>,
    },
    List {
        /// The number of the first item, where items are numbered.
        start: Option<u64>,
        items: Vec<ListItem>,
    },
    Table(Table),
    Rule,
    /// Text that is shown as it was written: raw HTML, or what is too large to be laid out.
    Plain(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListItem {
    /// Whether the task is done, where the item is one.
    pub done: Option<bool>,
    pub blocks: Vec<Block>,
}

/// A table. Rows and columns above the caps are left out; `whole` then has everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    pub columns: Vec<Align>,
    pub head: Vec<Vec<Inline>>,
    pub rows: Vec<Vec<Vec<Inline>>>,
    /// The text of a table that is too large to be shown whole.
    pub whole: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Unsaid,
    Left,
    Middle,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertKind {
    Note,
    Tip,
    Important,
    Warning,
    Caution,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    Text(String),
    Code(String),
    Maths {
        tex: String,
        /// Whether it stands on lines of its own.
        display: bool,
    },
    Emphasis(Vec<Inline>),
    Strong(Vec<Inline>),
    Struck(Vec<Inline>),
    /// Words with an address. Whether it may be opened is for the layout to say.
    Link {
        words: Vec<Inline>,
        address: String,
        /// Its title; may be empty.
        title: String,
    },
    Image {
        /// What is to be read where it is not seen.
        alt: Vec<Inline>,
        address: String,
        /// Its title; may be empty.
        title: String,
    },
    Html(String),
    /// A mention of a footnote; its place in [`Document::notes`].
    Note(usize),
    /// A new line in the text, which is a space to the reader.
    SoftBreak,
    Break,
}

/// The words of inlines, without their marks.
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

/// The text without the marks of Markdown: headings, lists, quotes, tables, emphasis, code. What stands in a line stays
/// there.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            continue;
        }
        let words = strip_begin(line);
        // Cells stand beside each other; the line below the head of a table has none.
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
        // The single mark that is open, and the letter before.
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

/// Whether a sign between these two ends emphasis: it stands behind a word, and not within one.
fn ends(before: Option<char>, after: &str) -> bool {
    before.is_some_and(|before| !before.is_whitespace()) && !after.starts_with(char::is_alphanumeric)
}

/// Whether a sign begins emphasis that ends in this line.
fn begins(before: Option<char>, sign: char, after: &str) -> bool {
    let is_free = !before.is_some_and(char::is_alphanumeric) && !after.starts_with(char::is_whitespace);
    let closes = |(at, _): (usize, &str)| {
        let (words, rest) = (after.get(..at), after.get(at.saturating_add(1)..));
        words.zip(rest).is_some_and(|(words, rest)| ends(words.chars().next_back(), rest))
    };
    matches!(sign, '*' | '_') && is_free && after.match_indices(sign).any(closes)
}

/// A line without what makes it a heading, a quote or an item.
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
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_words_stay() {
        let cases = [
            ("**list of birds**", "list of birds"),
            ("## What I would do", "What I would do"),
            ("- [x] `tick` it\n> - quoted", "tick it\nquoted"),
            ("```js\nexport 1\n```\nthen", "export 1\nthen"),
            ("2 * 3 and a#b, #hash", "2 * 3 and a#b, #hash"),
            ("-5 degrees, snake_case", "-5 degrees, snake_case"),
            ("", ""),
            ("| a | **b** |\n| - | :-: |\n| 1 | 2 |", "a · b\n1 · 2"),
            ("|", "|"),
            ("ä **ö**", "ä ö"),
            ("a way to *ask*, and _one_ more", "a way to ask, and one more"),
            ("_private, 2*3*4 and * alone*", "_private, 2*3*4 and * alone*"),
        ];
        for (text, words) in cases {
            assert_eq!(plain(text), words);
        }
    }
}
