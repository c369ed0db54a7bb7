//! Memories: facts with scope and source, deduplication, and the ranking for a context.
//!
//! The Archivist proposes facts; the operator can change each one.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::id::{AgentKey, MemoryId, MessageId, Millis, OperatorId, SessionId};
use crate::limits::{MEMORIES_OFFERED, MEMORY_CHARS, MEMORY_DAYS};
use crate::session::{Session, SessionOrigin};
use crate::world::World;
use nexus_text::vec_map::{VecSet, by_key};

const DAY_MS: u64 = 24 * 60 * 60_000;
/// Words shorter than this match too much to say anything.
const WORD_CHARS: usize = 3;
/// Words in common with the query that count at most.
const MATCHES: usize = 3;

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

    /// The session that it comes from; `None` where that is forgotten.
    pub fn source<'w>(&self, world: &'w World) -> Option<&'w Arc<Session>> {
        world.session(&self.session).filter(|row| row.purged_at.is_none())
    }

    pub fn reaches(&self, world: &World, session: &Session, agent: Option<&AgentKey>) -> bool {
        match &self.scope {
            MemoryScope::Session => self.was_known_to(world, session),
            MemoryScope::Persona(key) => agent.is_none_or(|agent| agent == key),
            MemoryScope::Operator => self.operator.is_none() || self.operator == session.operator,
        }
    }
}

impl Memory {
    /// Whether it comes from a session or, before that was forked, from one that it goes back to. A worker's session is
    /// no fork: it begins anew.
    fn was_known_to(&self, world: &World, session: &Session) -> bool {
        let mut here = session;
        // Whatever is stored, the way ends.
        for _ in 0..=world.sessions.len() {
            if here.id == self.session {
                return true;
            }
            let is_old = here.origin == SessionOrigin::Fork && self.at <= here.created_at;
            let parent = here.parent.filter(|_| is_old).and_then(|parent| world.session(&parent));
            let Some(parent) = parent else { return false };
            here = parent;
        }
        false
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

/// Those of `contents` that say something new: not what is remembered within reach of the session, not what the
/// operator deleted, and nothing twice.
pub fn news<'c>(world: &World, session: &Session, contents: &[&'c str]) -> Vec<&'c str> {
    let within = world.memories.values().filter(|memory| memory.reaches(world, session, None));
    let mut known: VecSet<String> = within.map(|memory| normal_form(&memory.content)).collect();
    contents.iter().filter(|content| known.insert(normal_form(content))).copied().collect()
}

/// The memories that a context is offered, most telling first: pinned ones, then by importance with its age, and the
/// words in common with what is asked, then the newest.
pub fn offered<'w>(
    world: &'w World,
    session: &Session,
    agent: &AgentKey,
    query: &str,
    now: Millis,
) -> Vec<&'w Arc<Memory>> {
    let asked = words(query);
    let reach = world
        .memories
        .values()
        .filter(|memory| memory.is_here() && memory.reaches(world, session, Some(agent)));
    let mut ranked = by_key(reach, |memory| {
        let matches = words(&memory.content).iter().filter(|word| asked.contains(*word)).count();
        let matches = u64::try_from(matches.min(MATCHES)).unwrap_or(0);
        let weight = memory.weight(now).saturating_add(matches);
        std::cmp::Reverse((memory.pinned, weight, memory.at, memory.id))
    });
    ranked.truncate(MEMORIES_OFFERED);
    ranked
}

fn words(text: &str) -> VecSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.chars().count() >= WORD_CHARS).map(str::to_lowercase).collect()
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
