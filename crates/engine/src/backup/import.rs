//! Imports a checked dump: writes its events, with new ids where needed, and folds their rows.
//!
//! Never leaves an import incomplete: sessions become visible with the last transaction. A failed import is rolled back
//! at once or, by a stored note, on the next visit.

use crate::backup::plan::{ImportAction, ImportError, ImportPlan, PlannedSession, each_piece};
use crate::port::{DeviceStorage, EventRow};
use crate::prelude::*;
use crate::store;
use crate::store::delta::{DeltaStore, PackedRows};
use crate::store::ledger::WorldRef;
use crate::store::partials::row_key;
use crate::store::rows_made;
use nexus_model::dump::check::{DumpedEvent, IdKind, assigned_id, read_draft, read_event, read_partial};
use nexus_model::dump::reader::DumpItem;
use nexus_model::dump::{DRAFTS, DumpError, EVENTS, PARTIALS, SessionHash, without_allowed_tools};
use nexus_model::event::EVENT_VERSION;
use nexus_model::fold::fold;
use nexus_model::limits::{IMPORT_BYTES, IMPORT_ROWS};
use nexus_model::session::{Draft, DraftField};
use nexus_model::turn::Thread;
use nexus_model::turn::tree::add_threads;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportResult {
    /// The imported sessions in order, under their ids on this device.
    pub sessions: Vec<SessionId>,
    pub events: u64,
    pub shown: Option<SessionId>,
}

/// Note of an unfinished import, for the next visit: the sessions being written.
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
    pub on_progress: &'i dyn Fn(u64),
    pub written: ImportedData,
}

/// What was written so far: published at the end or rolled back.
#[derive(Default)]
pub struct ImportedData {
    open: Option<SessionImport>,
    /// Threads of the imported turns, not linked yet: sessions may continue one another in any order.
    threads: Vec<Thread>,
    /// Rows of the sessions, written last.
    last: Vec<(Table, StoredRow)>,
    rows: Vec<(Table, String)>,
    streams: Vec<StreamId>,
    result: ImportResult,
    messages: VecSet<u128>,
    /// Drafts; the dump may contain them before the events.
    drafts: Vec<Draft>,
}

struct SessionImport {
    planned: PlannedSession,
    stream: StreamId,
    hash: SessionHash,
    world: World,
    deltas: DeltaStore,
    /// Minds and blobs in stored form.
    contents: Vec<(Table, StoredRow)>,
    batch: Batch,
    bytes: usize,
    seq: u64,
    at: Millis,
}

impl Importer<'_> {
    pub async fn import(mut self, source: &dyn ByteSource) -> Result<ImportResult, ImportError> {
        let sessions: Vec<_> = self.plan.written().map(|planned| self.plan.id_here(planned)).collect();
        if sessions.is_empty() {
            return Ok(ImportResult::default());
        }
        let note = json::write(&UnfinishedImport { sessions })
            .map_err(|error| StoreError::Damaged(error.to_string()))?;
        self.device.set_note(Some(note)).await?;
        let outcome = self.write(source).await;
        if outcome.is_err() {
            self.roll_back().await.map_err(ImportError::NotRolledBack)?;
        }
        // A note that stays does no harm: the next visit finds its sessions complete or absent.
        drop(self.device.set_note(None).await);
        outcome.map(|()| self.written.result)
    }

    async fn write(&mut self, source: &dyn ByteSource) -> Result<(), ImportError> {
        each_piece(source, async |piece| {
            if let DumpItem::Record(store, record) = piece {
                match store.as_str() {
                    EVENTS => self.event(read_event(&record)?).await?,
                    // A draft in the format of a newer version is skipped.
                    DRAFTS => self.written.drafts.extend(read_draft(&record)),
                    PARTIALS => self.partial(&record).await?,
                    _ => {}
                }
            }
            Ok(())
        })
        .await?;
        self.close().await?;
        self.threads().await?;
        self.drafts().await?;
        if self.written.result.sessions.len() != self.plan.written().count() {
            return Err(ImportError::Changed);
        }
        let puts = std::mem::take(&mut self.written.last);
        Ok(self.store.write(Batch { puts, strict: true, ..Batch::default() }).await?)
    }

    async fn event(&mut self, dumped: DumpedEvent) -> Result<(), ImportError> {
        let DumpedEvent { mut tree, event, .. } = dumped;
        let Some(session) = event.stream.session() else { return Ok(()) };
        if self.written.open.as_ref().is_none_or(|open| open.planned.session.id != session) {
            self.close().await?;
            let mut planned = self.plan.sessions.iter();
            let planned =
                planned.find(|planned| planned.session.id == session).ok_or(ImportError::Changed)?;
            if !planned.action.is_written() {
                return Ok(());
            }
            self.written.open = Some(self.open(planned));
        }
        let Some(open) = &mut self.written.open else { return Ok(()) };
        open.hash.take(&tree);
        without_allowed_tools(&mut tree);
        if open.planned.action == ImportAction::Copy {
            tree = self.plan.ids.change(tree);
        }
        let event: Event = json::from_tree(&tree).map_err(|error| DumpError::NotJson(error.to_string()))?;
        if let Some((IdKind::Message, id)) = event.known_kind().and_then(assigned_id) {
            self.written.messages.insert(id);
        }
        if open.seq == 0 {
            self.written.streams.push(event.stream);
        }
        open.add(tree.to_string(), &event);
        if open.is_full() {
            self.store.write(std::mem::take(&mut open.batch)).await?;
            open.bytes = 0;
        }
        self.written.result.events = self.written.result.events.saturating_add(1);
        (self.on_progress)(self.written.result.events);
        Ok(())
    }

    /// Threads on this device of the turns that the imported sessions continue.
    async fn load_outside(&self) -> StoreResult<VecMap<TurnId, Thread>> {
        let outside = self.plan.written().flat_map(|planned| &planned.session.outside);
        let mut next: Vec<_> = outside.map(|turn| TurnId::from(self.plan.ids.of(turn.bits()))).collect();
        let mut existing = VecMap::new();
        while let Some(turn) = next.pop() {
            if existing.contains_key(&turn) {
                continue;
            }
            if let Some(row) = self.store.row::<Thread>(Table::Threads, turn).await? {
                next.extend(row.skip);
                existing.insert(turn, row);
            }
        }
        Ok(existing)
    }

    /// Writes the threads of the imported turns. Existing threads are updated in the last transaction.
    async fn threads(&mut self) -> StoreResult {
        let existing = self.load_outside().await?;
        let mut threads = existing.clone();
        add_threads(&mut threads, std::mem::take(&mut self.written.threads));
        threads.retain(|turn, row| existing.get(turn) != Some(row));
        let threads = threads.into_iter().map(|(turn, row)| (turn, Arc::new(row))).collect();
        let rows = store::to_store(&World { threads, ..World::default() });
        let exists =
            |row: &(Table, StoredRow)| row.1.0.parse().is_ok_and(|turn: TurnId| existing.contains_key(&turn));
        let (mut updated, puts) = rows.into_iter().partition(exists);
        self.written.last.append(&mut updated);
        self.put_all(puts).await
    }

    fn open(&self, planned: &PlannedSession) -> SessionImport {
        // Folding flags of agents needs the agents: those of this device and those of the dump.
        let mut world = World { agents: self.world.borrow().agents.clone(), ..World::default() };
        world.agents.extend(self.plan.found.device.agents.clone());
        SessionImport {
            planned: planned.clone(),
            stream: StreamId::Session(self.plan.id_here(planned)),
            hash: SessionHash::default(),
            world,
            deltas: DeltaStore::default(),
            contents: Vec::new(),
            batch: Batch::default(),
            bytes: 0,
            seq: 0,
            at: Millis(0),
        }
    }

    /// Finishes the session being read: writes its rows after its events.
    async fn close(&mut self) -> Result<(), ImportError> {
        let Some(mut open) = self.written.open.take() else { return Ok(()) };
        let hash = std::mem::take(&mut open.hash);
        if hash.done() != open.planned.session.hash {
            return Err(ImportError::Changed);
        }
        if open.planned.action == ImportAction::Copy {
            open.label_copy(self.mark)?;
        }
        self.store.write(std::mem::take(&mut open.batch)).await?;
        let SessionImport { mut world, stream, mut contents, .. } = open;
        world.agents = World::default().agents;
        world.threads = World::default().threads;
        self.written.threads.extend(world.turns.values().map(|turn| Thread::alone(turn)));
        let (mut last, mut puts): (Vec<_>, Vec<_>) =
            store::to_store(&world).into_iter().partition(|(table, _)| *table == Table::Sessions);
        self.written.last.append(&mut last);
        self.omit_existing(&mut contents).await?;
        puts.append(&mut contents);
        self.put_all(puts).await?;
        self.written.result.sessions.extend(stream.session());
        Ok(())
    }

    /// Writes rows in transactions of bounded size.
    async fn put_all(&mut self, mut puts: Vec<(Table, StoredRow)>) -> StoreResult {
        while !puts.is_empty() {
            let rest = puts.split_off(batch_end(&puts));
            let batch = Batch { puts: std::mem::replace(&mut puts, rest), ..Batch::default() };
            let keys = batch.puts.iter().map(|(table, (key, _))| (*table, key.clone()));
            self.written.rows.extend(keys);
            self.store.write(batch).await?;
        }
        Ok(())
    }

    /// Omits contents that exist already, so that a rollback does not delete them.
    async fn omit_existing(&self, puts: &mut Vec<(Table, StoredRow)>) -> StoreResult {
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

    async fn drafts(&mut self) -> Result<(), ImportError> {
        for mut draft in std::mem::take(&mut self.written.drafts) {
            let ids = &self.plan.ids;
            draft.session = ids.session(draft.session);
            if let DraftField::Edited(message) = &mut draft.field {
                *message = MessageId::from(ids.of(message.bits()));
            } else if let DraftField::Queued(item) = &mut draft.field {
                *item = QueueItemId::from(ids.of(item.bits()));
            }
            // Permissions are those of this device.
            if draft.field != DraftField::Overrides
                && self.written.result.sessions.contains(&draft.session)
                && let Ok(json) = json::write(&draft)
            {
                let row = (row_key(draft.session, &draft.field), json);
                self.put_all(vec![(Table::Drafts, row)]).await?;
            }
        }
        Ok(())
    }

    async fn partial(&mut self, record: &str) -> Result<(), ImportError> {
        let Some((message, number, value)) = read_partial(record) else { return Ok(()) };
        self.close().await?;
        let message = self.plan.ids.of(message.bits());
        if self.written.messages.contains(&message) {
            let key = format!("{}/{number}", MessageId::from(message));
            self.put_all(vec![(Table::Partials, (key, value.to_string()))]).await?;
        }
        Ok(())
    }

    async fn roll_back(&mut self) -> StoreResult {
        for removes in self.written.rows.chunks(IMPORT_ROWS) {
            self.store.write(Batch { removes: removes.to_vec(), ..Batch::default() }).await?;
        }
        let delete_streams = std::mem::take(&mut self.written.streams);
        self.store.write(Batch { delete_streams, strict: true, ..Batch::default() }).await
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
            self.deltas.rows(&self.world, &rows, std::slice::from_ref(event));
        self.deltas.stored(links);
        self.contents.extend(contents);
        self.world.absorb(rows);
    }

    fn is_full(&self) -> bool {
        self.batch.events.len() >= IMPORT_ROWS || self.bytes >= IMPORT_BYTES
    }

    /// Marks the label as that of a copy. Uses the time of the last event, so that a second import gives the same copy.
    fn label_copy(&mut self, mark: &str) -> StoreResult {
        let label = format!("{} {mark}", self.planned.session.name()).trim_start().to_owned();
        let kind = EventKind::SessionChanged { change: SessionChange::Labelled(label) };
        let (stream, seq, at) = (self.stream, self.seq.saturating_add(1), self.at);
        let event = Event { v: EVENT_VERSION, stream, seq, at, run: None, turn: None, kind: kind.into() };
        let json = EventRow::of(&event)?.json;
        self.add(json, &event);
        Ok(())
    }
}

/// End index of a transaction of bounded size.
fn batch_end(puts: &[(Table, StoredRow)]) -> usize {
    let mut bytes = 0usize;
    let fits = puts.iter().take(IMPORT_ROWS).take_while(|(_, (_, json))| {
        bytes = bytes.saturating_add(json.len());
        bytes <= IMPORT_BYTES
    });
    fits.count().max(1).min(puts.len())
}

/// Rolls back an unfinished import. Contents that nothing refers to may stay: they are never shown.
pub(super) async fn roll_back_unfinished(store: &dyn Store, device: &dyn DeviceStorage) -> StoreResult {
    let Some(note) = device.read_note().await? else { return Ok(()) };
    let unfinished: Option<UnfinishedImport> = json::read(&note).ok();
    for session in unfinished.into_iter().flat_map(|unfinished| unfinished.sessions) {
        if store.row_text(Table::Sessions, session).await?.is_some() {
            continue;
        }
        let mut made: Vec<(Table, String)> = Vec::new();
        let mut note = |json: &str| {
            let event = json::read::<Event>(json).ok();
            made.extend(event.iter().filter_map(Event::known_kind).flat_map(rows_made));
        };
        store.each_event(StreamId::Session(session), &mut note).await?;
        for removes in made.chunks(IMPORT_ROWS) {
            store.write(Batch { removes: removes.to_vec(), ..Batch::default() }).await?;
        }
        let removes = vec![(Table::Drafts, format!("{session}/"))];
        let delete_streams = vec![StreamId::Session(session)];
        store.write(Batch { removes, delete_streams, strict: true, ..Batch::default() }).await?;
    }
    device.set_note(None).await
}
