//! Queries of the tree's past: a session's former heads, and a turn as it was with its thread and mind.
//!
//! Never moves a head or writes.

use std::rc::Rc;
use std::sync::Arc;

use crate::port::StoreError;
use crate::queries::events::EventQueries;
use crate::store::loading::RowLoader;
use nexus_model::event::Event;
use nexus_model::id::{SessionId, StreamId, TurnId};
use nexus_model::limits::{AUDIT_PAGE, HEADS_PAGE};
use nexus_model::mind::Mind;
use nexus_model::session::Session;
use nexus_model::turn::Turn;
use nexus_model::turn::reflog::Reflog;
use nexus_model::world::World;
use nexus_text::content_hash::ContentHash;
use nexus_text::json;

/// Reads further back in the heads of a session, until there are some more or none is left. Says whether there may be
/// older ones.
///
/// # Errors
/// The store cannot be read; what was read before stays.
pub async fn more_heads(
    records: &EventQueries,
    session: SessionId,
    heads: &mut Reflog,
) -> Result<bool, StoreError> {
    let stream = StreamId::Session(session);
    let last = records.store.last_seq(stream).await?;
    let wanted = heads.all.len().saturating_add(HEADS_PAGE);
    let page = u64::try_from(AUDIT_PAGE).unwrap_or(u64::MAX);
    while let Some(next) = heads.next(last) {
        let from = next.saturating_sub(page.saturating_sub(1)).max(1);
        let count = usize::try_from(next - from + 1).unwrap_or(AUDIT_PAGE);
        let texts = records.store.events(stream, from, count).await?;
        let events: Vec<Event> = texts.iter().filter_map(|text| json::read(text).ok()).collect();
        heads.read(from, &events);
        if heads.all.len() >= wanted {
            break;
        }
    }
    Ok(heads.next(last).is_some())
}

/// A turn as it was: what had been said up to it, and the mind of that time.
#[derive(Clone, Debug)]
pub struct TurnSnapshot {
    pub turn: Turn,
    /// The mind as the turn left it, or as it was left there by hand.
    pub mind: Arc<Mind>,
    pub session: SessionId,
    /// The rows of its thread, as far as they were read, with the session's head moved to the turn.
    pub world: World,
    /// The turns that go on from it, oldest first.
    pub newer: Vec<TurnId>,
}

/// Reads a turn as it was, looked at from a session, with so many turns of its thread; `None` where it or its mind is not
/// on this device, or it still works.
pub async fn as_it_was(
    records: &EventQueries,
    session: SessionId,
    id: TurnId,
    left: Option<&ContentHash>,
    turns: usize,
) -> Result<Option<TurnSnapshot>, StoreError> {
    let loader = RowLoader { store: Rc::clone(&records.store) };
    // Names of sessions and agents stand in the thread.
    let mut world = loader.app().await?.rows;
    let loaded = loader.turns(Some(id), turns).await?.without_cycles(&world);
    world.absorb(loaded.rows);
    if let Some(left) = left {
        world.absorb(loader.left(left, &[]).await?.rows);
    }
    let Some(turn) = world.turn(&id).filter(|turn| !turn.phase.is_open()).cloned() else { return Ok(None) };
    let Some(hash) = left.or(turn.mind_after.as_ref()) else { return Ok(None) };
    let (Some(mind), Some(row)) = (world.mind(hash).cloned(), world.session(&session).cloned()) else {
        return Ok(None);
    };
    let newer = world.thread(&id).map(|thread| thread.children.clone()).unwrap_or_default();
    // The session as it would be with its head there, and nothing under way.
    let then = Session {
        head: Some(id),
        run: None,
        unanswered: Vec::new(),
        former: Vec::new(),
        archivist: Default::default(),
        ..row.as_ref().clone()
    };
    world.sessions.insert(session, Arc::new(then));
    Ok(Some(TurnSnapshot { turn: turn.as_ref().clone(), mind, session, world, newer }))
}

#[cfg(test)]
#[path = "reflog_tests.rs"]
mod tests;
