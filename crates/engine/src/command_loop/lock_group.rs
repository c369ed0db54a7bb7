//! Locks related sessions together, and resolves conflicts of two tabs that write to one session in a browser without
//! locks.
//!
//! A tab that holds a session also holds those of its workers and their sender: a worker reports into its sender's
//! session, and stopping the sender stops the worker. A lock goes to another tab that asks for it once running turns
//! are closed as interrupted and drafts are stored, never by force. A tab that is gone has a few seconds to come back.
//!
//! Without locks a tab that changed nothing follows the other one. If both wrote, this tab's work continues in a fork
//! from the newest turn that both have.

use super::{CommandLoop, LoopEvent, lock_name};
use crate::port::LockGuard;
use crate::prelude::*;
use crate::store::ledger::PurgedData;
use crate::store::partials::row_key;
use futures_util::future::join;
use nexus_model::decide::NewEvent;
use nexus_model::limits::{RELOAD_MS, UNLOCKED_QUIET_MS, UNLOCKED_RELEASE_MS};
use nexus_model::session::workers::{awaited_by, lanes, open_race, race_of, related_sessions};
use nexus_model::session::{Draft, DraftField};

/// True if something is active in a session: then its lock is kept while another session is open.
pub(super) fn is_active(world: &World, session: &Session) -> bool {
    world.open_run(session).is_some()
        || !session.jobs.open.is_empty()
        || session.archivist.compacting.is_some()
        || !session.workers.is_empty()
        || awaited_by(world, session).is_some()
        || race_of(world, session).is_some()
}

impl CommandLoop {
    /// Locks all sessions that the events are for and returns those that were locked for that alone.
    pub(super) async fn lock_all(&self, streams: &VecSet<StreamId>) -> Decision<Vec<SessionId>> {
        let mut borrowed = Vec::new();
        for session in streams.iter().filter_map(|stream| stream.session()) {
            if self.has_lock(session) {
                continue;
            }
            if !self.try_lock(session).await {
                self.release_borrowed(borrowed);
                return Err(Rejection::ReadOnly);
            }
            self.ledger.reset_end(StreamId::Session(session));
            borrowed.push(session);
        }
        Ok(borrowed)
    }

    /// Releases borrowed locks, except of sessions that became active.
    pub(super) fn release_borrowed(&self, borrowed: Vec<SessionId>) {
        let world = self.ledger.world.borrow();
        let is_idle = |id: &SessionId| !world.session(id).is_some_and(|session| is_active(&world, session));
        let mut locks = self.locks.borrow_mut();
        for session in borrowed.iter().filter(|id| is_idle(id)) {
            locks.remove(session);
        }
    }

    /// Loads the lanes of a race that another tab runs.
    pub(super) async fn load_lanes(&self, session: SessionId) {
        let lanes: Vec<SessionId> = {
            let world = self.ledger.world.borrow();
            let race = world.session(&session).and_then(|session| open_race(&world, session));
            race.into_iter().flat_map(lanes).collect()
        };
        for lane in lanes {
            // An unreadable lane is not shown; the race is shown without it.
            drop(self.load_session(lane).await);
        }
    }

    /// Releases the lanes that race for a session that moves to another tab.
    async fn release_lanes(&self, session: SessionId) {
        let locked: Vec<SessionId> = {
            let (world, locks) = (self.ledger.world.borrow(), self.locks.borrow());
            let race = world.session(&session).and_then(|session| open_race(&world, session));
            race.into_iter().flat_map(lanes).filter(|lane| locks.contains_key(lane)).collect()
        };
        for lane in locked {
            if self.has_open_work(lane) {
                drop(self.decide_and_append(&Command::Recover { session: lane }).await);
            }
            // The tab that takes the session locks them.
            self.locks.borrow_mut().remove(&lane);
            self.publish(&TransientEvent::ReadOnly { session: lane, read_only: true });
        }
    }

    /// Takes over a session with those that it waits for or that wait for it. Deepest workers first, so that their
    /// results are reported before the sessions that wait for them continue.
    pub(super) async fn take_over_group(&self, session: SessionId) {
        let members = related_sessions(&self.ledger.world.borrow(), session);
        let mut locked = vec![session];
        for member in members.iter().copied().filter(|member| *member != session) {
            if self.has_lock(member) {
                continue;
            }
            // A session that another tab uses stays there; this tab waits for its lock.
            if !self.try_lock(member).await {
                self.wait_for_lock(member);
                continue;
            }
            if self.load_session(member).await.is_ok() {
                locked.push(member);
            }
        }
        for member in members.iter().rev().filter(|member| locked.contains(member)) {
            self.take_over(*member).await;
        }
    }

    pub(super) fn wait_for_lock(&self, session: SessionId) {
        if self.waiting_for_lock.borrow().contains_key(&session) {
            return;
        }
        let is_requested = Rc::<Cell<bool>>::default();
        self.waiting_for_lock.borrow_mut().insert(session, Rc::clone(&is_requested));
        if !self.ports.locks.are_shared() {
            // There is nothing to wait for.
            return;
        }
        let (Ports { locks, clock, .. }, inner) = (self.ports.clone(), self.inner.clone());
        self.ports.spawn.spawn(Box::pin(async move {
            let name = lock_name(session);
            let mut guard = locks.hold(&name).await;
            while !is_requested.get() {
                // Other tabs go first: one that asked for the session, or the one that had it, if it only reloads.
                drop(guard);
                clock.sleep(RELOAD_MS).await;
                if let Some(free) = locks.try_hold(&name).await {
                    guard = free;
                    break;
                }
                guard = locks.hold(&name).await;
            }
            drop(inner.unbounded_send(LoopEvent::LockGranted(session, guard)));
        }));
    }

    /// Takes over a session whose lock another tab released. A tab that left it meanwhile releases the lock.
    pub(super) async fn use_lock(&self, session: SessionId, guard: LockGuard) {
        let waited = self.waiting_for_lock.borrow_mut().remove(&session);
        let is_requested = waited.is_some_and(|is_requested| is_requested.get());
        self.locks.borrow_mut().insert(session, guard);
        // The other tab's changes are stored; if they cannot be read, the session stays as shown.
        let loaded = self.load_session(session).await;
        if !is_requested && !self.is_used_here(session) {
            self.locks.borrow_mut().remove(&session);
        } else if loaded.is_ok() {
            self.take_over_group(session).await;
        }
    }

    /// True if this tab shows a session, uses one that works together with it, or must close what is open in it.
    fn is_used_here(&self, session: SessionId) -> bool {
        let is_in_use =
            |id: &SessionId| self.opened.get() == Some(*id) || *id != session && self.has_lock(*id);
        self.has_open_work(session)
            || related_sessions(&self.ledger.world.borrow(), session).iter().any(is_in_use)
    }

    pub(super) fn release_lock(&self, session: SessionId) {
        self.locks.borrow_mut().remove(&session);
        self.publish(&TransientEvent::ReadOnly { session, read_only: true });
        self.wait_for_lock(session);
    }

    /// Requests a session from the tab that has it locked, and gets the lock when that tab releases it.
    pub(super) fn request_session(&self, session: SessionId) {
        if let Some(is_requested) = self.waiting_for_lock.borrow().get(&session) {
            is_requested.set(true);
            self.publish(&TransientEvent::SessionRequested { session });
            // Without locks, other tabs do not report a release: waits a fixed time.
            if !self.ports.locks.are_shared() {
                let granted = LoopEvent::LockGranted(session, LockGuard::new(|| ()));
                self.send_later(UNLOCKED_RELEASE_MS, granted);
            }
        }
    }

    /// Another tab requests a session: releases it, or lets that tab have the lock before this one.
    pub(super) async fn release_session(&self, session: SessionId) {
        if !self.has_lock(session) {
            if let Some(is_requested) = self.waiting_for_lock.borrow().get(&session) {
                is_requested.set(false);
            }
            return;
        }
        self.hand_over_drafts(session).await;
        // Nothing may run in a session of another tab: these events end it in all services.
        self.release_lanes(session).await;
        if self.has_open_work(session) {
            drop(self.decide_and_append(&Command::Recover { session }).await);
        }
        self.release_lock(session);
    }

    /// Stores the drafts of a session that another tab may use from now on.
    pub(super) async fn hand_over_drafts(&self, session: SessionId) {
        self.commit_drafts(session, None).await;
        // The composer's text and conflicting drafts move as drafts. What cannot be stored stays here.
        for draft in self.drafts.of_session(session) {
            if self.ports.store.write(self.drafts.row(session, &draft.field)).await.is_ok() {
                self.move_draft(draft);
            }
        }
    }
}

fn contains_draft(command: &Command, draft: &Draft) -> bool {
    let text = draft.text.clone().unwrap_or_default();
    let message = if let Command::SendMessage(message) = command { Some(message) } else { None };
    let message_text = message.map(|message| &message.text);
    let written: &[MindWrite] = if let Command::EditMind { writes, .. } = command { writes } else { &[] };
    match &draft.field {
        DraftField::Composer => message_text.is_some_and(|message_text| message_text.trim() == text.trim()),
        // The names of the pages were sent with the message.
        DraftField::Pages => message_text.is_some(),
        DraftField::Attachments => message.is_some_and(|message| !message.attachments.is_empty()),
        DraftField::Overrides => {
            message.and_then(|message| message.overrides.as_ref()).is_some_and(|over| over.text() == text)
        }
        field @ (DraftField::Objective
        | DraftField::Scratchpad
        | DraftField::File(_)
        | DraftField::Queued(_)
        | DraftField::Recipient
        | DraftField::Edited(_)) => field.write(text).is_some_and(|write| written.contains(&write)),
    }
}

impl CommandLoop {
    /// Appends the events of a command. The draft of a message ends in the transaction that stores the message: however
    /// the page is closed, either the one or the other is there at the next start.
    pub(super) async fn append_with_drafts(&self, command: &Command, events: Vec<NewEvent>) -> StoreResult {
        let sent = self.sent_drafts(command);
        if sent.is_empty() {
            return self.append(events, PurgedData::default()).await;
        }
        let fields = || sent.iter().map(|draft| (draft.session, &draft.field));
        let stored = Batch {
            puts: fields().flat_map(|(session, field)| self.drafts.row(session, field).puts).collect(),
            ..Batch::default()
        };
        let rows = fields().map(|(session, field)| (Table::Drafts, row_key(session, field))).collect();
        // A page that closes stores the drafts in memory: it would store them again after the message.
        sent.iter().for_each(|draft| self.drafts.drop_draft(draft));
        let purged = PurgedData { rows, ..PurgedData::default() };
        let (_, appended) = join(self.ports.store.write(stored), self.append(events, purged)).await;
        if appended.is_err() {
            for draft in sent {
                let mind = self.mind_of(draft.session);
                self.drafts.note(draft, mind.as_ref());
            }
        }
        appended
    }

    /// The drafts that this command sends as a message.
    fn sent_drafts(&self, command: &Command) -> Vec<Draft> {
        let Command::SendMessage(message) = command else { return Vec::new() };
        // The message may go to another session than the one whose composer it is from.
        let from = message.origin.as_ref().and_then(|origin| origin.session).unwrap_or(message.session);
        let sent = |field| self.drafts.get(from, &field).filter(|draft| contains_draft(command, draft));
        let composer = sent(DraftField::Composer);
        let pages = composer.as_ref().and_then(|_| sent(DraftField::Pages));
        let others = [DraftField::Attachments, DraftField::Overrides].into_iter().filter_map(sent);
        composer.into_iter().chain(pages).chain(others).collect()
    }

    /// Forks the session: another tab wrote the events that this command would have written.
    pub(super) async fn fork_after_conflict(&self, session: SessionId, command: &Command) -> Decision {
        let fork = SessionId::new(&mut *self.ports.ids.borrow_mut());
        let outcome = match (command.moved_to(fork), self.fork_command(session, fork)) {
            (Some(moved), Some(made)) => self.continue_in_fork(session, fork, &made, (command, &moved)).await,
            _ => Err(Rejection::ReadOnly),
        };
        self.release_lock(session);
        // Shows what the other tab wrote. If it cannot be read, the view stays as it is.
        drop(self.load_session(session).await);
        outcome
    }

    /// The command that creates the fork, from the newest turn that both tabs have.
    fn fork_command(&self, from: SessionId, fork: SessionId) -> Option<Command> {
        let world = self.ledger.world.borrow();
        let row = world.session(&from)?;
        let label = String::new();
        Some(match row.head {
            Some(turn) => Command::ContinueFrom { session: fork, from, turn, mind: None, label },
            // There is no turn to continue from yet, only the mind.
            None => {
                let mind = world.working_mind(row)?.as_ref().clone();
                Command::CreateSession { session: fork, label, mind }
            }
        })
    }

    async fn continue_in_fork(
        &self,
        session: SessionId,
        fork: SessionId,
        made: &Command,
        (command, moved): (&Command, &Command),
    ) -> Decision {
        self.rows(made.policy().rows).await?;
        self.try_lock(fork).await;
        if let Err(rejection) = Box::pin(self.decide_and_append(made)).await {
            self.locks.borrow_mut().remove(&fork);
            return Err(rejection);
        }
        self.forks.borrow_mut().insert(session, fork);
        let outcome = Box::pin(self.load_and_decide(moved)).await;
        let done = outcome.is_ok().then_some(command);
        self.move_drafts(session, fork, done).await;
        self.publish(&TransientEvent::Forked { from: session, to: fork });
        self.notify_fork(session, fork).await;
        outcome
    }

    async fn move_drafts(&self, session: SessionId, fork: SessionId, done: Option<&Command>) {
        for draft in self.drafts.of_session(session) {
            // The stored draft of the session may be the other tab's and stays.
            self.move_draft(draft.clone());
            if done.is_some_and(|command| contains_draft(command, &draft)) {
                continue;
            }
            let moved = Draft { session: fork, ..draft };
            self.drafts.note(moved.clone(), self.mind_of(fork).as_ref());
            self.put_draft(fork, &moved.field).await;
            self.publish(&TransientEvent::DraftRestored(moved));
        }
    }

    /// Forgets a draft that is stored elsewhere from now on, here and on the screen.
    fn move_draft(&self, draft: Draft) {
        self.drafts.drop_draft(&draft);
        let Draft { session, field, text, .. } = draft;
        let text = text.unwrap_or_default();
        self.publish(&TransientEvent::DraftCommitted { session, field, text });
    }

    async fn notify_fork(&self, session: SessionId, fork: SessionId) {
        let name = |id: &SessionId| {
            let world = self.ledger.world.borrow();
            world.session(id).map(|row| row.name().into_owned()).unwrap_or_default()
        };
        let text = format!(
            "Another tab changed “{}” at the same time. Your work here continues in “{}”; nothing was overwritten.",
            name(&session),
            name(&fork)
        );
        self.log_event(StreamId::App, EventKind::Notice { text }).await;
    }

    /// Another tab wrote to a session that this one has open, which only happens without locks. If this tab is idle
    /// there, it follows from now on; otherwise its next write is a conflict.
    pub(super) async fn follow_other_tab(&self, session: SessionId) {
        let is_shared = self.ports.locks.are_shared();
        if is_shared || self.has_open_work(session) || !self.drafts.of_session(session).is_empty() {
            return;
        }
        self.release_lock(session);
        drop(self.load_session(session).await);
    }

    /// Without locks: true if another tab seems active in a session, as work is open and its newest event is recent.
    pub(super) async fn is_active_in_other_tab(&self, session: SessionId) -> bool {
        if self.ports.locks.are_shared() || !self.has_open_work(session) {
            return false;
        }
        let stream = StreamId::Session(session);
        let store = &self.ports.store;
        let Ok(last) = store.last_seq(stream).await else { return false };
        let Ok(rows) = store.events(stream, last, 1).await else { return false };
        let newest = rows.first().and_then(|row| json::tree(row).ok()?.get("at")?.as_u64());
        newest.is_some_and(|at| self.ports.clock.now().0.saturating_sub(at) < UNLOCKED_QUIET_MS)
    }
}
