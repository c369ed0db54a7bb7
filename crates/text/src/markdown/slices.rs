//! Parses a complete text in pieces, so that no piece blocks for longer than a time slice.
//!
//! A piece is at most twice what was read before of its block. If one took very long, the rest of the text is shown as
//! plain text.

use crate::limits::{MARKDOWN_BYTES, MARKDOWN_DIRECT_BYTES, MARKDOWN_SLICE_BYTES, MARKDOWN_SLICE_MS};
use crate::markdown::page::Node;
use crate::markdown::read;
use crate::markdown::stream::MarkdownStream;

/// A whole text that is being read.
#[derive(Clone, Debug, Default)]
pub struct Slices {
    growing: MarkdownStream,
    /// The nodes of the finished blocks.
    nodes: Vec<Node>,
    /// Whether the text is looked at once more, with all that it defines.
    is_second: bool,
}

/// What a slice came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slice {
    /// There is more to read. These finished blocks are new; they may still change when all is read.
    More(Vec<Node>),
    /// All is read, and this is the page.
    Whole(Vec<Node>),
}

impl Slices {
    /// Reads on in `text`, the same each time. `now` says what time it is, in milliseconds.
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
                // What is defined behind its use counts now. What the first look saw stays until this one is done.
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
#[path = "slices_tests.rs"]
mod tests;
