//! Decides changes of agents, session flags, providers and pins.

use super::{Decider, Rejection};
use crate::agent::{Agent, AgentFlags, templates};
use crate::event::{EventKind, SessionChange};
use crate::id::{AgentKey, MessageId, ProviderId, SessionId};
use crate::limits::PINS;
use crate::provider::address;
use crate::provider::{ModelList, Provider, REHEARSAL_URL};
use crate::run::Run;
use crate::session::pin::Pin;

impl Decider<'_, '_, '_> {
    /// A pin is set and taken off once; doing so again changes nothing.
    pub(super) fn pin_message(
        &mut self,
        id: SessionId,
        message: MessageId,
        pinned: bool,
    ) -> Result<(), Rejection> {
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
    ) -> Result<(), Rejection> {
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

    pub(super) fn change_agent(&mut self, agent: &Agent) -> Result<(), Rejection> {
        let name = agent.identity.name.trim();
        let taken = |other: &Agent| {
            other.key != agent.key && other.is_here() && other.identity.name.eq_ignore_ascii_case(name)
        };
        if name.is_empty() || self.world.agents.values().any(|other| taken(other)) {
            return Err(Rejection::BadName);
        }
        self.app(EventKind::AgentChanged { agent: agent.clone() });
        Ok(())
    }

    pub(super) fn remove_agent(&mut self, key: &AgentKey) -> Result<(), Rejection> {
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
        self.app(EventKind::AgentRemoved { agent: key.clone() });
        Ok(())
    }

    pub(super) fn arrange_agents(&mut self, order: &[AgentKey]) -> Result<(), Rejection> {
        let roster = self.world.roster();
        if order.iter().any(|key| !roster.iter().any(|agent| agent.key == *key)) {
            return Err(Rejection::NoSuchAgent);
        }
        let named = order.iter().filter_map(|key| roster.iter().find(|agent| agent.key == *key));
        let others = roster.iter().filter(|agent| !order.contains(&agent.key));
        for (place, agent) in (0u32..).zip(named.chain(others)) {
            if agent.place != place {
                let agent = Agent { place, ..agent.as_ref().clone() };
                self.app(EventKind::AgentChanged { agent });
            }
        }
        Ok(())
    }

    pub(super) fn change_provider(&mut self, provider: &Provider) -> Result<(), Rejection> {
        let label = provider.label.trim();
        let taken = |other: &Provider| other.id != provider.id && other.label.eq_ignore_ascii_case(label);
        let others = self.world.providers.values().filter_map(|other| other.as_ref().as_ref());
        if label.is_empty() || others.into_iter().any(taken) {
            return Err(Rejection::BadName);
        }
        let base_url = if provider.is_rehearsal() {
            REHEARSAL_URL.to_owned()
        } else {
            address::mend(&provider.base_url).map_err(Rejection::BadAddress)?
        };
        let provider = Provider { base_url, label: label.to_owned(), ..provider.clone() };
        self.app(EventKind::ProviderChanged { provider });
        Ok(())
    }

    pub(super) fn remove_provider(&mut self, id: &ProviderId, move_agents: bool) -> Result<(), Rejection> {
        if self.world.live_provider(id).is_some_and(Provider::is_rehearsal) {
            return Err(Rejection::BuiltIn);
        }
        let users = self.world.agents_on(id);
        if !users.is_empty() && !move_agents {
            return Err(Rejection::InUse(users.iter().map(|agent| agent.identity.name.clone()).collect()));
        }
        for agent in users {
            self.app(EventKind::AgentChanged { agent: templates::rehearsing(agent) });
        }
        self.app(EventKind::ProviderRemoved { provider: id.clone() });
        let name = ModelList::setting(id);
        if self.world.setting(&name).is_some_and(|list| !list.is_null()) {
            self.app(EventKind::SettingChanged { name, value: serde_json::Value::Null });
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
