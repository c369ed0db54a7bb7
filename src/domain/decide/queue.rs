//! Never reorders: messages are taken in the order in which they came.
//!
//! Owns the messages that wait while a run works.

use super::say::Opening;
use super::{Rejection, Scene};
use crate::domain::event::{Happening, QueueChange};
use crate::domain::id::{QueueItemId, SessionId};
use crate::domain::message::{Message, Role};
use crate::domain::run::RunCause;
use crate::domain::session::{QueueItem, QueueMode, QueueState, Session};

impl<'w> Scene<'w, '_, '_> {
    pub(super) fn edit_queued(&mut self, id: QueueItemId, text: &str) -> Result<(), Rejection> {
        let item = self.waiting(id)?;
        if text.trim().is_empty() && item.attachments.is_empty() {
            return Err(Rejection::NothingSaid);
        }
        let change = QueueChange::Text(text.to_owned());
        self.note(item.session, None, None, Happening::QueueEdited { item: id, change });
        Ok(())
    }

    pub(super) fn withdraw_queued(&mut self, id: QueueItemId) -> Result<(), Rejection> {
        let item = self.waiting(id)?;
        self.note(
            item.session,
            None,
            None,
            Happening::QueueEdited { item: id, change: QueueChange::Withdrawn },
        );
        Ok(())
    }

    /// Starts a run with the first message that waits, and with all others that are to be collected with it.
    pub(super) fn take_queue(&mut self, id: SessionId) -> Result<(), Rejection> {
        let session = self.session(id)?;
        if self.world.open_run(session).is_some() {
            return Err(Rejection::RunWorks);
        }
        let waiting = self.world.waiting(id);
        let first = waiting.first().ok_or(Rejection::NotWaiting)?;
        let together = |item: &QueueItem| {
            first.mode == QueueMode::Collect && item.mode == QueueMode::Collect && item.target == first.target
        };
        let taken: Vec<_> = waiting
            .iter()
            .filter(|item| item.id == first.id || together(item))
            .map(|item| item.as_ref())
            .collect();
        let messages: Vec<Message> = taken.iter().map(|item| self.take(session, item)).collect();
        let cause =
            messages.first().map(|message| RunCause::Message(message.id)).ok_or(Rejection::NotWaiting)?;
        self.open_run(
            session,
            &Opening {
                cause,
                messages: messages.iter().map(|message| message.id).collect(),
                target: &first.target,
                keep_going: first.keep_going.as_ref(),
                continues: None,
                config: None,
            },
        );
        Ok(())
    }

    /// Commits a waiting message.
    pub(super) fn take(&mut self, session: &Session, item: &QueueItem) -> Message {
        let parts = self.parts_of(session, &item.text, item.attachments.clone());
        let mut message = self.message(session, Role::User, Some(item.source), parts);
        message.metadata.origin.clone_from(&item.origin);
        let change = QueueChange::Taken(message.id);
        self.note(session.id, None, None, Happening::MessageCommitted { message: message.clone() });
        self.note(session.id, None, None, Happening::QueueEdited { item: item.id, change });
        message
    }

    fn waiting(&self, id: QueueItemId) -> Result<&'w QueueItem, Rejection> {
        self.world
            .queue_item(&id)
            .map(|item| item.as_ref())
            .filter(|item| item.state == QueueState::Waiting)
            .ok_or(Rejection::NotWaiting)
    }
}
