//! Imports a checked dump: writes its events, with new ids where needed, and folds their rows.
//!
//! Never leaves half an import: sessions become visible with the last transaction. A failed import is rolled back at
//! once or, by a stored note, on the next visit.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::backup::plan::{ImportAction, ImportError, ImportPlan, PlannedSession, each_piece};
use crate::port::{Batch, ByteSource, DeviceStorage, EventRow, Store, StoreError, StoredRow, Table};
use crate::store;
use crate::store::delta::{DeltaStore, PackedRows};
use crate::store::drafts::row_key;
use crate::store::ledger::WorldRef;
use crate::store::{each_event, rows_made};
use nexus_model::dump::check::{DumpedEvent, made, read_draft, read_event, read_partial};
use nexus_model::dump::copy::IdMap;
use nexus_model::dump::reader::DumpItem;
use nexus_model::dump::{DRAFTS, DumpError, EVENTS, PARTIALS, SessionHash};
use nexus_model::event::{EVENT_VERSION, Event, EventKind, SessionChange};
use nexus_model::fold::fold;
use nexus_model::id::{MessageId, Millis, SessionId, StreamId, TurnId};
use nexus_model::limits::{IMPORT_BYTES, IMPORT_ROWS};
use nexus_model::session::draft::Draft;
use nexus_model::turn::Thread;
use nexus_model::turn::tree::add_threads;
use nexus_model::world::World;
use nexus_text::json;
use nexus_text::vec_map::{VecMap, VecSet};

/// What was taken in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportResult {
    /// The sessions, under the ids that they have here, in order.
    pub sessions: Vec<SessionId>,
    pub events: u64,
}

/// What a later visit finds of an import that did not end: the sessions that it had begun to write.
#[derive(Debug, Serialize, Deserialize)]
struct UnfinishedImport {
    sessions: Vec<SessionId>,
}

pub struct Importer<'i> {
    pub store: &'i dyn Store,
    pub device: &'i dyn DeviceStorage,
    pub world: &'i WorldRef,
    pub plan: &'i ImportPlan,
    pub mark: &'i str,
    pub told: &'i dyn Fn(u64),
}

/// What has been written so far and is to be shown at the end, or taken back.
#[derive(Default)]
struct ImportProgress {
    /// The session that is being read.
    open: Option<SessionImport>,
    /// The threads of the turns that came, each alone: sessions go on from each other in any order.
    threads: Vec<Thread>,
    /// The rows of the sessions: the last to be written.
    last: Vec<(Table, StoredRow)>,
    written: Vec<(Table, String)>,
    streams: Vec<StreamId>,
    taken: ImportResult,
    messages: VecSet<u128>,
    /// What was typed; it may stand before the events.
    drafts: Vec<Draft>,
}

struct SessionImport {
    coming: PlannedSession,
    stream: StreamId,
    hash: SessionHash,
    world: World,
    packing: DeltaStore,
    /// Minds and texts, in the form in which they are stored.
    contents: Vec<(Table, StoredRow)>,
    batch: Batch,
    bytes: usize,
    seq: u64,
    at: Millis,
}

impl Importer<'_> {
    pub async fn take(&self, source: &dyn ByteSource) -> Result<ImportResult, ImportError> {
        let coming = self.plan.sessions.iter().filter(|coming| coming.fate.comes());
        let sessions: Vec<_> = coming.map(|coming| self.id(coming)).collect();
        if sessions.is_empty() {
            return Ok(ImportResult::default());
        }
        let note = json::write(&UnfinishedImport { sessions })
            .map_err(|error| StoreError::Damaged(error.to_string()))?;
        self.device.note(Some(note)).await?;
        let mut work = ImportProgress::default();
        let written = self.write(source, &mut work).await;
        let outcome = match written {
            Ok(()) => Ok(work.taken),
            Err(error) => Err(match self.take_back(work).await {
                Ok(()) => error,
                Err(left) => return Err(ImportError::Left(left)),
            }),
        };
        // A note that stays is found out to be void: the sessions that it names are shown, or are not there.
        drop(self.device.note(None).await);
        outcome
    }

    fn id(&self, coming: &PlannedSession) -> SessionId {
        let id = coming.session.id;
        if coming.fate == ImportAction::Copy { self.plan.ids.session(id) } else { id }
    }

    async fn write(&self, source: &dyn ByteSource, work: &mut ImportProgress) -> Result<(), ImportError> {
        each_piece(source, async |piece| {
            if let DumpItem::Record(store, record) = piece {
                match store.as_str() {
                    EVENTS => self.event(read_event(&record)?, work).await?,
                    // What a later program writes there is no draft to this one.
                    DRAFTS => work.drafts.extend(read_draft(&record)),
                    PARTIALS => self.partial(&record, work).await?,
                    _ => {}
                }
            }
            Ok(())
        })
        .await?;
        self.close(work).await?;
        self.threads(work).await?;
        self.drafts(work).await?;
        let all = self.plan.sessions.iter().filter(|coming| coming.fate.comes()).count();
        if work.taken.sessions.len() != all {
            return Err(ImportError::Changed);
        }
        let puts = std::mem::take(&mut work.last);
        Ok(self.store.write(Batch { puts, strict: true, ..Batch::default() }).await?)
    }

    async fn event(&self, dumped: DumpedEvent, work: &mut ImportProgress) -> Result<(), ImportError> {
        let DumpedEvent { tree, event, .. } = dumped;
        let Some(session) = event.stream.session() else { return Ok(()) };
        if work.open.as_ref().is_none_or(|open| open.coming.session.id != session) {
            self.close(work).await?;
            let coming = self.plan.fate(&session).ok_or(ImportError::Changed)?;
            if !coming.fate.comes() {
                return Ok(());
            }
            work.open = Some(self.open(coming));
        }
        let Some(open) = &mut work.open else { return Ok(()) };
        open.hash.take(&tree);
        let (tree, event) = if open.coming.fate == ImportAction::Copy {
            renamed(&self.plan.ids, tree)?
        } else {
            (tree, event)
        };
        if let Some(EventKind::MessageCommitted { .. } | EventKind::ToolEnded { .. }) = event.happening()
            && let Some((_, id)) = event.happening().and_then(made)
        {
            work.messages.insert(id);
        }
        if open.seq == 0 {
            work.streams.push(event.stream);
        }
        open.add(tree.to_string(), &event);
        if open.is_full() {
            self.store.write(std::mem::take(&mut open.batch)).await?;
            open.bytes = 0;
        }
        work.taken.events = work.taken.events.saturating_add(1);
        (self.told)(work.taken.events);
        Ok(())
    }

    /// The threads that are here of turns that the sessions go back to.
    async fn load_outside(&self) -> Result<VecMap<TurnId, Thread>, StoreError> {
        let coming = self.plan.sessions.iter().filter(|coming| coming.fate.comes());
        let outside = coming.flat_map(|coming| &coming.session.outside);
        let mut next: Vec<_> = outside.map(|turn| TurnId::from(self.plan.ids.of(turn.bits()))).collect();
        let mut here = VecMap::new();
        while let Some(turn) = next.pop() {
            if here.contains_key(&turn) {
                continue;
            }
            let row = store::row_text(self.store, Table::Threads, turn).await?;
            if let Some(row) = row.and_then(|row| json::read::<Thread>(&row).ok()) {
                next.extend(row.skip);
                here.insert(turn, row);
            }
        }
        Ok(here)
    }

    /// Writes the threads of the turns that came. Those that are here learn of what goes on from them when all has come.
    async fn threads(&self, work: &mut ImportProgress) -> Result<(), StoreError> {
        let here = self.load_outside().await?;
        let mut threads = here.clone();
        add_threads(&mut threads, std::mem::take(&mut work.threads));
        threads.retain(|turn, row| here.get(turn) != Some(row));
        let threads = threads.into_iter().map(|(turn, row)| (turn, Arc::new(row))).collect();
        let rows = store::to_store(&World { threads, ..World::default() });
        let is_here =
            |row: &(Table, StoredRow)| row.1.0.parse().is_ok_and(|turn: TurnId| here.contains_key(&turn));
        let (mut grown, puts) = rows.into_iter().partition(is_here);
        work.last.append(&mut grown);
        self.put_all(puts, work).await
    }

    fn open(&self, coming: &PlannedSession) -> SessionImport {
        // Flags of agents are folded by the agents that there were.
        let mut world = World { agents: self.world.borrow().agents.clone(), ..World::default() };
        world.agents.extend(self.plan.found.device.agents.clone());
        SessionImport {
            coming: coming.clone(),
            stream: StreamId::Session(self.id(coming)),
            hash: SessionHash::default(),
            world,
            packing: DeltaStore::default(),
            contents: Vec::new(),
            batch: Batch::default(),
            bytes: 0,
            seq: 0,
            at: Millis(0),
        }
    }

    /// The session that was being read is over: its rows follow its events.
    async fn close(&self, work: &mut ImportProgress) -> Result<(), ImportError> {
        let Some(mut open) = work.open.take() else { return Ok(()) };
        let hash = std::mem::take(&mut open.hash);
        if hash.done() != open.coming.session.hash {
            return Err(ImportError::Changed);
        }
        if open.coming.fate == ImportAction::Copy {
            open.name(self.mark)?;
        }
        self.store.write(std::mem::take(&mut open.batch)).await?;
        let SessionImport { mut world, stream, mut contents, .. } = open;
        world.agents = World::default().agents;
        world.threads = World::default().threads;
        work.threads.extend(world.turns.values().map(|turn| Thread::alone(turn)));
        let (mut last, mut puts): (Vec<_>, Vec<_>) =
            store::to_store(&world).into_iter().partition(|(table, _)| *table == Table::Sessions);
        work.last.append(&mut last);
        self.leave_known(&mut contents).await?;
        puts.append(&mut contents);
        self.put_all(puts, work).await?;
        work.taken.sessions.extend(stream.session());
        Ok(())
    }

    /// Writes rows in transactions of bounded size.
    async fn put_all(
        &self,
        mut puts: Vec<(Table, StoredRow)>,
        work: &mut ImportProgress,
    ) -> Result<(), StoreError> {
        while !puts.is_empty() {
            let rest = puts.split_off(batch_end(&puts));
            let batch = Batch { puts: std::mem::replace(&mut puts, rest), ..Batch::default() };
            let keys = batch.puts.iter().map(|(table, (key, _))| (*table, key.clone()));
            work.written.extend(keys);
            self.store.write(batch).await?;
        }
        Ok(())
    }

    /// Leaves out contents that are here already: they are the same, and would be missed if they were taken back.
    async fn leave_known(&self, puts: &mut Vec<(Table, StoredRow)>) -> Result<(), StoreError> {
        for table in [Table::Minds, Table::Blobs] {
            let of_table = puts.iter().filter(|(other, _)| *other == table);
            let keys: Vec<_> = of_table.map(|(_, (key, _))| key.clone()).collect();
            for keys in keys.chunks(IMPORT_ROWS) {
                let rows = self.store.get(table, keys.to_vec()).await?;
                let known: VecSet<&String> =
                    keys.iter().zip(rows).filter_map(|(key, row)| row.map(|_| key)).collect();
                puts.retain(|(other, (key, _))| *other != table || !known.contains(key));
            }
        }
        Ok(())
    }

    /// What was typed into sessions that came.
    async fn drafts(&self, work: &mut ImportProgress) -> Result<(), ImportError> {
        for mut draft in std::mem::take(&mut work.drafts) {
            draft.session = self.plan.ids.session(draft.session);
            if work.taken.sessions.contains(&draft.session)
                && let Ok(json) = json::write(&draft)
            {
                self.put(Table::Drafts, row_key(draft.session, &draft.field), json, work).await?;
            }
        }
        Ok(())
    }

    async fn partial(&self, record: &str, work: &mut ImportProgress) -> Result<(), ImportError> {
        let Some((message, number, value)) = read_partial(record) else { return Ok(()) };
        self.close(work).await?;
        let message = self.plan.ids.of(message.bits());
        if work.messages.contains(&message) {
            let key = format!("{}/{number}", MessageId::from(message));
            self.put(Table::Partials, key, value.to_string(), work).await?;
        }
        Ok(())
    }

    async fn put(
        &self,
        table: Table,
        key: String,
        json: String,
        work: &mut ImportProgress,
    ) -> Result<(), StoreError> {
        work.written.push((table, key.clone()));
        self.store.write(Batch { puts: vec![(table, (key, json))], ..Batch::default() }).await
    }

    async fn take_back(&self, work: ImportProgress) -> Result<(), StoreError> {
        for removes in work.written.chunks(IMPORT_ROWS) {
            self.store.write(Batch { removes: removes.to_vec(), ..Batch::default() }).await?;
        }
        self.store.write(Batch { forgets: work.streams, strict: true, ..Batch::default() }).await
    }
}

impl SessionImport {
    fn add(&mut self, json: String, event: &Event) {
        self.seq = event.seq;
        self.at = event.at;
        self.bytes = self.bytes.saturating_add(json.len());
        let row = EventRow { stream: self.stream, seq: event.seq, topic: event.topic(), json };
        self.batch.events.push(row);
        let rows = fold(&self.world, std::slice::from_ref(event));
        let PackedRows { rows: contents, links } =
            self.packing.rows(&self.world, &rows, std::slice::from_ref(event));
        self.packing.stored(links);
        self.contents.extend(contents);
        self.world.absorb(rows);
    }

    fn is_full(&self) -> bool {
        self.batch.events.len() >= IMPORT_ROWS || self.bytes >= IMPORT_BYTES
    }

    /// Says in its name that it is a copy. The time is that of its last event, so that the same copy is the same.
    fn name(&mut self, mark: &str) -> Result<(), StoreError> {
        let label = format!("{} {mark}", self.coming.session.label).trim_start().to_owned();
        let what = EventKind::SessionChanged { change: SessionChange::Labelled(label) };
        let (stream, seq, at) = (self.stream, self.seq.saturating_add(1), self.at);
        let event = Event { v: EVENT_VERSION, stream, seq, at, run: None, turn: None, kind: what.into() };
        let json = EventRow::of(&event)?.json;
        self.add(json, &event);
        Ok(())
    }
}

/// An event under new ids.
fn renamed(ids: &IdMap, tree: Value) -> Result<(Value, Event), ImportError> {
    let tree = ids.change(tree);
    let event = json::from_tree(&tree).map_err(|error| DumpError::NotJson(error.to_string()))?;
    Ok((tree, event))
}

/// Where a transaction of bounded size ends.
fn batch_end(puts: &[(Table, StoredRow)]) -> usize {
    let mut bytes = 0usize;
    let fits = puts.iter().take(IMPORT_ROWS).take_while(|(_, (_, json))| {
        bytes = bytes.saturating_add(json.len());
        bytes <= IMPORT_BYTES
    });
    fits.count().max(1).min(puts.len())
}

/// Takes back what an import left behind that did not end. Contents that nothing names may stay: they are never shown.
pub(super) async fn clean(store: &dyn Store, device: &dyn DeviceStorage) -> Result<(), StoreError> {
    let Some(note) = device.noted().await? else { return Ok(()) };
    let begun: Option<UnfinishedImport> = json::read(&note).ok();
    for session in begun.into_iter().flat_map(|begun| begun.sessions) {
        if store::row_text(store, Table::Sessions, session).await?.is_some() {
            continue;
        }
        let mut made: Vec<(Table, String)> = Vec::new();
        let mut note = |json: &str| {
            let event = json::read::<Event>(json).ok();
            made.extend(event.iter().filter_map(Event::happening).flat_map(rows_made));
        };
        each_event(store, StreamId::Session(session), &mut note).await?;
        for removes in made.chunks(IMPORT_ROWS) {
            store.write(Batch { removes: removes.to_vec(), ..Batch::default() }).await?;
        }
        let removes = vec![(Table::Drafts, format!("{session}/"))];
        let forgets = vec![StreamId::Session(session)];
        store.write(Batch { removes, forgets, strict: true, ..Batch::default() }).await?;
    }
    device.note(None).await
}
