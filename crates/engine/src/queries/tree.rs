//! Queries for the tree view: compact rows of all turns, the sessions that point to them, and a turn's excerpt. Also
//! the reflog: a session's former heads, and snapshots of turns.
//!
//! Reads texts only of the turns that are displayed. Never moves a head or writes.

use crate::prelude::*;
use crate::queries::EventQueries;
use crate::store::page_until;
use nexus_model::job::maintenance::ARCHIVIST_KEY_PREFIX;
use nexus_model::limits::{AUDIT_PAGE, HEADS_PAGE};
use nexus_model::mind::changes_between;
use nexus_model::session::SessionOrigin;
use nexus_model::turn::tree::{Reflog, TurnStub, session_at};
use nexus_text::shorten::ellipsis;
use std::cmp::Reverse;

/// A session, as a label of the turn that it points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionFlag {
    pub session: SessionId,
    pub name: String,
    pub head: Option<TurnId>,
    pub status: SessionStatus,
    pub origin: SessionOrigin,
    pub last_message_at: Option<Millis>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TurnPreview {
    pub turn: Turn,
    pub prompt: String,
    pub answer: String,
    pub touched: Vec<FileChange>,
    pub tools: Vec<String>,
}

/// The keys of all turns, oldest first.
pub async fn keys(records: &EventQueries) -> StoreResult<Vec<String>> {
    records.store.keys(Table::Turns, String::new()).await
}

/// The turns of these keys, and the number of unreadable ones.
pub async fn stubs(records: &EventQueries, keys: Vec<String>) -> StoreResult<(Vec<TurnStub>, usize)> {
    let rows = records.store.get(Table::Turns, keys).await?;
    let mut dots = Vec::with_capacity(rows.len());
    let mut damaged = 0;
    for row in rows.into_iter().flatten() {
        let tree = json::tree(&row).ok();
        if tree.as_ref().is_some_and(is_job_turn) {
            continue;
        }
        match tree.as_ref().and_then(turn_of) {
            Some(dot) => dots.push(dot),
            None => damaged += 1,
        }
    }
    attach_workers(records, &mut dots).await?;
    Ok((dots, damaged))
}

/// A worker's thread has no parent; the tree shows it below the turn that delegated the task.
async fn attach_workers(records: &EventQueries, dots: &mut [TurnStub]) -> StoreResult {
    let roots: VecSet<SessionId> =
        dots.iter().filter(|dot| dot.parent.is_none()).map(|dot| dot.session).collect();
    for session in records.store.rows::<Session>(Table::Sessions, roots).await? {
        let Some(delegation) = session.delegation else { continue };
        for dot in dots.iter_mut().filter(|dot| dot.session == session.id && dot.parent.is_none()) {
            dot.parent = Some(delegation.turn);
            dot.is_worker = true;
        }
    }
    Ok(())
}

/// Parses only the needed fields of a row: it may be a hundred times as long.
///
/// Jobs of the Archivist are not part of the tree: see [`is_job_turn`].
fn turn_of(row: &Value) -> Option<TurnStub> {
    let id = |name: &str| row.get(name).and_then(Value::as_str).and_then(|id| id.parse::<TurnId>().ok());
    Some(TurnStub {
        id: id("id")?,
        session: row.get("session")?.as_str()?.parse().ok()?,
        parent: id("parent"),
        second_parent: id("second_parent"),
        kind: json::from_tree(row.get("kind")?).ok()?,
        agent: row.get("agent")?.as_str()?.into(),
        end: row.get("end").and_then(|end| json::from_tree(end).ok()),
        at: Millis(row.get("opened_at")?.as_u64()?),
        is_worker: false,
    })
}

fn is_job_turn(row: &Value) -> bool {
    row.get("agent").and_then(Value::as_str).is_some_and(|agent| agent.starts_with(ARCHIVIST_KEY_PREFIX))
}

pub async fn flags(records: &EventQueries) -> StoreResult<Vec<SessionFlag>> {
    let mut sessions: Vec<Session> = shown(records).await?.collect();
    // Lanes come last: after one was picked, its parent continued.
    sessions.small_sort_by_key(|session| {
        (session.role() == SessionRole::Candidate, Reverse((session.last_message_at, session.id)))
    });
    let flags = sessions.into_iter().map(|session| SessionFlag {
        session: session.id,
        name: session.name().into_owned(),
        head: session.head,
        status: session.status,
        origin: session.origin,
        last_message_at: session.last_message_at,
    });
    Ok(flags.collect())
}

/// The first line of these turns' last messages; empty for a turn without text.
pub async fn last_lines(records: &EventQueries, turns: &[TurnId]) -> StoreResult<Vec<(TurnId, String)>> {
    let rows = records.store.get(Table::Turns, turns.iter().map(ToString::to_string).collect()).await?;
    let mut wanted: Vec<(TurnId, MessageId)> = Vec::new();
    for (turn, row) in turns.iter().zip(rows) {
        let row = row.and_then(|row| json::tree(&row).ok());
        let last = |name: &str| row.as_ref()?.get(name)?.as_array()?.last()?.as_str()?.parse().ok();
        wanted.extend(last("messages").map(|message| (*turn, message)));
    }
    let keys = wanted.iter().map(|(_, message)| message.to_string()).collect();
    let rows = records.store.get(Table::Messages, keys).await?;
    let mut words = Vec::new();
    for ((turn, _), row) in wanted.into_iter().zip(rows) {
        let message = row.and_then(|row| json::read::<Message>(&row).ok());
        let text = message.filter(|message| message.role == Role::Assistant).map(|it| text_of(&it.parts));
        let line = text.as_deref().and_then(|text| text.lines().find(|line| !line.trim().is_empty()));
        words.push((turn, line.map(|line| ellipsis(line.trim(), 80)).unwrap_or_default()));
    }
    Ok(words)
}

/// A preview of a turn, each text with at most `most` characters; `None` if it is not on this device.
pub async fn preview(records: &EventQueries, id: TurnId, most: usize) -> StoreResult<Option<TurnPreview>> {
    let Some(turn) = records.store.row::<Turn>(Table::Turns, id).await? else { return Ok(None) };
    let text = async |ids: &[MessageId], role: Role| -> StoreResult<String> {
        let messages = records.store.rows::<Message>(Table::Messages, ids).await?;
        let shown = messages.iter().filter(|it| it.role == role && it.deleted_at.is_none());
        let mut texts: Vec<String> = shown.map(|message| text_of(&message.parts)).collect();
        texts.retain(|text| !text.trim().is_empty());
        Ok(ellipsis(&texts.join("\n\n"), most))
    };
    let prompt = text(&turn.answers, Role::User).await?;
    let answer = text(&turn.messages, Role::Assistant).await?;
    let runs: Vec<ToolRun> = records.store.rows(Table::ToolRuns, &turn.tool_runs).await?;
    let tools = runs.iter().map(|run| run.call.name.clone()).collect();
    let mut touched: Vec<FileChange> = Vec::new();
    for one in runs.into_iter().flat_map(|run| run.touched) {
        match touched.iter_mut().find(|known| known.field == one.field) {
            Some(known) => known.lines = [known.lines, one.lines].into_iter().sum(),
            None => touched.push(one),
        }
    }
    // A merge changes the mind without tools.
    if let (TurnKind::Merge, Some(after)) = (turn.kind, &turn.mind_after) {
        let old = records.store.load_mind(&turn.mind_before, &[]).await?.rows;
        let new = records.store.load_mind(after, &[]).await?.rows;
        if let Some((old, new)) = old.mind(&turn.mind_before).zip(new.mind(after)) {
            touched = changes_between(old, new);
        }
    }
    Ok(Some(TurnPreview { turn, prompt, answer, touched, tools }))
}

/// The mind at a turn: the working mind of the session whose head it is (preferably `in_view`), else the mind that the
/// turn left, or its current one while the turn is open; `None` if that is not on this device.
pub async fn mind_at(
    records: &EventQueries,
    id: TurnId,
    in_view: SessionId,
) -> StoreResult<Option<Arc<Mind>>> {
    let mut rows = records.store.load_turns(Some(id), 1).await?.rows;
    let Some(turn) = rows.turn(&id).cloned() else { return Ok(None) };
    for session in shown(records).await? {
        rows.sessions.insert(session.id, Arc::new(session));
    }
    let current = rows.session(&session_at(&rows, id, turn.session, in_view));
    let current = current.filter(|row| row.head == Some(id)).map(|row| row.mind);
    let Some(mind) = current else {
        return Ok(rows.mind(turn.mind_after.as_ref().unwrap_or(&turn.mind_shown)).cloned());
    };
    let rows = records.store.load_mind(&mind, &[]).await?.rows;
    Ok(rows.mind(&mind).cloned())
}

/// The turns from `turn` back, at most `most`, with their changes of the mind: for the author of a line.
pub async fn steps(records: &EventQueries, turn: TurnId, most: usize) -> StoreResult<World> {
    Ok(records.store.load_steps(turn, most).await?.without_cycles(&World::default()).rows)
}

async fn shown(records: &EventQueries) -> StoreResult<impl Iterator<Item = Session>> {
    let rows = records.store.scan(Table::Sessions, String::new()).await?;
    let sessions = rows.into_iter().filter_map(|(_, row)| json::read::<Session>(&row).ok());
    Ok(sessions.filter(|session| session.deleted_at.is_none() && session.role() != SessionRole::Jobs))
}

/// Reads older heads of a session until there is a page more of them. Returns true if there may be still older ones.
pub async fn more_heads(records: &EventQueries, session: SessionId, heads: &mut Reflog) -> StoreResult<bool> {
    let stream = StreamId::Session(session);
    let last = records.store.last_seq(stream).await?;
    let wanted = heads.all.len().saturating_add(HEADS_PAGE);
    while let Some(next) = heads.next(last) {
        let (from, count) = page_until(next, AUDIT_PAGE);
        let texts = records.store.events(stream, from, count).await?;
        let events: Vec<Event> = texts.iter().filter_map(|text| json::read(text).ok()).collect();
        heads.read(from, &events);
        if heads.all.len() >= wanted {
            break;
        }
    }
    Ok(heads.next(last).is_some())
}

/// A turn with its thread and mind at that time.
#[derive(Clone, Debug)]
pub struct TurnSnapshot {
    pub turn: Turn,
    /// The mind that the turn left, or that was edited by hand there.
    pub mind: Arc<Mind>,
    pub session: SessionId,
    /// The loaded rows of its thread, with the session's head moved to the turn.
    pub world: World,
    /// Its child turns, oldest first.
    pub newer: Vec<TurnId>,
}

/// A snapshot of a turn in a session, with `turns` turns of its thread; `None` if it or its mind is not on this device,
/// or it is still open.
pub async fn snapshot(
    records: &EventQueries,
    session: SessionId,
    id: TurnId,
    left: Option<&ContentHash>,
    turns: usize,
) -> StoreResult<Option<TurnSnapshot>> {
    // The thread shows names of sessions and agents.
    let mut world = records.store.load_app().await?.rows;
    let loaded = records.store.load_turns(Some(id), turns).await?.without_cycles(&world);
    world.absorb(loaded.rows);
    if let Some(left) = left {
        world.absorb(records.store.load_mind(left, &[]).await?.rows);
    }
    let Some(turn) = world.turn(&id).filter(|turn| !turn.phase.is_open()).cloned() else { return Ok(None) };
    let Some(hash) = left.or(turn.mind_after.as_ref()) else { return Ok(None) };
    let (Some(mind), Some(row)) = (world.mind(hash).cloned(), world.session(&session).cloned()) else {
        return Ok(None);
    };
    let newer = world.thread(&id).map(|thread| thread.children.clone()).unwrap_or_default();
    // The session with its head at the turn, and idle.
    let session_then = Session {
        head: Some(id),
        run: None,
        unanswered: Vec::new(),
        former: Vec::new(),
        archivist: Default::default(),
        ..row.as_ref().clone()
    };
    world.sessions.insert(session, Arc::new(session_then));
    Ok(Some(TurnSnapshot { turn: turn.as_ref().clone(), mind, session, world, newer }))
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod reflog_tests;
