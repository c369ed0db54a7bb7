//! The operator's typing: what a field shows, and the drafts that the engine keeps of it.

use crate::ui::prelude::*;
use crate::ui::view_state::DraftState;
use nexus_model::session::draft::{Draft, DraftField};
use nexus_view::draft_merge::EditBuffer;

/// What a text area needs: a text to show, whether it is kept, and where the input goes.
#[derive(Clone, Copy)]
pub struct DraftBinding {
    pub text: Selector<Arc<str>>,
    pub state: Selector<DraftState>,
    name: StoredValue<DraftField>,
    dispatch: Dispatch,
}

impl DraftBinding {
    /// The operator typed; this is the whole text now.
    pub fn typed(&self, text: &str) {
        self.dispatch.type_into(&self.name.get_value(), text);
    }

    /// Gives the draft up to the mind at once; after a clash nobody else does.
    pub fn keep(&self) {
        self.dispatch.keep_draft(&self.name.get_value());
    }

    /// Forgets the draft; the field shows what the mind holds.
    pub fn discard(&self) {
        self.dispatch.discard_draft(&self.name.get_value());
    }
}

impl Dispatch {
    /// A field of the mind, or the composer, of the session in view: what to show and where input goes.
    pub fn field(&self, field: &DraftField) -> DraftBinding {
        let view = self.view();
        let (this, name) = (*self, field.clone());
        let slot = select(move || view.drafts.slot(view.sessions.focus.get(), &name));
        let kept = view.mind.text(field);
        let text = select(move || match slot.get().get() {
            Some(typing) => typing.text,
            None => kept.get(),
        });
        let state = select(move || match slot.get().get() {
            Some(typing) if typing.clashed => DraftState::Clashed,
            Some(_) => DraftState::Typing,
            None => DraftState::Kept,
        });
        DraftBinding { text, state, name: StoredValue::new(field.clone()), dispatch: this }
    }

    /// The operator typed into a field; `text` is all of it now.
    pub fn type_into(&self, field: &DraftField, text: &str) {
        let (view, session) = (self.view(), self.session());
        let slot = view.drafts.slot(session, field);
        let typing = match slot.get_untracked() {
            Some(typing) => EditBuffer { text: Arc::from(text), ..typing },
            None => EditBuffer { text: Arc::from(text), base: self.base(), clashed: false },
        };
        if *field == DraftField::Composer && typing.text.is_empty() {
            self.discard_draft(field);
            // With the words goes whose they were.
            self.discard_draft(&DraftField::Pages);
            return;
        }
        self.pass_on(session, field, Some(&typing));
        slot.set(Some(typing));
    }

    pub fn discard_draft(&self, field: &DraftField) {
        let session = self.session();
        self.view().drafts.slot(session, field).set(None);
        self.pass_on(session, field, None);
    }

    /// Gives a draft up to the mind at once.
    pub fn keep_draft(&self, field: &DraftField) {
        let session = self.session();
        let slot = self.view().drafts.slot(session, field);
        let Some(typing) = slot.get_untracked() else { return };
        let Some(write) = field.write(typing.text.to_string()) else { return };
        let (this, field) = (*self, field.clone());
        let command = Command::EditMind { session, base: typing.base, writes: vec![write] };
        self.send_done(command, move || {
            slot.set(None);
            this.pass_on(session, &field, None);
        });
    }

    /// Tells the engine what is typed, which keeps it and takes it in when it is time.
    pub(crate) fn pass_on(&self, session: SessionId, field: &DraftField, typing: Option<&EditBuffer>) {
        let base = typing.map_or_else(|| self.base(), |typing| typing.base);
        self.handle().draft(Draft {
            session,
            field: field.clone(),
            text: typing.map(|typing| typing.text.to_string()),
            base,
            clashed: typing.is_some_and(|typing| typing.clashed),
        });
    }
}
