//! The store on IndexedDB: database `nexus`, with one object store for events and one per table.
//!
//! A lost connection is reopened once per operation. A write succeeds only when its transaction completed, and nothing
//! is written after a crash.

mod error;
mod open;
pub(super) mod points;
mod read;
mod value;
mod watch;
mod write;

use crate::browser::crash;
use crate::browser::idb::error::IdbError;
use crate::browser::idb::open::{Connection, SECRETS};
pub use crate::browser::idb::watch::Watch;
use crate::browser::idb::write::PreparedBatch;
use futures_util::future::{FutureExt, LocalBoxFuture, ready};
use futures_util::lock::Mutex;
use indexed_db_futures::Build;
use indexed_db_futures::database::Database;
use indexed_db_futures::internals::SystemRepr;
use indexed_db_futures::query_source::QuerySource;
use indexed_db_futures::transaction::{TransactionDurability, TransactionMode, TransactionOptions};
use nexus_engine::port::{Batch, Store, StoreError, StoreFuture, StoredRow, Table};
use nexus_model::id::{RunId, StreamId};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsValue;

pub const DATABASE: &str = "nexus";

/// The store on IndexedDB. Clones share one connection.
#[derive(Clone)]
pub struct IdbStore(Rc<IdbState>);

struct IdbState {
    name: String,
    connection: RefCell<Option<Rc<Connection>>>,
    /// Locked while connecting, so that only one connection is opened.
    opening: Mutex<()>,
    watch: Rc<Watch>,
    /// True once a connection was opened.
    was_open: Cell<bool>,
    /// Sequence of the last device event that this store wrote. A database without it is another one.
    last_device_seq: Cell<u64>,
}

impl IdbStore {
    /// Opens or creates the database of that name.
    pub async fn open(name: &str) -> Result<Self, StoreError> {
        Self::open_watched(name, Rc::default()).await
    }

    pub async fn open_watched(name: &str, watch: Rc<Watch>) -> Result<Self, StoreError> {
        let inner = IdbState {
            name: name.to_owned(),
            connection: RefCell::default(),
            opening: Mutex::default(),
            watch,
            was_open: Cell::new(false),
            last_device_seq: Cell::new(0),
        };
        let opening = inner.watch.begin();
        inner.connect().await.map_err(IdbError::into_error)?;
        drop(opening);
        Ok(Self(Rc::new(inner)))
    }

    /// True if a newer version wrote the data: it can be read, and every write is rejected.
    pub fn is_newer(&self) -> bool {
        self.0.connected().is_some_and(|connection| connection.is_newer())
    }

    /// Writes without waiting, when the page is closing. The requests are issued before this returns if a connection is
    /// open; whether they succeed is not reported.
    pub fn put_now(&self, batch: &Batch) {
        if crash::poisoned() {
            return;
        }
        let Some(connection) = self.0.connected().filter(|connection| !connection.is_newer()) else { return };
        let Ok(plan) = PreparedBatch::of(batch) else { return };
        let mut work = async move { drop(plan.run(connection.database()).await) }.boxed_local();
        // The first poll issues the requests; a spawned task might never run.
        if (&mut work).now_or_never().is_none() {
            wasm_bindgen_futures::spawn_local(work);
        }
    }

    pub(super) async fn secrets(&self) -> Result<Vec<(String, JsValue)>, StoreError> {
        self.read(async move |database: &Database| all_secrets(database).await).await
    }

    pub(super) async fn change_secrets(
        &self,
        records: &[(String, Option<JsValue>)],
    ) -> Result<(), StoreError> {
        if crash::poisoned() {
            return Err(StoreError::Lost("the program has failed".to_owned()));
        }
        self.0.run(async |connection: &Connection| change_secrets(connection.database(), records).await).await
    }

    fn read<T: 'static>(
        &self,
        work: impl AsyncFn(&Database) -> Result<T, IdbError> + 'static,
    ) -> StoreFuture<T> {
        let inner = Rc::clone(&self.0);
        async move { inner.run(async |connection: &Connection| work(connection.database()).await).await }
            .boxed_local()
    }

    /// Closes the connection; the next operation opens a new one.
    pub fn close(&self) {
        self.0.forget();
    }
}

impl IdbState {
    fn connected(&self) -> Option<Rc<Connection>> {
        self.connection.borrow().clone().filter(|connection| connection.is_alive())
    }

    fn forget(&self) {
        let closed = self.connection.borrow_mut().take();
        drop(closed);
    }

    async fn connect(&self) -> Result<Rc<Connection>, IdbError> {
        let _one_at_a_time = self.opening.lock().await;
        if let Some(connection) = self.connected() {
            return Ok(connection);
        }
        if self.watch.is_deleted() {
            return Err(deleted());
        }
        let connection = Rc::new(open::open(&self.name).await?);
        if self.was_open.replace(true) && self.was_replaced(&connection).await? {
            self.watch.note_deleted();
            return Err(deleted());
        }
        self.connection.replace(Some(Rc::clone(&connection)));
        Ok(connection)
    }

    /// True if this is not the database that was open before: it was just created, or lacks what was written.
    async fn was_replaced(&self, connection: &Connection) -> Result<bool, IdbError> {
        let last = self.last_device_seq.get();
        Ok(connection.is_new()
            || (last > 0 && read::last_seq(connection.database(), StreamId::App).await? < last))
    }

    /// An open connection without waiting, so that the first poll issues the requests; otherwise connects. Boxed, so
    /// that the code for opening is not inlined into every operation.
    fn connection(&self) -> LocalBoxFuture<'_, Result<Rc<Connection>, IdbError>> {
        match self.connected() {
            Some(connection) => Box::pin(ready(Ok(connection))),
            None => Box::pin(self.connect()),
        }
    }

    /// Runs `work`; retries it once on a new connection if the connection was lost.
    async fn run<T>(&self, work: impl AsyncFn(&Connection) -> Result<T, IdbError>) -> Result<T, StoreError> {
        let _request = self.watch.begin();
        let mut is_first = true;
        let outcome = loop {
            let outcome = match self.connection().await {
                Ok(connection) => work(&connection).await,
                Err(error) => Err(error),
            };
            if !(is_first && matches!(outcome, Err(IdbError::Disconnected(_)))) {
                break outcome;
            }
            self.forget();
            is_first = false;
        };
        if let Err(IdbError::Disconnected(_) | IdbError::Final(StoreError::Full)) = &outcome {
            // A handle to a full or failed disk may stay bad even after space is freed.
            self.forget();
        }
        outcome.map_err(IdbError::into_error)
    }
}

/// The error of every operation on a deleted store: the store must not silently start over.
fn deleted() -> IdbError {
    IdbError::Final(StoreError::Lost(
        "the browser deleted the storage of Nexus while this tab was open".to_owned(),
    ))
}

impl Store for IdbStore {
    fn write(&self, batch: Batch) -> StoreFuture<()> {
        let inner = Rc::clone(&self.0);
        async move {
            if crash::poisoned() {
                return Err(StoreError::Lost("the program has failed".to_owned()));
            }
            let plan = PreparedBatch::of(&batch)?;
            let device_events = batch.events.iter().filter(|event| event.stream == StreamId::App);
            let last = device_events.map(|event| event.seq).max();
            let result = inner
                .run(async |connection: &Connection| {
                    if connection.is_newer() {
                        return Err(IdbError::Final(StoreError::Newer));
                    }
                    plan.run(connection.database()).await
                })
                .await;
            if let (Ok(()), Some(last)) = (&result, last) {
                inner.last_device_seq.set(last);
            }
            result
        }
        .boxed_local()
    }

    fn get(&self, table: Table, keys: Vec<String>) -> StoreFuture<Vec<Option<String>>> {
        self.read(async move |database: &Database| read::get(database, table, &keys).await)
    }

    fn scan(&self, table: Table, prefix: String) -> StoreFuture<Vec<StoredRow>> {
        self.read(async move |database: &Database| read::scan(database, table, &prefix).await)
    }

    fn chain(
        &self,
        table: Table,
        key: String,
        next: &'static str,
        most: usize,
    ) -> StoreFuture<Vec<StoredRow>> {
        self.read(async move |database: &Database| read::chain(database, table, &key, next, most).await)
    }

    fn last_seq(&self, stream: StreamId) -> StoreFuture<u64> {
        self.read(async move |database: &Database| read::last_seq(database, stream).await)
    }

    fn events(&self, stream: StreamId, from: u64, most: usize) -> StoreFuture<Vec<String>> {
        self.read(async move |database: &Database| read::events(database, stream, from, most).await)
    }

    fn events_of_run(&self, run: RunId) -> StoreFuture<Vec<String>> {
        self.read(async move |database: &Database| read::events_of_run(database, run).await)
    }

    fn keys(&self, table: Table, prefix: String) -> StoreFuture<Vec<String>> {
        self.read(async move |database: &Database| read::keys(database, table, &prefix).await)
    }
}

async fn all_secrets(database: &Database) -> Result<Vec<(String, JsValue)>, IdbError> {
    let transaction = database.transaction(SECRETS).build()?;
    let store = transaction.object_store(SECRETS)?;
    let keys = store.get_all_keys::<String>().build()?;
    let values = store.get_all::<JsValue>().build()?;
    keys.await?.zip(values.await?).map(|(key, value)| Ok((key?, value?))).collect()
}

/// Upserts or deletes records, all or none, with strict durability.
async fn change_secrets(database: &Database, records: &[(String, Option<JsValue>)]) -> Result<(), IdbError> {
    let options = TransactionOptions::new().with_durability(TransactionDurability::Strict);
    let transaction =
        database.transaction(SECRETS).with_mode(TransactionMode::Readwrite).with_options(options).build()?;
    {
        let store = transaction.object_store(SECRETS)?;
        for (key, record) in records {
            match record {
                Some(record) => drop(store.put(record).with_key(key.as_str()).without_key_type().build()?),
                None => drop(store.delete::<String, _>(key.clone()).build()?),
            }
        }
    }
    let handle = transaction.as_sys().clone();
    transaction.commit().await.map_err(|error| IdbError::of_transaction(error, handle.error()))
}
