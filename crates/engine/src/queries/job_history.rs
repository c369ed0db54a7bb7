//! Query for the newest Archivist runs that served a session.

use crate::port::{StoreError, Table};
use crate::queries::events::EventQueries;
use nexus_model::id::{RunId, TurnId};
use nexus_model::job::JobKind;
use nexus_model::job::maintenance::pass::{counted, kind_of};
use nexus_model::run::{Run, RunUsage};
use nexus_model::turn::Turn;
use nexus_text::json;

/// A run of the Archivist.
#[derive(Clone, Debug, PartialEq)]
pub struct JobRecord {
    pub run: RunId,
    pub kind: JobKind,
    pub turn: Turn,
    pub used: RunUsage,
    /// How many messages it was about.
    pub messages: u64,
    /// How many memories were new, where it looked for some.
    pub noted: Option<u64>,
}

/// The newest of them from `head` back, newest first.
pub async fn newest(records: &EventQueries, head: TurnId, most: usize) -> Result<Vec<JobRecord>, StoreError> {
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
        passes.push(JobRecord { run, kind, turn, used, messages, noted });
    }
    Ok(passes)
}
