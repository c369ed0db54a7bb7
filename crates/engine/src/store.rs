//! The ledger and how it is stored: loading, rows, deltas, raw responses, partial answers, drafts.
//!
//! The database `nexus` is the source of truth: the events of each stream by position, the rows folded from them (one
//! object store for each [`Table`]), and `secrets`, the only place of stored API keys. Restore
//! points (`nexus-points`) and folder handles (`nexus-folders`) have databases of their own. localStorage only mirrors
//! what a start needs.
//!
//! This file is the row codec: it converts the world's rows to and from stored JSON, by table and key.

pub mod delta;
pub mod in_memory;
pub mod ledger;
pub mod loading;
pub mod partials;
pub mod raw_responses;

use crate::prelude::*;
use nexus_model::dump::check::{IdKind, assigned_id};
use nexus_model::limits::DUMP_EVENTS;
use nexus_model::session::QueueState;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The rows of `world` in stored form, except content-addressed ones ([`delta`]).
pub(crate) fn to_store(world: &World) -> Vec<(Table, StoredRow)> {
    let mut out = Vec::new();
    put(&mut out, Table::Sessions, &world.sessions);
    put(&mut out, Table::Turns, &world.turns);
    put(&mut out, Table::Compactions, &world.compactions);
    put(&mut out, Table::Memories, &world.memories);
    put(&mut out, Table::Threads, &world.threads);
    put(&mut out, Table::Messages, &world.messages);
    put(&mut out, Table::ToolRuns, &world.tool_runs);
    put(&mut out, Table::Runs, &world.runs);
    put(&mut out, Table::Agents, &world.agents);
    put(&mut out, Table::Providers, &world.providers);
    put(&mut out, Table::Settings, &world.settings);
    let mut waiting = world.queue.clone();
    waiting.retain(|_, item| item.state == QueueState::Waiting);
    put(&mut out, Table::Queue, &waiting);
    out
}

/// Rows of `world` to delete from the store: queued messages that were sent or withdrawn.
pub(crate) fn obsolete(world: &World) -> impl Iterator<Item = (Table, String)> {
    let obsolete = world.queue.values().filter(|item| item.state != QueueState::Waiting);
    obsolete.map(|item| (Table::Queue, item.id.to_string()))
}

fn put<K: ToString, V: Serialize>(out: &mut Vec<(Table, StoredRow)>, table: Table, rows: &VecMap<K, Arc<V>>) {
    // Never fails for our types, whose keys are all valid in JSON.
    let row = |(id, value): (&K, &Arc<V>)| Some((table, (id.to_string(), json::write(&**value).ok()?)));
    out.extend(rows.iter().filter_map(row));
}

impl dyn Store + '_ {
    pub(crate) async fn row_text(&self, table: Table, key: impl ToString) -> StoreResult<Option<String>> {
        Ok(self.get(table, vec![key.to_string()]).await?.into_iter().flatten().next())
    }

    /// A row; `None` if it does not exist or cannot be parsed.
    pub(crate) async fn row<T: DeserializeOwned>(
        &self,
        table: Table,
        key: impl ToString,
    ) -> StoreResult<Option<T>> {
        Ok(self.row_text(table, key).await?.and_then(|row| json::read(&row).ok()))
    }

    /// The rows of these keys that exist and can be parsed.
    pub(crate) async fn rows<T: DeserializeOwned>(
        &self,
        table: Table,
        keys: impl IntoIterator<Item = impl ToString>,
    ) -> StoreResult<Vec<T>> {
        let rows = self.get(table, keys.into_iter().map(|key| key.to_string()).collect()).await?;
        Ok(rows.into_iter().flatten().filter_map(|row| json::read(&row).ok()).collect())
    }

    /// Passes every event of a stream to `take`, in order, with at most a page of them in memory.
    pub(crate) async fn each_event(&self, stream: StreamId, take: &mut dyn FnMut(&str)) -> StoreResult {
        let mut from = 1;
        loop {
            let page = self.events(stream, from, DUMP_EVENTS).await?;
            page.iter().for_each(|json| take(json));
            if page.len() < DUMP_EVENTS {
                return Ok(());
            }
            from = from.saturating_add(u64::try_from(page.len()).unwrap_or(u64::MAX));
        }
    }
}

/// Parses a row; the error names its table.
pub(crate) fn read<T: DeserializeOwned>(table: Table, text: &str) -> StoreResult<T> {
    json::read(text).map_err(|error| StoreError::Damaged(format!("{}: {error}", table.name())))
}

/// The page of at most `most` sequence numbers that ends with `last`: the first one and their number.
pub(crate) fn page_until(last: u64, most: usize) -> (u64, usize) {
    let before = u64::try_from(most.saturating_sub(1)).unwrap_or(u64::MAX);
    let from = last.saturating_sub(before).max(1);
    (from, usize::try_from(last.saturating_sub(from).saturating_add(1)).unwrap_or(most))
}

/// The rows that an event creates under its new id: their keys, or prefixes of them.
pub(crate) fn rows_made(known_kind: &EventKind) -> Vec<(Table, String)> {
    let Some((what, id)) = assigned_id(known_kind) else { return Vec::new() };
    let key = MessageId::from(id).to_string();
    let mut rows = vec![(table_of(what), key.clone())];
    match what {
        IdKind::Turn => {
            let raw = (Table::Raw, format!("{key}/"));
            rows.extend([raw, (Table::Threads, key.clone()), (Table::Compactions, key)]);
        }
        IdKind::Message => rows.push((Table::Partials, format!("{key}/"))),
        IdKind::Run | IdKind::ToolRun | IdKind::Queued | IdKind::Memory => {}
    }
    rows
}

pub(crate) fn table_of(what: IdKind) -> Table {
    match what {
        IdKind::Turn => Table::Turns,
        IdKind::Message => Table::Messages,
        IdKind::Run => Table::Runs,
        IdKind::ToolRun => Table::ToolRuns,
        IdKind::Queued => Table::Queue,
        IdKind::Memory => Table::Memories,
    }
}
