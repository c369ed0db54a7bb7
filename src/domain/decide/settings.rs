//! Never touches a conversation.
//!
//! Owns what may be done to sessions' names, agents, providers and their flags.

use super::{Rejection, Scene};
use crate::domain::address;
use crate::domain::agent::{Agent, AgentFlags};
use crate::domain::event::{CreatedSession, Happening, SessionChange};
use crate::domain::id::{AgentKey, ProviderId, SessionId};
use crate::domain::mind::{Mind, MindEdit};
use crate::domain::provider::{ModelList, Provider, REHEARSAL_URL};
use crate::domain::recruit;
use crate::domain::run::Run;
use crate::domain::session::{Session, SessionKind, SessionOrigin, SessionStatus};
use crate::domain::sync::CoreState;

impl Scene<'_, '_, '_> {
    pub(super) fn create_session(
        &mut self,
        id: SessionId,
        label: &str,
        mind: &Mind,
    ) -> Result<(), Rejection> {
        if self.world.session(&id).is_some() {
            return Err(Rejection::BadName);
        }
        let label = match label.trim() {
            "" => self.free_label(),
            label if self.label_taken(label) => return Err(Rejection::BadName),
            label => label.to_owned(),
        };
        let session = Session {
            id,
            label,
            title: None,
            status: SessionStatus::Open,
            origin: SessionOrigin::User,
            kind: SessionKind::User,
            parent: None,
            parent_tool_run: None,
            owner: None,
            operator: Some("operator".into()),
            group: None,
            head: None,
            mind: Mind::default().hash(),
            summary: None,
            summarised_to: None,
            reviewed: None,
            core_steps: Vec::new(),
            keywords: Vec::new(),
            memories: Vec::new(),
            metadata: serde_json::Value::Null,
            flags: Default::default(),
            run: None,
            unanswered: Vec::new(),
            last_sequence: 0,
            core: CoreState::default(),
            archivist: Default::default(),
            created_at: self.now(),
            last_message_at: None,
            deleted_at: None,
        };
        let created = CreatedSession { session, mind: edits_of(mind) };
        let change = SessionChange::Created(Box::new(created));
        self.note(id, None, None, Happening::SessionChanged { change });
        Ok(())
    }

    pub(super) fn label_session(&mut self, id: SessionId, label: &str) -> Result<(), Rejection> {
        let session = self.session(id)?;
        let label = label.trim();
        if label == session.label {
            return Ok(());
        }
        if label.is_empty() || self.label_taken(label) {
            return Err(Rejection::BadName);
        }
        let change = SessionChange::Labelled(label.to_owned());
        self.note(id, None, None, Happening::SessionChanged { change });
        Ok(())
    }

    pub(super) fn set_session_status(
        &mut self,
        id: SessionId,
        status: SessionStatus,
    ) -> Result<(), Rejection> {
        let session = self.session(id)?;
        if self.world.open_run(session).is_some() {
            return Err(Rejection::RunWorks);
        }
        self.note(id, None, None, Happening::SessionChanged { change: SessionChange::Status(status) });
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
            let change = SessionChange::Flags(key.clone(), flags);
            self.note(id, None, None, Happening::SessionChanged { change });
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
        self.app(Happening::AgentChanged { agent: agent.clone() });
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
        self.app(Happening::AgentRemoved { agent: key.clone() });
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
                self.app(Happening::AgentChanged { agent });
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
        self.app(Happening::ProviderChanged { provider });
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
            self.app(Happening::AgentChanged { agent: recruit::rehearsing(agent) });
        }
        self.app(Happening::ProviderRemoved { provider: id.clone() });
        let name = ModelList::setting(id);
        if self.world.setting(&name).is_some_and(|list| !list.is_null()) {
            self.app(Happening::SettingChanged { name, value: serde_json::Value::Null });
        }
        Ok(())
    }

    fn label_taken(&self, label: &str) -> bool {
        self.world.sessions.values().any(|session| session.label == label && session.deleted_at.is_none())
    }

    fn free_label(&self) -> String {
        let mut number = self.world.sessions.len().saturating_add(1);
        if number == 1 && !self.label_taken("main") {
            return "main".to_owned();
        }
        loop {
            let label = format!("session {number}");
            if !self.label_taken(&label) {
                return label;
            }
            number = number.saturating_add(1);
        }
    }
}

/// The edits that make an empty mind into this one.
fn edits_of(mind: &Mind) -> Vec<MindEdit> {
    let mut edits = Vec::new();
    if !mind.objective.is_empty() {
        edits.push(MindEdit::Objective { text: mind.objective.clone() });
    }
    if !mind.scratchpad.is_empty() {
        edits.push(MindEdit::Scratchpad { text: mind.scratchpad.clone() });
    }
    for (name, file) in &mind.files {
        edits.push(MindEdit::File { name: name.clone(), text: file.text.to_string() });
    }
    if mind.active.is_some() {
        edits.push(MindEdit::Active { name: mind.active.clone() });
    }
    edits
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
