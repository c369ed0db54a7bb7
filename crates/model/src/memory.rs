//! Memories: facts with scope and source.
//!
//! The Archivist proposes facts; the operator can change each one.

use serde::{Deserialize, Serialize};

use crate::id::{AgentKey, MemoryId, MessageId, Millis, OperatorId, SessionId};
use crate::limits::{MEMORY_CHARS, MEMORY_DAYS};

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

/// Something that is remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    pub id: MemoryId,
    /// What, in at most [`MEMORY_CHARS`] characters.
    pub content: String,
    /// How much it matters, from 1 to 5.
    pub importance: u8,
    /// Where it is offered.
    pub scope: MemoryScope,
    pub session: SessionId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<OperatorId>,
    /// The message that it comes from, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// Whether it is offered before all others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// When it was noted.
    pub at: Millis,
    /// When the operator last changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<Millis>,
    /// When the operator deleted it. It stays, so that the same fact is not noted again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Millis>,
}

impl Memory {
    pub fn is_here(&self) -> bool {
        self.deleted_at.is_none()
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
