//! Transfers a session's lock to another tab that asks for it.
//!
//! Running turns are closed as interrupted and drafts are stored first. Never takes a lock by force.

use super::CommandLoop;
use nexus_model::command::Command;
use nexus_model::id::SessionId;
use nexus_model::signal::TransientEvent;

impl CommandLoop {
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
