//! Never says what a trigger has to say: it lets the trigger fire, once, and notes what became of it.
//!
//! Owns making, changing and removing triggers, when one may fire, and which pages may be let in.

use super::{Rejection, Scene};
use crate::domain::address::AddressProblem;
use crate::domain::command::TriggerCommand;
use crate::domain::embedding::{self, BadPage};
use crate::domain::event::Happening;
use crate::domain::id::TriggerId;
use crate::domain::limits::TRIGGERS;
use crate::domain::trigger::{self, Cause, Ended, Fired, Look, Outcome, Rest, Trigger, Unfit, When};

impl Scene<'_, '_, '_> {
    pub(super) fn trigger(&mut self, command: &TriggerCommand) -> Result<(), Rejection> {
        match command {
            TriggerCommand::Change(wanted) => self.change_trigger(wanted),
            TriggerCommand::Rest { trigger, rests } => {
                let row = self.trigger_row(*trigger)?;
                let trigger = if *rests {
                    Trigger { rest: Some(Rest::Paused), ..row }
                } else {
                    // What went by while it rested is not made up for, and is not missed either.
                    Trigger { rest: None, since: self.now(), recent: Vec::new(), ..row }
                };
                if matches!(trigger.when, When::At(at) if !rests && at <= self.now()) {
                    return Err(Rejection::BadTrigger(Unfit::Over));
                }
                self.app(Happening::TriggerChanged { trigger });
                Ok(())
            }
            TriggerCommand::Remove { trigger } => {
                self.trigger_row(*trigger)?;
                self.app(Happening::TriggerRemoved { trigger: *trigger });
                Ok(())
            }
            TriggerCommand::Fire { trigger, cause } => self.fire(*trigger, cause),
            TriggerCommand::End { trigger, cause, outcome } => {
                let row = self.trigger_row(*trigger)?;
                if let (Cause::Time(due), true) = (cause, matches!(outcome, Outcome::Missed { .. }))
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
            return Err(Rejection::BadTrigger(Unfit::TooMany));
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
                rest: old.rest.filter(|rest| *rest == Rest::Paused),
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
        self.app(Happening::TriggerChanged { trigger });
        Ok(())
    }

    /// Lets a trigger fire, where it is still due; where its last message is not answered, or it fired too often, that
    /// is noted instead.
    fn fire(&mut self, id: TriggerId, cause: &Cause) -> Result<(), Rejection> {
        let row = self.trigger_row(id)?;
        if row.rest.is_some() {
            return Err(Rejection::Stale);
        }
        let is_due = match cause {
            Cause::Time(due) => row.look(self.now()) == Look::Due(*due),
            Cause::File { .. } | Cause::Run { .. } | Cause::Objective { .. } => row.free_at() <= self.now(),
        };
        if !is_due {
            return Err(Rejection::Stale);
        }
        if trigger::is_busy(self.world, id) {
            self.ended(row, cause, Outcome::Busy);
        } else if row.is_too_often(self.now()) {
            self.ended(row, cause, Outcome::TooOften);
        } else {
            let cause = cause.clone();
            self.app(Happening::TriggerFired(Fired { trigger: id, name: row.name, cause }));
        }
        Ok(())
    }

    fn ended(&mut self, row: Trigger, cause: &Cause, outcome: Outcome) {
        let Trigger { id: trigger, name, .. } = row;
        self.app(Happening::TriggerEnded(Ended { trigger, name, cause: cause.clone(), outcome }));
    }

    /// Refuses to let a page in whose origin is not exact, or one too many.
    pub(super) fn page_is_exact(&self, setting: &str) -> Result<(), Rejection> {
        embedding::check(self.world, setting).map_err(|bad| match bad {
            BadPage::Address(problem) => Rejection::BadAddress(problem),
            BadPage::Path => Rejection::BadAddress(AddressProblem::Query),
            BadPage::NotSafe => Rejection::BadAddress(AddressProblem::Scheme),
            BadPage::TooMany => Rejection::BadTrigger(Unfit::TooMany),
        })
    }

    fn trigger_row(&self, id: TriggerId) -> Result<Trigger, Rejection> {
        trigger::trigger(self.world, id).ok_or(Rejection::NoSuchTrigger)
    }
}
