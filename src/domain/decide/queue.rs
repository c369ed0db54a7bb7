//! Never loses a message and never takes one twice. Messages are taken in the order in which they came, but for one that
//! interrupts: what was stopped for it makes room for it.
//!
//! Owns the messages that wait while a run works.

use super::say::Opening;
use super::{Rejection, Scene};
use crate::domain::agent::Permissions;
use crate::domain::delegation::Report;
use crate::domain::event::{Happening, QueueChange};
use crate::domain::id::{QueueItemId, SessionId};
use crate::domain::message::{Message, Role};
use crate::domain::permission::strictest;
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

    /// Has something else happen to a waiting message. One that is to interrupt does so at once.
    pub(super) fn set_queue_mode(&mut self, id: QueueItemId, mode: QueueMode) -> Result<(), Rejection> {
        let item = self.waiting(id)?;
        if item.mode == mode {
            return Ok(());
        }
        let change = QueueChange::Mode(mode);
        self.note(item.session, None, None, Happening::QueueEdited { item: id, change });
        match mode {
            QueueMode::Interrupt => self.stop(item.session),
            QueueMode::FollowUp | QueueMode::Collect | QueueMode::Steer => Ok(()),
        }
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

    /// Starts a run with the first message that waits, and with all others that are to be collected with it. One that
    /// stopped a run comes before those that waited for its end.
    pub(super) fn take_queue(&mut self, id: SessionId) -> Result<(), Rejection> {
        let session = self.session(id)?;
        if self.world.open_run(session).is_some() {
            return Err(Rejection::RunWorks);
        }
        let waiting = self.world.waiting(id);
        let interrupts = waiting.iter().find(|item| item.mode == QueueMode::Interrupt);
        let first = interrupts.or(waiting.first()).ok_or(Rejection::NotWaiting)?;
        let together = |item: &QueueItem| {
            first.mode == QueueMode::Collect
                && item.mode == QueueMode::Collect
                && item.target == first.target
                && item.keep_going == first.keep_going
                && (&item.config, &item.tools) == (&first.config, &first.tools)
        };
        let taken: Vec<_> = waiting
            .iter()
            .filter(|item| item.id == first.id || together(item))
            .map(|item| item.as_ref())
            .collect();
        let reports: Vec<_> = taken.iter().filter_map(|item| item.report.as_ref()).collect();
        let caps = (!reports.is_empty()).then(|| self.caps_after(&reports));
        // What was said of tools when a worker was sent out holds for who reads its report.
        let follows = |report: &&Report| {
            let run = self.world.run(report.follows.as_ref()?)?;
            run.nodes
                .iter()
                .filter_map(|node| node.tools.as_deref())
                .cloned()
                .reduce(|a, b| strictest(&a, &b))
        };
        let passed_on: Vec<Permissions> =
            reports.iter().map(|report| follows(report).unwrap_or_default()).collect();
        let passed_on = passed_on.into_iter().reduce(|a, b| strictest(&a, &b));
        let passed_on = passed_on.filter(|tools| *tools != Permissions::default());
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
                config: first.config.as_deref(),
                tools: first.tools.as_deref().or(passed_on.as_ref()),
                caps,
            },
        );
        Ok(())
    }

    /// Commits a waiting message.
    pub(super) fn take(&mut self, session: &Session, item: &QueueItem) -> Message {
        let mut message = match &item.report {
            Some(report) => self.report_message(session, &item.text, report.clone()),
            None => {
                let parts = self.parts_of(session, &item.text, item.attachments.clone());
                self.message(session, Role::User, Some(item.source), parts)
            }
        };
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

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
