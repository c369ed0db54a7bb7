//! Never decides. It appends, then applies, then publishes, in that order; what could not be stored has not happened.
//!
//! Owns the ledger: the append-only event log and the world that is folded from it.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::domain::decide::NewEvent;
use crate::domain::event::{Event, Happening};
use crate::domain::fold::fold;
use crate::domain::id::StreamId;
use crate::domain::sorted::SortedMap;
use crate::domain::world::World;
use crate::engine::bus::Bus;
use crate::engine::packing::{Packed, Packing};
use crate::engine::port::{Batch, Clock, EventRow, Row, Store, StoreError, Table};
use crate::engine::rows;

/// The folded state, shared by all who read it. Borrow it briefly and never across an await.
pub type WorldRef = Rc<RefCell<World>>;

/// What goes together with an event that says so.
#[derive(Default)]
pub(super) struct Forgotten {
    /// Streams, with all of their events.
    pub(super) streams: Vec<StreamId>,
    /// Rows: every key that begins with the text.
    pub(super) rows: Vec<(Table, String)>,
    /// Rows that stay in another form.
    pub(super) puts: World,
    /// Contents that stay, and take the place of what rested on some that go.
    pub(super) contents: Vec<(Table, Row)>,
}

/// The only writer of events.
pub(super) struct Ledger {
    pub(super) world: WorldRef,
    pub(super) bus: Rc<Bus>,
    pub(super) store: Rc<dyn Store>,
    pub(super) clock: Rc<dyn Clock>,
    next: RefCell<SortedMap<StreamId, u64>>,
    packing: Packing,
}

impl Ledger {
    pub(super) fn new(world: WorldRef, bus: Rc<Bus>, store: Rc<dyn Store>, clock: Rc<dyn Clock>) -> Self {
        Self { world, bus, store, clock, next: RefCell::default(), packing: Packing::default() }
    }

    /// Forgets how far a stream goes, so that the store is asked again: another tab wrote to it.
    pub(super) fn forget_end(&self, stream: StreamId) {
        self.next.borrow_mut().remove(&stream);
    }

    /// Notes how far a stream goes, before what follows from it is read: an event that another tab writes since then is
    /// then met, and never followed unseen.
    pub(super) async fn look_end(&self, stream: StreamId) -> Result<(), StoreError> {
        let end = self.store.last_seq(stream).await?;
        self.next.borrow_mut().insert(stream, end.saturating_add(1));
        Ok(())
    }

    /// Appends events in one transaction with the rows that they change.
    pub(super) async fn append(&self, new: Vec<NewEvent>) -> Result<(), StoreError> {
        if new.is_empty() {
            return Ok(());
        }
        self.append_forgetting(new, Forgotten::default()).await
    }

    /// The same, and what is forgotten because of it goes in the same transaction.
    pub(super) async fn append_forgetting(
        &self,
        new: Vec<NewEvent>,
        forgotten: Forgotten,
    ) -> Result<(), StoreError> {
        let events = self.place(new).await?;
        let mut rows = fold(&self.world.borrow(), &events);
        let Forgotten { streams, rows: gone, puts, contents: whole } = forgotten;
        rows.absorb(puts);
        let Packed { rows: contents, links } = self.packing.rows(&self.world.borrow(), &rows, &events);
        let finished = events.iter().filter_map(finished_message);
        let batch = Batch {
            puts: rows::to_store(&rows).into_iter().chain(whole).collect(),
            keeps: contents,
            removes: finished.chain(gone).collect(),
            strict: events.iter().any(must_survive),
            events: events.iter().map(EventRow::of).collect::<Result<_, _>>()?,
            forgets: streams.clone(),
        };
        self.store.write(batch).await?;
        self.packing.stored(links);
        for stream in streams {
            self.forget_end(stream);
            // What went with it is not built upon.
            self.packing.forget();
        }
        for event in &events {
            self.next.borrow_mut().insert(event.stream, event.seq.saturating_add(1));
        }
        self.world.borrow_mut().absorb(rows);
        let mut unheard = Vec::new();
        for event in events {
            let event = Arc::new(event);
            let heard = self.bus.publish(&event);
            if let Some(topic) = event.topic().filter(|topic| topic.is_request() && heard == 0) {
                unheard.push(topic);
            }
        }
        for topic in unheard {
            let text = format!("Nothing listens to {}: the request will not be answered.", topic.name());
            let what = Happening::CriticalError { text };
            Box::pin(self.append(vec![NewEvent { stream: StreamId::App, run: None, turn: None, what }]))
                .await?;
        }
        Ok(())
    }

    async fn place(&self, new: Vec<NewEvent>) -> Result<Vec<Event>, StoreError> {
        let at = self.clock.now();
        let mut ends: SortedMap<StreamId, u64> = SortedMap::new();
        let mut events = Vec::with_capacity(new.len());
        for event in new {
            let seq = match ends.get(&event.stream) {
                Some(seq) => *seq,
                None => self.next_of(event.stream).await?,
            };
            ends.insert(event.stream, seq.saturating_add(1));
            events.push(event.placed(seq, at));
        }
        Ok(events)
    }

    async fn next_of(&self, stream: StreamId) -> Result<u64, StoreError> {
        let known = self.next.borrow().get(&stream).copied();
        match known {
            Some(seq) => Ok(seq),
            None => Ok(self.store.last_seq(stream).await?.saturating_add(1)),
        }
    }
}

/// The partial text of a message goes in the transaction that stores the whole.
fn finished_message(event: &Event) -> Option<(Table, String)> {
    let happening = event.happening()?;
    let message = if let Happening::ModelAnswered { message, .. } = happening {
        *message
    } else if let Happening::TurnClosed { partial: Some(partial), .. } = happening {
        partial.message
    } else {
        return None;
    };
    Some((Table::Partials, format!("{message}/")))
}

/// Whether the loss of the event in a power cut would lose work.
fn must_survive(event: &Event) -> bool {
    matches!(
        event.happening(),
        Some(
            Happening::MessageCommitted { .. }
                | Happening::MessageQueued { .. }
                | Happening::ModelAnswered { .. }
                | Happening::ToolEnded { .. }
                | Happening::TurnClosed { .. }
                | Happening::MindEdited { .. }
                | Happening::WorkerSent { .. }
                | Happening::WorkerEnded { .. }
                | Happening::MindSynced { .. }
                | Happening::ChangesReviewed { .. }
                | Happening::CompactionMade(_)
                | Happening::MemoryChanged(_)
        )
    )
}
