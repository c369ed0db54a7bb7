//! Never reads a block again that what comes later cannot change.
//!
//! Owns a text that grows. Markdown is read by lines, from top to bottom: once a block stands at the top of the text
//! below another, that other one is finished. So only what stands from the last block on is read when more comes.
//! References and footnotes may be defined anywhere: what finished blocks define is known from then on; what comes after
//! it was mentioned is minded when the text is whole and read once more.

use crate::domain::limits::MARKDOWN_BYTES;
use crate::domain::text::markdown::known::{Known, Reading};
use crate::domain::text::markdown::layout::Layout;
use crate::domain::text::markdown::page::Node;
use crate::domain::text::markdown::parse::{parse, parse_after};
use crate::domain::text::markdown::tree::Block;

/// A text that grows.
#[derive(Clone, Debug, Default)]
pub struct Growing {
    text: String,
    /// Where the last block begins, in bytes. What stands before is finished.
    settled: usize,
    /// Up to where whole lines were looked at for a block that finishes others.
    looked: usize,
    fence: Option<Fence>,
    known: Known,
    layout: Layout,
}

/// What is new on the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// Blocks that were open and are finished now: they are not read or laid out again.
    pub finished: Vec<Node>,
    /// What stands after all finished blocks.
    pub open: Vec<Node>,
}

impl Growing {
    /// What has come of the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Takes in what was added.
    pub fn grow(&mut self, added: &str) -> Update {
        self.text.push_str(added);
        if self.text.len() > MARKDOWN_BYTES {
            // The whole will be shown as it is; until then the last block is.
            return Update {
                finished: Vec::new(),
                open: vec![self.layout.clone().block(&Block::Plain(self.tail()))],
            };
        }
        let finished = self.settle();
        // What is open is laid out anew each time, so what it costs is not counted.
        let mut layout = self.layout.clone();
        let mut open = Vec::new();
        let reading = match self.fenced() {
            Some((info, code)) => {
                open.push(layout.code(&info, &code));
                Reading::default()
            }
            None => parse_after(&self.known, self.open()),
        };
        let document = self.known.document(reading);
        open.extend(document.blocks.iter().map(|(_, block)| layout.block(block)));
        open.extend(layout.notes(&document.notes));
        Update { finished, open }
    }

    fn open(&self) -> &str {
        self.text.get(self.settled..).unwrap_or_default()
    }

    fn tail(&self) -> String {
        self.open().to_owned()
    }

    /// Finishes all blocks but the last, as far as whole lines tell: half a line may turn out to be another thing.
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
        let mut finished = Vec::new();
        if let Some((place, _)) = reading.blocks.pop().filter(|_| !reading.blocks.is_empty()) {
            finished = reading.blocks.iter().map(|(_, block)| self.layout.block(block)).collect();
            // The spaces before a block belong to it.
            let start = whole.get(..place.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
            // What else stands after it comes again with it.
            self.known.learn(reading, start);
            self.settled += start;
        }
        self.fence = self.opened_fence(lines);
        finished
    }

    /// The fence that the last block begins with, where none closes it yet.
    fn opened_fence(&self, lines: usize) -> Option<Fence> {
        let block = self.text.get(self.settled..lines)?;
        let (first, body) = block.split_once('\n')?;
        let fence = Fence::opened_by(first)?;
        let info = parse(first).blocks.into_iter().find_map(|(_, block)| match block {
            Block::Code { info, .. } => Some(info),
            Block::Heading { .. }
            | Block::Paragraph(_)
            | Block::Words(_)
            | Block::Quote { .. }
            | Block::List { .. }
            | Block::Table(_)
            | Block::Rule
            | Block::Plain(_) => None,
        })?;
        let is_open = !body.lines().any(|line| fence.is_closed_by(line));
        is_open.then(|| Fence { info, start: self.settled + first.len() + 1, ..fence })
    }

    /// The code that is open, without what may become the fence that closes it.
    fn fenced(&self) -> Option<(String, String)> {
        let fence = self.fence.as_ref()?;
        let body = self.text.get(fence.start..)?;
        let last = body.rfind('\n').map_or(0, |at| at + 1);
        let (lines, rest) = body.split_at_checked(last)?;
        let shown = if rest.trim_matches(' ').chars().all(|c| c == fence.mark) { lines } else { body };
        // A text of the web may end its lines in either way.
        Some((fence.info.clone(), shown.replace("\r\n", "\n")))
    }
}

/// The mark that opened code.
#[derive(Clone, Debug)]
struct Fence {
    mark: char,
    length: usize,
    info: String,
    /// Where the code begins.
    start: usize,
}

impl Fence {
    /// A fence at the very start of a line; one that is moved in takes the slow way.
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
#[path = "stream_tests.rs"]
mod tests;
