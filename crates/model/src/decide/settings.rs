//! Decides changes of agents, session flags, providers, pins and triggers, and which pages may embed this one.
//!
//! Firing a trigger only records the event; a service sends the message.

use super::Decider;
use crate::agent::{AgentFlags, defaults};
use crate::id::TriggerId;
use crate::limits::{PINS, TRIGGERS};
use crate::prelude::*;
use crate::provider::{DEMO_URL, ModelList, address, address::AddressError};
use crate::run::templates;
use crate::session::trigger::{
    DueState, PauseReason, Schedule, Trigger, TriggerCause, TriggerEnded, TriggerError, TriggerFired,
    TriggerOutcome,
};
use crate::session::{Pin, firing::is_busy, trigger};
use crate::settings::schema::{EMBEDDER_ROWS, GRAPH_ROWS};
use crate::settings::{iframe_policy, iframe_policy::EmbedderError};

/// True if values of this setting are validated: the rows of graph templates and of pages that may embed this one.
pub(super) fn is_checked(name: &str) -> bool {
    [GRAPH_ROWS, EMBEDDER_ROWS].iter().any(|rows| name.starts_with(rows.name()))
}

impl Decider<'_, '_, '_> {
    /// Pins or unpins a message. Does nothing if it already is.
    pub(super) fn pin_message(&mut self, id: SessionId, message: MessageId, pinned: bool) -> Decision {
        let session = self.session(id)?;
        if session.pins.iter().any(|pin| pin.message == message) == pinned {
            return Ok(());
        }
        let change = if pinned {
            let message = self.world.message(&message).ok_or(Rejection::NoSuchMessage)?;
            if session.pins.len() >= PINS {
                return Err(Rejection::TooManyPins);
            }
            SessionChange::Pinned(Pin::of(message))
        } else {
            SessionChange::Unpinned(message)
        };
        self.change_session(id, change);
        Ok(())
    }

    pub(super) fn change_flags(
        &mut self,
        id: SessionId,
        key: &AgentKey,
        change: impl FnOnce(&mut AgentFlags),
    ) -> Decision {
        let session = self.session(id)?;
        let agent = self.world.agent(key).ok_or(Rejection::NoSuchAgent)?;
        let before = self.world.flags(session, agent);
        let mut flags = before;
        change(&mut flags);
        if flags != before {
            self.change_session(id, SessionChange::Flags(key.clone(), flags));
        }
        Ok(())
    }

    pub(super) fn change_agent(&mut self, agent: &Agent) -> Decision {
        let name = agent.identity.name.trim();
        let taken = |other: &Agent| {
            other.key != agent.key && other.exists() && other.identity.name.eq_ignore_ascii_case(name)
        };
        if name.is_empty() || self.world.agents.values().any(|other| taken(other)) {
            return Err(Rejection::BadName);
        }
        self.note_app(EventKind::AgentChanged { agent: agent.clone() });
        Ok(())
    }

    pub(super) fn remove_agent(&mut self, key: &AgentKey) -> Decision {
        let roster = self.world.roster();
        if !roster.iter().any(|agent| agent.key == *key) {
            return Err(Rejection::NoSuchAgent);
        }
        if roster.len() == 1 {
            return Err(Rejection::LastAgent);
        }
        let is_at_work =
            |run: &Run| run.status.is_open() && run.nodes.iter().any(|node| node.agent.as_ref() == Some(key));
        if self.world.runs.values().any(|run| is_at_work(run)) {
            return Err(Rejection::RunWorks);
        }
        self.note_app(EventKind::AgentRemoved { agent: key.clone() });
        Ok(())
    }

    pub(super) fn arrange_agents(&mut self, order: &[AgentKey]) -> Decision {
        let roster = self.world.roster();
        if order.iter().any(|key| !roster.iter().any(|agent| agent.key == *key)) {
            return Err(Rejection::NoSuchAgent);
        }
        let named = order.iter().filter_map(|key| roster.iter().find(|agent| agent.key == *key));
        let others = roster.iter().filter(|agent| !order.contains(&agent.key));
        for (place, agent) in (0u32..).zip(named.chain(others)) {
            if agent.place != place {
                let agent = Agent { place, ..agent.as_ref().clone() };
                self.note_app(EventKind::AgentChanged { agent });
            }
        }
        Ok(())
    }

    pub(super) fn change_provider(&mut self, provider: &Provider) -> Decision {
        let label = provider.label.trim();
        let taken = |other: &Provider| other.id != provider.id && other.label.eq_ignore_ascii_case(label);
        let others = self.world.providers.values().filter_map(|other| other.as_ref().as_ref());
        if label.is_empty() || others.into_iter().any(taken) {
            return Err(Rejection::BadName);
        }
        let base_url = if provider.is_demo() {
            DEMO_URL.to_owned()
        } else {
            address::normalise(&provider.base_url).map_err(Rejection::BadAddress)?
        };
        let provider = Provider { base_url, label: label.to_owned(), ..provider.clone() };
        self.note_app(EventKind::ProviderChanged { provider });
        Ok(())
    }

    pub(super) fn remove_provider(&mut self, id: &ProviderId, move_agents: bool) -> Decision {
        if self.world.live_provider(id).is_some_and(Provider::is_demo) {
            return Err(Rejection::BuiltIn);
        }
        let users = self.world.agents_on(id);
        if !users.is_empty() && !move_agents {
            return Err(Rejection::InUse(users.iter().map(|agent| agent.identity.name.clone()).collect()));
        }
        for agent in users {
            self.note_app(EventKind::AgentChanged { agent: defaults::with_demo_model(agent) });
        }
        self.note_app(EventKind::ProviderRemoved { provider: id.clone() });
        let name = ModelList::setting(id);
        if self.world.setting(&name).is_some_and(|list| !list.is_null()) {
            self.note_setting(&name, &Value::Null);
        }
        Ok(())
    }
}

impl Decider<'_, '_, '_> {
    pub(super) fn set_trigger_paused(&mut self, id: TriggerId, paused: bool) -> Decision {
        let row = self.trigger_row(id)?;
        let trigger = if paused {
            Trigger { pause_reason: Some(PauseReason::Paused), ..row }
        } else {
            // What was due while paused is neither made up for nor missed.
            Trigger { pause_reason: None, since: self.now(), recent: Vec::new(), ..row }
        };
        if matches!(trigger.when, Schedule::At(at) if !paused && at <= self.now()) {
            return Err(Rejection::BadTrigger(TriggerError::Over));
        }
        self.note_app(EventKind::TriggerChanged { trigger });
        Ok(())
    }

    pub(super) fn remove_trigger(&mut self, id: TriggerId) -> Decision {
        self.trigger_row(id)?;
        self.note_app(EventKind::TriggerRemoved { trigger: id });
        Ok(())
    }

    pub(super) fn record_trigger_outcome(
        &mut self,
        id: TriggerId,
        cause: &TriggerCause,
        outcome: &TriggerOutcome,
    ) -> Decision {
        let row = self.trigger_row(id)?;
        if let (TriggerCause::Time(due), TriggerOutcome::Missed { .. }) = (cause, outcome)
            && row.since >= *due
        {
            // Another tab has already reported it.
            return Err(Rejection::Stale);
        }
        self.note_trigger_end(row, cause, outcome.clone());
        Ok(())
    }

    pub(super) fn change_trigger(&mut self, wanted: &Trigger) -> Decision {
        let old = trigger::trigger(self.world, wanted.id);
        if old.is_none() && trigger::triggers(self.world).len() >= TRIGGERS {
            return Err(Rejection::BadTrigger(TriggerError::TooMany));
        }
        wanted.check(self.world, self.now()).map_err(Rejection::BadTrigger)?;
        let name = wanted.name.trim().to_owned();
        let text = wanted.text.trim().to_owned();
        let trigger = match old {
            // The operator cannot change what it did so far.
            Some(old) if old.when == wanted.when => Trigger { name, text, to: wanted.to.clone(), ..old },
            Some(old) => Trigger {
                name,
                text,
                to: wanted.to.clone(),
                when: wanted.when.clone(),
                since: self.now(),
                pause_reason: old.pause_reason.filter(|rest| *rest == PauseReason::Paused),
                ..old
            },
            None => Trigger {
                name,
                text,
                since: self.now(),
                pause_reason: wanted.pause_reason.filter(|rest| *rest == PauseReason::Paused),
                last: None,
                recent: Vec::new(),
                ..wanted.clone()
            },
        };
        self.note_app(EventKind::TriggerChanged { trigger });
        Ok(())
    }

    /// Fires a trigger that is due. If its last message is unanswered or it fired too often, only notes that.
    pub(super) fn fire_trigger(&mut self, id: TriggerId, cause: &TriggerCause) -> Decision {
        let row = self.trigger_row(id)?;
        if row.pause_reason.is_some() {
            return Err(Rejection::Stale);
        }
        let is_due = if let TriggerCause::Time(due) = cause {
            row.due_state(self.now()) == DueState::Due(*due)
        } else {
            row.free_at() <= self.now()
        };
        if !is_due {
            return Err(Rejection::Stale);
        }
        if is_busy(self.world, id) {
            self.note_trigger_end(row, cause, TriggerOutcome::Busy);
        } else if row.fires_too_often(self.now()) {
            self.note_trigger_end(row, cause, TriggerOutcome::TooOften);
        } else {
            let cause = cause.clone();
            self.note_app(EventKind::TriggerFired(TriggerFired { trigger: id, name: row.name, cause }));
        }
        Ok(())
    }

    fn note_trigger_end(&mut self, row: Trigger, cause: &TriggerCause, outcome: TriggerOutcome) {
        let Trigger { id: trigger, name, .. } = row;
        self.note_app(EventKind::TriggerEnded(TriggerEnded { trigger, name, cause: cause.clone(), outcome }));
    }

    /// Changes a setting whose values are validated ([`is_checked`]).
    pub(super) fn change_checked_setting(&mut self, name: &str, value: &Value) -> Decision {
        iframe_policy::check(self.world, name).map_err(|bad| match bad {
            EmbedderError::Address(problem) => Rejection::BadAddress(problem),
            EmbedderError::Path => Rejection::BadAddress(AddressError::Query),
            EmbedderError::NotSafe => Rejection::BadAddress(AddressError::Scheme),
            EmbedderError::TooMany => Rejection::BadTrigger(TriggerError::TooMany),
        })?;
        templates::check_row(self.world, name, value).map_err(Rejection::BadGraph)?;
        self.note_setting(name, value);
        Ok(())
    }

    pub(super) fn note_setting(&mut self, name: &str, value: &Value) {
        self.note_app(EventKind::SettingChanged { name: name.to_owned(), value: value.clone() });
    }

    fn trigger_row(&self, id: TriggerId) -> Decision<Trigger> {
        trigger::trigger(self.world, id).ok_or(Rejection::NoSuchTrigger)
    }
}

#[cfg(test)]
mod tests;
