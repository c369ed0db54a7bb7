//! Decides the queue of messages sent during a run: editing, mode, withdrawal and delivery.
//!
//! Messages are delivered once and in order, except that an interrupting message goes first.

use super::{Decider, Rejection};
use crate::agent::Permissions;
use crate::agent::permission::strictest;
use crate::command::{MessageOverrides, QueueCommand};
use crate::decide::say::RunStart;
use crate::event::{EventKind, QueueChange, SessionChange};
use crate::id::{QueueItemId, SessionId};
use crate::message::{Message, Role};
use crate::run::RunCause;
use crate::run::templates::fitted;
use crate::session::delegation::WorkerReport;
use crate::session::{QueueItem, QueueMode, QueueState, Session};

impl<'w> Decider<'w, '_, '_> {
    pub(super) fn edit_queued(&mut self, id: QueueItemId, text: &str) -> Result<(), Rejection> {
        let item = self.waiting(id)?;
        if text.trim().is_empty() && item.attachments.is_empty() {
            return Err(Rejection::NothingSaid);
        }
        self.change_queued(item, QueueChange::Text(text.to_owned()));
        if item.editing {
            self.change_queued(item, QueueChange::Editing(false));
        }
        Ok(())
    }

    pub(super) fn queue_command(&mut self, command: &QueueCommand) -> Result<(), Rejection> {
        match command {
            QueueCommand::BeginEdit { item } => {
                let item = self.waiting(*item)?;
                if !item.editing {
                    self.change_queued(item, QueueChange::Editing(true));
                }
            }
            QueueCommand::EndEdit { item } => {
                let item = self.waiting(*item)?;
                if item.editing {
                    self.change_queued(item, QueueChange::Editing(false));
                }
            }
            QueueCommand::SendHeld { item } => {
                let item = self.waiting(*item).ok().filter(|item| item.held).ok_or(Rejection::NotWaiting)?;
                self.change_queued(item, QueueChange::Held(false));
            }
            QueueCommand::SendAllHeld { session } => {
                for item in self.held(*session)? {
                    self.change_queued(item, QueueChange::Held(false));
                }
            }
            QueueCommand::DiscardAllHeld { session } => {
                for item in self.held(*session)? {
                    self.change_queued(item, QueueChange::Withdrawn);
                }
            }
            QueueCommand::PutBack { session, items } => {
                let withdrawn = items
                    .iter()
                    .filter_map(|item| self.world.queue_item(item))
                    .filter(|item| item.session == *session && item.state == QueueState::Withdrawn);
                let withdrawn: Vec<_> = withdrawn.map(|item| item.as_ref()).collect();
                if withdrawn.is_empty() {
                    return Err(Rejection::NotWaiting);
                }
                for item in withdrawn {
                    self.change_queued(item, QueueChange::PutBack);
                }
            }
        }
        Ok(())
    }

    fn held(&self, id: SessionId) -> Result<Vec<&'w QueueItem>, Rejection> {
        self.session(id)?;
        let waiting = self.world.waiting(id).into_iter().map(|item| item.as_ref());
        let held: Vec<_> = waiting.filter(|item| item.held).collect();
        if held.is_empty() { Err(Rejection::NotWaiting) } else { Ok(held) }
    }

    /// Stops a session because nothing is to run there any more: what works ends, messages that wait are held until the
    /// operator sends them, and so are messages that come by themselves before the operator starts something.
    pub(super) fn stop_and_hold(&mut self, id: SessionId) -> Result<(), Rejection> {
        let session = self.session(id)?;
        let loose: Vec<_> = self.world.waiting(id).into_iter().filter(|item| !item.held).collect();
        let works = self.world.open_run(session).is_some() || !session.workers.is_empty();
        if (works || !loose.is_empty()) && !session.stopped {
            self.change_session(id, SessionChange::Stopped);
        }
        for item in loose {
            self.change_queued(item, QueueChange::Held(true));
        }
        self.stop(id)
    }

    fn change_queued(&mut self, item: &QueueItem, change: QueueChange) {
        self.note(item.session, None, None, EventKind::QueueEdited { item: item.id, change });
    }

    /// Has something else happen to a waiting message. One that is to interrupt does so at once.
    pub(super) fn set_queue_mode(&mut self, id: QueueItemId, mode: QueueMode) -> Result<(), Rejection> {
        let item = self.waiting(id)?;
        if item.mode == mode {
            return Ok(());
        }
        self.change_queued(item, QueueChange::Mode(mode));
        match mode {
            QueueMode::Interrupt => {
                if item.held {
                    self.change_queued(item, QueueChange::Held(false));
                }
                self.stop(item.session)
            }
            QueueMode::FollowUp | QueueMode::Collect | QueueMode::Steer => Ok(()),
        }
    }

    pub(super) fn withdraw_queued(&mut self, id: QueueItemId) -> Result<(), Rejection> {
        let item = self.waiting(id)?;
        self.change_queued(item, QueueChange::Withdrawn);
        Ok(())
    }

    /// Starts a run with the first message that waits, and with all others that are to be collected with it. One that
    /// stopped a run comes before those that waited for its end.
    pub(super) fn take_queue(&mut self, id: SessionId) -> Result<(), Rejection> {
        let session = self.session(id)?;
        if self.world.open_run(session).is_some() {
            return Err(Rejection::RunWorks);
        }
        let waiting = self.world.sendable(id);
        let interrupts = waiting.iter().find(|item| item.mode == QueueMode::Interrupt);
        let first = interrupts.or(waiting.first()).ok_or(Rejection::NotWaiting)?;
        let together = |item: &QueueItem| {
            first.mode == QueueMode::Collect
                && item.mode == QueueMode::Collect
                && item.target == first.target
                && item.keep_going == first.keep_going
                && item.graph == first.graph
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
        let follows = |report: &&WorkerReport| {
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
        // An agent may have gone meanwhile: another one works in its place.
        let graph = first.graph.as_deref().map(|graph| fitted(self.world, graph.clone()));
        let over = MessageOverrides::of(first);
        let shape = self.shape_of(session, graph.as_ref(), Some(&over)).ok().flatten();
        let messages: Vec<Message> = taken.iter().map(|item| self.take(session, item)).collect();
        let cause =
            messages.first().map(|message| RunCause::Message(message.id)).ok_or(Rejection::NotWaiting)?;
        let start = RunStart {
            keep_going: first.keep_going.as_ref(),
            config: first.config.as_deref(),
            tools: first.tools.as_deref().or(passed_on.as_ref()),
            caps,
            shape,
            ..RunStart::new(cause, messages.iter().map(|message| message.id).collect(), &first.target)
        };
        self.open_run(session, &start);
        Ok(())
    }

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
        self.note(session.id, None, None, EventKind::MessageCommitted { message: message.clone() });
        self.note(session.id, None, None, EventKind::QueueEdited { item: item.id, change });
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
