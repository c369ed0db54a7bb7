//! Resolves the recipients of a message, `@Name` in its text or the selected target, and text to a thread: by turn id, session name,
//! agent (its main session) or search result.
//!
//! Returns all threads that match; ambiguity is never resolved by a guess.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::agent::Agent;
use crate::id::{AgentKey, SessionId, TurnId};
use crate::message::own_words;
use crate::search_index::SearchHit;
use crate::session::{Session, SessionFilter, SessionRole, SessionStatus, Target};
use crate::turn::Turn;
use crate::world::World;
use nexus_text::vec_map::by_key;

/// The agents that are named by `@Name` in `text`, each once, in the order of their names' places. Who is named in what
/// the text quotes is not meant.
pub fn mentioned(text: &str, roster: &[&Arc<Agent>]) -> Vec<AgentKey> {
    let text = &own_words(text);
    let mut found: Vec<AgentKey> = Vec::new();
    let mut before: Option<char> = None;
    for (at, c) in text.char_indices() {
        // An address such as ada@engineer.example names nobody.
        let starts_word = before.is_none_or(|c| !c.is_alphanumeric());
        before = Some(c);
        if c != '@' || !starts_word {
            continue;
        }
        let rest = text.get(at + 1..).unwrap_or("");
        let longest = roster
            .iter()
            .filter(|agent| names(rest, &agent.identity.name))
            .max_by_key(|agent| agent.identity.name.len());
        if let Some(agent) = longest
            && !found.contains(&agent.key)
        {
            found.push(agent.key.clone());
        }
    }
    found
}

/// Whether `rest` begins with `name`, whatever the case, and the name ends there.
fn names(rest: &str, name: &str) -> bool {
    let mut rest = rest.chars();
    for expected in name.chars() {
        match rest.next() {
            Some(c) if c.to_lowercase().eq(expected.to_lowercase()) => {}
            _ => return false,
        }
    }
    !name.is_empty() && rest.next().is_none_or(|c| !c.is_alphanumeric() && c != '_')
}

/// Whom a message is for: those it names, else whom the operator chose.
pub fn target_of(text: &str, chosen: &Target, roster: &[&Arc<Agent>]) -> Target {
    let named = mentioned(text, roster);
    if named.is_empty() { chosen.clone() } else { Target::Agents(named) }
}

/// The agents that answer a message for `target` in `session`, by priority, then by roster place. A named agent
/// answers even if muted.
pub fn answerers(world: &World, session: &Session, target: &Target) -> Vec<Arc<Agent>> {
    let agents = world
        .roster()
        .into_iter()
        .filter(|agent| match target {
            Target::All => !world.flags(session, agent).muted,
            Target::Agents(keys) => keys.contains(&agent.key),
        })
        .cloned();
    by_key(agents, |agent| (Reverse(world.flags(session, agent).priority), agent.place))
}

/// Why words lead to a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchReason {
    /// They are the id of the session, or of the turn that it points to.
    Thread,
    /// They are the id of a turn that no session points to: a new session goes on from there.
    Turn,
    /// They are the session's name.
    Label,
    Persona(AgentKey, MainSessionReason),
}

/// Why a session is the main one of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MainSessionReason {
    /// It belongs to the agent.
    Owned,
    /// The agent was last at work there.
    Worked,
    /// The agent has worked nowhere yet: it is the device's first session that is open.
    First,
}

/// A thread that words lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadMatch {
    pub session: SessionId,
    /// The turn to go on from, where that is not the session's head.
    pub turn: Option<TurnId>,
    pub target: Target,
    pub why: MatchReason,
}

/// Why there is not one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadResolveError {
    Nowhere,
    /// So many things are.
    Several(usize),
}

/// Whether a session can be written to: a conversation of the operator that is not deleted.
fn is_reachable(session: &Session) -> bool {
    session.role() == SessionRole::Conversation && session.deleted_at.is_none() && session.purged_at.is_none()
}

/// The threads that these words lead to, directly. An id comes before everything else; a name and an agent may both be
/// meant. `looked_up` is the turn of that id, where the words are one and it is not loaded.
pub fn resolve(world: &World, words: &str, looked_up: Option<&Turn>) -> Vec<ThreadMatch> {
    let words = words.trim();
    if words.is_empty() {
        return Vec::new();
    }
    let by_id = by_id(world, words, looked_up);
    if !by_id.is_empty() {
        return by_id;
    }
    let name = words.to_lowercase();
    let named = world
        .sessions
        .values()
        .filter(|session| is_reachable(session) && session.label.trim().to_lowercase() == name)
        .map(|session| way(session, Target::All, MatchReason::Label));
    // What is in use comes first, and what was last used.
    let order = |way: &ThreadMatch| {
        let session = world.session(&way.session);
        let shelf = session.map(|session| session.status != SessionStatus::Open);
        (shelf, Reverse(session.and_then(|session| session.last_message_at)), Reverse(way.session))
    };
    let mut ways = if words.starts_with('@') { Vec::new() } else { by_key(named, order) };
    let persona = name.strip_prefix('@').unwrap_or(&name);
    for agent in world.roster() {
        let is_meant = agent.identity.name.to_lowercase() == persona || agent.key.as_str() == persona;
        ways.extend(is_meant.then(|| of_persona(world, &agent.key)).flatten());
    }
    ways
}

/// The one thread that words lead to.
pub fn only(mut ways: Vec<ThreadMatch>) -> Result<ThreadMatch, ThreadResolveError> {
    match (ways.pop(), ways.len()) {
        (None, _) => Err(ThreadResolveError::Nowhere),
        (Some(way), 0) => Ok(way),
        (Some(_), others) => Err(ThreadResolveError::Several(others.saturating_add(1))),
    }
}

fn way(session: &Session, target: Target, why: MatchReason) -> ThreadMatch {
    ThreadMatch { session: session.id, turn: None, target, why }
}

fn by_id(world: &World, words: &str, looked_up: Option<&Turn>) -> Vec<ThreadMatch> {
    let reach = |id: &SessionId| world.session(id).filter(|session| is_reachable(session));
    if let Some(session) = words.parse().ok().as_ref().and_then(reach) {
        return vec![way(session, Target::All, MatchReason::Thread)];
    }
    let Ok(turn) = words.parse::<TurnId>() else { return Vec::new() };
    let heads = world.sessions.values().filter(|session| is_reachable(session) && session.head == Some(turn));
    let at_head: Vec<ThreadMatch> =
        heads.map(|session| way(session, Target::All, MatchReason::Thread)).collect();
    if !at_head.is_empty() {
        return at_head;
    }
    let known = world.turn(&turn).map(|turn| &**turn).or(looked_up.filter(|known| known.id == turn));
    let ended = known.filter(|turn| !turn.phase.is_open());
    let go_on = |turn: &Turn| ThreadMatch {
        session: turn.session,
        turn: Some(turn.id),
        target: Target::All,
        why: MatchReason::Turn,
    };
    ended.map(go_on).into_iter().collect()
}

/// The way to an agent: its main session, where it alone is asked. `None` where no session can be written to, or the
/// agent is gone.
pub fn of_persona(world: &World, agent: &AgentKey) -> Option<ThreadMatch> {
    let here = world.agent(agent).filter(|agent| agent.is_here())?;
    let (session, main) = main_session(world, agent)?;
    let target = Target::Agents(vec![here.key.clone()]);
    Some(ThreadMatch { session, turn: None, target, why: MatchReason::Persona(here.key.clone(), main) })
}

/// The main session of an agent: the one that was given to it last, else where it last worked, else the oldest.
pub fn main_session(world: &World, agent: &AgentKey) -> Option<(SessionId, MainSessionReason)> {
    let open: Vec<_> = world
        .sessions
        .values()
        .filter(|session| SessionFilter::of(session) == Some(SessionFilter::Open))
        .collect();
    let owned = open.iter().filter(|session| session.owner.as_ref() == Some(agent));
    if let Some(session) = owned.max_by_key(|session| (session.owned_at, session.last_message_at, session.id))
    {
        return Some((session.id, MainSessionReason::Owned));
    }
    let worked = open.iter().filter_map(|session| {
        let at = session.flags.get(agent)?.last_activity?;
        Some((at, session.id))
    });
    if let Some((_, session)) = worked.max() {
        return Some((session, MainSessionReason::Worked));
    }
    open.iter().min_by_key(|session| session.id).map(|session| (session.id, MainSessionReason::First))
}

/// The sessions that were found, each once by its best place, and in how many places.
pub fn threads(hits: &[SearchHit]) -> Vec<(SearchHit, usize)> {
    let mut threads: Vec<(SearchHit, usize)> = Vec::new();
    for hit in hits {
        match threads.iter_mut().find(|(first, _)| first.session == hit.session) {
            Some((_, places)) => *places += 1,
            None => threads.push((hit.clone(), 1)),
        }
    }
    threads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::defaults::first_agents;

    fn named(text: &str) -> Vec<String> {
        let agents: Vec<_> = first_agents().into_iter().map(Arc::new).collect();
        let roster: Vec<_> = agents.iter().collect();
        mentioned(text, &roster).into_iter().map(|key| key.0).collect()
    }

    #[test]
    fn names_target_whatever_their_case_and_place() {
        assert_eq!(named("@engineer fix it"), ["engineer"]);
        assert_eq!(named("ask (@Critic), then @ARCHITECT!"), ["critic", "architect"]);
        assert_eq!(named("@Engineer and @engineer"), ["engineer"]);
        assert_eq!(named("> ask @Critic\n\n@Engineer, is that so?"), ["engineer"]);
    }

    #[test]
    fn addresses_and_longer_words_name_nobody() {
        assert!(named("ada@engineer.example @engineering @ engineer @").is_empty());
    }
}

#[cfg(test)]
#[path = "thread_resolver_tests.rs"]
mod thread_resolver_tests;
