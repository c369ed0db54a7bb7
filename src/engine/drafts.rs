//! Never loses a keystroke: a draft lives until the mind holds it or the operator drops it.
//!
//! Owns what the operator types: kept on disk, given up to the mind after a quiet while, and before a turn opens.

use std::cell::RefCell;

use crate::domain::draft::{Draft, DraftField};
use crate::domain::hash::Hash;
use crate::domain::id::SessionId;
use crate::domain::json;
use crate::domain::sorted::SortedMap;
use crate::engine::port::{Batch, Row, Table};

/// The drafts of this tab.
#[derive(Default)]
pub(super) struct DraftDesk {
    drafts: RefCell<SortedMap<(SessionId, DraftField), Draft>>,
    /// How often each draft was typed into, so that a timer knows whether it is still the newest.
    typed: RefCell<SortedMap<(SessionId, DraftField), u64>>,
    /// For fields whose typing was given up to the mind: the base it had, and the mind that holds it. Typing that
    /// went on meanwhile still names the old base.
    moved: RefCell<SortedMap<(SessionId, DraftField), (Hash, Hash)>>,
}

impl DraftDesk {
    /// Takes in a draft, typed while the mind was `current`, and says how often this field was typed into.
    pub(super) fn note(&self, mut draft: Draft, current: Option<&Hash>) -> u64 {
        let place = (draft.session, draft.field.clone());
        if let Some((old, new)) = self.moved.borrow().get(&place)
            && *old == draft.base
            && current != Some(old)
        {
            draft.base = new.clone();
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
    pub(super) fn is_quiet(&self, session: SessionId, field: &DraftField, count: u64) -> bool {
        self.typed.borrow().get(&(session, field.clone())) == Some(&count)
    }

    /// The draft of a field.
    pub(super) fn get(&self, session: SessionId, field: &DraftField) -> Option<Draft> {
        self.drafts.borrow().get(&(session, field.clone())).cloned()
    }

    /// The drafts of a session that can be given up to the mind now.
    pub(super) fn to_settle(&self, session: SessionId) -> Vec<Draft> {
        self.drafts
            .borrow()
            .values()
            .filter(|draft| draft.session == session && draft.field.is_of_mind())
            .filter(|draft| !draft.clashed && !has_marks(draft.text.as_deref().unwrap_or("")))
            .cloned()
            .collect()
    }

    /// Drops a draft that still says this text; the mind `now` holds it.
    pub(super) fn settled(&self, draft: &Draft, now: Hash) {
        let place = (draft.session, draft.field.clone());
        let first =
            self.moved.borrow().get(&place).filter(|(_, new)| *new == draft.base).map(|(old, _)| old.clone());
        self.moved.borrow_mut().insert(place.clone(), (first.unwrap_or_else(|| draft.base.clone()), now));
        let mut drafts = self.drafts.borrow_mut();
        if drafts.get(&place).is_some_and(|now| now.text == draft.text) {
            drafts.remove(&place);
        }
    }

    /// What makes the disk hold the draft of a field, or none.
    pub(super) fn row(&self, session: SessionId, field: &DraftField) -> Batch {
        // The line break ends the name: rows are removed by how their keys begin, and no file's name holds one.
        let key = format!("{session}/{}\n", field.key());
        match self.get(session, field).and_then(|draft| json::write(&draft).ok()) {
            Some(json) => Batch { puts: vec![(Table::Drafts, (key, json))], ..Batch::default() },
            None => Batch { removes: vec![(Table::Drafts, key)], ..Batch::default() },
        }
    }

    /// Every draft, as one write.
    pub(super) fn all_rows(&self) -> Batch {
        let places: Vec<_> = self.drafts.borrow().keys().cloned().collect();
        let puts = places.iter().flat_map(|(session, field)| self.row(*session, field).puts).collect();
        Batch { puts, ..Batch::default() }
    }

    /// The fields of a session that hold something that is not in the mind.
    pub(super) fn fields(&self, session: SessionId) -> Vec<DraftField> {
        let drafts = self.drafts.borrow();
        let of_session = drafts.keys().filter(|(of, _)| *of == session);
        of_session.map(|(_, field)| field.clone()).collect()
    }

    /// Leaves the drafts of a session to the tab that works in it from now on.
    pub(super) fn leave(&self, session: SessionId) {
        self.drafts.borrow_mut().retain(|(of, _), _| *of != session);
        // What was to be put to disk later is there, and is that tab's.
        self.typed.borrow_mut().retain(|(of, _), _| *of != session);
    }

    /// Takes in what the disk holds of a session and gives it.
    pub(super) fn restore(&self, rows: &[Row]) -> Vec<Draft> {
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
