//! Drafts of the operator: what a field shows, and its draft in the engine; and unsaved forms.

use serde_json::Value;

use crate::ui::kit::prelude::*;
use crate::ui::page::Dispatch;
use crate::ui::view_state::{DraftState, text_of};
use nexus_model::command::{Command, MessageOverrides, NewMessage};
use nexus_model::id::SessionId;
use nexus_model::message::MessageOrigin;
use nexus_model::mind::blob::NewBlob;
use nexus_model::session::{Draft, DraftField, attachments_in, attachments_text, pages_in};
use nexus_model::settings::{Own, Setting};
use nexus_view::draft_merge::EditBuffer;

/// Debounce of storing a form.
const DEBOUNCE: Duration = Duration::from_millis(1_000);

/// Binds a text area to a draft: its text, its state, and its input handler.
#[derive(Clone, Copy)]
pub struct DraftBinding {
    pub text: Selector<Arc<str>>,
    pub state: Selector<DraftState>,
    name: StoredValue<DraftField>,
    dispatch: Dispatch,
}

impl DraftBinding {
    pub fn typed(&self, text: &str) {
        self.dispatch.type_into(&self.name.get_value(), text);
    }

    /// Commits the draft to the mind at once; after a conflict nothing else does.
    pub fn keep(&self) {
        self.dispatch.keep_draft(&self.name.get_value());
    }

    pub fn discard(&self) {
        self.dispatch.discard_draft(&self.name.get_value());
    }
}

impl Dispatch {
    /// Binds a field of the mind, or the composer, of the session in view.
    pub fn field(&self, field: &DraftField) -> DraftBinding {
        let page = self.page();
        let (this, name) = (*self, field.clone());
        let slot = select(move || page.drafts.slot(page.sessions.focus.get(), &name));
        let committed = page.mind.text(field);
        let text = select(move || match slot.get().get() {
            Some(typing) => typing.text,
            None => committed.get(),
        });
        let state = select(move || match slot.get().get() {
            Some(typing) if typing.in_conflict => DraftState::Conflicted,
            Some(_) => DraftState::Typing,
            None => DraftState::Saved,
        });
        DraftBinding { text, state, name: StoredValue::new(field.clone()), dispatch: this }
    }

    pub fn type_into(&self, field: &DraftField, text: &str) {
        self.type_in(self.session(), field, text);
    }

    fn type_in(&self, session: SessionId, field: &DraftField, text: &str) {
        let slot = self.page().drafts.slot(session, field);
        let typing = match slot.get_untracked() {
            Some(typing) => EditBuffer { text: Arc::from(text), ..typing },
            None => EditBuffer { text: Arc::from(text), base: self.base(), in_conflict: false },
        };
        if *field == DraftField::Composer && typing.text.is_empty() {
            self.discard_draft_of(session, field);
            // An empty composer has no placed texts either.
            self.discard_draft_of(session, &DraftField::Pages);
            return;
        }
        self.send_draft(session, field, Some(&typing));
        slot.set(Some(typing));
    }

    pub fn change_attachments(&self, session: SessionId, change: impl FnOnce(&mut Vec<(u32, NewBlob)>)) {
        let field = DraftField::Attachments;
        let slot = self.page().drafts.slot(session, &field);
        let known = slot.get_untracked();
        let mut files = known.as_ref().map_or_else(Vec::new, |known| attachments_in(&known.text));
        change(&mut files);
        if files.is_empty() && known.is_none() {
            return;
        }
        let text = attachments_text(&files).into();
        let typing = (!files.is_empty()).then(|| EditBuffer { text, base: self.base(), in_conflict: false });
        self.send_draft(session, &field, typing.as_ref());
        slot.set(typing);
    }

    /// The message of this text that the composer of the session in view sends: with its files and options, and the
    /// pages that placed text in it. Once it is accepted, the function takes all of that out of the composer; what was
    /// typed, dictated, placed or attached since stays.
    pub fn composed(&self, text: String) -> (NewMessage, impl FnOnce() + use<>) {
        let (this, session) = (*self, self.session());
        let placed = this.typed(session, &DraftField::Pages);
        let overrides = MessageOverrides::read(&this.typed(session, &DraftField::Overrides));
        let files = attachments_in(&this.typed(session, &DraftField::Attachments));
        let attachments: Vec<NewBlob> = files.into_iter().map(|(_, blob)| blob).collect();
        let (sent_text, sent) = (text.clone(), attachments.clone());
        let message = NewMessage {
            attachments,
            origin: MessageOrigin::of_pages(pages_in(&placed)),
            overrides: Some(Box::new(overrides)).filter(|over| !over.is_empty()),
            ..this.message(text)
        };
        let clear = move || {
            this.clear_sent(session, &sent_text, &placed);
            this.discard_draft_of(session, &DraftField::Overrides);
            this.change_attachments(session, |list| list.retain(|(_, blob)| !sent.contains(blob)));
        };
        (message, clear)
    }

    fn typed(&self, session: SessionId, field: &DraftField) -> Arc<str> {
        let slot = self.page().drafts.slot(session, field);
        slot.get_untracked().map_or_else(Arc::default, |typing| typing.text)
    }

    fn clear_sent(&self, session: SessionId, text: &str, placed: &str) {
        let typed = |field: &DraftField| self.typed(session, field);
        let placed_by = typed(&DraftField::Pages);
        if let Some(since) = typed(&DraftField::Composer).strip_prefix(text) {
            self.type_in(session, &DraftField::Composer, since.trim_start());
            if let Some(remaining) = placed_by.strip_prefix(placed).filter(|_| !placed.is_empty()) {
                self.type_in(session, &DraftField::Pages, remaining);
            }
        }
    }

    pub fn discard_draft(&self, field: &DraftField) {
        self.discard_draft_of(self.session(), field);
    }

    pub fn discard_draft_of(&self, session: SessionId, field: &DraftField) {
        self.page().drafts.slot(session, field).set(None);
        self.send_draft(session, field, None);
    }

    pub fn keep_draft(&self, field: &DraftField) {
        let session = self.session();
        let slot = self.page().drafts.slot(session, field);
        let Some(typing) = slot.get_untracked() else { return };
        let Some(write) = field.write(typing.text.to_string()) else { return };
        let (this, page, field) = (*self, self.page(), field.clone());
        let command = Command::EditMind { session, base: typing.base, writes: vec![write] };
        self.send_done(command, move || {
            // What was typed meanwhile stays.
            let Some((hash, mind)) = page.world.mind_untracked(session) else { return };
            let now = text_of(&mind, &field);
            let remaining = page.drafts.settle((session, &field), &typing.text, (&hash, now));
            this.send_draft(session, &field, remaining.as_ref());
        });
    }

    /// Stores an unsaved form in a setting, so that a reload loses nothing; `None` once it is saved.
    pub fn store_form(&self, setting: Setting<Own>, form: Selector<Option<String>>) {
        let this = *self;
        let store = move || {
            if let Some(form) = form.try_get_untracked() {
                this.set_setting(setting, form.map_or(Value::Null, Into::into));
            }
        };
        let timer = StoredValue::new(None::<TimeoutHandle>);
        Effect::new(move |before: Option<()>| {
            form.track();
            if let Some(timer) = timer.get_value() {
                timer.clear();
            }
            if before.is_some() {
                timer.set_value(set_timeout_with_handle(store, DEBOUNCE).ok());
            }
        });
        on_cleanup(move || {
            if let Some(timer) = timer.try_get_value().flatten() {
                timer.clear();
                store();
            }
        });
    }

    /// Sends a draft to the engine, which stores it and commits it in time.
    pub(crate) fn send_draft(&self, session: SessionId, field: &DraftField, typing: Option<&EditBuffer>) {
        let base = typing.map_or_else(|| self.base(), |typing| typing.base);
        self.engine().draft(Draft {
            session,
            field: field.clone(),
            text: typing.map(|typing| typing.text.to_string()),
            base,
            in_conflict: typing.is_some_and(|typing| typing.in_conflict),
        });
    }
}
