//! Turns Markdown into sentences to speak, while the answer streams in.
//!
//! Announces code, tables and formulas; skips markup and URLs.

use nexus_text::markdown::tree::{Block, Inline};
use nexus_text::{limits::MARKDOWN_BYTES, markdown::parse::parse, shorten::one_line};

/// Maximum length of a spoken chunk: some browsers fall silent on longer ones.
pub const CHUNK_CHARS: usize = 160;
/// Longer inline code is announced, not spoken.
const CODE_CHARS: usize = 40;
const ENDS: [char; 8] = ['\n', '.', '!', '?', '…', '。', '！', '？'];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpeechChunk {
    /// A sentence, or part of a long one.
    Words(String),
    Code {
        /// Language of the fence; may be empty.
        language: String,
        lines: usize,
    },
    Table {
        /// Number of rows without the header.
        rows: usize,
    },
    Formula,
}

pub fn chunks(text: &str) -> Vec<SpeechChunk> {
    let mut aloud = SpeechStream::default();
    aloud.feed(text, true)
}

/// Speaks a text while it grows.
#[derive(Clone, Debug, Default)]
pub struct SpeechStream {
    /// Byte offset up to which the text is complete and spoken.
    settled: usize,
    /// Number of chunks behind `settled` that were returned already.
    returned: usize,
    seen_len: usize,
}

impl SpeechStream {
    /// Returns the complete chunks of the text so far that were not returned yet. `whole` means that the text is
    /// complete. Returns nothing if the beginning of the text changed.
    pub fn feed(&mut self, text: &str, whole: bool) -> Vec<SpeechChunk> {
        let Some((before, _)) = text.split_at_checked(self.seen_len) else { return Vec::new() };
        // Only the end of a sentence or line completes a chunk; a full stop at the very end may belong to a number.
        let new = text.get(before.trim_end_matches(ENDS).len()..).unwrap_or_default();
        if (!whole && !new.contains(ENDS)) || text.len() > MARKDOWN_BYTES {
            return Vec::new();
        }
        self.seen_len = text.len();
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
        let new =
            found.get(self.returned.min(found.len())..).map(<[SpeechChunk]>::to_vec).unwrap_or_default();
        match last {
            Some((start, before)) => {
                self.settled += start;
                self.returned = found.len().max(self.returned).saturating_sub(before);
            }
            None => (self.settled, self.returned) = (text.len(), 0),
        }
        new
    }
}

/// Start of the line at this position: leading spaces belong to the block.
fn open_line(text: &str, place: usize) -> usize {
    text.get(..place).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1)
}

/// The chunks of a block. The last sentence of an open block is incomplete, and its type may still change.
fn speak(block: &Block, open: bool, out: &mut Vec<SpeechChunk>) {
    match block {
        Block::Heading { words, .. } | Block::Paragraph(words) | Block::Words(words) => {
            sentences(words, open, out);
        }
        Block::Code { .. } | Block::Table(_) | Block::Plain(_) if open => {}
        Block::Code { info, text } => {
            let language = info.split([' ', ',', '{', ':']).next().unwrap_or_default().to_owned();
            out.push(SpeechChunk::Code { language, lines: text.lines().count() });
        }
        Block::Quote { blocks, .. } => each(blocks, open, out),
        Block::List { items, .. } => {
            let count = items.len();
            for (place, item) in items.iter().enumerate() {
                each(&item.blocks, open && place + 1 == count, out);
            }
        }
        Block::Table(table) => out.push(SpeechChunk::Table { rows: table.rows.len() }),
        Block::Rule => {}
        // Raw HTML, or a block that is too large.
        Block::Plain(_) => out.push(SpeechChunk::Code { language: String::new(), lines: 0 }),
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
    // Text that may become a table waits.
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
                // A link whose text is its URL is spoken as its host.
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

/// Abbreviations that end in a full stop.
const SHORT: [&str; 18] = [
    "dr", "mr", "mrs", "ms", "prof", "st", "vs", "etc", "e.g", "i.e", "z.b", "d.h", "bzw", "ca", "no", "nr",
    "fig", "approx",
];

/// The sentences of a text; the last may be incomplete. Drops nothing but the spaces around them.
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

/// Splits a sentence into chunks that are short enough: at punctuation, else between words, else anywhere.
fn short(sentence: String) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = one_line(&sentence);
    while let Some((most, _)) = rest.char_indices().nth(CHUNK_CHARS) {
        let head = rest.get(..most).unwrap_or_default();
        let punctuation = head.rfind([',', ';', ':', '–', '、', '，']).filter(|at| *at > most / 3);
        let at = punctuation.and_then(|at| head.get(at..)?.chars().next().map(|c| at + c.len_utf8()));
        let at = at.or_else(|| head.rfind(' ').filter(|at| *at > 0)).unwrap_or(most);
        let tail = rest.split_off(at);
        pieces.push(std::mem::replace(&mut rest, tail.trim_start().to_owned()));
    }
    pieces.push(rest);
    // Punctuation alone is not spoken.
    pieces.retain(|piece| piece.chars().any(char::is_alphanumeric));
    pieces
}

#[cfg(test)]
mod tests;
