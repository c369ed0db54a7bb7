//! The methods of [`Dispatch`]: they send the operator's commands to the engine and show a notice when one is rejected.

pub mod drafts;

use futures_channel::mpsc::UnboundedSender;
use serde_json::Value;

use crate::ui::hooks::focus::COMPOSER;
use crate::ui::hooks::{focus, page};
use crate::ui::kit::prelude::*;
use crate::ui::page::{Dispatch, DispatchState, Page};
use crate::ui::view_state::{NoticeKind, ProjectorMessage, UndoCommand};
use nexus_engine::client::{EngineClient, VaultRequest};
use nexus_engine::keys::{KeyState, KeyStorage};
use nexus_engine::port::{Clock, VaultError};
use nexus_model::command::{Command, NewMessage, Rejection, RerunChange};
use nexus_model::id::{IdSource, Millis, ProviderId, QueueItemId, SessionId, TriggerId, TurnId};
use nexus_model::message::MessageOrigin;
use nexus_model::mind::{Mind, MindWrite};
use nexus_model::provider::Provider;
use nexus_model::session::{QueueMode, SessionStatus, Target};
use nexus_model::settings::Setting;
use nexus_model::settings::schema::{KEY_KEEPING, OPEN_SESSION, QUEUE_MODE};
use nexus_model::turn::tree::session_at;
use nexus_providers::http::Secret;
use nexus_text::content_hash::ContentHash;
use nexus_view::session_list::next_session;
use nexus_view::strings;

/// The destination of the next message if it is not the session in view, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    pub session: SessionId,
    /// The turn to fork a new session from; `None` for the session itself.
    pub turn: Option<TurnId>,
    pub target: Target,
    pub label: String,
    pub why: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SessionRemoval {
    Archived,
    Closed,
    Deleted,
}

impl SessionRemoval {
    pub fn command(self, session: SessionId) -> Command {
        match self {
            Self::Archived => Command::SetSessionStatus { session, status: SessionStatus::Archived },
            Self::Closed => Command::SetSessionStatus { session, status: SessionStatus::Closed },
            Self::Deleted => Command::DeleteSession { session },
        }
    }

    /// The command that undoes the removal.
    pub fn back(self, session: SessionId) -> Command {
        match self {
            Self::Archived | Self::Closed => {
                Command::SetSessionStatus { session, status: SessionStatus::Open }
            }
            Self::Deleted => Command::RestoreSession { session },
        }
    }

    pub fn notice(self, label: &str) -> String {
        match self {
            Self::Archived => strings::tree::archived(label),
            Self::Closed => strings::tree::ended(label),
            Self::Deleted => strings::tree::deleted(label),
        }
    }
}

impl Dispatch {
    pub fn new(
        handle: EngineClient,
        clock: Rc<dyn Clock>,
        ids: Rc<RefCell<dyn IdSource>>,
        projector: UnboundedSender<ProjectorMessage>,
    ) -> Self {
        let (clock, ids) = (SendWrapper::new(clock), SendWrapper::new(ids));
        Self(StoredValue::new(DispatchState { handle, clock, ids, projector, left: None, page: None }))
    }

    pub(crate) fn engine(&self) -> EngineClient {
        self.0.with_value(|inner| inner.handle.clone())
    }

    pub(super) fn page(&self) -> &'static Page {
        match self.0.with_value(|inner| inner.page) {
            Some(page) => page,
            None => unreachable!("the page is created before a command is sent"),
        }
    }

    /// Sends the projector a message that no event carries.
    pub(crate) fn notify_projector(&self, wake: ProjectorMessage) {
        // The projector lives as long as the page, which may be gone by now.
        drop(self.0.try_with_value(|inner| inner.projector.unbounded_send(wake)));
    }

    pub fn now(&self) -> Millis {
        self.0.with_value(|inner| inner.clock.now())
    }

    pub(crate) fn clock(&self) -> Rc<dyn Clock> {
        self.0.with_value(|inner| Rc::clone(&inner.clock))
    }

    pub(crate) fn trigger_id(&self) -> TriggerId {
        self.0.with_value(|inner| TriggerId::new(&mut *inner.ids.borrow_mut()))
    }

    fn new_session(&self) -> SessionId {
        self.0.with_value(|inner| SessionId::new(&mut *inner.ids.borrow_mut()))
    }

    pub fn session(&self) -> SessionId {
        self.page().sessions.focus.get_untracked()
    }

    /// Sends a command and shows a notice if it is rejected.
    pub fn send(&self, command: Command) {
        self.send_then(command, |_| ());
    }

    /// Sends a command, shows a notice if it is rejected, and passes on the result.
    pub fn send_then(&self, command: Command, then: impl FnOnce(Result<(), Rejection>) + 'static) {
        self.send_boxed(command, true, Box::new(then));
    }

    /// Sends a command; `done` runs if it was accepted. A rejection is shown as a notice.
    pub fn send_done(&self, command: Command, done: impl FnOnce() + 'static) {
        self.send_then(command, move |outcome| {
            if outcome.is_ok() {
                done();
            }
        });
    }

    /// Not generic, so that it is compiled once.
    fn send_boxed(
        &self,
        command: Command,
        shows_rejection: bool,
        then: Box<dyn FnOnce(Result<(), Rejection>)>,
    ) {
        // What is sent at the end of the page is sent all the same.
        let (this, engine) = (*self, self.engine());
        spawn_local(async move {
            let outcome = engine.send(command).await;
            then(if shows_rejection { this.report(outcome) } else { outcome });
        });
    }

    /// Sends a command. On success, shows a notice that offers undo by the command `back`.
    pub fn send_undoable(
        &self,
        command: Command,
        notice: impl Into<String>,
        undo: impl Fn() -> Command + Send + Sync + 'static,
    ) {
        let (notices, notice) = (self.page().notices, notice.into());
        self.send_done(command, move || {
            notices.add_with_undo(notice, undo);
        });
    }

    /// Removes a session from the list, with undo. If it was in view, another one is opened.
    pub fn remove_session(&self, session: SessionId, label: &str, how: SessionRemoval) {
        let (this, label) = (*self, label.to_owned());
        self.send_done(how.command(session), move || this.show_removed(session, &label, how));
    }

    /// Shows that a session was removed, here or in another tab, with undo.
    pub fn show_removed(&self, session: SessionId, label: &str, how: SessionRemoval) {
        let next = self.page().world.with_untracked(|world| next_session(world, session));
        self.page().notices.add_with_undo(how.notice(label), move || how.back(session));
        self.leave_removed(session, next);
    }

    /// Opens the next session if the removed one is in view.
    pub fn leave_removed(&self, session: SessionId, next: Option<SessionId>) {
        if let Some(next) = next.filter(|_| self.session() == session) {
            self.0.update_value(|inner| inner.left = Some((session, next)));
            self.open(next);
        }
    }

    /// Opens a session whose removal was undone, if it was in view then and the operator did not go elsewhere since.
    pub fn return_to(&self, session: SessionId) {
        if self.0.with_value(|inner| inner.left) == Some((session, self.session())) {
            self.open(session);
        }
    }

    pub fn undo(&self, undo: &UndoCommand) {
        let (this, command) = (*self, undo());
        let restored = if let Command::RestoreSession { session }
        | Command::SetSessionStatus { session, .. } = command
        {
            Some(session)
        } else {
            None
        };
        self.send_done(command, move || restored.into_iter().for_each(|session| this.return_to(session)));
    }

    /// Sends a command that ends what the focused button belongs to. The next input is a message.
    pub fn send_to_end(&self, command: Command) {
        self.send(command);
        focus::to_composer();
    }

    pub fn send_and_focus(&self, command: Command, focused: String) {
        self.send_done(command, move || focus::soon(focused));
    }

    /// Sends a command and awaits its result. Shows a notice if it is rejected.
    pub async fn send_and_wait(&self, command: Command) -> Result<(), Rejection> {
        self.report(self.engine().send(command).await)
    }

    /// Shows a notice if the engine rejected what was asked.
    fn report(&self, outcome: Result<(), Rejection>) -> Result<(), Rejection> {
        outcome.inspect_err(|rejection| {
            self.notify_projector(ProjectorMessage::Rejected(rejection.clone()));
        })
    }

    /// Like `send_then`, without a notice: the caller shows the rejection.
    pub fn send_quietly(&self, command: Command, then: impl FnOnce(Result<(), Rejection>) + 'static) {
        self.send_boxed(command, false, Box::new(then));
    }

    pub fn set_setting<K>(&self, setting: Setting<K>, value: impl Into<Value>) {
        self.set_row(setting.name(), value);
    }

    /// Sets the row of a setting that has one row per key.
    pub fn set_row(&self, name: &str, value: impl Into<Value>) {
        self.send(Command::ChangeSetting { name: name.to_owned(), value: value.into() });
    }

    /// Moves the head to a sibling or a later turn, with a notice that offers undo.
    pub fn step_to(&self, to: TurnId, notice: String) {
        let (session, page) = (self.session(), self.page());
        let head = move || page.world.with_untracked(|world| world.session(&session)?.head);
        let before = head();
        self.send_then(Command::MoveHead { session, to, newest: true }, move |outcome| {
            if let (Ok(()), Some(back)) = (outcome, before.filter(|before| Some(*before) != head())) {
                page.notices.add_step(notice, move || Command::MoveHead { session, to: back, newest: false });
            }
        });
    }

    /// Retries a turn in the session in view, which may be a fork of the turn's own. `done` runs if it was accepted.
    pub fn try_again(&self, turn: TurnId, done: impl FnOnce() + 'static) {
        let session = self.session();
        let again = Command::TryAgain { session, turn, agent: None, config: None, tools: None };
        self.send_done(again, done);
    }

    // Messages.

    /// A message of the operator for the session in view, with the default queue mode.
    pub fn message(&self, text: String) -> NewMessage {
        let page = self.page();
        let setting = page.settings.value(QUEUE_MODE).get_untracked();
        let setting = setting.and_then(|mode| nexus_text::json::from_tree(&mode).ok()).unwrap_or_default();
        let mode = untrack(|| page.run.queue_mode(setting));
        NewMessage { mode, ..NewMessage::new(self.session(), text) }
    }

    /// Sends a message. `then` gets whether it was accepted.
    pub fn send_message(&self, message: NewMessage, then: impl FnOnce(bool) + 'static) {
        self.notify_projector(ProjectorMessage::Read);
        self.send_then(Command::SendMessage(message), move |outcome| then(outcome.is_ok()));
    }

    /// Sends a message to another session than the one in view. `then` gets whether it was accepted.
    pub fn send_to_session(
        &self,
        destination: Destination,
        message: NewMessage,
        then: impl FnOnce(bool) + 'static,
    ) {
        let (this, from) = (*self, self.session());
        let name = self.page().sessions.rows.get_untracked(&from).map(|row| row.label).unwrap_or_default();
        spawn_local(async move {
            let Destination { mut session, turn, target, label, .. } = destination;
            if let Some(turn) = turn {
                let new_session = this.new_session();
                let (from, label) = (session, String::new());
                let fork = Command::ContinueFrom { session: new_session, from, turn, mind: None, label };
                if this.send_and_wait(fork).await.is_err() {
                    return then(false);
                }
                session = new_session;
            }
            let origin = message.origin.unwrap_or_default();
            let origin = Some(MessageOrigin { session: Some(from), name, ..origin });
            let (mode, keep_going) = (QueueMode::default(), None);
            let message = NewMessage { session, target, origin, mode, keep_going, ..message };
            let outcome = this.send_and_wait(Command::SendMessage(message)).await;
            if outcome.is_ok() {
                this.page().notices.add(NoticeKind::Info, strings::search::sent(&label), "");
            }
            then(outcome.is_ok());
        });
    }

    /// Removes one queued message, or all that Stop holds, with undo.
    pub fn withdraw_queued(&self, one: Option<QueueItemId>) {
        let session = self.session();
        let items: Vec<_> = self.page().world.with_untracked(|world| {
            let waiting = world.waiting(session).into_iter();
            waiting.filter(|item| one.map_or(item.held, |one| item.id == one)).map(|item| item.id).collect()
        });
        let command = match one {
            Some(item) => Command::WithdrawQueued { item },
            None => Command::DiscardAllHeld { session },
        };
        let notice = strings::chat::queue::withdrawn(items.len());
        let undo = move || Command::PutBackQueued { session, items: items.clone() };
        self.send_undoable(command, notice, undo);
    }

    // Keys and models.

    /// Puts a key into this tab, bound to the provider's current origin; an empty key removes it.
    pub fn put_key(&self, provider: &Provider, key: &str) {
        self.engine().keys.put(provider, key);
        self.page().providers.note_keys();
    }

    /// Puts a key into this tab and stores it where the operator chose, which becomes the default. A passphrase
    /// requires an open vault. On failure shows a notice; the key stays in this tab.
    pub async fn enter_key(&self, provider: &Provider, key: &str, storage: KeyStorage) {
        let state = self.engine().keys.state(provider);
        let was_stored = !matches!(state, KeyState::Missing | KeyState::Usable(KeyStorage::Tab));
        self.put_key(provider, key);
        self.store_key_storage(storage);
        if storage == KeyStorage::Tab && !was_stored {
            return;
        }
        if let Err(error) = self.store_key(provider.id.clone(), storage, None).await {
            self.page().notices.add_error(strings::settings::provider_card::key_not_stored(&error));
        }
    }

    /// Stores a key of this tab as the operator chose; a passphrase unlocks the vault.
    pub async fn store_key(
        &self,
        provider: ProviderId,
        storage: KeyStorage,
        passphrase: Option<String>,
    ) -> Result<(), VaultError> {
        let passphrase = passphrase.map(Secret::new);
        self.engine().change_keys(VaultRequest::Store { provider, storage, passphrase }).await
    }

    pub fn store_key_storage(&self, storage: KeyStorage) {
        self.set_setting(KEY_KEEPING, storage.name());
    }

    pub fn delete_key(&self, provider: ProviderId) {
        let this = *self;
        spawn_local(async move {
            if let Err(error) = this.engine().change_keys(VaultRequest::Delete(provider)).await {
                this.page().notices.add_error(strings::key_not_forgotten(&error));
            }
        });
    }

    /// Opens the vault; waiting calls continue.
    pub async fn unlock(&self, passphrase: String) -> Result<(), VaultError> {
        self.engine().change_keys(VaultRequest::Unlock(Secret::new(passphrase))).await?;
        self.page().providers.wanted.set(None);
        Ok(())
    }

    pub async fn change_passphrase(&self, passphrase: String, next: String) -> Result<(), VaultError> {
        let (passphrase, next) = (Secret::new(passphrase), Secret::new(next));
        self.engine().change_keys(VaultRequest::ChangePassphrase { passphrase, next }).await?;
        self.page().providers.wanted.set(None);
        Ok(())
    }

    pub fn lock(&self) {
        let handle = self.engine();
        // Locking fails only if the engine has stopped, and then no key is used either.
        spawn_local(async move { drop(handle.change_keys(VaultRequest::Lock).await) });
    }

    /// Fails the calls that wait for the passphrase.
    pub fn fail_locked_calls(&self) {
        self.engine().keys.wake_waiting();
        self.page().providers.wanted.set(None);
    }

    // Sessions.

    /// Shows and loads a session.
    pub fn open(&self, session: SessionId) {
        self.open_then(session, || ());
    }

    /// Like `open`; calls `then` after loading, even if it failed.
    pub fn open_then(&self, session: SessionId, then: impl FnOnce() + 'static) {
        let this = *self;
        self.notify_projector(ProjectorMessage::Focus(session));
        spawn_local(async move {
            // A rejection is shown as any other; the session stays in view, empty or read-only.
            drop(this.report(this.engine().open(session).await));
            this.notify_projector(ProjectorMessage::Reload);
            then();
        });
        page::remember_session(session);
        self.set_setting(OPEN_SESSION, session.to_string());
    }

    /// Asks the tab that has the lock of the session in view to hand it over.
    pub fn take_over(&self) {
        self.engine().request_session(self.session());
    }

    pub fn create_session(&self, label: String, mind: Mind) {
        let session = self.new_session();
        let this = *self;
        self.send_done(Command::CreateSession { session, label, mind }, move || {
            // The next input is a message.
            this.open_then(session, || focus::soon(COMPOSER.to_owned()));
        });
    }

    /// Creates a session that continues from a turn of any session, and shows it: from the session whose head it is, else
    /// from the turn's own. `done` runs if it was created.
    pub fn continue_at(&self, (turn, own): (TurnId, SessionId), done: impl FnOnce() + 'static) {
        let in_view = self.session();
        let from = self.page().world.with_untracked(|world| session_at(world, turn, own, in_view));
        self.continue_from_session(from, (turn, None), String::new(), |is_created| {
            if is_created {
                done();
            }
        });
    }

    /// Like `continue_at`, from a turn of this session, with the mind `mind`. `then` gets whether it was created.
    pub fn continue_from_session(
        &self,
        from: SessionId,
        (turn, mind): (TurnId, Option<ContentHash>),
        label: String,
        then: impl FnOnce(bool) + 'static,
    ) {
        let session = self.new_session();
        let this = *self;
        self.send_then(Command::ContinueFrom { session, from, turn, mind, label }, move |outcome| {
            then(outcome.is_ok());
            if outcome.is_ok() {
                // The next input is a message. Screens without a composer keep their focus.
                this.open_then(session, || focus::soon(COMPOSER.to_owned()));
            }
        });
    }

    /// Reruns the run of a turn in a new session, with one change. `then` gets the session.
    pub fn rerun(&self, turn: TurnId, change: Option<RerunChange>, then: impl FnOnce(SessionId) + 'static) {
        let session = self.new_session();
        let command = Command::Rerun { session, turn, change, label: String::new() };
        self.send_done(command, move || then(session));
    }

    /// Loads turns older than this one; true on success.
    pub async fn load_earlier_turns(&self, turn: TurnId) -> bool {
        let is_loaded = self.report(self.engine().load_earlier(turn).await).is_ok();
        self.notify_projector(if is_loaded { ProjectorMessage::Earlier } else { ProjectorMessage::Reload });
        is_loaded
    }

    /// Loads a session, or its turns before this one, without showing them; true on success.
    pub async fn load_quietly(&self, session: SessionId, before: Option<TurnId>) -> bool {
        match before {
            Some(turn) => self.engine().load_earlier(turn).await.is_ok(),
            None => self.engine().load(session).await.is_ok(),
        }
    }

    // The mind.

    /// Changes the mind at once, based on the mind in view.
    pub fn write_mind(&self, writes: Vec<MindWrite>) {
        self.send(self.mind_edit(writes));
    }

    /// Like `write_mind`; `done` runs if the mind changed.
    pub fn write_mind_then(&self, writes: Vec<MindWrite>, done: impl FnOnce() + 'static) {
        self.send_done(self.mind_edit(writes), done);
    }

    /// The command that changes the mind of the session in view, based on the mind in view.
    pub fn mind_edit(&self, writes: Vec<MindWrite>) -> Command {
        Command::EditMind { session: self.session(), base: self.base(), writes }
    }

    fn base(&self) -> ContentHash {
        self.page().mind.hash.get_untracked().unwrap_or_else(|| Mind::default().hash())
    }
}
