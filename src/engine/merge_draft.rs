//! Never changes anything: what is drafted is merged by a command, if nothing has moved by then.
//!
//! Owns drafting a merge for the screen, from the store alone: what both branches changed, and where they clash.

use std::rc::Rc;

use crate::domain::command::{Merging, Rejection};
use crate::domain::decide::merge::{NotMerged, branches};
use crate::domain::id::{SessionId, TurnId};
use crate::domain::joining::Joining;
use crate::domain::tree::Stuck;
use crate::domain::world::World;
use crate::engine::loading::Loader;
use crate::engine::port::StoreError;
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
}

/// Drafts merging a turn, or the session whose head it is, into a session. The inner error says why that cannot be.
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
    let mut world = loader.app().await?.rows;
    let Some(row) = world.session(&session).cloned() else { return Ok(Err(Rejection::NoSuchSession)) };
    world.absorb(loader.left(&row.mind, &[]).await?.rows);
    let merging =
        Merging { session, head: row.head, mind: row.mind.clone(), other, from, decided: Vec::new() };
    for _ in 0..STEPS {
        let missing = match branches(&world, &row, &merging) {
            Ok(found) => {
                let Some(ours) = world.mind(&row.mind) else { return Ok(Err(Rejection::HistoryBroken)) };
                let joining = Joining::of(&found.base, ours, &found.theirs);
                return Ok(Ok(Draft { merging, joining, turns: found.turns }));
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
