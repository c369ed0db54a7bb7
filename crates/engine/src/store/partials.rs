//! Stores the pieces of streaming answers as they arrive and joins them after a crash.
//!
//! Each piece is a row of its own; stored rows are never rewritten.

use serde::{Deserialize, Serialize};

use crate::port::{Batch, StoredRow, Table};
use nexus_model::id::MessageId;
use nexus_model::message::content::{MessagePart, PartBody};
use nexus_text::json;

/// A piece of one part of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PartialPiece {
    part: usize,
    thinking: bool,
    text: String,
}

/// The pieces saved at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct PartialRow {
    /// The attempt; a later attempt replaces the pieces of earlier ones.
    attempt: u32,
    /// True if these pieces replace all earlier ones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    whole: bool,
    pieces: Vec<PartialPiece>,
}

/// The newest text of an answer that is not stored yet.
pub(crate) struct PartialTail {
    message: MessageId,
    attempt: u32,
    number: u32,
    /// True if the stored part must be discarded.
    is_reset: bool,
    pieces: Vec<PartialPiece>,
}

impl PartialTail {
    pub(crate) fn new(message: MessageId, attempt: u32) -> Self {
        Self { message, attempt, number: 0, is_reset: false, pieces: Vec::new() }
    }

    /// Appends new text.
    pub(crate) fn push(&mut self, part: usize, thinking: bool, text: &str) {
        match self.pieces.last_mut() {
            Some(last) if last.part == part && last.thinking == thinking => last.text.push_str(text),
            _ => self.pieces.push(PartialPiece { part, thinking, text: text.to_owned() }),
        }
    }

    /// Marks a part as thinking, also its stored pieces: one marked piece is enough.
    pub(crate) fn mark_as_thinking(&mut self, part: usize) {
        self.pieces.iter_mut().filter(|piece| piece.part == part).for_each(|piece| piece.thinking = true);
        self.push(part, true, "");
    }

    /// Restarts the answer: discards everything before, also what is stored.
    pub(crate) fn restart(&mut self) {
        self.pieces.clear();
        self.is_reset = true;
    }

    /// True if something is not stored yet.
    pub(crate) fn has_unsaved(&self) -> bool {
        self.is_reset || !self.pieces.is_empty()
    }

    /// The write that stores the tail; `None` if there is nothing new.
    pub(crate) fn piece(&mut self) -> Option<Batch> {
        if !self.has_unsaved() {
            return None;
        }
        let whole = std::mem::take(&mut self.is_reset);
        let row = PartialRow { attempt: self.attempt, whole, pieces: std::mem::take(&mut self.pieces) };
        self.number = self.number.saturating_add(1);
        let key = format!("{}/{:03}{:06}", self.message, self.attempt, self.number);
        let json = json::write(&row).ok()?;
        Some(Batch { puts: vec![(Table::Partials, (key, json))], ..Batch::default() })
    }
}

/// One row with all text of a message, for when the page closes.
pub(crate) fn whole(message: MessageId, parts: &[MessagePart]) -> Option<(Table, StoredRow)> {
    // Sorts after every piece, as the newest attempt: no other can follow.
    const LAST: u32 = 999;
    let pieces = parts
        .iter()
        .enumerate()
        .filter_map(|(part, row)| match &row.body {
            PartBody::Text { text } => Some(PartialPiece { part, thinking: false, text: text.clone() }),
            PartBody::Thinking { text } => Some(PartialPiece { part, thinking: true, text: text.clone() }),
            PartBody::Json { .. }
            | PartBody::Blob { .. }
            | PartBody::ToolCall(_)
            | PartBody::ToolResult(_) => None,
        })
        .collect();
    let json = json::write(&PartialRow { attempt: LAST, whole: true, pieces }).ok()?;
    Some((Table::Partials, (format!("{message}/{LAST:03}000000"), json)))
}

/// Joins the stored pieces of a message, in key order.
pub(crate) fn join(rows: &[StoredRow]) -> Vec<MessagePart> {
    let rows: Vec<PartialRow> = rows.iter().filter_map(|(_, json)| json::read(json).ok()).collect();
    let newest = rows.iter().map(|row| row.attempt).max();
    let whole = rows.iter().rposition(|row| row.whole).unwrap_or(0);
    let mut bodies: Vec<(usize, PartBody)> = Vec::new();
    for piece in
        rows.into_iter().skip(whole).filter(|row| Some(row.attempt) == newest).flat_map(|row| row.pieces)
    {
        match bodies.iter_mut().find(|(part, _)| *part == piece.part) {
            // One thinking piece makes the whole part thinking.
            Some((_, body @ PartBody::Text { .. })) if piece.thinking => {
                let before = std::mem::replace(body, PartBody::Thinking { text: piece.text });
                if let (PartBody::Text { text: before }, PartBody::Thinking { text }) = (before, body) {
                    text.insert_str(0, &before);
                }
            }
            Some((_, PartBody::Text { text } | PartBody::Thinking { text })) => text.push_str(&piece.text),
            Some(_) => {}
            None if piece.thinking => bodies.push((piece.part, PartBody::Thinking { text: piece.text })),
            None => bodies.push((piece.part, PartBody::Text { text: piece.text })),
        }
    }
    bodies.into_iter().map(|(_, body)| body.into()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nexus_model::message::content::{text_of, thinking_of};
    use nexus_model::testing::SeqIds;

    #[test]
    fn pieces_are_joined_and_a_later_attempt_replaces_the_first() {
        let message = MessageId::new(&mut SeqIds::default());
        let mut rows = Vec::new();
        let mut put = |attempt, texts: &[(usize, bool, &str)]| {
            let mut tail = PartialTail::new(message, attempt);
            for (part, thinking, text) in texts {
                tail.push(*part, *thinking, text);
                rows.extend(tail.piece().unwrap().puts.into_iter().map(|(_, row)| row));
            }
            assert!(tail.piece().is_none());
        };
        put(1, &[(0, false, "void")]);
        put(2, &[(0, true, "think"), (1, false, "one "), (1, false, "two")]);
        rows.sort();
        let parts = join(&rows);
        assert_eq!((text_of(&parts).as_str(), thinking_of(&parts).as_str()), ("one two", "think"));
        rows.push(whole(message, &[MessagePart::text("one two three")]).unwrap().1);
        rows.sort();
        assert_eq!(text_of(&join(&rows)), "one two three");
    }

    #[test]
    fn text_reclassified_as_thinking_is_also_stored_as_thinking() {
        let message = MessageId::new(&mut SeqIds::default());
        let mut rows = Vec::new();
        let mut tail = PartialTail::new(message, 1);
        let mut put = |tail: &mut PartialTail| {
            rows.extend(tail.piece().unwrap().puts.into_iter().map(|(_, row)| row));
            let parts = join(&rows);
            (thinking_of(&parts), text_of(&parts))
        };
        let expected = |thinking: &str, text: &str| (thinking.to_owned(), text.to_owned());
        tail.push(0, false, "hm");
        assert_eq!(put(&mut tail), expected("", "hm"));
        tail.push(0, false, ", so");
        tail.mark_as_thinking(0);
        tail.push(1, false, "Yes.");
        assert_eq!(put(&mut tail), expected("hm, so", "Yes."));
        let mut tail = PartialTail::new(message, 2);
        tail.push(0, false, "at once");
        tail.mark_as_thinking(0);
        assert_eq!(put(&mut tail), expected("at once", ""));
    }

    #[test]
    fn restarted_answer_replaces_stored_pieces() {
        let message = MessageId::new(&mut SeqIds::default());
        let mut tail = PartialTail::new(message, 1);
        let mut rows = Vec::new();
        let mut put = |tail: &mut PartialTail| {
            rows.extend(tail.piece().unwrap().puts.into_iter().map(|(_, row)| row));
            text_of(&join(&rows))
        };
        tail.push(0, false, "void");
        assert_eq!(put(&mut tail), "void");
        tail.push(0, false, " and not yet on disk");
        tail.restart();
        assert_eq!(put(&mut tail), "");
        tail.push(0, false, "anew");
        assert_eq!(put(&mut tail), "anew");
    }
}
