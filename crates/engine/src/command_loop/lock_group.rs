//! Locks related sessions together: a tab that holds a session also holds those of its workers and their sender.
//!
//! A worker reports into its sender's session, and stopping the sender stops the worker. A lock goes to another tab that
//! asks for it once running turns are closed as interrupted and drafts are stored, never by force.

use super::CommandLoop;
use nexus_model::command::{Command, Rejection};
use nexus_model::id::{SessionId, StreamId};
use nexus_model::session::Session;
use nexus_model::session::race::{lanes, open_race, race_of};
use nexus_model::session::workers::{awaited_by, family};
use nexus_model::signal::TransientEvent;
use nexus_model::world::World;
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
