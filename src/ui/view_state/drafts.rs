//! The drafts, by session and field. A field shows its draft if there is one, else the mind.
//!
//! Writes of others never change the operator's typing.

use std::sync::Arc;

use leptos::prelude::*;

use crate::ui::kit::stored::StoredValue;
use nexus_model::id::SessionId;
use nexus_model::mind::{Mind, MindEdit};
use nexus_model::session::draft::{Draft, DraftField};
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecMap;
use nexus_view::draft_merge::{EditBuffer, MergeFn};

/// State of a field's draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftState {
    /// No draft: the field shows the mind.
    Saved,
    /// The draft is not committed yet.
    Typing,
    /// The draft conflicts with others' changes; its text contains both, with markers.
    Conflicted,
}

type EditSlot = ArcRwSignal<Option<EditBuffer>>;

#[derive(Clone, Copy)]
pub struct Drafts(StoredValue<VecMap<(SessionId, DraftField), EditSlot>>, StoredValue<Option<MergeFn>>);

impl Drafts {
    pub(super) fn new() -> Self {
        Self(StoredValue::new(VecMap::new()), StoredValue::new(None))
    }

    /// Sets the function that merges drafts with others' changes.
    pub fn set_merger(&self, merger: MergeFn) {
        self.1.set_value(Some(merger));
    }

    pub fn slot(&self, session: SessionId, field: &DraftField) -> EditSlot {
        let key = (session, field.clone());
        if let Some(slot) = self.0.with_value(|slots| slots.get(&key).cloned()) {
            return slot;
        }
        let slot = EditSlot::new(None);
        self.0.update_value(|slots| {
            slots.insert(key, slot.clone());
        });
        slot
    }

    /// Restores a draft of the last visit. Text typed meanwhile is appended.
    pub fn restore(&self, draft: Draft) {
        let Some(mut text) = draft.text else { return };
        let slot = self.slot(draft.session, &draft.field);
        if let Some(typing) = slot.get_untracked() {
            if draft.field != DraftField::Composer || *typing.text == *text {
                return;
            }
            text.push('\n');
            text.push_str(&typing.text);
        }
        slot.set(Some(EditBuffer {
            text: Arc::from(text),
            base: draft.base,
            in_conflict: draft.in_conflict,
        }));
    }

    /// The mind with this hash, whose field is `now`, committed `taken`. Returns the remaining draft.
    pub fn settle(
        &self,
        (session, field): (SessionId, &DraftField),
        taken: &str,
        (mind, now): (&ContentHash, &str),
    ) -> Option<EditBuffer> {
        let slot = self.slot(session, field);
        let remaining = slot.get_untracked()?.after_settling(taken, now, mind, self.1.get_value());
        slot.set(remaining.clone());
        remaining
    }

    /// The draft conflicts with the mind of this hash; editing continues with the marked text.
    pub fn set_conflict(&self, session: SessionId, field: &DraftField, marked: String, mind: &ContentHash) {
        let typing = EditBuffer { text: Arc::from(marked), base: *mind, in_conflict: true };
        self.slot(session, field).set(Some(typing));
    }
}

pub fn field_of(edit: &MindEdit) -> Option<DraftField> {
    match edit {
        MindEdit::Objective { .. } => Some(DraftField::Objective),
        MindEdit::Scratchpad { .. } | MindEdit::ScratchpadLines { .. } => Some(DraftField::Scratchpad),
        MindEdit::File { name, .. } | MindEdit::FileLines { name, .. } => {
            Some(DraftField::File(name.clone()))
        }
        MindEdit::FileRemoved { .. } | MindEdit::FileRenamed { .. } | MindEdit::Active { .. } => None,
    }
}

pub fn text_of<'m>(mind: &'m Mind, field: &DraftField) -> &'m str {
    match field {
        DraftField::Composer | DraftField::Queued(_) | DraftField::Pages => "",
        DraftField::Objective => &mind.objective,
        DraftField::Scratchpad => &mind.scratchpad,
        DraftField::File(name) => mind.file(name).unwrap_or(""),
    }
}
