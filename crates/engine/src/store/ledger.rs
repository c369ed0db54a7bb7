//! The ledger: the append-only event log and the world folded from it.
//!
//! Appends, then applies, then publishes, in this order: an event that could not be stored did not happen.

use crate::bus::Bus;
use crate::port::EventRow;
use crate::prelude::*;
use crate::store;
use crate::store::delta::{DeltaStore, PackedRows};
use nexus_model::decide::NewEvent;
use nexus_model::fold::fold;

/// The folded state, shared by all readers. Borrow it briefly and never across an await.
pub type WorldRef = Rc<RefCell<World>>;

/// Data to delete in the transaction of the event that reports it.
#[derive(Default)]
pub(crate) struct PurgedData {
    pub(crate) streams: Vec<StreamId>,
    /// Prefixes of the keys to delete.
    pub(crate) rows: Vec<(Table, String)>,
    pub(crate) puts: World,
    /// Contents stored in full because their bases are deleted.
    pub(crate) contents: Vec<(Table, StoredRow)>,
}

/// The only writer of events.
pub(crate) struct Ledger {
    pub(crate) world: WorldRef,
    pub(crate) bus: Rc<Bus>,
    pub(crate) store: Rc<dyn Store>,
    pub(crate) clock: Rc<dyn Clock>,
    next: RefCell<VecMap<StreamId, u64>>,
    deltas: DeltaStore,
}

impl Ledger {
    pub(crate) fn new(world: WorldRef, bus: Rc<Bus>, store: Rc<dyn Store>, clock: Rc<dyn Clock>) -> Self {
        Self { world, bus, store, clock, next: RefCell::default(), deltas: DeltaStore::default() }
    }

    /// Forgets a stream's end, because another tab wrote to it: the store is asked again.
    pub(crate) fn reset_end(&self, stream: StreamId) {
        self.next.borrow_mut().remove(&stream);
    }

    /// Reads a stream's end before its rows are loaded, so that an event that another tab writes afterwards causes a
    /// collision instead of being overlooked.
    pub(crate) async fn read_end(&self, stream: StreamId) -> StoreResult {
        let end = self.store.last_seq(stream).await?;
        self.next.borrow_mut().insert(stream, end.saturating_add(1));
        Ok(())
    }

    /// Appends events in one transaction with the rows that they change.
    pub(crate) async fn append(&self, new: Vec<NewEvent>) -> StoreResult {
        self.append_and_purge(new, PurgedData::default()).await
    }

    /// Like [`append`](Self::append); also deletes data in the same transaction.
    pub(crate) async fn append_and_purge(&self, new: Vec<NewEvent>, purged: PurgedData) -> StoreResult {
        if new.is_empty() {
            return Ok(());
        }
        let events = self.place(new).await?;
        let mut rows = fold(&self.world.borrow(), &events);
        let PurgedData { streams, rows: removed, puts, contents: full } = purged;
        rows.absorb(puts);
        let PackedRows { rows: contents, links } = self.deltas.rows(&self.world.borrow(), &rows, &events);
        let finished = events.iter().filter_map(finished_message);
        let batch = Batch {
            puts: store::to_store(&rows).into_iter().chain(full).collect(),
            put_if_absent: contents,
            removes: finished.chain(removed).chain(store::obsolete(&rows)).collect(),
            strict: events.iter().filter_map(Event::known_kind).any(EventKind::is_durable),
            events: events.iter().map(EventRow::of).collect::<Result<_, _>>()?,
            delete_streams: streams.clone(),
        };
        self.store.write(batch).await?;
        self.deltas.stored(links);
        for stream in streams {
            self.reset_end(stream);
            // The deleted contents are no bases any more.
            self.deltas.forget();
        }
        for event in &events {
            self.next.borrow_mut().insert(event.stream, event.seq.saturating_add(1));
        }
        self.world.borrow_mut().absorb(rows);
        let mut unhandled = Vec::new();
        for event in events {
            let event = Arc::new(event);
            let delivered = self.bus.publish(&event);
            if let Some(topic) = event.topic().filter(|topic| topic.is_request() && delivered == 0) {
                unhandled.push(topic);
            }
        }
        for topic in unhandled {
            let text = format!("Nothing handles {}: the request will not be answered.", topic.name());
            let kind = EventKind::CriticalError { text };
            Box::pin(self.append(vec![NewEvent { stream: StreamId::App, run: None, turn: None, kind }]))
                .await?;
        }
        Ok(())
    }

    async fn place(&self, new: Vec<NewEvent>) -> StoreResult<Vec<Event>> {
        let at = self.clock.now();
        let mut ends: VecMap<StreamId, u64> = VecMap::new();
        let mut events = Vec::with_capacity(new.len());
        for event in new {
            let seq = match ends.get(&event.stream) {
                Some(seq) => *seq,
                None => self.next_of(event.stream).await?,
            };
            ends.insert(event.stream, seq.saturating_add(1));
            events.push(event.into_event(seq, at));
        }
        Ok(events)
    }

    async fn next_of(&self, stream: StreamId) -> StoreResult<u64> {
        let known = self.next.borrow().get(&stream).copied();
        match known {
            Some(seq) => Ok(seq),
            None => Ok(self.store.last_seq(stream).await?.saturating_add(1)),
        }
    }
}

/// The partial text of a message, deleted in the transaction that stores the whole.
fn finished_message(event: &Event) -> Option<(Table, String)> {
    let kind = event.known_kind()?;
    let message = if let EventKind::ModelAnswered { message, .. } = kind {
        *message
    } else if let EventKind::TurnClosed { partial: Some(partial), .. } = kind {
        partial.message
    } else {
        return None;
    };
    Some((Table::Partials, format!("{message}/")))
}
