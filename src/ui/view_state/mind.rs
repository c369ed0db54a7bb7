//! Slice of the working mind of the session in view, field by field, without drafts.

use std::sync::Arc;

use leptos::prelude::*;

use crate::ui::view_state::rows::{KeyedRows, set_if_new};
use nexus_model::id::{AgentKey, Millis};
use nexus_model::mind::Mind;
use nexus_model::session::draft::DraftField;
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecMap;

/// Who wrote a field last, as far as it was seen here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastWriter {
    pub agent: AgentKey,
    /// When.
    pub at: Millis,
}

/// The working mind of the session in view.
#[derive(Clone, Copy)]
pub struct MindView {
    written: RwSignal<VecMap<DraftField, LastWriter>>,
    hash: RwSignal<Option<ContentHash>>,
    objective: RwSignal<Arc<str>>,
    scratchpad: RwSignal<Arc<str>>,
    active: RwSignal<Option<String>>,
    files: KeyedRows<String, Arc<str>>,
}

impl MindView {
    pub(super) fn new() -> Self {
        Self {
            written: RwSignal::new(VecMap::new()),
            hash: RwSignal::new(None),
            objective: RwSignal::new(Arc::from("")),
            scratchpad: RwSignal::new(Arc::from("")),
            active: RwSignal::new(None),
            files: KeyedRows::new(),
        }
    }

    /// The content address of the mind, the base of what the operator writes next.
    pub fn hash(&self) -> Signal<Option<ContentHash>> {
        self.hash.into()
    }

    pub fn objective(&self) -> Signal<Arc<str>> {
        self.objective.into()
    }

    pub fn scratchpad(&self) -> Signal<Arc<str>> {
        self.scratchpad.into()
    }

    /// The name of the active file.
    pub fn active(&self) -> Signal<Option<String>> {
        self.active.into()
    }

    /// The names of the files, in order.
    pub fn files(&self) -> Signal<Vec<String>> {
        self.files.order()
    }

    pub fn file_text(&self, name: &String) -> Option<Signal<Arc<str>>> {
        self.files.row(name)
    }

    /// What the mind holds in a field now; empty for the composer and for a file that is not there.
    pub fn text_untracked(&self, field: &DraftField) -> Arc<str> {
        match field {
            DraftField::Composer | DraftField::Queued(_) | DraftField::Pages => Arc::from(""),
            DraftField::Objective => self.objective.get_untracked(),
            DraftField::Scratchpad => self.scratchpad.get_untracked(),
            DraftField::File(name) => self.files.get_untracked(name).unwrap_or_else(|| Arc::from("")),
        }
    }

    /// What the mind holds in a field; empty for the composer and for a file that is not there.
    pub fn text(&self, field: &DraftField) -> Signal<Arc<str>> {
        match field {
            DraftField::Composer | DraftField::Queued(_) | DraftField::Pages => Signal::stored(Arc::from("")),
            DraftField::Objective => self.objective(),
            DraftField::Scratchpad => self.scratchpad(),
            DraftField::File(name) => {
                let (files, name) = (self.files, name.clone());
                Signal::derive(move || {
                    // The order is read too: it changes when the file comes or goes.
                    files.order().track();
                    files.row(&name).map_or_else(|| Arc::from(""), |row| row.get())
                })
            }
        }
    }

    /// Which agent wrote a field last, since the session came into view.
    pub fn written(&self, field: &DraftField) -> Signal<Option<LastWriter>> {
        let (written, field) = (self.written, field.clone());
        Memo::new(move |_| written.with(|written| written.get(&field).cloned())).into()
    }

    /// When an agent last wrote anything, since the session came into view.
    pub fn last_written(&self) -> Signal<Option<Millis>> {
        let written = self.written;
        Memo::new(move |_| written.with(|written| written.values().map(|by| by.at).max())).into()
    }

    /// An agent wrote a field.
    pub(super) fn note_written(&self, field: DraftField, by: LastWriter) {
        self.written.update(|written| {
            written.insert(field, by);
        });
    }

    /// Another session comes into view.
    pub(super) fn forget_written(&self) {
        self.written.update(VecMap::clear);
    }

    pub(super) fn set(&self, hash: &ContentHash, mind: &Arc<Mind>) {
        if self.hash.with_untracked(|old| old.as_ref() == Some(hash)) {
            return;
        }
        self.hash.set(Some(hash.clone()));
        set_if_new(&self.objective, Arc::from(mind.objective.as_str()));
        set_if_new(&self.scratchpad, Arc::from(mind.scratchpad.as_str()));
        self.files
            .set(mind.files.iter().map(|(name, file)| (name.clone(), Arc::clone(&file.text))).collect());
        set_if_new(&self.active, mind.active.clone());
    }
}
