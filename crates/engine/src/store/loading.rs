//! Loads stored rows into the world: at the start, a session with its newest turns, older turns on demand.
//!
//! An unreadable row is skipped and reported; the rest loads. A session without a readable head or mind accepts no
//! message, but can be continued elsewhere. Never writes; unreadable rows are not overwritten.

use crate::prelude::*;
use crate::store::{delta, read};
use nexus_model::decide::merge::MergeError;
use nexus_model::mind::blob::blobs_of;
use nexus_model::session::QueueState;
use nexus_model::session::trigger::is_damaged as is_damaged_trigger;
use nexus_model::turn::Thread;
use nexus_model::turn::tree::WalkError;
use serde::de::DeserializeOwned;

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
    /// Parses a row; reports it if it is unreadable.
    fn parse<T: DeserializeOwned>(&mut self, table: Table, key: &str, json: &str) -> Option<T> {
        read(table, json).map_err(|error| self.damaged.push(format!("{error} ({key})"))).ok()
    }

    fn read<T: DeserializeOwned>(&mut self, table: Table, rows: Vec<StoredRow>) -> Vec<(String, T)> {
        let read = |(key, json): StoredRow| self.parse(table, &key, &json).map(|row| (key, row));
        rows.into_iter().filter_map(read).collect()
    }

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
                    let closing = cycle.filter(|id| self.rows.turns.contains_key(id)).min().copied();
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
    pub(crate) async fn of(store: &dyn Store) -> StoreResult<Self> {
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

    pub fn read(self) -> LoadedRows {
        let mut loaded = LoadedRows::default();
        let [agents, providers, settings, sessions] = self.0;
        for (key, agent) in loaded.read(Table::Agents, agents) {
            loaded.rows.agents.insert(key.as_str().into(), Arc::new(agent));
        }
        for (key, provider) in loaded.read(Table::Providers, providers) {
            loaded.rows.providers.insert(key.as_str().into(), Arc::new(provider));
        }
        for (key, value) in loaded.read(Table::Settings, settings) {
            if is_damaged_trigger(&key, &value) {
                loaded.damaged.push(format!("settings: {key} is not a trigger"));
            }
            loaded.rows.settings.insert(key, Arc::new(value));
        }
        for (_, session) in loaded.read::<Session>(Table::Sessions, sessions) {
            loaded.rows.sessions.insert(session.id, Arc::new(session.upcast()));
        }
        loaded
    }
}

impl dyn Store + '_ {
    /// Agents, providers, settings, and the index row of every session.
    pub(crate) async fn load_app(&self) -> StoreResult<LoadedRows> {
        Ok(StoredRows::of(self).await?.read())
    }

    /// A session: its row, mind, newest run, queued messages, and `turns` turns back from its head.
    pub(crate) async fn load_session(&self, id: SessionId, turns: usize) -> StoreResult<LoadedRows> {
        let mut load = self.begin();
        let Some(session) = load.one::<Session>(Table::Sessions, id).await? else { return Ok(load.loaded) };
        let session = session.upcast();
        let (loaded, wanted) = (&mut load.loaded, &mut load.wanted);
        let queue = self.scan(Table::Queue, String::new()).await?;
        for (key, item) in loaded.read::<QueueItem>(Table::Queue, queue) {
            if item.state != QueueState::Waiting {
                loaded.obsolete.push((Table::Queue, key));
            } else if item.session == id {
                loaded.rows.queue.insert(item.id, Arc::new(item));
            }
        }
        let attached = loaded.rows.queue.values().flat_map(|item| blobs_of(&item.attachments));
        wanted.blobs.extend(attached.map(|(hash, _)| *hash));
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
        let of_jobs = session.jobs.open.iter().filter_map(Job::mind);
        wanted.minds.extend(session.core.minds().chain(of_jobs).copied());
        wanted.runs.extend(session.run);
        wanted.compaction = session.archivist.compacting;
        wanted.minds.extend(session.reviewed.into_iter().chain(session.review_start));
        wanted.minds.extend(session.fork_base.as_ref().map(|began| began.mind));
        let of_core = session.core_changes_at(session.head);
        let of_core = of_core.iter().chain(&session.core_steps);
        wanted.minds.extend(of_core.flat_map(|(before, after)| [*before, *after]));
        // An open turn is not the head yet.
        let mut chain = load.open_turns(&session).await?;
        chain.extend(load.chain(session.head, turns).await?);
        load.loaded.rows.sessions.insert(id, Arc::new(session));
        load.bodies(chain).await
    }

    pub(crate) async fn load_memories(&self) -> StoreResult<LoadedRows> {
        let mut loaded = LoadedRows::default();
        let memories = self.scan(Table::Memories, String::new()).await?;
        for (_, memory) in loaded.read::<Memory>(Table::Memories, memories) {
            loaded.rows.memories.insert(memory.id, Arc::new(memory));
        }
        Ok(loaded)
    }

    /// `count` turns from `turn` back, with their bodies.
    pub(crate) async fn load_turns(&self, turn: Option<TurnId>, count: usize) -> StoreResult<LoadedRows> {
        let mut load = self.begin();
        let chain = load.chain(turn, count).await?;
        load.bodies(chain).await
    }

    /// Like `load_turns`, with only the changes of the mind: minds, and tool runs with their minds.
    pub(crate) async fn load_steps(&self, turn: TurnId, count: usize) -> StoreResult<LoadedRows> {
        let mut load = self.begin();
        let chain = load.chain(Some(turn), count).await?;
        let wanted = &mut load.wanted;
        for turn in &chain {
            wanted.tool_runs.extend(&turn.tool_runs);
            wanted.minds.insert(turn.mind_before);
            wanted.minds.extend(turn.mind_after);
            wanted.minds.extend(turn.minds_of_core());
        }
        let mut loaded = load.bodies(Vec::new()).await?;
        loaded.rows.turns.extend(chain.into_iter().map(|turn| (turn.id, Arc::new(turn))));
        Ok(loaded)
    }

    pub(crate) async fn load_index(&self, id: SessionId) -> StoreResult<LoadedRows> {
        let mut load = self.begin();
        let row = load.one::<Session>(Table::Sessions, id).await?;
        load.loaded.rows.sessions.extend(row.map(|row| (id, Arc::new(row.upcast()))));
        Ok(load.loaded)
    }

    pub(crate) async fn load_thread(&self, turn: TurnId) -> StoreResult<LoadedRows> {
        let mut load = self.begin();
        let row = load.one::<Thread>(Table::Threads, turn).await?;
        load.loaded.rows.threads.extend(row.map(|row| (turn, Arc::new(row))));
        Ok(load.loaded)
    }

    /// The rows whose absence prevented a merge; `None` if they do not exist, or the reason is another one.
    pub(crate) async fn load_missing_of_merge(&self, error: &MergeError) -> StoreResult<Option<LoadedRows>> {
        let loaded = match error {
            MergeError::Stuck(WalkError::Missing(turn)) => self.load_thread(*turn).await?,
            MergeError::Turn(turn) => self.load_turns(Some(*turn), 1).await?,
            MergeError::Mind(mind) => self.load_mind(mind, &[]).await?,
            MergeError::Stuck(WalkError::Broken(_)) | MergeError::Rejected(_) => return Ok(None),
        };
        Ok(Some(loaded).filter(|loaded| !loaded.rows.is_empty()))
    }

    pub(crate) async fn load_mind(
        &self,
        mind: &ContentHash,
        messages: &[MessageId],
    ) -> StoreResult<LoadedRows> {
        let mut load = self.begin();
        load.wanted.minds.insert(*mind);
        load.wanted.messages.extend(messages.iter().copied());
        load.bodies(Vec::new()).await
    }

    fn begin(&self) -> RowLoad<'_> {
        RowLoad { store: self, loaded: LoadedRows::default(), wanted: MissingRows::default() }
    }
}

struct RowLoad<'s> {
    store: &'s dyn Store,
    loaded: LoadedRows,
    wanted: MissingRows,
}

impl RowLoad<'_> {
    async fn open_turns(&mut self, session: &Session) -> StoreResult<Vec<Turn>> {
        let run: Option<Run> = match session.run {
            Some(run) => self.one(Table::Runs, run).await?,
            None => None,
        };
        let mut open = Vec::new();
        let of_run = run.iter().flat_map(|run| &run.nodes).filter_map(|node| node.turn.as_ref());
        for id in session.archivist.compacting.iter().chain(of_run) {
            let turn: Option<Turn> = self.one(Table::Turns, id).await?;
            open.extend(turn.filter(|turn| turn.phase.is_open()));
        }
        Ok(open)
    }

    async fn chain(&mut self, head: Option<TurnId>, most: usize) -> StoreResult<Vec<Turn>> {
        let mut chain: Vec<Turn> = Vec::new();
        let Some(head) = head else { return Ok(chain) };
        for (key, json) in self.store.turns_back(head, most).await? {
            // The ancestors of an unreadable turn are unknown.
            let Some(turn) = self.loaded.parse(Table::Turns, &key, &json) else { return Ok(chain) };
            chain.push(turn);
        }
        let missing = chain.last().map_or(Some(head), |oldest| oldest.parent);
        if let Some(missing) = missing.filter(|_| chain.len() < most) {
            self.loaded.damaged.push(format!("turns: {missing} is not there"));
        }
        Ok(chain)
    }

    /// Loads what is wanted, and what the turns refer to.
    async fn bodies(mut self, turns: Vec<Turn>) -> StoreResult<LoadedRows> {
        let mut wanted = std::mem::take(&mut self.wanted);
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
        for (id, row) in self.many::<_, Run>(Table::Runs, &wanted.runs).await? {
            wanted.minds.insert(row.round_mind);
            self.loaded.rows.runs.insert(id, Arc::new(row));
        }
        for (id, row) in self.many::<_, Arc<Message>>(Table::Messages, &wanted.messages).await? {
            wanted.blobs.extend(blobs_of(&row.parts).map(|(hash, _)| *hash));
            self.loaded.rows.messages.insert(id, Message::upcast(row));
        }
        for (id, row) in self.many::<_, ToolRun>(Table::ToolRuns, &wanted.tool_runs).await? {
            wanted.minds.extend(row.minds.iter().flat_map(|(before, after)| [*before, *after]));
            self.loaded.rows.tool_runs.insert(id, Arc::new(row));
        }
        let ids: VecSet<TurnId> = turns.iter().map(|turn| turn.id).collect();
        for (id, row) in self.many(Table::Threads, &ids).await? {
            self.loaded.rows.threads.insert(id, Arc::new(row));
        }
        let compactions = turns.iter().filter(|turn| turn.kind == TurnKind::Compaction).map(|turn| turn.id);
        let compactions: VecSet<TurnId> = compactions.chain(wanted.compaction).collect();
        for (id, row) in self.many(Table::Compactions, &compactions).await? {
            self.loaded.rows.compactions.insert(id, Arc::new(row));
        }
        let LoadedRows { rows, damaged, .. } = &mut self.loaded;
        let minds = delta::minds(self.store, &wanted.minds, damaged).await?;
        wanted.blobs.extend(minds.iter().flat_map(|(_, mind)| mind.files.values().copied()));
        let blobs = delta::texts(self.store, &wanted.blobs, damaged).await?;
        let mind = |row| Arc::new(Mind::of_row(row, |hash| blobs.get(hash).cloned()));
        rows.minds.extend(minds.into_iter().map(|(hash, row)| (hash, mind(row))));
        rows.blobs.extend(blobs);
        rows.turns.extend(turns.into_iter().map(|turn| (turn.id, Arc::new(turn))));
        Ok(self.loaded)
    }

    async fn one<T: DeserializeOwned>(&mut self, table: Table, key: impl ToString) -> StoreResult<Option<T>> {
        let key = key.to_string();
        let json = self.store.row_text(table, &key).await?;
        Ok(json.and_then(|json| self.loaded.parse(table, &key, &json)))
    }

    async fn many<K: Clone + Ord + ToString, T: DeserializeOwned>(
        &mut self,
        table: Table,
        ids: &VecSet<K>,
    ) -> StoreResult<Vec<(K, T)>> {
        let rows = self.store.get(table, ids.iter().map(ToString::to_string).collect()).await?;
        let read = ids
            .iter()
            .zip(rows)
            .filter_map(|(id, json)| Some((id.clone(), self.loaded.parse(table, &id.to_string(), &json?)?)));
        Ok(read.collect())
    }
}

pub(crate) fn is_damaged(damaged: &[String], table: Table) -> bool {
    damaged.iter().any(|row| row.split_once(':').is_some_and(|(name, _)| name == table.name()))
}

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
