//! Loads stored rows into the world: at the start, a session with its newest turns, older turns on demand.
//!
//! An unreadable row is skipped and reported; the rest loads. A session without a readable head or mind accepts no
//! message, but can be continued elsewhere. Never writes; unreadable rows are not overwritten.

use std::rc::Rc;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::port::{Store, StoreError, StoredRow, Table};
use crate::store::{delta, read, read_mind};
use nexus_model::decide::merge::MergeError;
use nexus_model::id::{MessageId, RunId, SessionId, ToolRunId, TurnId};
use nexus_model::job::Job;
use nexus_model::memory::Memory;
use nexus_model::message::Message;
use nexus_model::mind::blob::blobs_of;
use nexus_model::session::trigger::is_damaged as is_damaged_trigger;
use nexus_model::session::{QueueItem, QueueState, Session};
use nexus_model::turn::tree::WalkError;
use nexus_model::turn::{Thread, Turn, TurnKind};
use nexus_model::world::World;
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecSet;

/// Max records named when unreadable ones are reported.
const DAMAGED_NAMED: usize = 8;

/// The readable rows, and descriptions of the others.
#[derive(Default)]
pub struct LoadedRows {
    pub(crate) rows: World,
    pub(crate) damaged: Vec<String>,
    /// Obsolete rows: queued messages that were sent or withdrawn, which older versions stored.
    pub(crate) obsolete: Vec<(Table, String)>,
}

impl LoadedRows {
    /// Removes turns that are their own ancestors, so that every history ends. Stored rows are not changed.
    pub(crate) fn without_cycles(mut self, world: &World) -> Self {
        let mut acyclic: VecSet<TurnId> = VecSet::new();
        for start in self.rows.turns.keys().copied().collect::<Vec<_>>() {
            let mut path: Vec<TurnId> = Vec::new();
            let mut on_path: VecSet<TurnId> = VecSet::new();
            let mut next = Some(start);
            while let Some(current) = next.filter(|current| !acyclic.contains(current)) {
                if !on_path.insert(current) {
                    // Loaded turns have no cycle, so a new one closes it: the oldest, which should be the root.
                    let cycle = path.iter().rev().take_while(|id| **id != current).chain([&current]);
                    let closing =
                        cycle.into_iter().filter(|id| self.rows.turns.contains_key(id)).min().copied();
                    if let Some(closing) = closing {
                        self.rows.turns.remove(&closing);
                        self.damaged.push(format!("turns: {closing} goes back to itself"));
                    }
                    break;
                }
                path.push(current);
                let row = self.rows.turns.get(&current).or_else(|| world.turn(&current));
                next = row.and_then(|row| row.parent);
            }
            acyclic.extend(path);
        }
        self
    }
}

/// The stored rows that an engine starts with, as key and JSON: agents, providers, settings, and the index row of every
/// session. A new device has none and needs no parser.
#[derive(Default)]
pub struct StoredRows([Vec<StoredRow>; 4]);

impl StoredRows {
    pub(crate) async fn of(store: &dyn Store) -> Result<Self, StoreError> {
        let mut stored = Self::default();
        let tables = [Table::Agents, Table::Providers, Table::Settings, Table::Sessions];
        for (rows, table) in stored.0.iter_mut().zip(tables) {
            *rows = store.scan(table, String::new()).await?;
        }
        Ok(stored)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(Vec::is_empty)
    }

    /// Parses the readable rows.
    pub fn read(self) -> LoadedRows {
        let mut loaded = LoadedRows::default();
        let [agents, providers, settings, sessions] = self.0;
        for (key, agent) in rows_of(Table::Agents, agents, &mut loaded.damaged) {
            loaded.rows.agents.insert(key.as_str().into(), Arc::new(agent));
        }
        for (key, provider) in rows_of(Table::Providers, providers, &mut loaded.damaged) {
            loaded.rows.providers.insert(key.as_str().into(), Arc::new(provider));
        }
        for (key, value) in rows_of(Table::Settings, settings, &mut loaded.damaged) {
            if is_damaged_trigger(&key, &value) {
                loaded.damaged.push(format!("settings: {key} is not a trigger"));
            }
            loaded.rows.settings.insert(key, Arc::new(value));
        }
        for (_, session) in rows_of::<Session>(Table::Sessions, sessions, &mut loaded.damaged) {
            loaded.rows.sessions.insert(session.id, Arc::new(session.upcast()));
        }
        loaded
    }
}

pub(crate) struct RowLoader {
    pub(crate) store: Rc<dyn Store>,
}

impl RowLoader {
    /// Agents, providers, settings, and the index row of every session.
    pub(crate) async fn app(&self) -> Result<LoadedRows, StoreError> {
        Ok(StoredRows::of(&*self.store).await?.read())
    }

    /// A session: its row, mind, newest run, queued messages, and `turns` turns back from its head.
    pub(crate) async fn session(&self, id: SessionId, turns: usize) -> Result<LoadedRows, StoreError> {
        let mut loaded = LoadedRows::default();
        let Some(session) = self.one::<Session>(Table::Sessions, id.to_string(), &mut loaded.damaged).await?
        else {
            return Ok(loaded);
        };
        let session = session.upcast();
        for (key, item) in self.table::<QueueItem>(Table::Queue, &mut loaded.damaged).await? {
            if item.state != QueueState::Waiting {
                loaded.obsolete.push((Table::Queue, key));
            } else if item.session == id {
                loaded.rows.queue.insert(item.id, Arc::new(item));
            }
        }
        let mut wanted = MissingRows::default();
        wanted.blobs.extend(
            loaded.rows.queue.values().flat_map(|item| blobs_of(&item.attachments)).map(|(hash, _)| *hash),
        );
        let reports = loaded.rows.queue.values().filter_map(|item| item.report.as_ref());
        wanted.runs.extend(reports.filter_map(|report| report.follows));
        for open in &session.workers {
            wanted.tool_runs.insert(open.tool_run);
            wanted.runs.extend(open.run);
        }
        if let Some(delegation) = &session.delegation {
            wanted.minds.insert(delegation.base);
            wanted.runs.extend(delegation.run);
        }
        wanted.messages.extend(session.unanswered.iter().copied());
        wanted.minds.insert(session.mind);
        wanted
            .minds
            .extend(session.core.minds().chain(session.jobs.open.iter().filter_map(Job::mind)).copied());
        wanted.runs.extend(session.run);
        wanted.compaction = session.archivist.compacting;
        wanted.minds.extend(session.reviewed);
        wanted.minds.extend(session.fork_base.as_ref().map(|began| began.mind));
        let of_core = session.core_changes_at(session.head);
        wanted
            .minds
            .extend(of_core.iter().chain(&session.core_steps).flat_map(|(before, after)| [*before, *after]));
        // An open turn is not the head yet.
        let mut chain = self.open_turns(&session, &mut loaded).await?;
        chain.extend(self.chain(session.head, turns, &mut loaded).await?);
        loaded.rows.sessions.insert(id, Arc::new(session));
        self.bodies(chain, wanted, loaded).await
    }

    pub(crate) async fn memories(&self) -> Result<LoadedRows, StoreError> {
        let mut loaded = LoadedRows::default();
        for (_, memory) in self.table::<Memory>(Table::Memories, &mut loaded.damaged).await? {
            loaded.rows.memories.insert(memory.id, Arc::new(memory));
        }
        Ok(loaded)
    }

    /// `count` turns from `turn` back, with their bodies.
    pub(crate) async fn turns(&self, turn: Option<TurnId>, count: usize) -> Result<LoadedRows, StoreError> {
        let mut loaded = LoadedRows::default();
        let chain = self.chain(turn, count, &mut loaded).await?;
        self.bodies(chain, MissingRows::default(), loaded).await
    }

    /// Like [`turns`](Self::turns), with only the changes of the mind: minds, and tool runs with their minds.
    pub(crate) async fn steps(&self, turn: TurnId, count: usize) -> Result<LoadedRows, StoreError> {
        let mut loaded = LoadedRows::default();
        let chain = self.chain(Some(turn), count, &mut loaded).await?;
        let mut wanted = MissingRows::default();
        for turn in &chain {
            wanted.tool_runs.extend(&turn.tool_runs);
            wanted.minds.insert(turn.mind_before);
            wanted.minds.extend(turn.mind_after);
            wanted.minds.extend(turn.minds_of_core());
        }
        let mut loaded = self.bodies(Vec::new(), wanted, loaded).await?;
        loaded.rows.turns.extend(chain.into_iter().map(|turn| (turn.id, Arc::new(turn))));
        Ok(loaded)
    }

    async fn open_turns(&self, session: &Session, loaded: &mut LoadedRows) -> Result<Vec<Turn>, StoreError> {
        let run: Option<nexus_model::run::Run> = match session.run {
            Some(run) => self.one(Table::Runs, run.to_string(), &mut loaded.damaged).await?,
            None => None,
        };
        let mut open = Vec::new();
        for id in session
            .archivist
            .compacting
            .iter()
            .chain(run.iter().flat_map(|run| &run.nodes).filter_map(|node| node.turn.as_ref()))
        {
            let turn: Option<Turn> = self.one(Table::Turns, id.to_string(), &mut loaded.damaged).await?;
            open.extend(turn.filter(|turn| turn.phase.is_open()));
        }
        Ok(open)
    }

    async fn chain(
        &self,
        head: Option<TurnId>,
        most: usize,
        loaded: &mut LoadedRows,
    ) -> Result<Vec<Turn>, StoreError> {
        let mut chain: Vec<Turn> = Vec::new();
        let Some(head) = head else { return Ok(chain) };
        for (key, json) in self.store.turns_back(head, most).await? {
            // The ancestors of an unreadable turn are unknown.
            let Some(turn) = readable((Table::Turns, &key), &json, &mut loaded.damaged) else {
                return Ok(chain);
            };
            chain.push(turn);
        }
        let missing = chain.last().map_or(Some(head), |oldest| oldest.parent);
        if let Some(missing) = missing.filter(|_| chain.len() < most) {
            loaded.damaged.push(format!("turns: {missing} is not there"));
        }
        Ok(chain)
    }

    pub(crate) async fn index(&self, id: SessionId) -> Result<LoadedRows, StoreError> {
        let mut loaded = LoadedRows::default();
        let row = self.one::<Session>(Table::Sessions, id.to_string(), &mut loaded.damaged).await?;
        loaded.rows.sessions.extend(row.map(|row| (id, Arc::new(row.upcast()))));
        Ok(loaded)
    }

    pub(crate) async fn thread(&self, turn: TurnId) -> Result<LoadedRows, StoreError> {
        let mut loaded = LoadedRows::default();
        let row = self.one::<Thread>(Table::Threads, turn.to_string(), &mut loaded.damaged).await?;
        loaded.rows.threads.extend(row.map(|row| (turn, Arc::new(row))));
        Ok(loaded)
    }

    /// The rows whose absence prevented a merge; `None` if they do not exist, or the reason is another one.
    pub(crate) async fn missing_of_merge(
        &self,
        error: &MergeError,
    ) -> Result<Option<LoadedRows>, StoreError> {
        let loaded = match error {
            MergeError::Stuck(WalkError::Missing(turn)) => self.thread(*turn).await?,
            MergeError::Turn(turn) => self.turns(Some(*turn), 1).await?,
            MergeError::Mind(mind) => self.mind_and_messages(mind, &[]).await?,
            MergeError::Stuck(WalkError::Broken(_)) | MergeError::Rejected(_) => return Ok(None),
        };
        Ok(Some(loaded).filter(|loaded| !loaded.rows.is_empty()))
    }

    /// The rows of turns, without their bodies.
    pub(crate) async fn rows_of_turns(&self, turns: &VecSet<TurnId>) -> Result<Vec<Turn>, StoreError> {
        let rows = self.many::<TurnId, Turn>(Table::Turns, turns, &mut Vec::new()).await?;
        Ok(rows.into_iter().map(|(_, turn)| turn).collect())
    }

    /// A mind and messages alone.
    pub(crate) async fn mind_and_messages(
        &self,
        mind: &ContentHash,
        messages: &[MessageId],
    ) -> Result<LoadedRows, StoreError> {
        let mut wanted = MissingRows::default();
        wanted.minds.insert(*mind);
        wanted.messages.extend(messages.iter().copied());
        self.bodies(Vec::new(), wanted, LoadedRows::default()).await
    }

    async fn bodies(
        &self,
        turns: Vec<Turn>,
        mut wanted: MissingRows,
        mut loaded: LoadedRows,
    ) -> Result<LoadedRows, StoreError> {
        for turn in &turns {
            wanted.messages.extend(turn.query.iter().chain(&turn.answers).chain(&turn.messages));
            wanted.tool_runs.extend(&turn.tool_runs);
            wanted.runs.extend(turn.run);
            wanted.minds.extend([turn.mind_before, turn.mind_shown]);
            wanted.minds.extend(turn.mind_after);
            wanted.minds.extend(turn.minds_of_core());
            for call in &turn.calls {
                wanted.blobs.extend(call.recipe.texts().copied());
                wanted.minds.insert(call.recipe.mind);
            }
        }
        let damaged = &mut loaded.damaged;
        let rows = &mut loaded.rows;
        for (id, row) in self.many::<_, nexus_model::run::Run>(Table::Runs, &wanted.runs, damaged).await? {
            wanted.minds.insert(row.round_mind);
            rows.runs.insert(id, Arc::new(row));
        }
        for (id, row) in self.many::<_, Message>(Table::Messages, &wanted.messages, damaged).await? {
            wanted.blobs.extend(blobs_of(&row.parts).map(|(hash, _)| *hash));
            rows.messages.insert(id, Arc::new(row.upcast()));
        }
        for (id, row) in
            self.many::<_, nexus_model::tool::ToolRun>(Table::ToolRuns, &wanted.tool_runs, damaged).await?
        {
            if let Some((before, after)) = &row.minds {
                wanted.minds.extend([*before, *after]);
            }
            rows.tool_runs.insert(id, Arc::new(row));
        }
        let ids: VecSet<TurnId> = turns.iter().map(|turn| turn.id).collect();
        for (id, row) in self.many(Table::Threads, &ids, damaged).await? {
            rows.threads.insert(id, Arc::new(row));
        }
        let compactions = turns.iter().filter(|turn| turn.kind == TurnKind::Compaction).map(|turn| turn.id);
        let compactions: VecSet<TurnId> = compactions.chain(wanted.compaction).collect();
        for (id, row) in self.many(Table::Compactions, &compactions, damaged).await? {
            rows.compactions.insert(id, Arc::new(row));
        }
        let minds = delta::minds(&*self.store, &wanted.minds, damaged).await?;
        wanted.blobs.extend(minds.iter().flat_map(|(_, mind)| mind.files.values().copied()));
        let blobs = delta::texts(&*self.store, &wanted.blobs, damaged).await?;
        rows.minds.extend(minds.into_iter().map(|(hash, row)| (hash, Arc::new(read_mind(row, &blobs)))));
        rows.blobs.extend(blobs);
        rows.turns.extend(turns.into_iter().map(|turn| (turn.id, Arc::new(turn))));
        Ok(loaded)
    }

    async fn one<T: DeserializeOwned>(
        &self,
        table: Table,
        key: String,
        damaged: &mut Vec<String>,
    ) -> Result<Option<T>, StoreError> {
        let rows = self.store.get(table, vec![key.clone()]).await?;
        Ok(rows.into_iter().flatten().next().and_then(|json| readable((table, &key), &json, damaged)))
    }

    async fn many<K: Clone + Ord + ToString, T: DeserializeOwned>(
        &self,
        table: Table,
        ids: &VecSet<K>,
        damaged: &mut Vec<String>,
    ) -> Result<Vec<(K, T)>, StoreError> {
        let rows = self.store.get(table, ids.iter().map(ToString::to_string).collect()).await?;
        let read = ids.iter().zip(rows).filter_map(|(id, json)| {
            Some((id.clone(), readable((table, &id.to_string()), &json?, damaged)?))
        });
        Ok(read.collect())
    }

    async fn table<T: DeserializeOwned>(
        &self,
        table: Table,
        damaged: &mut Vec<String>,
    ) -> Result<Vec<(String, T)>, StoreError> {
        Ok(rows_of(table, self.store.scan(table, String::new()).await?, damaged))
    }
}

fn rows_of<T: DeserializeOwned>(
    table: Table,
    rows: Vec<StoredRow>,
    damaged: &mut Vec<String>,
) -> Vec<(String, T)> {
    let read = rows.into_iter().filter_map(|(key, json)| {
        let row = readable((table, &key), &json, damaged)?;
        Some((key, row))
    });
    read.collect()
}

fn readable<T: DeserializeOwned>(
    (table, key): (Table, &str),
    json: &str,
    damaged: &mut Vec<String>,
) -> Option<T> {
    match read(table, json) {
        Ok(row) => Some(row),
        Err(error) => {
            damaged.push(format!("{error} ({key})"));
            None
        }
    }
}

/// True if a row of a table could not be read.
pub(crate) fn is_damaged(damaged: &[String], table: Table) -> bool {
    damaged.iter().any(|row| row.split_once(':').is_some_and(|(name, _)| name == table.name()))
}

/// The notice about unreadable rows.
pub(crate) fn damaged_notice(damaged: &[String]) -> String {
    let named: Vec<_> = damaged.iter().take(DAMAGED_NAMED).map(String::as_str).collect();
    let more = match damaged.len().saturating_sub(named.len()) {
        0 => String::new(),
        more => format!("; … +{more}"),
    };
    format!(
        "{} stored records could not be read and were skipped; a newer version of Nexus may have written them. They are left unchanged: {}{more}",
        damaged.len(),
        named.join("; ")
    )
}

/// Ids of rows that are still to be read.
#[derive(Default)]
struct MissingRows {
    messages: VecSet<MessageId>,
    tool_runs: VecSet<ToolRunId>,
    runs: VecSet<RunId>,
    /// The running compaction, which may have no turn yet.
    compaction: Option<TurnId>,
    minds: VecSet<ContentHash>,
    blobs: VecSet<ContentHash>,
}
