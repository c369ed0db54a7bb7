//! Resolves recipients and threads: `@Name` in a message or the selected target to agents; text to a thread, by turn
//! id, session name, agent (its main session) or search result.
//!
//! All matching threads are returned; the caller resolves ambiguity.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::agent::Agent;
use crate::id::{AgentKey, SessionId, TurnId};
use crate::message::without_quotations;
use crate::search_index::SearchHit;
use crate::session::{Session, SessionFilter, SessionRole, SessionStatus, Target};
use crate::turn::Turn;
use crate::world::World;
use nexus_text::vec_map::by_key;

/// The agents named by `@Name` in `text`, once each, by position. Names in quotations are ignored.
pub fn mentioned(text: &str, roster: &[&Arc<Agent>]) -> Vec<AgentKey> {
    let text = &without_quotations(text);
    let mut found: Vec<AgentKey> = Vec::new();
    let mut before: Option<char> = None;
    for (at, c) in text.char_indices() {
        // Skip addresses such as ada@engineer.example.
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

/// True if `rest` begins with the whole word `name`, ignoring case.
pub fn names(rest: &str, name: &str) -> bool {
    let mut rest = rest.chars();
    for expected in name.chars() {
        match rest.next() {
            Some(c) if c.to_lowercase().eq(expected.to_lowercase()) => {}
            _ => return false,
        }
    }
    !name.is_empty() && rest.next().is_none_or(|c| !c.is_alphanumeric() && c != '_')
}

/// The recipients: agents named in the text, else the selected target.
pub fn target_of(text: &str, chosen: &Target, roster: &[&Arc<Agent>]) -> Target {
    let named = mentioned(text, roster);
    if named.is_empty() { chosen.clone() } else { Target::Agents(named) }
}

/// The agents that answer a message, by priority, then by roster order. A named agent answers even if muted.
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

/// Why a text matches a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatchReason {
    /// The id of the session or of its head.
    Thread,
    /// The id of a turn that is no session's head: a new session continues from it.
    Turn,
    /// The name of the session.
    Label,
    Persona(AgentKey, MainSessionReason),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MainSessionReason {
    /// Assigned to the agent.
    Owned,
    Worked,
    /// The agent has not worked anywhere: the oldest open session of the device.
    First,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadMatch {
    pub session: SessionId,
    /// The turn to continue from, if it is not the session's head.
    pub turn: Option<TurnId>,
    pub target: Target,
    pub why: MatchReason,
}

/// Why a text does not resolve to one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadResolveError {
    NoMatch,
    /// The number of matches.
    Ambiguous(usize),
}

/// True if the session can be written to: a conversation that is not deleted.
fn is_reachable(session: &Session) -> bool {
    session.role() == SessionRole::Conversation && session.deleted_at.is_none() && session.purged_at.is_none()
}

/// The threads that a text matches directly. An id takes precedence; a name and an agent may both match. `looked_up`
/// is the turn with that id if it is not loaded.
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
        .filter(|session| {
            let is_it = |own: &str| own.trim().to_lowercase() == name;
            is_reachable(session) && (is_it(&session.label) || is_it(&session.name()))
        })
        .map(|session| thread(session, Target::All, MatchReason::Label));
    // Open sessions first, then the most recently used.
    let order = |found: &ThreadMatch| {
        let session = world.session(&found.session);
        let is_archived = session.map(|session| session.status != SessionStatus::Open);
        (is_archived, Reverse(session.and_then(|session| session.last_message_at)), Reverse(found.session))
    };
    let mut matches = if words.starts_with('@') { Vec::new() } else { by_key(named, order) };
    let persona = name.strip_prefix('@').unwrap_or(&name);
    for agent in world.roster() {
        let is_match = agent.identity.name.to_lowercase() == persona || agent.key.as_str() == persona;
        matches.extend(is_match.then(|| of_persona(world, &agent.key)).flatten());
    }
    matches
}

pub fn only(mut matches: Vec<ThreadMatch>) -> Result<ThreadMatch, ThreadResolveError> {
    match (matches.pop(), matches.len()) {
        (None, _) => Err(ThreadResolveError::NoMatch),
        (Some(found), 0) => Ok(found),
        (Some(_), others) => Err(ThreadResolveError::Ambiguous(others.saturating_add(1))),
    }
}

fn thread(session: &Session, target: Target, why: MatchReason) -> ThreadMatch {
    ThreadMatch { session: session.id, turn: None, target, why }
}

fn by_id(world: &World, words: &str, looked_up: Option<&Turn>) -> Vec<ThreadMatch> {
    let reach = |id: &SessionId| world.session(id).filter(|session| is_reachable(session));
    if let Some(session) = words.parse().ok().as_ref().and_then(reach) {
        return vec![thread(session, Target::All, MatchReason::Thread)];
    }
    let Ok(turn) = words.parse::<TurnId>() else { return Vec::new() };
    let heads = world.sessions.values().filter(|session| is_reachable(session) && session.head == Some(turn));
    let at_head: Vec<ThreadMatch> =
        heads.map(|session| thread(session, Target::All, MatchReason::Thread)).collect();
    if !at_head.is_empty() {
        return at_head;
    }
    let known = world.turn(&turn).map(|turn| &**turn).or(looked_up.filter(|known| known.id == turn));
    let ended = known.filter(|turn| !turn.phase.is_open());
    let continued = |turn: &Turn| ThreadMatch {
        session: turn.session,
        turn: Some(turn.id),
        target: Target::All,
        why: MatchReason::Turn,
    };
    ended.map(continued).into_iter().collect()
}

/// The main session of an agent, with the agent as the only recipient. `None` if there is no open session, or the
/// agent was removed.
pub fn of_persona(world: &World, agent: &AgentKey) -> Option<ThreadMatch> {
    let here = world.agent(agent).filter(|agent| agent.exists())?;
    let (session, main) = main_session(world, agent)?;
    let target = Target::Agents(vec![here.key.clone()]);
    Some(ThreadMatch { session, turn: None, target, why: MatchReason::Persona(here.key.clone(), main) })
}

/// The main session of an agent: the last one assigned to it, else where it worked last, else the oldest open one.
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

/// The sessions of search hits, each with its best hit and the number of hits.
pub fn threads(hits: &[SearchHit]) -> Vec<(SearchHit, usize)> {
    let mut threads: Vec<(SearchHit, usize)> = Vec::new();
    for hit in hits {
        match threads.iter_mut().find(|(first, _)| first.session == hit.session) {
            Some((_, count)) => *count += 1,
            None => threads.push((hit.clone(), 1)),
        }
    }
    threads
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod thread_resolver_tests;
