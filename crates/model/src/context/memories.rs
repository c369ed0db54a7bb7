//! Which memories reach a session, which facts are new to it, and their ranking for a context.

use std::sync::Arc;

use crate::id::{AgentKey, Millis};
use crate::limits::MEMORIES_OFFERED;
use crate::memory::{Memory, MemoryScope, normal_form};
use crate::session::{Session, SessionOrigin};
use crate::world::World;
use nexus_text::vec_map::{VecSet, by_key};

/// Words shorter than this match too much to say anything.
const WORD_CHARS: usize = 3;
/// Words in common with the query that count at most.
const MATCHES: usize = 3;

impl Memory {
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
#[path = "memories_tests.rs"]
mod tests;
