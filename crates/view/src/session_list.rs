//! The session list, filtered by status and search words, newest activity first.

use std::cmp::Reverse;

use nexus_model::limits::DELETED_MS;
use nexus_model::prelude::*;
use nexus_model::session::workers::awaited_by;
use nexus_text::vec_map::by_key;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionListItem {
    pub id: SessionId,
    pub name: String,
    pub label: String,
    pub title: String,
    pub filter: SessionFilter,
    /// True if the session is closed: read-only until it is reopened.
    pub closed: bool,
    pub pinned: bool,
    pub forked_from: Option<String>,
    pub last_at: Millis,
    pub is_working: bool,
    pub is_waiting: bool,
    /// Time of the purge, if the session is deleted.
    pub purge_at: Option<Millis>,
    /// Worker sessions, each after its parent.
    pub workers: Vec<WorkerListItem>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WorkerListItem {
    pub id: SessionId,
    pub label: String,
    /// Delegation depth, from 1.
    pub depth: u32,
    pub is_working: bool,
    pub is_waiting: bool,
}

/// The sessions with this status that match all words: pinned ones first, then by latest message. Words are searched
/// in name, title, keywords and summary, in any case.
pub fn sessions(world: &World, filter: SessionFilter, words: &str) -> Vec<SessionListItem> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let found = world.sessions.values().filter(|session| {
        let holds = |session: &Session| {
            let all = haystack(session);
            words.iter().all(|word| all.contains(word))
        };
        // A match in a worker's session lists its parent.
        SessionFilter::of(session) == Some(filter)
            && (holds(session) || workers_of(world, session.id).into_iter().any(|(_, worker)| holds(worker)))
    });
    by_key(found, |session| place(session))
        .into_iter()
        .map(|session| list_item(world, session, filter))
        .collect()
}

/// Sorts sessions as every list of them does: pinned ones first, then by latest message.
pub fn place(session: &Session) -> Reverse<(bool, Millis, SessionId)> {
    Reverse((session.pinned, last_at(session), session.id))
}

/// What a list of `most` rows shows of all sessions: the first ones, and those that must not be left out.
pub fn shortened(all: &[SessionId], most: usize, is_needed: impl Fn(&SessionId) -> bool) -> Vec<SessionId> {
    let rows = all.iter().enumerate();
    rows.filter(|(at, id)| *at < most || is_needed(id)).map(|(_, id)| *id).collect()
}

pub fn count(world: &World, filter: SessionFilter) -> usize {
    world.sessions.values().filter(|session| SessionFilter::of(session) == Some(filter)).count()
}

/// The session to show after `removed` is closed or deleted: the open one with the latest message.
pub fn next_session(world: &World, removed: SessionId) -> Option<SessionId> {
    let others = sessions(world, SessionFilter::Open, "").into_iter().filter(|row| row.id != removed);
    others.max_by_key(|row| (row.last_at, row.id)).map(|row| row.id)
}

/// The worker sessions of a session, depth first and oldest first, with their depth below it.
fn workers_of(world: &World, session: SessionId) -> Vec<(u32, &Session)> {
    let mut found: Vec<(u32, &Session)> = Vec::new();
    let mut next: Vec<(u32, SessionId)> = vec![(1, session)];
    while let Some((depth, parent)) = next.pop() {
        if let Some(row) = world.session(&parent).filter(|row| row.id != session) {
            found.push((depth.saturating_sub(1), row.as_ref()));
        }
        let own = world.sessions.values().filter(|row| {
            row.parent == Some(parent) && row.role() == SessionRole::Worker && row.purged_at.is_none()
        });
        // The stack pops the oldest first.
        let own: Vec<_> = own.map(|row| (depth.saturating_add(1), row.id)).collect();
        let is_new = |id: SessionId| id != session && found.iter().all(|(_, row)| row.id != id);
        next.extend(own.into_iter().rev().filter(|(_, id)| is_new(*id)));
    }
    found
}

fn haystack(session: &Session) -> String {
    let begins = session.begins.iter().map(|(_, words)| words);
    let title = session.title.iter().chain(begins).chain(&session.summary).chain(&session.keywords);
    let all = title.fold(session.label.clone(), |all, more| all + "\n" + more);
    all.to_lowercase()
}

fn last_at(session: &Session) -> Millis {
    session.last_message_at.unwrap_or(session.created_at)
}

fn list_item(world: &World, session: &Session, filter: SessionFilter) -> SessionListItem {
    let run = world.open_run(session);
    let is_waiting = world.needs_operator(session);
    let is_awaited = |row: &Session| awaited_by(world, row).is_some();
    let workers: Vec<_> = workers_of(world, session.id)
        .into_iter()
        .map(|(depth, row)| {
            let is_waiting = world.needs_operator(row);
            WorkerListItem {
                id: row.id,
                label: row.label.clone(),
                depth,
                is_working: is_awaited(row) && !is_waiting,
                is_waiting,
            }
        })
        .collect();
    let is_waiting = is_waiting || workers.iter().any(|worker| worker.is_waiting);
    let parent = session.parent.and_then(|parent| world.session(&parent));
    SessionListItem {
        id: session.id,
        name: session.name().into_owned(),
        label: session.label.clone(),
        title: session.title.clone().unwrap_or_default(),
        filter,
        closed: session.status == SessionStatus::Closed,
        pinned: session.pinned,
        forked_from: parent.map(|parent| parent.name().into_owned()).filter(|label| !label.is_empty()),
        last_at: last_at(session),
        is_working: (run.is_some() || !session.workers.is_empty()) && !is_waiting,
        is_waiting,
        workers,
        purge_at: session.deleted_at.map(|at| Millis(at.0.saturating_add(DELETED_MS))),
    }
}

#[cfg(test)]
mod tests;
