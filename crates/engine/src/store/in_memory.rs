//! In-memory store and vault, for tests and for browsers that deny storage.
//!
//! Nothing outlives the page, and the vault stores nothing at all.

#[cfg(any(test, feature = "testing"))]
mod tests;

#[cfg(any(test, feature = "testing"))]
pub use tests::InMemoryDeviceStorage;

use crate::port::{KeyVault, StoreFuture, StoredKey, TextStream, VaultError, VaultFuture, VaultUnavailable};
use crate::prelude::*;
use futures_util::{TryStreamExt as _, stream};
use nexus_providers::http::Secret;

/// A store in memory. Clones share their contents.
#[derive(Clone, Default)]
pub struct InMemoryStore {
    contents: Rc<RefCell<StoreContents>>,
}

type EventTable = VecMap<(StreamId, u64), String>;
type RowTable = VecMap<(Table, String), String>;

#[derive(Default)]
struct StoreContents {
    events: EventTable,
    rows: RowTable,
    /// Error of the write after this many others; set by tests.
    fault_after: Option<(usize, StoreError)>,
    /// After this many writes no write is ever answered, as if the page was killed.
    #[cfg(any(test, feature = "testing"))]
    stops_after: Option<usize>,
    /// What a power loss would leave, if tracked: everything up to the last strict write.
    #[cfg(any(test, feature = "testing"))]
    durable: Option<(EventTable, RowTable)>,
}

impl StoreContents {
    /// The rows of a table whose keys start with `prefix`.
    fn rows_from(&self, table: Table, prefix: &str) -> impl Iterator<Item = (&String, &String)> {
        let rows = self.rows.iter_from(&(table, prefix.to_owned()));
        let rows = rows.take_while(move |((other, key), _)| *other == table && key.starts_with(prefix));
        rows.map(|((_, key), json)| (key, json))
    }

    /// The events of a stream from sequence number `from`.
    fn events_from(&self, stream: StreamId, from: u64) -> impl Iterator<Item = (u64, &String)> {
        let events = self.events.iter_from(&(stream, from));
        events.take_while(move |((other, _), _)| *other == stream).map(|((_, seq), json)| (*seq, json))
    }
}

pub(crate) fn ready<T: 'static>(value: T) -> LocalBoxFuture<'static, T> {
    Box::pin(std::future::ready(value))
}

impl Store for InMemoryStore {
    fn write(&self, batch: Batch) -> StoreFuture<()> {
        let mut contents = self.contents.borrow_mut();
        #[cfg(any(test, feature = "testing"))]
        match contents.stops_after {
            Some(0) => return Box::pin(std::future::pending()),
            Some(writes) => contents.stops_after = Some(writes - 1),
            None => {}
        }
        match contents.fault_after.take() {
            Some((0, error)) => return ready(Err(error)),
            Some((writes, error)) => contents.fault_after = Some((writes - 1, error)),
            None => {}
        }
        if batch.events.iter().any(|event| contents.events.contains_key(&(event.stream, event.seq))) {
            return ready(Err(StoreError::Collision));
        }
        for stream in batch.delete_streams {
            contents.events.retain(|(other, _), _| *other != stream);
        }
        for event in batch.events {
            contents.events.insert((event.stream, event.seq), event.json);
        }
        for (table, (key, json)) in batch.puts {
            contents.rows.insert((table, key), json);
        }
        for (table, (key, json)) in batch.put_if_absent {
            contents.rows.get_or_insert_with((table, key), || json);
        }
        for (table, prefix) in batch.removes {
            contents.rows.retain(|(other, key), _| *other != table || !key.starts_with(&prefix));
        }
        #[cfg(any(test, feature = "testing"))]
        if batch.strict && contents.durable.is_some() {
            contents.durable = Some((contents.events.clone(), contents.rows.clone()));
        }
        ready(Ok(()))
    }

    fn get(&self, table: Table, keys: Vec<String>) -> StoreFuture<Vec<Option<String>>> {
        let contents = self.contents.borrow();
        ready(Ok(keys.into_iter().map(|key| contents.rows.get(&(table, key)).cloned()).collect()))
    }

    fn scan(&self, table: Table, prefix: String) -> StoreFuture<Vec<StoredRow>> {
        let contents = self.contents.borrow();
        let rows = contents.rows_from(table, &prefix).map(|(key, json)| (key.clone(), json.clone()));
        ready(Ok(rows.collect()))
    }

    fn turns_back(&self, turn: TurnId, most: usize) -> StoreFuture<Vec<StoredRow>> {
        let rows = &self.contents.borrow().rows;
        let parent =
            |(_, json): &StoredRow| json::tree(json).ok()?.get("parent")?.as_str().map(str::to_owned);
        let row = |key: String| rows.get(&(Table::Turns, key.clone())).map(|json| (key, json.clone()));
        let turns = std::iter::successors(row(turn.to_string()), |last| row(parent(last)?));
        ready(Ok(turns.take(most).collect()))
    }

    fn last_seq(&self, stream: StreamId) -> StoreFuture<u64> {
        let contents = self.contents.borrow();
        ready(Ok(contents.events_from(stream, 0).last().map_or(0, |(seq, _)| seq)))
    }

    fn events(&self, stream: StreamId, from: u64, most: usize) -> StoreFuture<Vec<String>> {
        let contents = self.contents.borrow();
        ready(Ok(contents.events_from(stream, from).take(most).map(|(_, json)| json.clone()).collect()))
    }

    fn events_of_run(&self, run: RunId) -> StoreFuture<Vec<String>> {
        let (contents, run) = (self.contents.borrow(), run.to_string());
        let is_of_run = |json: &str| {
            let tree = json::tree(json).ok();
            tree.is_some_and(|tree| tree.get("run").and_then(|id| id.as_str()) == Some(run.as_str()))
        };
        // Few events contain the id, so most need not be parsed.
        let texts = contents.events.values().filter(|json| json.contains(&run) && is_of_run(json));
        ready(Ok(texts.cloned().collect()))
    }

    fn keys(&self, table: Table, prefix: String) -> StoreFuture<Vec<String>> {
        let contents = self.contents.borrow();
        ready(Ok(contents.rows_from(table, &prefix).map(|(key, _)| key.clone()).collect()))
    }
}

/// A vault that stores no key, and why.
#[derive(Clone, Copy, Debug)]
pub struct TabOnlyVault(pub VaultUnavailable);

impl TabOnlyVault {
    fn reject<T: 'static>(self) -> VaultFuture<T> {
        ready(Err(VaultError::Unavailable(self.0)))
    }
}

impl KeyVault for TabOnlyVault {
    fn unavailable(&self) -> Option<VaultUnavailable> {
        Some(self.0)
    }

    fn list(&self) -> VaultFuture<Vec<StoredKey>> {
        ready(Ok(Vec::new()))
    }

    fn open(&self, _passphrase: Secret) -> VaultFuture<Vec<StoredKey>> {
        self.reject()
    }

    fn is_open(&self) -> bool {
        false
    }

    fn close(&self) {}

    fn seal(&self, _kept: StoredKey) -> VaultFuture<()> {
        self.reject()
    }

    fn change_passphrase(&self, _passphrase: Secret, _kept: Vec<StoredKey>) -> VaultFuture<()> {
        self.reject()
    }

    fn store_unencrypted(&self, _kept: StoredKey) -> VaultFuture<()> {
        self.reject()
    }

    fn delete(&self, _provider: ProviderId) -> VaultFuture<()> {
        ready(Ok(()))
    }
}

pub struct InMemoryBytes(pub Rc<Vec<u8>>);

impl ByteSource for InMemoryBytes {
    fn read(&self) -> stream::LocalBoxStream<'static, Result<Vec<u8>, String>> {
        const PIECE: usize = 64 * 1024;
        let whole = Rc::clone(&self.0);
        let pieces: Vec<_> = whole.chunks(PIECE).map(<[u8]>::to_vec).map(Ok).collect();
        stream::iter(pieces).boxed_local()
    }
}

impl InMemoryBytes {
    pub async fn of(pieces: TextStream) -> StoreResult<Self> {
        let join = |mut whole: Vec<u8>, piece: String| async move {
            whole.extend_from_slice(piece.as_bytes());
            Ok(whole)
        };
        Ok(Self(Rc::new(pieces.try_fold(Vec::new(), join).await?)))
    }
}
