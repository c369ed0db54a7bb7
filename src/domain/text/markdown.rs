//! Never makes markup: raw HTML is text like any other, and an address is only shown.
//!
//! Owns the Markdown that models write, as a tree: headings, paragraphs, lists with tasks, code, quotes, tables, rules.
//! A subset on purpose; whatever is not understood stays as it was written.

mod inline;
mod list;
mod table;

pub use inline::Inline;
use inline::inlines;

/// How deep blocks may stand in each other; deeper ones are paragraphs.
const DEPTH: usize = 8;

/// A block of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// A heading.
    Heading {
        /// From 1 to 6.
        level: usize,
        /// Its words.
        words: Vec<Inline>,
    },
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// Code, to be shown as it is.
    Code {
        /// The language that was named; may be empty.
        language: String,
        /// The text.
        text: String,
    },
    /// A quotation.
    Quote(Vec<Block>),
    /// A list.
    List {
        /// The number of the first item, where items are numbered.
        start: Option<u32>,
        /// The items.
        items: Vec<Item>,
    },
    /// A table.
    Table {
        /// The cells of the first row.
        head: Vec<Vec<Inline>>,
        /// The cells of the other rows.
        rows: Vec<Vec<Vec<Inline>>>,
    },
    /// A line across.
    Rule,
}

/// An item of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Whether the task is done, where the item is one.
    pub done: Option<bool>,
    /// What it holds.
    pub blocks: Vec<Block>,
}

/// The blocks of a text.
pub fn blocks(text: &str) -> Vec<Block> {
    parse(&text.lines().collect::<Vec<_>>(), DEPTH)
}

/// How much of a growing text, in bytes, is made of blocks that what comes later cannot change: up to the last empty
/// line that stands outside of code, and before which no list is open.
pub fn settled(text: &str) -> usize {
    let (mut settled, mut at, mut fence) = (0, 0, None::<Fence>);
    let mut before_empty = false;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        let opens_block = before_empty
            && !bare.is_empty()
            && !line.starts_with([' ', '\t'])
            && list::marker(bare).is_none();
        match &fence {
            Some(open) if open.is_closed_by(bare) => fence = None,
            Some(_) => {}
            None => {
                if opens_block {
                    settled = at;
                }
                fence = Fence::opened_by(bare);
            }
        }
        before_empty = fence.is_none() && bare.is_empty();
        at += line.len();
    }
    settled
}

/// The mark that opens code.
struct Fence {
    mark: char,
    length: usize,
    language: String,
}

impl Fence {
    fn opened_by(line: &str) -> Option<Self> {
        let bare = line.trim_start();
        let mark = bare.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let rest = bare.trim_start_matches(mark);
        let length = bare.len() - rest.len();
        let language = rest.split_whitespace().next().unwrap_or("");
        let fits = length >= 3 && (mark == '~' || !rest.contains('`'));
        fits.then(|| Self { mark, length, language: language.to_owned() })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let bare = line.trim();
        bare.len() >= self.length && bare.chars().all(|c| c == self.mark)
    }
}

/// Lines that are taken one after another.
struct Lines<'t> {
    lines: &'t [&'t str],
}

impl<'t> Lines<'t> {
    fn peek(&self) -> Option<&'t str> {
        self.lines.first().copied()
    }

    fn after(&self) -> Option<&'t str> {
        self.lines.get(1).copied()
    }

    fn take(&mut self) -> Option<&'t str> {
        let (first, rest) = self.lines.split_first()?;
        self.lines = rest;
        Some(first)
    }

    fn take_while(&mut self, mut fits: impl FnMut(&str) -> bool) -> Vec<&'t str> {
        let mut taken = Vec::new();
        while let Some(line) = self.peek().filter(|line| fits(line)) {
            taken.push(line);
            self.take();
        }
        taken
    }
}

fn parse(lines: &[&str], depth: usize) -> Vec<Block> {
    let mut lines = Lines { lines };
    let mut blocks = Vec::new();
    while let Some(line) = lines.peek() {
        if line.trim().is_empty() {
            lines.take();
        } else {
            blocks.push(block(&mut lines, line, depth));
        }
    }
    blocks
}

/// The block that begins with `line`, which is not empty and not taken yet.
fn block(lines: &mut Lines<'_>, line: &str, depth: usize) -> Block {
    if let Some(fence) = Fence::opened_by(line) {
        lines.take();
        let text = lines.take_while(|line| !fence.is_closed_by(line)).join("\n");
        lines.take();
        return Block::Code { language: fence.language, text };
    }
    if let Some((level, words)) = heading(line) {
        lines.take();
        return Block::Heading { level, words: inlines(words) };
    }
    if is_rule(line) {
        lines.take();
        return Block::Rule;
    }
    if let Some(table) = table::table(lines) {
        return table;
    }
    if depth > 0 {
        if is_quote(line) {
            let quoted = lines.take_while(is_quote);
            let inner: Vec<_> = quoted.into_iter().map(unquoted).collect();
            return Block::Quote(parse(&inner, depth - 1));
        }
        if list::marker(line).is_some() {
            return list::list(lines, depth - 1);
        }
    }
    // The first line is taken whatever it is, so that every call gets on.
    let mut words = vec![line.trim()];
    lines.take();
    words.extend(lines.take_while(|line| !begins_other(line)).iter().map(|line| line.trim()));
    Block::Paragraph(inlines(&words.join("\n")))
}

/// Whether a line ends the paragraph before it.
fn begins_other(line: &str) -> bool {
    let is_list = list::marker(line).is_some_and(|marker| marker.may_interrupt());
    line.trim().is_empty()
        || is_list
        || is_quote(line)
        || is_rule(line)
        || heading(line).is_some()
        || Fence::opened_by(line).is_some()
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let bare = line.trim();
    let words = bare.trim_start_matches('#');
    let level = bare.len() - words.len();
    let fits = (1..=6).contains(&level) && (words.is_empty() || words.starts_with(' '));
    fits.then(|| (level, words.trim().trim_end_matches('#').trim_end()))
}

fn is_rule(line: &str) -> bool {
    let mut marks = line.chars().filter(|c| !c.is_whitespace());
    let Some(first) = marks.next().filter(|first| matches!(first, '-' | '*' | '_')) else { return false };
    let mut number = 1;
    marks.all(|mark| {
        number += 1;
        mark == first
    }) && number >= 3
}

fn is_quote(line: &str) -> bool {
    line.trim_start().starts_with('>')
}

fn unquoted(line: &str) -> &str {
    let rest = line.trim_start().strip_prefix('>').unwrap_or(line);
    rest.strip_prefix(' ').unwrap_or(rest)
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
