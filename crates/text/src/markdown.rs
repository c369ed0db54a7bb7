//! Renders Markdown to a closed list of elements, whole or while the text streams in.
//!
//! 1. [`parse`](parse::parse): text → [`Document`](tree::Document), by the grammar of `pulldown-cmark` plus limits,
//!    math in backslashes, and autolinks.
//! 2. `layout::lay_out`: document → [`Node`]s, from a closed list of elements and attributes.
//! 3. The screen creates DOM nodes and updates only those that differ.
//!
//! Use [`read`] for a complete text and [`MarkdownStream`] for a streamed one. Raw HTML is shown as text; nothing is
//! loaded or opened.

mod autolink;
mod definitions;
mod delimiters;
pub mod layout;
pub mod page;
pub mod parse;
pub mod stream;
pub mod tree;

use crate::limits::{MARKDOWN_BYTES, MARKDOWN_DIRECT_BYTES, MARKDOWN_SLICE_BYTES, MARKDOWN_SLICE_MS};
use crate::markdown::page::{Node, RenderedMarkdown};
use crate::markdown::stream::MarkdownStream;

pub fn read(text: &str) -> RenderedMarkdown {
    layout::lay_out(&parse::parse(text))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeBlock {
    pub text: String,
    /// The name of its file, if it gives one.
    pub name: Option<String>,
    /// Its language; may be empty.
    pub language: String,
}

/// The code block with this index, from 0, in page order.
pub fn code_at(text: &str, place: usize) -> Option<CodeBlock> {
    let document = parse::parse(text);
    let blocks = document.blocks.iter().map(|(_, block)| block);
    let notes = document.notes.iter().flat_map(|note| &note.blocks);
    let mut found = Vec::new();
    blocks.chain(notes).for_each(|block| gather_code(block, &mut found));
    found.into_iter().nth(place).map(|(info, text)| {
        let text = text.strip_suffix('\n').unwrap_or(text).to_owned();
        CodeBlock { name: layout::name_of(info, &text), language: layout::language_of(info), text }
    })
}

fn gather_code<'d>(block: &'d tree::Block, found: &mut Vec<(&'d str, &'d str)>) {
    if let tree::Block::Code { info, text } = block {
        found.push((info, text));
    } else if let tree::Block::Quote { blocks, .. } = block {
        blocks.iter().for_each(|block| gather_code(block, found));
    } else if let tree::Block::List { items, .. } = block {
        items.iter().flat_map(|item| &item.blocks).for_each(|block| gather_code(block, found));
    }
}

/// Reads a complete text in pieces, so that no piece blocks for longer than a time slice.
///
/// A piece is at most twice as long as what was read of its block before. If one took very long, the rest of the text
/// is shown as plain text.
#[derive(Clone, Debug, Default)]
pub struct Slices {
    growing: MarkdownStream,
    /// The nodes of the finished blocks.
    nodes: Vec<Node>,
    /// True if the text is read once more, with all its definitions.
    is_second: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slice {
    /// There is more to read. These finished blocks are new; they may still change at the end.
    More(Vec<Node>),
    Whole(Vec<Node>),
}

impl Slices {
    /// Continues a text that was read while it grew; `finished` are its finished blocks.
    pub fn after(growing: MarkdownStream, finished: Vec<Node>) -> Self {
        Self { growing, nodes: finished, is_second: false }
    }

    /// Continues with `text`, the same each time. `now` returns the time in milliseconds.
    pub fn read_on<C: Fn() -> f64>(&mut self, text: &str, now: C) -> Slice {
        if text.len() <= MARKDOWN_DIRECT_BYTES || text.len() > MARKDOWN_BYTES {
            return Slice::Whole(read(text).nodes);
        }
        let (start, begun, first) = (now(), self.growing.text().len(), self.nodes.len());
        let mut before = start;
        loop {
            let at = self.growing.text().len();
            let open = self.growing.open_bytes();
            let to = text.floor_char_boundary(at + open.max(MARKDOWN_DIRECT_BYTES));
            let update = self.growing.grow(text.get(at..to).unwrap_or_default());
            self.nodes.extend(update.finished);
            let after = now();
            self.growing.halt_if_slow(after - before, open + to - at);
            before = after;
            let is_read = to >= text.len();
            if is_read && let Some(again) = self.growing.again().filter(|_| !self.is_second) {
                // Definitions after their use count now. The result of the first pass stays until this one is done.
                *self = Self { growing: again, nodes: Vec::new(), is_second: true };
                return Slice::More(Vec::new());
            }
            if is_read {
                let mut nodes = std::mem::take(&mut self.nodes);
                nodes.extend(update.open);
                return Slice::Whole(nodes);
            }
            if after - start > MARKDOWN_SLICE_MS || to - begun >= MARKDOWN_SLICE_BYTES {
                let new = if self.is_second { None } else { self.nodes.get(first..) };
                return Slice::More(new.unwrap_or_default().to_vec());
            }
        }
    }
}

#[cfg(test)]
mod tests;
