//! Never changes anything: what is drafted is merged by a command, if nothing has moved by then.
//!
//! Owns drafting a merge for the screen, from the store alone: what both branches changed, where they clash, and what the
//! Core was asked about that.

use std::rc::Rc;

use crate::domain::command::{Merging, Rejection};
use crate::domain::decide::merge::{NotMerged, branches};
use crate::domain::event::{Event, Happening};
use crate::domain::failure::Failure;
use crate::domain::hash::Hash;
use crate::domain::id::{SessionId, StreamId, SyncId, TurnId};
use crate::domain::joining::Joining;
use crate::domain::joining::proposal::{JoinAsked, JoinProposed};
use crate::domain::json;
use crate::domain::limits::PROPOSALS_WITHIN;
use crate::domain::text::join::Clash;
use crate::domain::tree::Stuck;
use crate::domain::world::World;
use crate::engine::loading::Loader;
use crate::engine::port::{Store, StoreError};
use crate::engine::records::Records;

/// Rows that are read at most to find where two branches meet.
const STEPS: usize = 600;

/// A merge that is not made yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The command that makes it, once what clashes is decided.
    pub merging: Merging,
    /// What comes of it.
    pub joining: Joining,
    /// How many turns the other branch has of its own.
    pub turns: u64,
    /// The newest turn that both go back to.
    pub ancestor: TurnId,
}

impl Draft {
    /// What clashes, with its mark, in order.
    pub fn contested(&self) -> impl Iterator<Item = (Hash, Clash)> {
        self.joining.fields.iter().flat_map(|field| field.marks().into_iter().zip(field.contested()))
    }
}

/// What became of a question to the Core about a merge.
#[derive(Clone, Debug, PartialEq)]
pub enum Advice {
    /// It was asked.
    Asked(JoinAsked),
    /// It proposed something.
    Proposed(JoinProposed),
    /// It came to nothing, or one attempt did.
    Failed {
        /// The sync that it was.
        sync: SyncId,
        /// Why, where a failure ended it.
        failure: Option<Failure>,
        /// Whether it is tried again by itself.
        again: bool,
    },
}

/// What a session's events after this one say of questions to the Core about merging a turn, and the newest event that
/// was read. From the beginning, only the newest events are looked through.
///
/// # Errors
/// The store cannot be read.
pub async fn advice(
    records: &Records,
    session: SessionId,
    other: TurnId,
    after: Option<u64>,
) -> Result<(u64, Vec<Advice>), StoreError> {
    let stream = StreamId::Session(session);
    let last = records.store.last_seq(stream).await?;
    let mut seq = after.unwrap_or_else(|| last.saturating_sub(PROPOSALS_WITHIN));
    let mut found = Vec::new();
    while seq < last {
        let texts = records.after(stream, seq).await?;
        if texts.is_empty() {
            break;
        }
        for event in texts.iter().filter_map(|text| json::read::<Event>(text).ok()) {
            seq = seq.max(event.seq);
            found.extend(advice_of(&event, other));
        }
    }
    Ok((last, found))
}

fn advice_of(event: &Event, other: TurnId) -> Option<Advice> {
    let happening = event.happening()?;
    if let Happening::JoinAsked(join) = happening {
        return (join.other == other).then(|| Advice::Asked(join.clone()));
    }
    if let Happening::JoinProposed(proposed) = happening {
        return (proposed.other == other).then(|| Advice::Proposed(proposed.clone()));
    }
    // Which of them belong to this merge follows from what was asked before.
    let Happening::SyncFailed { sync, failure, retry_in_ms, .. } = happening else { return None };
    Some(Advice::Failed { sync: *sync, failure: failure.clone(), again: retry_in_ms.is_some() })
}

/// Drafts merging a turn, or a session as it stands now, into a session. The inner error says why that cannot be. Where the
/// session's head has moved since the turn was chosen, it is the new one that is merged.
///
/// # Errors
/// The store cannot be read.
pub async fn draft(
    records: &Records,
    session: SessionId,
    other: TurnId,
    from: Option<SessionId>,
) -> Result<Result<Draft, Rejection>, StoreError> {
    let loader = Loader { store: Rc::clone(&records.store) };
    let row = match from {
        Some(from) => loader.index(from).await?.rows.session(&from).cloned(),
        None => None,
    };
    let other = row.and_then(|row| row.head).unwrap_or(other);
    drafted(&records.store, session, other, from).await
}

/// The same for a service, which has the store at hand.
pub(super) async fn drafted(
    store: &Rc<dyn Store>,
    session: SessionId,
    other: TurnId,
    from: Option<SessionId>,
) -> Result<Result<Draft, Rejection>, StoreError> {
    let loader = Loader { store: Rc::clone(store) };
    let mut world = loader.app().await?.rows;
    let Some(row) = world.session(&session).cloned() else { return Ok(Err(Rejection::NoSuchSession)) };
    world.absorb(loader.left(&row.mind, &[]).await?.rows);
    // Whose mind the other branch has is found with it.
    let (mind, theirs) = (row.mind.clone(), row.mind.clone());
    let mut merging = Merging { session, head: row.head, mind, other, from, theirs, decided: Vec::new() };
    for _ in 0..STEPS {
        let missing = match branches(&world, &row, &merging) {
            Ok(found) => {
                let Some(ours) = world.mind(&row.mind) else { return Ok(Err(Rejection::HistoryBroken)) };
                let joining = Joining::of(&found.base, ours, &found.theirs);
                merging.theirs = found.theirs.hash();
                return Ok(Ok(Draft { merging, joining, turns: found.turns, ancestor: found.ancestor }));
            }
            Err(missing) => missing,
        };
        let loaded = match &missing {
            NotMerged::Stuck(Stuck::Missing(turn)) => loader.thread(*turn).await?,
            NotMerged::Turn(turn) => loader.turns(Some(*turn), 1).await?,
            NotMerged::Mind(mind) => loader.left(mind, &[]).await?,
            NotMerged::Stuck(Stuck::Broken(_)) | NotMerged::Rejected(_) => return Ok(Err(missing.into())),
        };
        if loaded.rows == World::default() {
            return Ok(Err(missing.into()));
        }
        world.absorb(loaded.rows);
    }
    Ok(Err(Rejection::HistoryBroken))
}
