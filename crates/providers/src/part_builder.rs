//! Collects the events of an answer, and numbers its parts for streams without part indexes: consecutive pieces of one
//! kind form one part, and each call is one.
//!
//! `<think>…</think>` at the start of an answer is thinking. Some chat templates put the opening tag into the prompt,
//! so that only the closing one arrives. Tags later in the answer are plain text.

use serde_json::Value;

use crate::chat::ModelEvent;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PartBuilder {
    /// The events of the answer that were not taken yet.
    pub(super) events: Vec<ModelEvent>,
    parts: usize,
    /// Whether the last part is thinking, if more text may be appended to it.
    open: Option<bool>,
    first_thinking: Option<usize>,
    tags: ThinkTags,
}

impl PartBuilder {
    /// Begins the answer again. Events that were not taken stay.
    pub(super) fn restart(&mut self) {
        *self = Self { events: std::mem::take(&mut self.events), ..Self::default() };
    }

    /// Adds text; separates thinking between tags.
    pub(super) fn push_text(&mut self, text: &str) {
        for piece in self.tags.feed(text) {
            self.put(piece);
        }
    }

    /// Adds thinking that the server marked as such. From then on tags are plain text.
    pub(super) fn push_thinking(&mut self, text: &str) {
        if !text.is_empty() {
            self.flush();
            self.put(ThinkPiece::Words { text: text.to_owned(), thinking: true });
        }
    }

    /// Emits text that was buffered as a possible part of a tag.
    pub(super) fn flush(&mut self) {
        if let Some(piece) = self.tags.stop() {
            self.put(piece);
        }
    }

    /// Adds opaque data of the whole answer to its first thinking, else to its first part.
    pub(super) fn push_opaque(&mut self, data: Value) {
        let part = match self.first_thinking {
            Some(part) => part,
            None if self.parts == 0 => self.next_part(),
            None => 0,
        };
        self.events.push(ModelEvent::Opaque { part, data });
    }

    /// Begins a part that is neither text nor thinking, or that its stream numbers itself.
    pub(super) fn next_part(&mut self) -> usize {
        let part = self.parts;
        self.parts = part.saturating_add(1);
        self.open = None;
        part
    }

    fn put(&mut self, piece: ThinkPiece) {
        match piece {
            ThinkPiece::Words { text, thinking } => {
                let part = match self.open {
                    Some(open) if open == thinking => self.parts.saturating_sub(1),
                    _ => self.next_part(),
                };
                self.open = Some(thinking);
                if thinking {
                    self.first_thinking.get_or_insert(part);
                }
                self.events.push(ModelEvent::words(part, text, thinking));
            }
            ThinkPiece::Reclassified => {
                // Only emitted while the answer's single part is text.
                self.open = None;
                self.first_thinking = Some(0);
                self.events.push(ModelEvent::Reclassified { part: 0 });
            }
        }
    }
}

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Max whitespace buffered, in bytes, so that a flood of it costs no more than its length.
const BUFFERED_SPACE: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
enum ThinkPiece {
    Words {
        text: String,
        thinking: bool,
    },
    /// All text so far was thinking.
    Reclassified,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ThinkState {
    /// Only whitespace and perhaps a part of the opening tag was received.
    #[default]
    Start,
    Inside,
    /// In text without an opening tag; a closing one may still reclassify it.
    Prose,
    /// After the closing tag: whitespace is dropped.
    Gap,
    /// Everything else is text.
    Plain,
}

/// Splits an answer's text piece by piece. A possible part of a tag, and the whitespace before it, is buffered until
/// the next piece or the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ThinkTags {
    state: ThinkState,
    buffered: String,
    last: Option<char>,
    prose: ProseContext,
}

/// State of the text so far that tells whether it is about tags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ProseContext {
    /// Its last characters, which may be the start of an opening tag.
    tail: String,
    opening_tag: bool,
    /// True within a code fence or span.
    in_code: bool,
    line_has_words: bool,
}

impl ProseContext {
    fn take(&mut self, text: &str) {
        match text.rsplit_once('\n') {
            Some((_, line)) => self.line_has_words = !line.trim().is_empty(),
            None => self.line_has_words |= !text.trim().is_empty(),
        }
        self.in_code ^= text.matches('`').count() % 2 == 1;
        self.tail.push_str(text);
        self.opening_tag |= self.tail.contains(OPEN);
        let keep = self.tail.len().saturating_sub(OPEN.len());
        self.tail.drain(..self.tail.ceil_char_boundary(keep));
    }

    fn is_about_tags(&self) -> bool {
        self.opening_tag || self.in_code
    }
}

impl ThinkTags {
    fn feed(&mut self, piece: &str) -> Vec<ThinkPiece> {
        let mut pieces = Vec::new();
        let mut rest = std::mem::take(&mut self.buffered);
        rest.push_str(piece);
        while !rest.is_empty() {
            rest = match self.state {
                ThinkState::Start => self.at_start(rest),
                ThinkState::Inside | ThinkState::Prose => self.before_close(&rest, &mut pieces),
                ThinkState::Gap => self.in_gap(&rest),
                ThinkState::Plain => {
                    pieces.push(ThinkPiece::Words { text: rest, thinking: false });
                    String::new()
                }
            };
        }
        pieces
    }

    /// Stops looking for tags: the server marked thinking itself, or the answer ended.
    fn stop(&mut self) -> Option<ThinkPiece> {
        let state = std::mem::replace(&mut self.state, ThinkState::Plain);
        let text = std::mem::take(&mut self.buffered);
        (!text.is_empty()).then_some(ThinkPiece::Words { text, thinking: state == ThinkState::Inside })
    }

    fn at_start(&mut self, rest: String) -> String {
        let text = rest.trim_start();
        if let Some(inside) = text.strip_prefix(OPEN) {
            self.state = ThinkState::Inside;
            return inside.to_owned();
        }
        if OPEN.starts_with(text) && rest.len() <= BUFFERED_SPACE {
            self.buffered = rest;
            return String::new();
        }
        self.state = ThinkState::Prose;
        rest
    }

    fn before_close(&mut self, rest: &str, pieces: &mut Vec<ThinkPiece>) -> String {
        let inside = self.state == ThinkState::Inside;
        let is_first = inside && self.last.is_none();
        let rest = if is_first { rest.trim_start_matches(['\r', '\n']) } else { rest };
        let Some((before, after)) = rest.split_once(CLOSE) else {
            let (sure, open) = split_before_tag(rest);
            self.give(sure, inside, pieces);
            self.buffered = open.to_owned();
            return String::new();
        };
        if !inside {
            match self.is_mentioned(before, after) {
                Some(true) => {
                    // The text is about the tag: everything before is text.
                    self.state = ThinkState::Plain;
                    return rest.to_owned();
                }
                Some(false) => {}
                None => {
                    self.buffered = rest.to_owned();
                    return String::new();
                }
            }
        }
        self.give(before.trim_end(), inside, pieces);
        if !inside && self.last.is_some() {
            pieces.push(ThinkPiece::Reclassified);
        }
        self.state = ThinkState::Gap;
        after.to_owned()
    }

    /// True if text before an unopened closing tag is about the tag; `None` if that depends on what follows.
    fn is_mentioned(&self, before: &str, after: &str) -> Option<bool> {
        let last = before.chars().next_back().or(self.last);
        let mut seen = self.prose.clone();
        seen.take(before);
        if last.is_some_and(|c| "`\"'“‘„‚«‹([".contains(c)) || seen.is_about_tags() {
            return Some(true);
        }
        // A closing tag of thinking also ends a line: one within a line is mentioned.
        let is_amid = last.is_some_and(|c| matches!(c, ' ' | '\t'));
        if !is_amid || !seen.line_has_words {
            return Some(false);
        }
        match after.trim_start_matches([' ', '\t']).chars().next() {
            Some(next) => Some(!matches!(next, '\n' | '\r')),
            None if after.len() > BUFFERED_SPACE => Some(false),
            None => None,
        }
    }

    fn in_gap(&mut self, rest: &str) -> String {
        let text = rest.trim_start();
        if !text.is_empty() {
            self.state = ThinkState::Plain;
        }
        text.to_owned()
    }

    fn give(&mut self, text: &str, inside: bool, pieces: &mut Vec<ThinkPiece>) {
        if text.is_empty() {
            return;
        }
        self.last = text.chars().next_back();
        if !inside {
            self.prose.take(text);
        }
        pieces.push(ThinkPiece::Words { text: text.to_owned(), thinking: inside });
    }
}

/// Splits off the end that may be part of the closing tag: its start, and the whitespace before.
fn split_before_tag(text: &str) -> (&str, &str) {
    let tag = (1..CLOSE.len()).rev().filter_map(|len| CLOSE.get(..len)).find(|start| text.ends_with(start));
    let without_tag = text.strip_suffix(tag.unwrap_or_default()).unwrap_or(text);
    let settled = without_tag.trim_end();
    let settled =
        if without_tag.len().saturating_sub(settled.len()) > BUFFERED_SPACE { without_tag } else { settled };
    text.split_at_checked(settled.len()).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests;
