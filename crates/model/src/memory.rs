//! Memories: facts with scope and source.
//!
//! The Archivist proposes facts; the operator can change each one.

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};

use crate::id::{AgentKey, MemoryId, MessageId, Millis, OperatorId, SessionId};
use crate::limits::{MEMORY_CHARS, MEMORY_DAYS};

/// Length of the id suffix that models see.
const SHORT_ID: usize = 8;
pub const DAY_MS: u64 = 24 * 60 * 60_000;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryScope {
    /// In its session, and in later forks of it.
    #[default]
    Session,
    Persona(AgentKey),
    /// For every agent, in every session of the operator.
    Operator,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RevisionKind {
    Changed,
    /// Obsolete; no longer offered.
    Retired,
    /// Extended to every session.
    Widened,
}

/// The Archivist's newest change of a memory, with the state before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    pub kind: RevisionKind,
    pub at: Millis,
    /// The session whose messages caused it.
    pub session: SessionId,
    /// The message that caused it, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    pub content: String,
    pub importance: u8,
    pub scope: MemoryScope,
}

#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    pub id: MemoryId,
    /// At most [`MEMORY_CHARS`] characters.
    pub content: String,
    /// From 1 to 5.
    pub importance: u8,
    pub scope: MemoryScope,
    pub session: SessionId,
    pub operator: Option<OperatorId>,
    /// The message that it comes from, if known.
    pub message: Option<MessageId>,
    /// True if it is offered before all others.
    pub pinned: bool,
    pub at: Millis,
    /// The operator's last edit.
    pub edited_at: Option<Millis>,
    /// Deletion by the operator. The row stays, so that the same fact is not added again.
    pub deleted_at: Option<Millis>,
    /// The Archivist's newest change, unless the operator undid it.
    pub revision: Option<Revision>,
}

impl Memory {
    pub fn exists(&self) -> bool {
        self.deleted_at.is_none()
    }

    /// True if the Archivist may change it: the operator did not edit, pin or delete it.
    pub fn is_open_to_archivist(&self) -> bool {
        self.exists() && !self.pinned && self.edited_at.is_none()
    }

    /// The short, stable id by which models refer to it.
    pub fn short_id(&self) -> String {
        let id = self.id.to_string();
        id.get(id.len().saturating_sub(SHORT_ID)..).unwrap_or(&id).to_owned()
    }

    pub fn is_retired(&self) -> bool {
        let by_archivist = |revision: &Revision| revision.kind == RevisionKind::Retired;
        !self.exists() && self.revision.as_ref().is_some_and(by_archivist)
    }

    /// The memory before the Archivist's newest change. Counts as edited by the operator.
    #[must_use]
    pub fn undone(&self, now: Millis) -> Self {
        let Some(Revision { content, importance, scope, .. }) = self.revision.clone() else {
            return self.clone();
        };
        let (deleted_at, edited_at) = (None, Some(now));
        Self { content, importance, scope, deleted_at, edited_at, revision: None, ..self.clone() }
    }

    /// Its importance, minus one for each [`MEMORY_DAYS`] days, at least 0.
    pub fn weight(&self, now: Millis) -> u64 {
        let days = now.0.saturating_sub(self.edited_at.unwrap_or(self.at).0) / DAY_MS;
        u64::from(self.importance).saturating_sub(days / MEMORY_DAYS)
    }
}

/// Collapses whitespace and truncates to [`MEMORY_CHARS`] characters.
pub fn trimmed(content: &str) -> String {
    let words: Vec<&str> = content.split_whitespace().collect();
    let text: String = words.join(" ").chars().take(MEMORY_CHARS).collect();
    text.trim_end().to_owned()
}

/// Facts with the same normal form are duplicates.
pub fn normal_form(content: &str) -> String {
    trimmed(content).to_lowercase()
}
