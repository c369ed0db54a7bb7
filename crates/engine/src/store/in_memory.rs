//! In-memory store and vault, for tests and for browsers that deny storage.
//!
//! Nothing survives the page, and the vault keeps nothing at all.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;

use crate::port::{
    Batch, KeyVault, Store, StoreError, StoreFuture, StoredKey, StoredRow, Table, VaultError, VaultFuture,
    VaultUnavailable,
};
use nexus_model::id::{ProviderId, RunId, StreamId};
use nexus_providers::http::Secret;
use nexus_text::json;
use nexus_text::vec_map::VecMap;

/// A store that keeps everything in memory. Clones share the same contents.
#[derive(Clone, Default)]
pub struct InMemoryStore {
    kept: Rc<RefCell<StoreContents>>,
}

type EventTable = VecMap<(StreamId, u64), String>;
type RowTable = VecMap<(Table, String), String>;

#[derive(Default)]
struct StoreContents {
    events: EventTable,
    rows: RowTable,
    /// What the next write fails with; tests set it.
    fault: Option<StoreError>,
    /// What a write fails with after this many others.
    fault_after: Option<(usize, StoreError)>,
    /// After so many writes no further one is ever answered, as where the page was killed.
    #[cfg(any(test, feature = "testing"))]
    stops_after: Option<usize>,
    /// What a power cut would leave, where tests want to know: everything up to the last write that was made to last.
    #[cfg(any(test, feature = "testing"))]
    lasting: Option<(EventTable, RowTable)>,
}

impl InMemoryStore {
    /// From now on it is known what a power cut would leave.
    #[cfg(any(test, feature = "testing"))]
    pub fn fear_power_cuts(&self) {
        let mut kept = self.kept.borrow_mut();
        kept.lasting = Some((kept.events.clone(), kept.rows.clone()));
    }

    /// The store as a power cut would leave it.
    #[cfg(any(test, feature = "testing"))]
    pub fn after_power_cut(&self) -> Self {
        let (events, rows) = self.kept.borrow().lasting.clone().unwrap_or_default();
        Self { kept: Rc::new(RefCell::new(StoreContents { events, rows, ..StoreContents::default() })) }
    }

    #[cfg(any(test, feature = "testing"))]
    pub fn fail_next(&self, error: StoreError) {
        self.kept.borrow_mut().fault = Some(error);
    }

    /// Lets some writes through, and makes the one after them fail.
    #[cfg(any(test, feature = "testing"))]
    pub fn fail_after(&self, writes: usize, error: StoreError) {
        self.kept.borrow_mut().fault_after = Some((writes, error));
    }

    /// Lets some writes through and answers none after them; `None` answers them again.
    #[cfg(any(test, feature = "testing"))]
    pub fn stop_after(&self, writes: Option<usize>) {
        self.kept.borrow_mut().stops_after = writes;
    }

    /// Whether the last write that is let through was made.
    #[cfg(any(test, feature = "testing"))]
    pub fn is_stopped(&self) -> bool {
        self.kept.borrow().stops_after == Some(0)
    }

    /// All that is kept, for a comparison.
    #[cfg(any(test, feature = "testing"))]
    pub fn image(&self) -> String {
        let kept = self.kept.borrow();
        let events: Vec<_> = kept.events.iter().collect();
        let rows: Vec<_> = kept.rows.iter().collect();
        format!("{events:?} {rows:?}")
    }
}

pub(crate) fn ready<T: 'static>(value: T) -> LocalBoxFuture<'static, T> {
    Box::pin(std::future::ready(value))
}

impl Store for InMemoryStore {
    fn write(&self, batch: Batch) -> StoreFuture<()> {
        let mut kept = self.kept.borrow_mut();
        #[cfg(any(test, feature = "testing"))]
        match kept.stops_after {
            Some(0) => return Box::pin(std::future::pending()),
            Some(writes) => kept.stops_after = Some(writes - 1),
            None => {}
        }
        if let Some(error) = kept.fault.take() {
            return ready(Err(error));
        }
        match kept.fault_after.take() {
            Some((0, error)) => return ready(Err(error)),
            Some((writes, error)) => kept.fault_after = Some((writes - 1, error)),
            None => {}
        }
        if batch.events.iter().any(|event| kept.events.contains_key(&(event.stream, event.seq))) {
            return ready(Err(StoreError::Collision));
        }
        for stream in batch.forgets {
            kept.events.retain(|(other, _), _| *other != stream);
        }
        for event in batch.events {
            kept.events.insert((event.stream, event.seq), event.json);
        }
        for (table, (key, json)) in batch.puts {
            kept.rows.insert((table, key), json);
        }
        for (table, (key, json)) in batch.keeps {
            kept.rows.get_or_insert_with((table, key), || json);
        }
        for (table, prefix) in batch.removes {
            kept.rows.retain(|(other, key), _| *other != table || !key.starts_with(&prefix));
        }
        #[cfg(any(test, feature = "testing"))]
        if batch.strict && kept.lasting.is_some() {
            kept.lasting = Some((kept.events.clone(), kept.rows.clone()));
        }
        ready(Ok(()))
    }

    fn get(&self, table: Table, keys: Vec<String>) -> StoreFuture<Vec<Option<String>>> {
        let kept = self.kept.borrow();
        ready(Ok(keys.into_iter().map(|key| kept.rows.get(&(table, key)).cloned()).collect()))
    }

    fn scan(&self, table: Table, prefix: String) -> StoreFuture<Vec<StoredRow>> {
        let kept = self.kept.borrow();
        let rows = kept
            .rows
            .iter_from(&(table, prefix.clone()))
            .take_while(|((other, key), _)| *other == table && key.starts_with(&prefix))
            .map(|((_, key), json)| (key.clone(), json.clone()))
            .collect();
        ready(Ok(rows))
    }

    fn chain(
        &self,
        table: Table,
        key: String,
        next: &'static str,
        most: usize,
    ) -> StoreFuture<Vec<StoredRow>> {
        let kept = self.kept.borrow();
        let follow = |(_, json): &StoredRow| json::tree(json).ok()?.get(next)?.as_str().map(str::to_owned);
        let row = |key: String| kept.rows.get(&(table, key.clone())).map(|json| (key, json.clone()));
        let rows = std::iter::successors(row(key), |last| row(follow(last)?)).take(most);
        ready(Ok(rows.collect()))
    }

    fn last_seq(&self, stream: StreamId) -> StoreFuture<u64> {
        let kept = self.kept.borrow();
        let of_stream = kept.events.iter_from(&(stream, 0)).take_while(|((other, _), _)| *other == stream);
        ready(Ok(of_stream.last().map_or(0, |((_, seq), _)| *seq)))
    }

    fn events(&self, stream: StreamId, from: u64, most: usize) -> StoreFuture<Vec<String>> {
        let kept = self.kept.borrow();
        let of_stream = kept.events.iter_from(&(stream, from)).take_while(|((other, _), _)| *other == stream);
        ready(Ok(of_stream.take(most).map(|(_, json)| json.clone()).collect()))
    }

    fn events_of_run(&self, run: RunId) -> StoreFuture<Vec<String>> {
        let (kept, run) = (self.kept.borrow(), run.to_string());
        let is_of_run = |json: &str| {
            let tree = json::tree(json).ok();
            tree.is_some_and(|tree| tree.get("run").and_then(|id| id.as_str()) == Some(run.as_str()))
        };
        // The id stands in few texts: most need not be read.
        let texts = kept.events.values().filter(|json| json.contains(&run) && is_of_run(json));
        ready(Ok(texts.cloned().collect()))
    }

    fn keys(&self, table: Table, prefix: String) -> StoreFuture<Vec<String>> {
        let kept = self.kept.borrow();
        let rows = kept.rows.iter_from(&(table, prefix.clone()));
        let keys = rows.take_while(|((other, key), _)| *other == table && key.starts_with(&prefix));
        ready(Ok(keys.map(|((_, key), _)| key.clone()).collect()))
    }
}

/// The vault where no key outlives the tab, and why.
#[derive(Clone, Copy, Debug)]
pub struct TabOnlyVault(pub VaultUnavailable);

impl TabOnlyVault {
    fn refuse<T: 'static>(self) -> VaultFuture<T> {
        ready(Err(VaultError::Hindered(self.0)))
    }
}

impl KeyVault for TabOnlyVault {
    fn hindrance(&self) -> Option<VaultUnavailable> {
        Some(self.0)
    }

    fn list(&self) -> VaultFuture<Vec<StoredKey>> {
        ready(Ok(Vec::new()))
    }

    fn open(&self, _passphrase: Secret) -> VaultFuture<Vec<StoredKey>> {
        self.refuse()
    }

    fn is_open(&self) -> bool {
        false
    }

    fn close(&self) {}

    fn seal(&self, _kept: StoredKey) -> VaultFuture<()> {
        self.refuse()
    }

    fn renew(&self, _passphrase: Secret, _kept: Vec<StoredKey>) -> VaultFuture<()> {
        self.refuse()
    }

    fn keep_clear(&self, _kept: StoredKey) -> VaultFuture<()> {
        self.refuse()
    }

    fn forget(&self, _provider: ProviderId) -> VaultFuture<()> {
        ready(Ok(()))
    }
}
