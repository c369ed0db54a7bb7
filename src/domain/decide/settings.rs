//! Never touches a conversation.
//!
//! Owns what may be done to sessions' names, agents, providers and their flags.

use super::{Rejection, Scene};
use crate::domain::agent::{Agent, AgentFlags};
use crate::domain::event::{CreatedSession, Happening, SessionChange};
use crate::domain::id::{AgentKey, SessionId};
use crate::domain::mind::{Mind, MindEdit};
use crate::domain::provider::{Provider, REHEARSAL_URL, origin_of};
use crate::domain::session::{Session, SessionKind, SessionOrigin, SessionStatus};

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
            keywords: Vec::new(),
            memories: Vec::new(),
            metadata: serde_json::Value::Null,
            flags: Default::default(),
            run: None,
            unanswered: Vec::new(),
            last_sequence: 0,
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
        let taken = |other: &Agent| other.key != agent.key && other.identity.name.eq_ignore_ascii_case(name);
        if name.is_empty() || self.world.agents.values().any(|other| taken(other)) {
            return Err(Rejection::BadName);
        }
        self.app(Happening::AgentChanged { agent: agent.clone() });
        Ok(())
    }

    pub(super) fn change_provider(&mut self, provider: &Provider) -> Result<(), Rejection> {
        let base_url = provider.base_url.trim().trim_end_matches('/').to_owned();
        let is_http = base_url.starts_with("https://") || base_url.starts_with("http://");
        let reachable = base_url.starts_with(REHEARSAL_URL) || (is_http && origin_of(&base_url).is_some());
        if provider.label.trim().is_empty() || !reachable {
            return Err(Rejection::BadName);
        }
        self.app(Happening::ProviderChanged { provider: Provider { base_url, ..provider.clone() } });
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
