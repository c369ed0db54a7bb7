//! Locks related sessions together, and resolves conflicts of two tabs that write to one session in a browser without locks.
//!
//! A tab that holds a session also holds those of its workers and their sender: a worker reports into its sender's session,
//! and stopping the sender stops the worker. A lock goes to another tab that asks for it once running turns are closed as
//! interrupted and drafts are stored, never by force.
//!
//! Without locks a tab that changed nothing follows the other one. If both wrote, this tab's work continues in a fork from
//! the newest turn that both have.

use nexus_model::command::{Command, Rejection};
use nexus_model::event::EventKind;
use nexus_model::id::{Millis, SessionId, StreamId};
use nexus_model::limits::{UNLOCKED_ASK_MS, UNLOCKED_QUIET_MS};
use nexus_model::mind::MindWrite;
use nexus_model::session::Session;
use nexus_model::session::draft::{Draft, DraftField};
use nexus_model::session::race::{lanes, open_race, race_of};
use nexus_model::session::workers::{awaited_by, family};
use nexus_model::signal::TransientEvent;
use nexus_model::world::World;
use serde::Deserialize;

use super::{CommandLoop, LoopEvent};
use crate::port::LockGuard;
use nexus_text::json;
use nexus_text::vec_map::VecSet;

/// Whether something works in a session, so that its lock is kept though another one is looked at.
pub(super) fn works(world: &World, session: &Session) -> bool {
    world.open_run(session).is_some()
        || !session.jobs.open.is_empty()
        || session.archivist.compacting.is_some()
        || !session.workers.is_empty()
        || awaited_by(world, session).is_some()
        || race_of(world, session).is_some()
}

impl CommandLoop {
    /// Takes the locks of all sessions that events are for, and says which of them were taken for that alone.
    pub(super) async fn hold_all(&self, streams: &VecSet<StreamId>) -> Result<Vec<SessionId>, Rejection> {
        let mut borrowed = Vec::new();
        for session in streams.iter().filter_map(|stream| stream.session()) {
            if self.locks.borrow().contains_key(&session) {
                continue;
            }
            if !self.try_lock(session).await {
                self.give_back(borrowed);
                return Err(Rejection::ReadOnly);
            }
            self.ledger.forget_end(StreamId::Session(session));
            borrowed.push(session);
        }
        Ok(borrowed)
    }

    /// Gives locks back that were taken for one command, unless something works there now.
    pub(super) fn give_back(&self, borrowed: Vec<SessionId>) {
        let world = self.ledger.world.borrow();
        let rests = |id: &SessionId| !world.session(id).is_some_and(|session| works(&world, session));
        let mut locks = self.locks.borrow_mut();
        for session in borrowed.iter().filter(|id| rests(id)) {
            locks.remove(session);
        }
    }

    /// Loads the lanes of a race that is only followed here.
    pub(super) async fn load_lanes(&self, session: SessionId) {
        let lanes: Vec<SessionId> = {
            let world = self.ledger.world.borrow();
            let race = world.session(&session).and_then(|session| open_race(&world, session));
            race.into_iter().flat_map(lanes).collect()
        };
        for lane in lanes {
            // What cannot be read is not shown; the race can be looked at without it.
            drop(self.load_session(lane).await);
        }
    }

    /// A session goes to another tab, and with it the lanes that race for it.
    pub(super) async fn leave_lanes(&self, session: SessionId) {
        let held: Vec<SessionId> = {
            let (world, locks) = (self.ledger.world.borrow(), self.locks.borrow());
            let race = world.session(&session).and_then(|session| open_race(&world, session));
            race.into_iter().flat_map(lanes).filter(|lane| locks.contains_key(lane)).collect()
        };
        for lane in held {
            if self.is_left_open(lane) {
                drop(self.decide_and_append(&Command::Recover { session: lane }).await);
            }
            // Who works in the session takes them along.
            self.locks.borrow_mut().remove(&lane);
            self.ledger.bus.show(&TransientEvent::ReadOnly { session: lane, read_only: true });
        }
    }

    /// A session is this tab's now, and with it those that it waits for or that wait for it. The deepest worker comes
    /// first, so that what had ended is told before anybody who waits for it is looked at.
    pub(super) async fn take_family(&self, session: SessionId) {
        let members = family(&self.ledger.world.borrow(), session);
        let mut held = vec![session];
        for member in members.iter().copied().filter(|member| *member != session) {
            if self.locks.borrow().contains_key(&member) {
                continue;
            }
            // What another tab works in stays with it, and is waited for.
            if !self.try_lock(member).await {
                self.wait_for_lock(member);
                continue;
            }
            if self.load_session(member).await.is_ok() {
                held.push(member);
            }
        }
        for member in members.iter().rev().filter(|member| held.contains(member)) {
            self.take_over(*member).await;
        }
    }

    /// Asks the tab that works in a session to hand it over. The lock comes when it does.
    pub(super) fn ask_for(&self, session: SessionId) {
        if self.waiting_for_lock.borrow().contains(&session) {
            self.ledger.bus.show(&TransientEvent::SessionWanted { session });
            self.take_unlocked(session);
        }
    }

    /// Another tab wants to work in this session.
    pub(super) async fn hand_over(&self, session: SessionId) {
        if !self.locks.borrow().contains_key(&session) {
            return;
        }
        self.settle(session, None).await;
        // What is typed into the composer, and what clashed, goes along as drafts.
        for field in self.desk.fields(session) {
            self.put_draft(session, &field).await;
        }
        self.desk.leave(session);
        // Nothing may go on in a session that is somebody else's: the events of this end it in all services.
        self.leave_lanes(session).await;
        if self.is_left_open(session) {
            drop(self.decide_and_append(&Command::Recover { session }).await);
        }
        self.give_up(session);
    }
}

/// When an event happened.
#[derive(Deserialize)]
struct EventTime {
    at: Millis,
}

/// Whether a command brings along what a draft holds.
fn carries(command: &Command, draft: &Draft) -> bool {
    let text = draft.text.clone().unwrap_or_default();
    let said = if let Command::Say(message) = command { Some(&message.text) } else { None };
    let written: &[MindWrite] = if let Command::EditMind { writes, .. } = command { writes } else { &[] };
    match &draft.field {
        DraftField::Composer => said.is_some_and(|said| said.trim() == text.trim()),
        // Whose words they were went with them.
        DraftField::Pages => said.is_some(),
        field @ (DraftField::Objective
        | DraftField::Scratchpad
        | DraftField::File(_)
        | DraftField::Queued(_)) => field.write(text).is_some_and(|write| written.contains(&write)),
    }
}

impl CommandLoop {
    /// Another tab wrote in the session at the place where what came of this command was to stand.
    pub(super) async fn clashed(&self, session: SessionId, command: &Command) -> Result<(), Rejection> {
        let fork = SessionId::new(&mut *self.ports.ids.borrow_mut());
        let outcome = match (command.moved_to(fork), self.beginning(session, fork)) {
            (Some(moved), Some(made)) => self.go_on_beside(session, fork, &made, (command, &moved)).await,
            _ => Err(Rejection::ReadOnly),
        };
        self.give_up(session);
        // What the other tab did there is shown. A failure to read it leaves what was shown.
        drop(self.load_session(session).await);
        outcome
    }

    /// What makes the fork: from the newest turn that this tab knows, which the other one has, too.
    fn beginning(&self, from: SessionId, fork: SessionId) -> Option<Command> {
        let world = self.ledger.world.borrow();
        let row = world.session(&from)?;
        let label = String::new();
        Some(match row.head {
            Some(turn) => Command::ContinueFrom { session: fork, from, turn, mind: None, label },
            // Nothing was answered yet: there is no turn to go on from, only the mind.
            None => {
                let mind = world.working_mind(row)?.as_ref().clone();
                Command::CreateSession { session: fork, label, mind }
            }
        })
    }

    async fn go_on_beside(
        &self,
        session: SessionId,
        fork: SessionId,
        made: &Command,
        (command, moved): (&Command, &Command),
    ) -> Result<(), Rejection> {
        self.rows(made.policy().rows).await?;
        self.try_lock(fork).await;
        if let Err(rejection) = Box::pin(self.decide_and_append(made)).await {
            self.locks.borrow_mut().remove(&fork);
            return Err(rejection);
        }
        self.forks.borrow_mut().insert(session, fork);
        let outcome = match self.rows(moved.policy().rows).await {
            Ok(()) => Box::pin(self.decide_and_append(moved)).await,
            Err(rejection) => Err(rejection),
        };
        let told = outcome.is_ok().then_some(command);
        self.move_drafts(session, fork, told).await;
        self.ledger.bus.show(&TransientEvent::Forked { from: session, to: fork });
        self.tell_of_fork(session, fork).await;
        outcome
    }

    /// What is typed here and was not taken in goes on in the fork, too.
    async fn move_drafts(&self, session: SessionId, fork: SessionId, done: Option<&Command>) {
        for field in self.desk.fields(session) {
            let Some(draft) = self.desk.get(session, &field) else { continue };
            let text = draft.text.clone().unwrap_or_default();
            self.ledger.bus.show(&TransientEvent::DraftSettled { session, field: field.clone(), text });
            if done.is_some_and(|command| carries(command, &draft)) {
                continue;
            }
            let moved = Draft { session: fork, ..draft };
            self.desk.note(moved.clone(), self.mind_of(fork).as_ref());
            self.put_draft(fork, &field).await;
            self.ledger.bus.show(&TransientEvent::DraftRestored(moved));
        }
        // What the disk holds for the session may be the other tab's, and stays.
        self.desk.leave(session);
    }

    async fn tell_of_fork(&self, session: SessionId, fork: SessionId) {
        let name = |id: &SessionId| {
            let world = self.ledger.world.borrow();
            world.session(id).map(|row| row.label.clone()).unwrap_or_default()
        };
        let text = format!(
            "Another tab changed “{}” at the same time. Your work here continues in “{}”; nothing was overwritten.",
            name(&session),
            name(&fork)
        );
        self.note(StreamId::App, EventKind::Notice { text }).await;
    }

    /// What a command becomes whose session has become a fork since it was asked for.
    pub(super) fn moved(&self, session: SessionId, command: &Command) -> Option<Command> {
        let fork = self.forks.borrow().get(&session).copied()?;
        command.moved_to(fork)
    }

    /// Another tab wrote in a session that this one holds, which is possible only without locks. Where nothing is done
    /// here, this tab follows from now on; else the next thing that it writes clashes.
    pub(super) async fn yield_to_other(&self, session: SessionId) {
        let is_shared = self.ports.locks.are_shared();
        if is_shared || self.is_left_open(session) || !self.desk.fields(session).is_empty() {
            return;
        }
        self.give_up(session);
        drop(self.load_session(session).await);
    }

    /// Without locks: whether another tab seems to work in a session, because something is under way there and was told
    /// of lately.
    pub(super) async fn is_worked_in_elsewhere(&self, session: SessionId) -> bool {
        if self.ports.locks.are_shared() || !self.is_left_open(session) {
            return false;
        }
        let stream = StreamId::Session(session);
        let store = &self.ports.store;
        let Ok(last) = store.last_seq(stream).await else { return false };
        let Ok(rows) = store.events(stream, last, 1).await else { return false };
        let newest = rows.first().and_then(|row| json::read::<EventTime>(row).ok());
        newest.is_some_and(|event| self.ports.clock.now().0.saturating_sub(event.at.0) < UNLOCKED_QUIET_MS)
    }

    /// Without locks nobody says when another tab has let go: it is given the time to.
    pub(super) fn take_unlocked(&self, session: SessionId) {
        if !self.ports.locks.are_shared() {
            self.later(UNLOCKED_ASK_MS, LoopEvent::LockGranted(session, LockGuard::new(|| ())));
        }
    }
}
