//! Never takes a session away from a tab by force: it asks, and the other tab gives.
//!
//! Owns the change of the tab that works in a session. What runs there is closed as interrupted, what was typed is put to disk,
//! and the lock goes to the tab that waits for it.

use super::Intake;
use crate::domain::command::Command;
use crate::domain::id::SessionId;
use crate::domain::live::Live;

impl Intake {
    /// Asks the tab that works in a session to hand it over. The lock comes when it does.
    pub(super) fn ask_for(&self, session: SessionId) {
        if self.waiting_for_lock.borrow().contains(&session) {
            self.ledger.bus.show(&Live::SessionWanted { session });
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
