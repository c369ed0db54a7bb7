//! Memories: facts with scope and source.
//!
//! The Archivist proposes facts; the operator can change each one.

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};

use crate::id::{AgentKey, MemoryId, MessageId, Millis, OperatorId, SessionId};
use crate::limits::{MEMORY_CHARS, MEMORY_DAYS};

/// Characters at the end of an id that a model is shown.
const SHORT_ID: usize = 8;
/// A day, in milliseconds.
pub const DAY_MS: u64 = 24 * 60 * 60_000;

/// Where a fact is offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryScope {
    /// In the session that it comes from, and in those that were forked from it since.
    Session,
    Persona(AgentKey),
    /// To every agent, in every session of the operator.
    Operator,
}

/// What the Archivist did to a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RevisionKind {
    Changed,
    /// It no longer holds: nobody is told it any more.
    Retired,
    /// It is offered in every session.
    Widened,
}

/// The newest change of a memory by the Archivist, with what it was before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    pub kind: RevisionKind,
    pub at: Millis,
    /// The session whose messages led to it.
    pub session: SessionId,
    /// The message that led to it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// The fact before.
    pub content: String,
    pub importance: u8,
    pub scope: MemoryScope,
}

#[sparse]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    pub id: MemoryId,
    /// What, in at most [`MEMORY_CHARS`] characters.
    pub content: String,
    /// How much it matters, from 1 to 5.
    pub importance: u8,
    pub scope: MemoryScope,
    pub session: SessionId,
    pub operator: Option<OperatorId>,
    /// The message that it comes from, where that is known.
    pub message: Option<MessageId>,
    /// Whether it is offered before all others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    pub at: Millis,
    /// When the operator last changed it.
    pub edited_at: Option<Millis>,
    /// When the operator deleted it. It stays, so that the same fact is not noted again.
    pub deleted_at: Option<Millis>,
    /// The newest change by the Archivist that the operator did not take back.
    pub revision: Option<Revision>,
}

impl Memory {
    pub fn is_here(&self) -> bool {
        self.deleted_at.is_none()
    }

    /// Whether the Archivist may change it: not what the operator wrote, pinned or deleted.
    pub fn is_open_to_archivist(&self) -> bool {
        self.is_here() && !self.pinned && self.edited_at.is_none()
    }

    /// What a model names it by: short, and the same for as long as the memory is there.
    pub fn short_id(&self) -> String {
        let id = self.id.to_string();
        id.get(id.len().saturating_sub(SHORT_ID)..).unwrap_or(&id).to_owned()
    }

    /// Whether the Archivist retired it.
    pub fn is_retired(&self) -> bool {
        let by_archivist = |revision: &Revision| revision.kind == RevisionKind::Retired;
        !self.is_here() && self.revision.as_ref().is_some_and(by_archivist)
    }

    /// As it was before the newest change by the Archivist. It is the operator's from then on.
    #[must_use]
    pub fn taken_back(&self, now: Millis) -> Self {
        let mut memory = self.clone();
        if let Some(before) = memory.revision.take() {
            (memory.content, memory.importance) = (before.content, before.importance);
            memory.scope = before.scope;
            memory.deleted_at = None;
            memory.edited_at = Some(now);
        }
        memory
    }

    /// How much it counts at a time: its importance, one less for each [`MEMORY_DAYS`] days, never less than nothing.
    pub fn weight(&self, now: Millis) -> u64 {
        let days = now.0.saturating_sub(self.edited_at.unwrap_or(self.at).0) / DAY_MS;
        u64::from(self.importance).saturating_sub(days / MEMORY_DAYS)
    }
}

/// A fact without spaces at its ends and none twice in a row, in at most [`MEMORY_CHARS`] characters.
pub fn trimmed(content: &str) -> String {
    let words: Vec<&str> = content.split_whitespace().collect();
    let text: String = words.join(" ").chars().take(MEMORY_CHARS).collect();
    text.trim_end().to_owned()
}

/// The form in which two facts are the same.
pub fn normal_form(content: &str) -> String {
    trimmed(content).to_lowercase()
}
