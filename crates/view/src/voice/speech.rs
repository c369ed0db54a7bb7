//! Turns Markdown into sentences to speak, while the answer streams in.
//!
//! Mentions code, tables and formulas; skips markup and addresses.

use nexus_text::limits::MARKDOWN_BYTES;
use nexus_text::markdown::parse::parse;
use nexus_text::markdown::tree::{Block, Inline};
use nexus_text::shorten::one_line;

/// The most characters that are spoken in one go: longer ones make some browsers fall silent.
pub const PIECE_CHARS: usize = 160;
/// Inline code that is longer is mentioned, not spoken.
const CODE_CHARS: usize = 40;
const ENDS: [char; 8] = ['\n', '.', '!', '?', '…', '。', '！', '？'];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpeechChunk {
    /// A sentence, or a part of a long one.
    Words(String),
    Code {
        /// Its language, as the fence names it; may be empty.
        language: String,
        lines: usize,
    },
    Table {
        /// Its rows, without the first.
        rows: usize,
    },
    Formula,
}

pub fn pieces(text: &str) -> Vec<SpeechChunk> {
    let mut aloud = SpeechStream::default();
    aloud.feed(text, true)
}

/// A text that is spoken while it grows.
#[derive(Clone, Debug, Default)]
pub struct SpeechStream {
    /// Up to where, in bytes, the text is finished and spoken.
    settled: usize,
    /// Pieces of what stands behind that were given out.
    given: usize,
    looked: usize,
}

impl SpeechStream {
    /// Takes in the text as far as it has come, and gives the pieces that are finished and were not given yet. `whole` says
    /// that nothing more comes. A text that does not begin as before is not looked at again.
    pub fn feed(&mut self, text: &str, whole: bool) -> Vec<SpeechChunk> {
        let Some((before, _)) = text.split_at_checked(self.looked) else { return Vec::new() };
        // Only the end of a sentence or of a line finishes anything; a point at the very end may be one of a number.
        let new = text.get(before.trim_end_matches(ENDS).len()..).unwrap_or_default();
        if (!whole && !new.contains(ENDS)) || text.len() > MARKDOWN_BYTES {
            return Vec::new();
        }
        self.looked = text.len();
        let Some(open) = text.get(self.settled..) else { return Vec::new() };
        let document = parse(open);
        let mut found = Vec::new();
        let count = document.blocks.len();
        let mut last = None;
        for (place, (range, block)) in document.blocks.iter().enumerate() {
            let is_last = place + 1 == count;
            if is_last && !whole {
                last = Some((open_line(open, range.start), found.len()));
            }
            speak(block, is_last && !whole, &mut found);
        }
        let new = found.get(self.given.min(found.len())..).map(<[SpeechChunk]>::to_vec).unwrap_or_default();
        match last {
            Some((start, before)) => {
                self.settled += start;
                self.given = found.len().max(self.given).saturating_sub(before);
            }
            None => (self.settled, self.given) = (text.len(), 0),
        }
        new
    }
}

/// Where the line of this place begins: the spaces before a block belong to it.
fn open_line(text: &str, place: usize) -> usize {
    text.get(..place).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1)
}

/// The pieces of a block. An open one may go on, so its last sentence is not finished, and what it is may not be sure.
fn speak(block: &Block, open: bool, out: &mut Vec<SpeechChunk>) {
    match block {
        Block::Heading { words, .. } | Block::Paragraph(words) | Block::Words(words) => {
            sentences(words, open, out);
        }
        Block::Code { info, text } => {
            if !open {
                let language = info.split([' ', ',', '{', ':']).next().unwrap_or_default().to_owned();
                out.push(SpeechChunk::Code { language, lines: text.lines().count() });
            }
        }
        Block::Quote { blocks, .. } => each(blocks, open, out),
        Block::List { items, .. } => {
            let count = items.len();
            for (place, item) in items.iter().enumerate() {
                each(&item.blocks, open && place + 1 == count, out);
            }
        }
        Block::Table(table) => {
            if !open {
                out.push(SpeechChunk::Table { rows: table.rows.len() });
            }
        }
        Block::Rule => {}
        // Raw HTML, or what is too large.
        Block::Plain(_) => {
            if !open {
                out.push(SpeechChunk::Code { language: String::new(), lines: 0 });
            }
        }
    }
}

fn each(blocks: &[Block], open: bool, out: &mut Vec<SpeechChunk>) {
    let count = blocks.len();
    for (place, block) in blocks.iter().enumerate() {
        speak(block, open && place + 1 == count, out);
    }
}

fn sentences(inlines: &[Inline], open: bool, out: &mut Vec<SpeechChunk>) {
    let mut runs = vec![SpeechRun::Words(String::new())];
    gather(inlines, &mut runs);
    // What may yet become a table is not begun.
    if open && matches!(runs.first(), Some(SpeechRun::Words(text)) if text.trim_start().starts_with('|')) {
        return;
    }
    let count = runs.len();
    for (place, run) in runs.into_iter().enumerate() {
        match run {
            SpeechRun::Words(text) => {
                let mut parts = split(&text);
                if open && place + 1 == count {
                    parts.pop();
                }
                out.extend(parts.into_iter().flat_map(short).map(SpeechChunk::Words));
            }
            SpeechRun::Piece(piece) => {
                if !open || place + 1 < count {
                    out.push(piece);
                }
            }
        }
    }
}

enum SpeechRun {
    Words(String),
    Piece(SpeechChunk),
}

fn gather(inlines: &[Inline], out: &mut Vec<SpeechRun>) {
    for inline in inlines {
        match inline {
            Inline::Text(text) => push(out, text),
            Inline::Code(text) if text.chars().count() <= CODE_CHARS => push(out, text),
            Inline::Code(text) => {
                let piece = SpeechChunk::Code { language: String::new(), lines: text.lines().count() };
                out.extend([SpeechRun::Piece(piece), SpeechRun::Words(String::new())]);
            }
            Inline::Maths { .. } => {
                out.extend([SpeechRun::Piece(SpeechChunk::Formula), SpeechRun::Words(String::new())])
            }
            Inline::Emphasis(words) | Inline::Strong(words) | Inline::Struck(words) => gather(words, out),
            Inline::Link { words, address, .. } => {
                // An address that is its own words is no word: its host is.
                match &words[..] {
                    [Inline::Text(text)] if text == address || address.ends_with(text.as_str()) => {
                        push(out, host(text));
                    }
                    _ => gather(words, out),
                }
            }
            Inline::Image { alt, .. } => gather(alt, out),
            Inline::Html(_) | Inline::Note(_) => {}
            Inline::SoftBreak => push(out, " "),
            Inline::Break => push(out, "\n"),
        }
    }
}

fn push(out: &mut [SpeechRun], text: &str) {
    if let Some(SpeechRun::Words(words)) = out.last_mut() {
        words.push_str(text);
    }
}

fn host(address: &str) -> &str {
    let Some((_, rest)) = address.split_once("://") else { return address };
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}

/// Words that end in a point without ending a sentence.
const SHORT: [&str; 18] = [
    "dr", "mr", "mrs", "ms", "prof", "st", "vs", "etc", "e.g", "i.e", "z.b", "d.h", "bzw", "ca", "no", "nr",
    "fig", "approx",
];

/// The sentences of a text, with what may not be finished last. Nothing but the spaces around them is left out.
fn split(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        part.push(c);
        let ends = match c {
            '\n' | '。' | '！' | '？' => true,
            '.' | '!' | '?' | '…' => {
                while let Some(next) =
                    rest.next_if(|next| matches!(next, '.' | '!' | '?' | '…' | '"' | '”' | '’' | ')' | '»'))
                {
                    part.push(next);
                }
                rest.peek().is_some_and(|next| next.is_whitespace()) && !(c == '.' && is_short(&part))
            }
            _ => false,
        };
        if ends {
            parts.push(std::mem::take(&mut part));
        }
    }
    parts.push(part);
    parts
}

fn is_short(part: &str) -> bool {
    let Some(text) = part.strip_suffix('.') else { return false };
    let word = text.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default().to_lowercase();
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic) && word != "i";
    is_initial || SHORT.contains(&word.as_str())
}

/// A sentence in pieces that are short enough, broken where one breathes, then where words end, then anywhere.
fn short(sentence: String) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = one_line(&sentence);
    while let Some((most, _)) = rest.char_indices().nth(PIECE_CHARS) {
        let head = rest.get(..most).unwrap_or_default();
        let breath = head.rfind([',', ';', ':', '–', '、', '，']).filter(|at| *at > most / 3);
        let at = breath.and_then(|at| head.get(at..)?.chars().next().map(|c| at + c.len_utf8()));
        let at = at.or_else(|| head.rfind(' ').filter(|at| *at > 0)).unwrap_or(most);
        let tail = rest.split_off(at);
        pieces.push(std::mem::replace(&mut rest, tail.trim_start().to_owned()));
    }
    pieces.push(rest);
    // Marks alone are nothing to say.
    pieces.retain(|piece| piece.chars().any(char::is_alphanumeric));
    pieces
}

#[cfg(test)]
#[path = "speech_tests.rs"]
mod tests;
