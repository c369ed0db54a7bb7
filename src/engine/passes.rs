//! Never changes anything.
//!
//! Owns reading the newest runs of the Archivist that served a session.

use crate::domain::archivist::ChoreKind;
use crate::domain::archivist::pass::{counted, kind_of};
use crate::domain::id::{RunId, TurnId};
use crate::domain::json;
use crate::domain::run::{Run, Used};
use crate::domain::turn::Turn;
use crate::engine::port::{StoreError, Table};
use crate::engine::records::Records;

/// A run of the Archivist.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// The run.
    pub run: RunId,
    /// What it was.
    pub kind: ChoreKind,
    /// Its turn.
    pub turn: Turn,
    /// What it used.
    pub used: Used,
    /// How many messages it was about.
    pub messages: u64,
    /// How many memories were new, where it looked for some.
    pub noted: Option<u64>,
}

/// The newest of them from `head` back, newest first.
///
/// # Errors
/// The store cannot be read.
pub async fn newest(records: &Records, head: TurnId, most: usize) -> Result<Vec<Pass>, StoreError> {
    let mut passes = Vec::new();
    let mut next = Some(head);
    while let (Some(id), true) = (next.take(), passes.len() < most) {
        let one = async |table, key: String| -> Result<Option<String>, StoreError> {
            Ok(records.store.get(table, vec![key]).await?.into_iter().flatten().next())
        };
        let row = one(Table::Turns, id.to_string()).await?;
        let Some(turn) = row.and_then(|row| json::read::<Turn>(&row).ok()) else { break };
        next = turn.parent;
        let Some((run, kind)) = turn.run.zip(kind_of(&turn.agent)) else { continue };
        let row = one(Table::Runs, run.to_string()).await?.and_then(|row| json::read::<Run>(&row).ok());
        let (messages, noted) = row.as_ref().map_or((0, None), counted);
        let used = row.map(|row| row.used).unwrap_or_default();
        passes.push(Pass { run, kind, turn, used, messages, noted });
    }
    Ok(passes)
}
