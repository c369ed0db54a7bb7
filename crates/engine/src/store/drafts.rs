//! Drafts of the operator, stored and committed to the mind after a quiet period or before a turn opens.
//!
//! Never loses a keystroke: a draft is stored until the mind contains it or the operator discards it.

use std::cell::RefCell;

use crate::port::{Batch, StoredRow, Table};
use nexus_model::id::SessionId;
use nexus_model::session::draft::{Draft, DraftField};
use nexus_text::content_hash::ContentHash;
use nexus_text::json;
use nexus_text::vec_map::VecMap;

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

    /// True if the field was not edited since `count`.
    pub(crate) fn is_quiet(&self, session: SessionId, field: &DraftField, count: u64) -> bool {
        self.typed.borrow().get(&(session, field.clone())) == Some(&count)
    }

    pub(crate) fn get(&self, session: SessionId, field: &DraftField) -> Option<Draft> {
        self.drafts.borrow().get(&(session, field.clone())).cloned()
    }

    /// The drafts of a session that can be committed to the mind.
    pub(crate) fn to_commit(&self, session: SessionId) -> Vec<Draft> {
        self.drafts
            .borrow()
            .values()
            .filter(|draft| draft.session == session && draft.field.is_of_mind())
            .filter(|draft| !draft.in_conflict && !has_marks(draft.text.as_deref().unwrap_or("")))
            .cloned()
            .collect()
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

    /// All drafts as one write.
    pub(crate) fn all_rows(&self) -> Batch {
        let places: Vec<_> = self.drafts.borrow().keys().cloned().collect();
        let puts = places.iter().flat_map(|(session, field)| self.row(*session, field).puts).collect();
        Batch { puts, ..Batch::default() }
    }

    /// The fields of a session with uncommitted drafts.
    pub(crate) fn fields(&self, session: SessionId) -> Vec<DraftField> {
        let drafts = self.drafts.borrow();
        let of_session = drafts.keys().filter(|(of, _)| *of == session);
        of_session.map(|(_, field)| field.clone()).collect()
    }

    /// Drops the drafts of a session that moves to another tab.
    pub(crate) fn drop_session(&self, session: SessionId) {
        self.drafts.borrow_mut().retain(|(of, _), _| *of != session);
        // The stored drafts are now that tab's.
        self.typed.borrow_mut().retain(|(of, _), _| *of != session);
    }

    /// Loads the stored drafts of a session and returns them.
    pub(crate) fn restore(&self, rows: &[StoredRow]) -> Vec<Draft> {
        let restored: Vec<Draft> = rows.iter().filter_map(|(_, json)| json::read(json).ok()).collect();
        for draft in &restored {
            self.drafts
                .borrow_mut()
                .get_or_insert_with((draft.session, draft.field.clone()), || draft.clone());
        }
        restored
    }
}

/// True if the text still has conflict markers, which must not be committed automatically.
fn has_marks(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("<<<<<<< "))
        && text.lines().any(|line| line.starts_with(">>>>>>> "))
}
