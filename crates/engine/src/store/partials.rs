//! What is stored before it becomes an event: the operator's drafts, and the pieces of streaming answers.
//!
//! Never loses a keystroke: a draft is stored until the mind contains it or the operator discards it; it is committed
//! after a quiet period or before a turn opens. Each piece of an answer is a row of its own; stored rows are never
//! rewritten, and a crash joins them.

use crate::prelude::*;
use nexus_model::session::{Draft, DraftField};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PartialPiece {
    pub(crate) part: usize,
    pub(crate) thinking: bool,
    pub(crate) text: String,
}

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
        // The page was hidden and goes on: with this piece, the stored ones have more than the row of that time.
        let removes = vec![(Table::Partials, whole_key(self.message))];
        Some(Batch { puts: vec![(Table::Partials, (key, json))], removes, ..Batch::default() })
    }
}

/// The attempt of a row with all text: it sorts after every piece, as the newest one.
const LAST: u32 = 999;

fn whole_key(message: MessageId) -> String {
    format!("{message}/{LAST:03}000000")
}

/// One row with all text of a message, for when the page closes. The next piece replaces it.
pub(crate) fn whole(message: MessageId, parts: &[MessagePart]) -> Option<(Table, StoredRow)> {
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
    Some((Table::Partials, (whole_key(message), json)))
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

/// The key of a draft's row. The line break ends the name: rows are deleted by prefix, and no file name contains one.
pub(crate) fn row_key(session: SessionId, field: &DraftField) -> String {
    format!("{session}/{}\n", field.key())
}

#[derive(Default)]
pub(crate) struct DraftStore {
    drafts: RefCell<VecMap<(SessionId, DraftField), Draft>>,
    /// Number of edits of each draft, so that a timer knows whether it is outdated.
    typed: RefCell<VecMap<(SessionId, DraftField), u64>>,
    /// For fields whose draft was committed: the draft's old base, and the mind that contains it. Edits typed meanwhile
    /// still refer to the old base.
    rebased: RefCell<VecMap<(SessionId, DraftField), (ContentHash, ContentHash)>>,
}

impl DraftStore {
    /// Records a draft typed while the mind was `current`; returns the number of edits of its field.
    pub(crate) fn note(&self, mut draft: Draft, current: Option<&ContentHash>) -> u64 {
        let key = (draft.session, draft.field.clone());
        if let Some((old, new)) = self.rebased.borrow().get(&key)
            && *old == draft.base
            && current != Some(old)
        {
            draft.base = *new;
        }
        let mut typed = self.typed.borrow_mut();
        let count = typed.get_or_insert_with(key.clone(), u64::default);
        *count += 1;
        if draft.text.is_some() {
            self.drafts.borrow_mut().insert(key, draft);
        } else {
            self.drafts.borrow_mut().remove(&key);
        }
        *count
    }

    pub(crate) fn is_quiet(&self, session: SessionId, field: &DraftField, count: u64) -> bool {
        self.typed.borrow().get(&(session, field.clone())) == Some(&count)
    }

    pub(crate) fn get(&self, session: SessionId, field: &DraftField) -> Option<Draft> {
        self.drafts.borrow().get(&(session, field.clone())).cloned()
    }

    /// The drafts of a session that can be committed to the mind.
    pub(crate) fn to_commit(&self, session: SessionId) -> Vec<Draft> {
        let mut drafts = self.of_session(session);
        drafts.retain(|draft| draft.field.is_of_mind() && !draft.in_conflict);
        drafts.retain(|draft| !has_marks(draft.text.as_deref().unwrap_or("")));
        drafts
    }

    /// Drops a draft if it still has this text; the mind `now` contains it.
    pub(crate) fn remove_committed(&self, draft: &Draft, now: ContentHash) {
        let key = (draft.session, draft.field.clone());
        let first =
            self.rebased.borrow().get(&key).filter(|(_, new)| *new == draft.base).map(|(old, _)| *old);
        self.rebased.borrow_mut().insert(key.clone(), (first.unwrap_or(draft.base), now));
        let mut drafts = self.drafts.borrow_mut();
        if drafts.get(&key).is_some_and(|now| now.text == draft.text) {
            drafts.remove(&key);
        }
    }

    /// The write that stores the draft of a field or deletes it.
    pub(crate) fn row(&self, session: SessionId, field: &DraftField) -> Batch {
        let key = row_key(session, field);
        match self.get(session, field).and_then(|draft| json::write(&draft).ok()) {
            Some(json) => Batch { puts: vec![(Table::Drafts, (key, json))], ..Batch::default() },
            None => Batch { removes: vec![(Table::Drafts, key)], ..Batch::default() },
        }
    }

    /// All drafts but attachments, which are too large to be written each time that the page is hidden.
    pub(crate) fn all_rows(&self) -> Batch {
        let mut places: Vec<_> = self.drafts.borrow().keys().cloned().collect();
        places.retain(|(_, field)| *field != DraftField::Attachments);
        let puts = places.iter().flat_map(|(session, field)| self.row(*session, field).puts).collect();
        Batch { puts, ..Batch::default() }
    }

    pub(crate) fn of_session(&self, session: SessionId) -> Vec<Draft> {
        self.drafts.borrow().values().filter(|draft| draft.session == session).cloned().collect()
    }

    /// Drops a draft whose session moves to another tab.
    pub(crate) fn drop_draft(&self, draft: &Draft) {
        let key = (draft.session, draft.field.clone());
        self.drafts.borrow_mut().remove(&key);
        // The stored draft is now that tab's: a running timer must not write it.
        self.typed.borrow_mut().remove(&key);
    }

    /// Loads the stored drafts of a session and returns them.
    pub(crate) fn restore(&self, rows: &[StoredRow]) -> Vec<Draft> {
        let restored: Vec<Draft> = rows.iter().filter_map(|(_, json)| json::read(json).ok()).collect();
        let mut drafts = self.drafts.borrow_mut();
        for draft in &restored {
            drafts.get_or_insert_with((draft.session, draft.field.clone()), || draft.clone());
        }
        restored
    }
}

/// True if the text still has conflict markers, which must not be committed automatically.
fn has_marks(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("<<<<<<< "))
        && text.lines().any(|line| line.starts_with(">>>>>>> "))
}

#[cfg(test)]
mod tests;
