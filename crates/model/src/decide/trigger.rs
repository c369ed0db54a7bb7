//! Decides triggers (create, change, remove, fire) and which pages may embed this one.
//!
//! Firing only records the event; a service sends the message.

use super::{Decider, Rejection};
use crate::command::TriggerCommand;
use crate::event::EventKind;
use crate::id::TriggerId;
use crate::limits::TRIGGERS;
use crate::provider::address::AddressError;
use crate::session::firing::is_busy;
use crate::session::trigger;
use crate::session::trigger::{
    DueState, PauseReason, Schedule, Trigger, TriggerCause, TriggerEnded, TriggerError, TriggerFired,
    TriggerOutcome,
};
use crate::settings::iframe_policy;
use crate::settings::iframe_policy::EmbedderError;

impl Decider<'_, '_, '_> {
    pub(super) fn trigger(&mut self, command: &TriggerCommand) -> Result<(), Rejection> {
        match command {
            TriggerCommand::Change(wanted) => self.change_trigger(wanted),
            TriggerCommand::Rest { trigger, rests } => {
                let row = self.trigger_row(*trigger)?;
                let trigger = if *rests {
                    Trigger { rest: Some(PauseReason::Paused), ..row }
                } else {
                    // What went by while it rested is not made up for, and is not missed either.
                    Trigger { rest: None, since: self.now(), recent: Vec::new(), ..row }
                };
                if matches!(trigger.when, Schedule::At(at) if !rests && at <= self.now()) {
                    return Err(Rejection::BadTrigger(TriggerError::Over));
                }
                self.app(EventKind::TriggerChanged { trigger });
                Ok(())
            }
            TriggerCommand::Remove { trigger } => {
                self.trigger_row(*trigger)?;
                self.app(EventKind::TriggerRemoved { trigger: *trigger });
                Ok(())
            }
            TriggerCommand::Fire { trigger, cause } => self.fire(*trigger, cause),
            TriggerCommand::End { trigger, cause, outcome } => {
                let row = self.trigger_row(*trigger)?;
                if let (TriggerCause::Time(due), true) =
                    (cause, matches!(outcome, TriggerOutcome::Missed { .. }))
                    && row.since >= *due
                {
                    // Another tab has told already.
                    return Err(Rejection::Stale);
                }
                self.ended(row, cause, outcome.clone());
                Ok(())
            }
        }
    }

    fn change_trigger(&mut self, wanted: &Trigger) -> Result<(), Rejection> {
        let old = trigger::trigger(self.world, wanted.id);
        if old.is_none() && trigger::triggers(self.world).len() >= TRIGGERS {
            return Err(Rejection::BadTrigger(TriggerError::TooMany));
        }
        wanted.check(self.world, self.now()).map_err(Rejection::BadTrigger)?;
        let name = wanted.name.trim().to_owned();
        let text = wanted.text.trim().to_owned();
        let trigger = match old {
            // What it did so far is not the operator's to change.
            Some(old) if old.when == wanted.when => Trigger { name, text, to: wanted.to.clone(), ..old },
            Some(old) => Trigger {
                name,
                text,
                to: wanted.to.clone(),
                when: wanted.when.clone(),
                since: self.now(),
                rest: old.rest.filter(|rest| *rest == PauseReason::Paused),
                ..old
            },
            None => Trigger {
                name,
                text,
                since: self.now(),
                rest: None,
                last: None,
                recent: Vec::new(),
                ..wanted.clone()
            },
        };
        self.app(EventKind::TriggerChanged { trigger });
        Ok(())
    }

    /// Lets a trigger fire, where it is still due; where its last message is not answered, or it fired too often, that
    /// is noted instead.
    fn fire(&mut self, id: TriggerId, cause: &TriggerCause) -> Result<(), Rejection> {
        let row = self.trigger_row(id)?;
        if row.rest.is_some() {
            return Err(Rejection::Stale);
        }
        let is_due = match cause {
            TriggerCause::Time(due) => row.look(self.now()) == DueState::Due(*due),
            TriggerCause::File { .. } | TriggerCause::Run { .. } | TriggerCause::Objective { .. } => {
                row.free_at() <= self.now()
            }
        };
        if !is_due {
            return Err(Rejection::Stale);
        }
        if is_busy(self.world, id) {
            self.ended(row, cause, TriggerOutcome::Busy);
        } else if row.is_too_often(self.now()) {
            self.ended(row, cause, TriggerOutcome::TooOften);
        } else {
            let cause = cause.clone();
            self.app(EventKind::TriggerFired(TriggerFired { trigger: id, name: row.name, cause }));
        }
        Ok(())
    }

    fn ended(&mut self, row: Trigger, cause: &TriggerCause, outcome: TriggerOutcome) {
        let Trigger { id: trigger, name, .. } = row;
        self.app(EventKind::TriggerEnded(TriggerEnded { trigger, name, cause: cause.clone(), outcome }));
    }

    /// Refuses to let a page in whose origin is not exact, or one too many.
    pub(super) fn page_is_exact(&self, setting: &str) -> Result<(), Rejection> {
        iframe_policy::check(self.world, setting).map_err(|bad| match bad {
            EmbedderError::Address(problem) => Rejection::BadAddress(problem),
            EmbedderError::Path => Rejection::BadAddress(AddressError::Query),
            EmbedderError::NotSafe => Rejection::BadAddress(AddressError::Scheme),
            EmbedderError::TooMany => Rejection::BadTrigger(TriggerError::TooMany),
        })
    }

    fn trigger_row(&self, id: TriggerId) -> Result<Trigger, Rejection> {
        trigger::trigger(self.world, id).ok_or(Rejection::NoSuchTrigger)
    }
}
