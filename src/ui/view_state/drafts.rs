//! The drafts, by session and field. A field shows its draft while there is one, else the mind.
//!
//! Never lets a write of others change what the operator types.

use std::sync::Arc;

use leptos::prelude::*;

use crate::ui::kit::stored::StoredValue;
use nexus_model::id::SessionId;
use nexus_model::mind::{Mind, MindEdit};
use nexus_model::session::draft::{Draft, DraftField};
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecMap;
use nexus_view::draft_merge::{EditBuffer, MergeFn};

/// Whether a field shows what is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftState {
    /// It shows what the mind holds.
    Kept,
    /// It shows what was typed and not taken in yet.
    Typing,
    /// What was typed clashes with what others wrote; both are in the text, with marks.
    Clashed,
}

type EditSlot = ArcRwSignal<Option<EditBuffer>>;

#[derive(Clone, Copy)]
pub struct Drafts(StoredValue<VecMap<(SessionId, DraftField), EditSlot>>, StoredValue<Option<MergeFn>>);

impl Drafts {
    pub(super) fn new() -> Self {
        Self(StoredValue::new(VecMap::new()), StoredValue::new(None))
    }

    /// From here on typing is merged by `merger` with what others write.
    pub fn merge_by(&self, merger: MergeFn) {
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

    /// Brings back what was typed before the page was last closed. What is typed already stands behind it.
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
        slot.set(Some(EditBuffer { text: Arc::from(text), base: draft.base, clashed: draft.clashed }));
    }

    /// The mind, which has this address and holds `now` in the field, took `taken` in. Gives what is left to type on.
    pub fn settle(
        &self,
        (session, field): (SessionId, &DraftField),
        taken: &str,
        (mind, now): (&ContentHash, &str),
    ) -> Option<EditBuffer> {
        let slot = self.slot(session, field);
        let left = slot.get_untracked()?.after_settling(taken, now, mind, self.1.get_value());
        slot.set(left.clone());
        left
    }

    /// What was typed clashes with the mind of this address; the typing goes on with the marked text.
    pub fn clash(&self, session: SessionId, field: &DraftField, marked: String, mind: &ContentHash) {
        let typing = EditBuffer { text: Arc::from(marked), base: *mind, clashed: true };
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
