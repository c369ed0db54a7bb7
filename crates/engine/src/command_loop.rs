//! The command loop: the only place where the world changes. Handles commands, drafts and loads one at a time.
//!
//! Never answers a command before the ledger has stored its events.

use crate::client::EngineInput;
use crate::command_loop::lazy_commands::{EventTask, LazyCommands};
use crate::lazy::{CodecLoader, Load};
use crate::port::LockGuard;
use crate::prelude::*;
use crate::store::ledger::{Ledger, PurgedData};
use crate::store::loading;
use crate::store::loading::LoadedRows;
use crate::store::partials::DraftStore;
use futures_channel::mpsc::UnboundedSender;
use futures_channel::oneshot;
use futures_util::select_biased;
use nexus_model::command::{PartialMessages, SessionLock};
use nexus_model::decide::NewEvent;
use nexus_model::limits::{
    DRAFT_DEBOUNCE_MS, EVENTS_CHECK_MS, PURGE_AFTER_START_MS, PURGE_EVERY_MS, TURNS_FIRST,
};
use nexus_model::session::{Draft, DraftField, QueueState};
use nexus_model::turn::tree;
use std::collections::VecDeque;

pub mod lazy_commands;
mod lock_group;
mod preload;
mod purge;

/// Max retries of a command after another tab wrote to the device's stream first.
const COLLISIONS: usize = 4;
/// Delay before a failed write is retried, in milliseconds.
const STORE_RETRY_MS: u64 = 10_000;
/// Delay before typed text is saved, in milliseconds.
const DRAFT_DISK_MS: u64 = 400;

type ReplySender = oneshot::Sender<Decision>;

pub(super) enum LoopEvent {
    /// The debounce timer of a field ended; `count` is the number of edits when it began.
    DebounceEnded {
        session: SessionId,
        field: DraftField,
        count: u64,
        commit: bool,
    },
    /// Another tab released a session's lock, or is gone.
    LockGranted(SessionId, LockGuard),
    RetryStore,
    Purge,
    CheckEvents(StreamId),
    RunDeferred,
    Recover(SessionId),
    Again(Box<Command>, ReplySender),
}

pub(super) struct CommandLoop {
    pub(super) ledger: Ledger,
    pub(super) ports: Ports,
    pub(super) parts: Rc<dyn CodecLoader>,
    pub(super) load_lazy: Load<LazyCommands>,
    pub(super) drafts: Rc<DraftStore>,
    pub(super) partials: Rc<RefCell<PartialMessages>>,
    pub(super) inner: UnboundedSender<LoopEvent>,
    pub(super) locks: RefCell<VecMap<SessionId, LockGuard>>,
    /// The session that this tab shows.
    pub(super) opened: Cell<Option<SessionId>>,
    /// The sessions whose locks this tab waits for; true if the operator requested the session here.
    pub(super) waiting_for_lock: RefCell<VecMap<SessionId, Rc<Cell<bool>>>>,
    pub(super) unsaved: RefCell<VecDeque<(Command, ReplySender)>>,
    /// True while a failure of the store is shown.
    pub(super) has_failed: Cell<bool>,
    /// Sessions that continue in a fork of this tab, because two tabs wrote at once or the session is unreadable.
    pub(super) forks: RefCell<VecMap<SessionId, SessionId>>,
    /// Unreadable rows already reported, so that each is reported once.
    pub(super) reported: RefCell<VecSet<String>>,
    /// Tasks that wait for the lazy commands.
    pub(super) deferred: RefCell<Vec<EventTask>>,
}

impl CommandLoop {
    /// Handles inputs until all senders are dropped.
    pub(super) async fn run(
        self: Rc<Self>,
        mut inbox: UnboundedReceiver<EngineInput>,
        mut own: UnboundedReceiver<LoopEvent>,
    ) {
        self.send_later(PURGE_AFTER_START_MS, LoopEvent::Purge);
        self.send_later(EVENTS_CHECK_MS, LoopEvent::CheckEvents(StreamId::App));
        loop {
            select_biased! {
                inner = own.next() => match inner {
                    Some(inner) => self.handle_event(inner).await,
                    None => return,
                },
                input = inbox.next() => match input {
                    Some(input) => self.handle_input(input).await,
                    None => return,
                },
            }
        }
    }

    async fn handle_input(&self, input: EngineInput) {
        match input {
            EngineInput::Command(command, reply) => self.handle_command(*command, reply).await,
            EngineInput::Draft(draft) => self.handle_draft(draft).await,
            // The receiver may be gone.
            EngineInput::Open(session, reply) => drop(reply.send(self.open(session).await)),
            EngineInput::Load(session, reply) => drop(reply.send(self.load(session).await)),
            EngineInput::LoadEarlier(turn, reply) => drop(reply.send(self.load_earlier(turn).await)),
            EngineInput::ReloadStream(stream) => self.follow(stream).await,
            EngineInput::ReloadPartial(session) => self.show_text_so_far(session).await,
            EngineInput::RequestSession(session) => self.request_session(session),
            EngineInput::ReleaseSession(session) => self.release_session(session).await,
        }
    }

    async fn handle_event(&self, inner: LoopEvent) {
        match inner {
            LoopEvent::DebounceEnded { session, field, count, commit } => {
                if self.drafts.is_quiet(session, &field, count) {
                    self.put_draft(session, &field).await;
                    if commit {
                        self.commit_drafts(session, Some(&field)).await;
                    }
                }
            }
            LoopEvent::LockGranted(session, guard) => self.use_lock(session, guard).await,
            LoopEvent::RetryStore => {
                if !self.save_unsaved().await {
                    self.send_later(STORE_RETRY_MS, LoopEvent::RetryStore);
                }
            }
            LoopEvent::Purge => {
                self.purge_due().await;
                self.send_later(PURGE_EVERY_MS, LoopEvent::Purge);
            }
            LoopEvent::CheckEvents(stream) => self.defer(EventTask::Check(stream)),
            LoopEvent::RunDeferred => self.run_deferred().await,
            LoopEvent::Recover(session) => self.recover(session).await,
            LoopEvent::Again(command, reply) => self.handle_command(*command, reply).await,
        }
    }

    async fn handle_command(&self, command: Command, reply: ReplySender) {
        let is_from_operator = command.policy().is_from_operator;
        if is_from_operator && !self.unsaved.borrow().is_empty() {
            self.save_unsaved().await;
        }
        if self.unsaved.borrow().is_empty() {
            if !self.answer(command, reply).await {
                self.send_later(STORE_RETRY_MS, LoopEvent::RetryStore);
            }
        } else if !waits_for_store(&command) {
            drop(reply.send(Err(Rejection::Store("earlier changes are not stored yet".to_owned()))));
        } else {
            self.cancel_calls(&command);
            self.unsaved.borrow_mut().push_back((command, reply));
        }
    }

    /// Executes and answers a command. One that a service sent and cannot repeat waits for its code, or in `unsaved`
    /// for the store, as Stop does; the result is false if the store fails.
    async fn answer(&self, command: Command, reply: ReplySender) -> bool {
        let keep = waits_for_store(&command);
        match self.execute(&command).await {
            Err(Rejection::Store(_)) if keep => {
                self.cancel_calls(&command);
                self.unsaved.borrow_mut().push_front((command, reply));
                return false;
            }
            Err(Rejection::PartMissing) if keep => {
                self.after_loading(LoopEvent::Again(Box::new(command), reply));
            }
            outcome => drop(reply.send(outcome)),
        }
        true
    }

    /// Cancels the calls that a Stop which is not stored yet will close.
    fn cancel_calls(&self, command: &Command) {
        if let Command::Stop { session } = command {
            self.publish(&TransientEvent::StopUnsaved { session: *session });
        }
    }

    /// Executes the commands that wait for the store; false if it still fails.
    async fn save_unsaved(&self) -> bool {
        loop {
            let Some((command, reply)) = self.unsaved.borrow_mut().pop_front() else {
                self.note_store_works();
                return true;
            };
            if !self.answer(command, reply).await {
                return false;
            }
        }
    }

    pub(super) async fn execute(&self, command: &Command) -> Decision {
        let policy = command.policy();
        let (session, drafts_of) = {
            let world = self.ledger.world.borrow();
            (policy.scope.session(&world), policy.drafts.and_then(|scope| scope.session(&world)))
        };
        let mut borrowed = false;
        if let Some(session) = session {
            match policy.lock {
                SessionLock::Held => {}
                SessionLock::Taken => drop(self.try_lock(session).await),
                SessionLock::Borrowed => borrowed = self.borrow_lock(session).await,
                SessionLock::Loaded => self.prepare_session(session).await?,
            }
            if !self.has_lock(session) {
                return Err(Rejection::ReadOnly);
            }
        }
        if let Some(session) = drafts_of {
            self.commit_drafts(session, None).await;
        }
        if let Some(fork_of) = session.filter(|session| !self.locks.borrow().contains_key(session)) {
            // A draft was in conflict and continues in a fork.
            let fork = self.forks.borrow().get(&fork_of).copied();
            return match fork.and_then(|fork| command.moved_to(fork)) {
                Some(moved) => Box::pin(self.execute(&moved)).await,
                None => Err(Rejection::ReadOnly),
            };
        }
        let outcome = self.load_and_decide(command).await;
        if let (Some(session), true) = (session, borrowed) {
            self.locks.borrow_mut().remove(&session);
        }
        if let (Err(rejection), true) = (&outcome, policy.is_from_operator) {
            self.log_rejection(policy.name, rejection, session).await;
        }
        outcome
    }

    async fn load_and_decide(&self, command: &Command) -> Decision {
        self.rows(command.policy().rows).await?;
        self.decide_and_append(command).await
    }

    async fn decide_and_append(&self, command: &Command) -> Decision {
        let past = self.past(command.policy().replayed_turn).await?;
        for _ in 0..COLLISIONS {
            let events = self.decide(command, past.as_ref()).await?;
            let streams: VecSet<StreamId> = events.iter().map(|event| event.stream).collect();
            let borrowed = self.lock_all(&streams).await?;
            let appended = self.append_with_drafts(command, events).await;
            self.release_borrowed(borrowed);
            match appended {
                Ok(()) => {
                    // A command that changes nothing writes nothing.
                    if !streams.is_empty() {
                        self.note_store_works();
                    }
                    return Ok(());
                }
                Err(StoreError::Collision) => {
                    streams.iter().for_each(|stream| self.ledger.reset_end(*stream));
                    if let Some(session) = streams.iter().find_map(|stream| stream.session()) {
                        // Only without a working lock can another tab have written here; nothing is overwritten.
                        return self.fork_after_conflict(session, command).await;
                    }
                    self.load_app().await.map_err(|error| Rejection::Store(error.to_string()))?;
                }
                Err(StoreError::Newer) => return Err(Rejection::Newer),
                Err(error) => {
                    let reason = error.to_string();
                    self.has_failed.set(true);
                    self.publish(&TransientEvent::StoreFailed { reason: reason.clone() });
                    return Err(Rejection::Store(reason));
                }
            }
        }
        Err(Rejection::Store("another tab keeps writing".to_owned()))
    }

    async fn append(&self, events: Vec<NewEvent>, purged: PurgedData) -> StoreResult {
        // Other tabs append to the device's stream too; each locks it for one append.
        let of_app = events.iter().any(|event| event.stream == StreamId::App);
        let guard = if of_app { Some(self.ports.locks.hold("nexus-app").await) } else { None };
        let appended = self.ledger.append_and_purge(events, purged).await;
        drop(guard);
        appended
    }

    /// Appends an event whose loss does no harm.
    async fn log_event(&self, stream: StreamId, kind: EventKind) {
        let event = NewEvent { stream, run: None, turn: None, kind };
        drop(self.append(vec![event], PurgedData::default()).await);
    }

    fn note_store_works(&self) {
        if self.has_failed.take() {
            self.publish(&TransientEvent::StoreRecovered);
        }
    }

    fn publish(&self, event: &TransientEvent) {
        self.ledger.bus.publish_transient(event);
    }

    fn has_lock(&self, session: SessionId) -> bool {
        self.locks.borrow().contains_key(&session)
    }

    fn head_of(&self, session: SessionId) -> Option<TurnId> {
        self.ledger.world.borrow().session(&session).and_then(|session| session.head)
    }

    async fn log_rejection(&self, command: &str, rejection: &Rejection, session: Option<SessionId>) {
        use Rejection::{Newer, NoSuchSession, PartMissing, ReadOnly, Store};
        if matches!(rejection, Store(_) | ReadOnly | Newer | NoSuchSession | PartMissing) {
            return;
        }
        let stream = session.map_or(StreamId::App, StreamId::Session);
        let what = EventKind::CommandRefused { command: command.to_owned(), reason: rejection.logged() };
        self.log_event(stream, what).await;
    }

    async fn handle_draft(&self, draft: Draft) {
        let (session, field) = (draft.session, draft.field.clone());
        // Another tab has the session, and stores drafts of its own.
        if self.ports.locks.are_shared() && self.waiting_for_lock.borrow().contains_key(&session) {
            return;
        }
        let settle = draft.text.is_some() && field.is_of_mind();
        if settle {
            self.publish(&TransientEvent::Typed { session, at: self.ports.clock.now() });
        }
        let is_cleared = draft.text.is_none();
        let current = self.mind_of(session);
        let count = self.drafts.note(draft, current.as_ref());
        if is_cleared {
            self.put_draft(session, &field).await;
            return;
        }
        let settles = settle.then_some((DRAFT_DEBOUNCE_MS, true));
        for (ms, commit) in [(DRAFT_DISK_MS, false)].into_iter().chain(settles) {
            let field = field.clone();
            self.send_later(ms, LoopEvent::DebounceEnded { session, field, count, commit });
        }
    }

    async fn put_draft(&self, session: SessionId, field: &DraftField) {
        // If it cannot be stored now, the next keystroke or the page's end stores it.
        drop(self.ports.store.write(self.drafts.row(session, field)).await);
    }

    fn mind_of(&self, session: SessionId) -> Option<ContentHash> {
        self.ledger.world.borrow().session(&session).map(|session| session.mind)
    }

    /// Commits drafts of a session to the mind: all, or that of one field.
    async fn commit_drafts(&self, session: SessionId, only: Option<&DraftField>) {
        for draft in self.drafts.to_commit(session) {
            if only.is_some_and(|field| field != &draft.field) {
                continue;
            }
            let text = draft.text.clone().unwrap_or_default();
            let Some(write) = draft.field.write(text.clone()) else { continue };
            let command = Command::EditMind { session, base: draft.base, writes: vec![write] };
            if !self.has_lock(session) {
                return;
            }
            match self.decide_and_append(&command).await {
                Ok(()) => {
                    self.drafts.remove_committed(&draft, self.mind_of(session).unwrap_or(draft.base));
                    self.put_draft(session, &draft.field).await;
                    self.publish(&TransientEvent::DraftCommitted { session, field: draft.field, text });
                }
                Err(Rejection::Write(WriteError::Conflict { marked, .. })) => {
                    self.draft_conflict(draft, marked).await
                }
                // It stays a draft, visible as such.
                Err(_) => {}
            }
        }
    }

    async fn draft_conflict(&self, draft: Draft, marked: String) {
        let current = self.mind_of(draft.session);
        let base = current.unwrap_or(draft.base);
        let (session, field) = (draft.session, draft.field.clone());
        let conflict = Draft { text: Some(marked.clone()), base, in_conflict: true, ..draft };
        self.drafts.note(conflict, current.as_ref());
        self.put_draft(session, &field).await;
        self.publish(&TransientEvent::DraftConflict { session, field, marked });
    }

    /// Loads a session, tries to lock it, and closes what an earlier page left open.
    async fn open(&self, session: SessionId) -> Decision {
        if self.ledger.world.borrow().session(&session).is_none() {
            let fork = self.forks.borrow().get(&session).copied().ok_or(Rejection::NoSuchSession)?;
            self.publish(&TransientEvent::Forked { from: session, to: fork });
            return Ok(());
        }
        self.opened.set(Some(session));
        let released = self.release_idle(session).await;
        if self.has_lock(session) {
            if released {
                self.load_session(session).await?;
                self.load_rest(session).await;
            } else {
                self.publish(&TransientEvent::Loaded { session });
                self.show_text_so_far(session).await;
            }
            self.defer(EventTask::PublishRecent(session));
            return Ok(());
        }
        let mut locked = self.try_lock(session).await;
        self.load_session(session).await?;
        self.defer(EventTask::PublishRecent(session));
        if locked && self.is_active_in_other_tab(session).await {
            self.locks.borrow_mut().remove(&session);
            locked = false;
        }
        if locked {
            self.take_over_group(session).await;
        } else {
            self.load_lanes(session).await;
            self.publish(&TransientEvent::ReadOnly { session, read_only: true });
            self.show_text_so_far(session).await;
            self.load_rest(session).await;
            self.load_memories().await;
            self.wait_for_lock(session);
        }
        Ok(())
    }

    /// Releases the locks of idle sessions, so that other tabs can use them. If all are idle, also drops the loaded
    /// rows, which would fill the memory over a day of many sessions; returns true if so.
    async fn release_idle(&self, opened: SessionId) -> bool {
        let is_active = |id: &SessionId| {
            let world = self.ledger.world.borrow();
            world.session(id).is_some_and(|session| lock_group::is_active(&world, session))
        };
        let locked: Vec<SessionId> = self.locks.borrow().keys().copied().collect();
        let (kept, idle): (Vec<_>, Vec<_>) =
            locked.into_iter().partition(|id| *id == opened || is_active(id));
        for id in &idle {
            self.hand_over_drafts(*id).await;
            self.locks.borrow_mut().remove(id);
        }
        let any_released = kept.is_empty() || !idle.is_empty();
        let released = any_released && kept.iter().all(|id| *id == opened) && !is_active(&opened);
        if released {
            self.ledger.world.borrow_mut().release_bodies();
        }
        released
    }

    async fn try_lock(&self, session: SessionId) -> bool {
        if self.has_lock(session) {
            return true;
        }
        let Some(guard) = self.ports.locks.try_hold(&lock_name(session)).await else { return false };
        self.locks.borrow_mut().insert(session, guard);
        true
    }

    /// Takes over a session: closes as interrupted what was open and restores drafts.
    async fn take_over(&self, session: SessionId) {
        self.send_later(EVENTS_CHECK_MS, LoopEvent::CheckEvents(StreamId::Session(session)));
        self.publish(&TransientEvent::ReadOnly { session, read_only: false });
        if let Ok(rows) = self.ports.store.scan(Table::Drafts, format!("{session}/")).await {
            for draft in self.drafts.restore(&rows) {
                self.publish(&TransientEvent::DraftRestored(draft));
            }
        }
        self.load_rest(session).await;
        self.load_memories().await;
        self.recover(session).await;
    }

    /// Closes as interrupted what is open in a session; once the lazy commands are loaded, if they cannot be now.
    async fn recover(&self, session: SessionId) {
        if self.has_open_work(session) {
            match self.lazy_commands().await {
                Ok(late) => (late.recover)(self, session).await,
                Err(_) => self.after_loading(LoopEvent::Recover(session)),
            }
        }
    }

    fn has_open_work(&self, session: SessionId) -> bool {
        let world = self.ledger.world.borrow();
        world.session(&session).is_some_and(|session| {
            let run = world.open_run(session).is_some_and(|run| run.status != RunStatus::Paused);
            let archivist = &session.archivist;
            run || !session.workers.is_empty()
                || !session.jobs.open.is_empty()
                || session.core.pending.is_some()
                || archivist.pending.is_some()
                || archivist.compacting.is_some()
        })
    }

    /// Publishes the text so far of the answer that streams in a session.
    async fn show_text_so_far(&self, session: SessionId) {
        if let Some(message) = self.open_answer(session)
            && let Ok(late) = self.lazy_commands().await
        {
            (late.publish_text_so_far)(self, session, message).await;
        }
    }

    /// The answer that streams in a session, in this tab or in another one.
    fn open_answer(&self, session: SessionId) -> Option<MessageId> {
        let world = self.ledger.world.borrow();
        let turn = world.open_turn(world.session(&session)?)?;
        world.open_message(turn).map(|message| message.id)
    }

    async fn load_session(&self, session: SessionId) -> Decision {
        self.ledger.read_end(StreamId::Session(session)).await.map_err(store_failed)?;
        let mut loaded = self.ports.store.load_session(session, TURNS_FIRST).await.map_err(store_failed)?;
        let obsolete = std::mem::take(&mut loaded.obsolete);
        if !obsolete.is_empty() && self.has_lock(session) {
            // If it fails, the next opening tries again.
            drop(self.ports.store.write(Batch { removes: obsolete, ..Batch::default() }).await);
        }
        {
            // Another tab may have taken queued messages since the rows were read.
            let mut world = self.ledger.world.borrow_mut();
            world.queue.retain(|_, item| item.session != session || item.state != QueueState::Waiting);
        }
        self.add_rows(loaded).await;
        self.load_skips(self.head_of(session)).await.map_err(store_failed)?;
        self.load_versions(session).await.map_err(store_failed)?;
        self.publish(&TransientEvent::Loaded { session });
        Ok(())
    }

    async fn load_app(&self) -> StoreResult {
        let mut loaded = self.ports.store.load_app().await?;
        // The rows of sessions that this tab has locked are newer in memory.
        loaded.rows.sessions.retain(|id, _| !self.locks.borrow().contains_key(id));
        self.add_rows(loaded).await;
        Ok(())
    }

    /// Another tab wrote to a stream: reloads it unless this tab has the lock.
    async fn follow(&self, stream: StreamId) {
        match stream.session() {
            None => {
                self.ledger.reset_end(stream);
                drop(self.load_app().await);
                self.publish(&TransientEvent::DeviceRead);
            }
            Some(session) if !self.has_lock(session) => {
                drop(self.load_session(session).await);
                self.load_rest(session).await;
                self.load_memories().await;
                self.load_lanes(session).await;
            }
            Some(session) => self.follow_other_tab(session).await,
        }
    }

    async fn add_rows(&self, loaded: LoadedRows) {
        let damaged = {
            let mut world = self.ledger.world.borrow_mut();
            let LoadedRows { rows, mut damaged, .. } = loaded.without_cycles(&world);
            let turns: Vec<_> = rows.turns.values().map(|turn| (turn.id, turn.parent)).collect();
            world.absorb(rows);
            tree::complete(&mut world, turns);
            damaged.retain(|row| self.reported.borrow_mut().insert(row.clone()));
            damaged
        };
        if !damaged.is_empty() {
            self.log_event(StreamId::App, EventKind::Notice { text: loading::damaged_notice(&damaged) })
                .await;
        }
    }

    fn send_later(&self, ms: u64, inner: LoopEvent) {
        let (clock, sender) = (Rc::clone(&self.ports.clock), self.inner.clone());
        self.ports.spawn.spawn(Box::pin(async move {
            clock.sleep(ms).await;
            drop(sender.unbounded_send(inner));
        }));
    }
}

fn waits_for_store(command: &Command) -> bool {
    !command.policy().is_from_operator || matches!(command, Command::Stop { .. })
}

fn lock_name(session: SessionId) -> String {
    format!("nexus-session-{session}")
}

fn store_failed(error: StoreError) -> Rejection {
    if error == StoreError::Newer { Rejection::Newer } else { Rejection::Store(error.to_string()) }
}
