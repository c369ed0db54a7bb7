//! Stores the operator's drafts and commits them to the mind after a quiet period or before a turn opens.
//!
//! Never loses a keystroke: a draft is kept until the mind contains it or the operator discards it.

use std::cell::RefCell;

use crate::port::{Batch, StoredRow, Table};
use nexus_model::id::SessionId;
use nexus_model::session::draft::{Draft, DraftField};
use nexus_text::content_hash::ContentHash;
use nexus_text::json;
use nexus_text::vec_map::VecMap;

/// The key of a draft's row. The line break ends the name: rows are removed by how their keys begin, and no file's name
/// holds one.
pub(crate) fn row_key(session: SessionId, field: &DraftField) -> String {
    format!("{session}/{}\n", field.key())
}

#[derive(Default)]
pub(crate) struct DraftStore {
    drafts: RefCell<VecMap<(SessionId, DraftField), Draft>>,
    /// How often each draft was typed into, so that a timer knows whether it is still the newest.
    typed: RefCell<VecMap<(SessionId, DraftField), u64>>,
    /// For fields whose typing was given up to the mind: the base it had, and the mind that holds it. Typing that
    /// went on meanwhile still names the old base.
    moved: RefCell<VecMap<(SessionId, DraftField), (ContentHash, ContentHash)>>,
}

impl DraftStore {
    /// Takes in a draft, typed while the mind was `current`, and says how often this field was typed into.
    pub(crate) fn note(&self, mut draft: Draft, current: Option<&ContentHash>) -> u64 {
        let place = (draft.session, draft.field.clone());
        if let Some((old, new)) = self.moved.borrow().get(&place)
            && *old == draft.base
            && current != Some(old)
        {
            draft.base = *new;
        }
        let mut typed = self.typed.borrow_mut();
        let count = typed.get_or_insert_with(place.clone(), u64::default);
        *count += 1;
        if draft.text.is_some() {
            self.drafts.borrow_mut().insert(place, draft);
        } else {
            self.drafts.borrow_mut().remove(&place);
        }
        *count
    }

    /// Whether nothing was typed into the field since `count`.
    pub(crate) fn is_quiet(&self, session: SessionId, field: &DraftField, count: u64) -> bool {
        self.typed.borrow().get(&(session, field.clone())) == Some(&count)
    }

    pub(crate) fn get(&self, session: SessionId, field: &DraftField) -> Option<Draft> {
        self.drafts.borrow().get(&(session, field.clone())).cloned()
    }

    /// The drafts of a session that can be given up to the mind now.
    pub(crate) fn to_settle(&self, session: SessionId) -> Vec<Draft> {
        self.drafts
            .borrow()
            .values()
            .filter(|draft| draft.session == session && draft.field.is_of_mind())
            .filter(|draft| !draft.clashed && !has_marks(draft.text.as_deref().unwrap_or("")))
            .cloned()
            .collect()
    }

    /// Drops a draft that still says this text; the mind `now` holds it.
    pub(crate) fn settled(&self, draft: &Draft, now: ContentHash) {
        let place = (draft.session, draft.field.clone());
        let first =
            self.moved.borrow().get(&place).filter(|(_, new)| *new == draft.base).map(|(old, _)| *old);
        self.moved.borrow_mut().insert(place.clone(), (first.unwrap_or(draft.base), now));
        let mut drafts = self.drafts.borrow_mut();
        if drafts.get(&place).is_some_and(|now| now.text == draft.text) {
            drafts.remove(&place);
        }
    }

    /// What makes the disk hold the draft of a field, or none.
    pub(crate) fn row(&self, session: SessionId, field: &DraftField) -> Batch {
        let key = row_key(session, field);
        match self.get(session, field).and_then(|draft| json::write(&draft).ok()) {
            Some(json) => Batch { puts: vec![(Table::Drafts, (key, json))], ..Batch::default() },
            None => Batch { removes: vec![(Table::Drafts, key)], ..Batch::default() },
        }
    }

    /// Every draft, as one write.
    pub(crate) fn all_rows(&self) -> Batch {
        let places: Vec<_> = self.drafts.borrow().keys().cloned().collect();
        let puts = places.iter().flat_map(|(session, field)| self.row(*session, field).puts).collect();
        Batch { puts, ..Batch::default() }
    }

    /// The fields of a session that hold something that is not in the mind.
    pub(crate) fn fields(&self, session: SessionId) -> Vec<DraftField> {
        let drafts = self.drafts.borrow();
        let of_session = drafts.keys().filter(|(of, _)| *of == session);
        of_session.map(|(_, field)| field.clone()).collect()
    }

    /// Leaves the drafts of a session to the tab that works in it from now on.
    pub(crate) fn leave(&self, session: SessionId) {
        self.drafts.borrow_mut().retain(|(of, _), _| *of != session);
        // What was to be put to disk later is there, and is that tab's.
        self.typed.borrow_mut().retain(|(of, _), _| *of != session);
    }

    /// Takes in what the disk holds of a session and gives it.
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

/// Whether the text still holds conflict marks, which must not reach the mind by themselves.
fn has_marks(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("<<<<<<< "))
        && text.lines().any(|line| line.starts_with(">>>>>>> "))
}
