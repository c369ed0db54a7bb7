//! Incremental Markdown: reparses only the unfinished blocks of a growing text.
//!
//! A top-level block is finished once another one follows. References and footnotes of finished blocks are
//! remembered. Those that are defined after their first use are resolved when the complete text is parsed once more.

use crate::limits::{MARKDOWN_BYTES, MARKDOWN_SLOW_MS, MARKDOWN_SLOW_MS_PER_KB};
use crate::markdown::definitions::{Definitions, ParsedText};
use crate::markdown::layout::PageBuilder;
use crate::markdown::page::Node;
use crate::markdown::parse::{parse, parse_after};
use crate::markdown::tree::Block;

#[derive(Clone, Debug, Default)]
pub struct MarkdownStream {
    text: String,
    /// The start of the last block, in bytes. Everything before is finished.
    settled: usize,
    /// How far whole lines were searched for a block that finishes others.
    looked: usize,
    fence: Option<CodeFence>,
    known: Definitions,
    layout: PageBuilder,
    /// True if reading has stopped: the text after the finished blocks is shown as written.
    halted: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamUpdate {
    /// Blocks that are finished now: they are not read or laid out again.
    pub finished: Vec<Node>,
    pub open: Vec<Node>,
}

impl MarkdownStream {
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn is_read(&self) -> bool {
        !self.halted
    }

    pub fn grow(&mut self, added: &str) -> StreamUpdate {
        self.text.push_str(added);
        if self.halted || self.text.len() > MARKDOWN_BYTES {
            // The whole will be shown as it is; until then the last block is.
            return self.unread(Vec::new());
        }
        let finished = self.settle();
        if self.halted {
            return self.unread(finished);
        }
        // The open block is laid out each time, so its cost is not counted.
        let mut layout = self.layout.clone();
        let mut open = Vec::new();
        let reading = match self.fenced() {
            Some((info, code)) => {
                open.push(layout.code(&info, &code));
                ParsedText::default()
            }
            None => parse_after(&self.known, self.open()),
        };
        let document = self.known.document(reading);
        open.extend(document.blocks.iter().map(|(_, block)| layout.block(block)));
        open.extend(layout.notes(&document.notes));
        StreamUpdate { finished, open }
    }

    fn unread(&self, finished: Vec<Node>) -> StreamUpdate {
        let mut layout = self.layout.clone();
        let mut open = vec![layout.block(&Block::Plain(self.open().to_owned()))];
        // The footnotes read so far stay.
        open.extend(layout.notes(&self.known.document(ParsedText::default()).notes));
        StreamUpdate { finished, open }
    }

    /// Stops if reading `bytes` took so many milliseconds that the parser must be the reason, not a busy machine: the
    /// rest is shown as written.
    pub fn halt_if_slow(&mut self, milliseconds: f64, bytes: usize) {
        let allowed = MARKDOWN_SLOW_MS_PER_KB * bytes as f64 / 1024.0;
        if milliseconds > allowed.max(MARKDOWN_SLOW_MS) {
            self.halted = true;
        }
    }

    /// A second pass over the same text, with all its definitions known from the start; `None` if it has none, so that
    /// the pass would change nothing.
    pub(super) fn again(&self) -> Option<Self> {
        let mut known = self.known.definitions();
        if !self.halted && self.fence.is_none() {
            known.learn_definitions(&parse_after(&self.known, self.open()));
        }
        (!known.is_empty()).then(|| Self { known, ..Self::default() })
    }

    /// The size of the unfinished block, in bytes.
    pub fn open_bytes(&self) -> usize {
        self.text.len() - self.settled
    }

    fn open(&self) -> &str {
        self.text.get(self.settled..).unwrap_or_default()
    }

    /// Finishes all blocks but the last, by whole lines only: half a line may still become something else.
    fn settle(&mut self) -> Vec<Node> {
        let lines = self.text.rfind('\n').map_or(0, |at| at + 1);
        if lines <= self.looked {
            return Vec::new();
        }
        let from = std::mem::replace(&mut self.looked, lines);
        if let Some(fence) = &self.fence {
            let new = self.text.get(from..lines).unwrap_or_default();
            if !new.lines().any(|line| fence.is_closed_by(line)) {
                return Vec::new();
            }
            self.fence = None;
        }
        let Some(whole) = self.text.get(self.settled..lines) else { return Vec::new() };
        let mut reading = parse_after(&self.known, whole);
        // Later text continues that rest.
        self.halted = reading.is_cut;
        let mut finished = Vec::new();
        if let Some((place, _)) = reading.blocks.pop().filter(|_| !reading.blocks.is_empty()) {
            finished = reading.blocks.iter().map(|(_, block)| self.layout.block(block)).collect();
            // The blanks before a block belong to it.
            let start = whole.get(..place.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
            // Everything from that block on is read again.
            self.known.spent =
                reading.used_limits.get(reading.blocks.len() - 1).copied().unwrap_or(self.known.spent);
            self.known.learn(reading, start);
            self.settled += start;
        }
        self.fence = self.opened_fence(lines);
        finished
    }

    /// The fence that opens the last block, if none closes it yet.
    fn opened_fence(&self, lines: usize) -> Option<CodeFence> {
        let block = self.text.get(self.settled..lines)?;
        let (first, body) = block.split_once('\n')?;
        let fence = CodeFence::opened_by(first)?;
        let info = |block| if let Block::Code { info, .. } = block { Some(info) } else { None };
        let info = parse(first).blocks.into_iter().find_map(|(_, block)| info(block))?;
        let is_open = !body.lines().any(|line| fence.is_closed_by(line));
        is_open.then(|| CodeFence { info, start: self.settled + first.len() + 1, ..fence })
    }

    /// The open code, without a possible beginning of the closing fence.
    fn fenced(&self) -> Option<(String, String)> {
        let fence = self.fence.as_ref()?;
        let body = self.text.get(fence.start..)?;
        let last = body.rfind('\n').map_or(0, |at| at + 1);
        let (lines, rest) = body.split_at_checked(last)?;
        let shown = if rest.trim_matches(' ').chars().all(|c| c == fence.mark) { lines } else { body };
        // A text from the web may have either line ending.
        Some((fence.info.clone(), shown.replace("\r\n", "\n")))
    }
}

#[derive(Clone, Debug)]
struct CodeFence {
    mark: char,
    length: usize,
    info: String,
    start: usize,
}

impl CodeFence {
    /// A fence at the very start of a line; an indented one takes the slow path.
    fn opened_by(line: &str) -> Option<Self> {
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let rest = line.trim_start_matches(mark);
        let length = line.len() - rest.len();
        let fits = length >= 3 && (mark == '~' || !rest.contains('`'));
        fits.then(|| Self { mark, length, info: String::new(), start: 0 })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let bare = line.trim_start_matches(' ');
        let marks = bare.trim_end_matches([' ', '\t', '\r']);
        line.len() - bare.len() <= 3 && marks.len() >= self.length && marks.chars().all(|c| c == self.mark)
    }
}

#[cfg(test)]
mod tests;
