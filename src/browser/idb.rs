//! The store on IndexedDB: database `nexus`, with one object store for events and one per table.
//!
//! A lost connection is reopened once per operation. A write succeeds only when its transaction completed, and nothing
//! is written after a crash.

mod open;
pub(super) mod request;
mod rows;

use crate::browser::crash;
pub use crate::browser::idb::open::Watch;
use crate::browser::idb::open::{Connection, SECRETS};
use crate::browser::idb::request::{IdbError, answer, put_or_delete, store};
use crate::browser::idb::rows::{EVENTS, IssuedRequests, PreparedBatch, RUN, stream_from};
use futures_util::future::{FutureExt, LocalBoxFuture, ready};
use futures_util::lock::Mutex;
use nexus_engine::port::{Batch, Store, StoreError, StoreFuture, StoredRow, Table};
use nexus_model::id::{RunId, StreamId, TurnId};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use web_sys::{IdbDatabase, IdbKeyRange};

pub const DATABASE: &str = "nexus";

/// The store on IndexedDB. Clones share one connection.
#[derive(Clone)]
pub struct IdbStore(Rc<IdbState>);

#[derive(Default)]
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
    pub async fn open(name: &str, watch: Rc<Watch>) -> Result<Self, StoreError> {
        let inner = IdbState { name: name.to_owned(), watch, ..IdbState::default() };
        let opening = inner.watch.begin();
        inner.connect().await.map_err(IdbError::into_error)?;
        drop(opening);
        Ok(Self(Rc::new(inner)))
    }

    /// True if a newer version wrote the data: it can be read, and every write is rejected.
    pub fn is_newer(&self) -> bool {
        self.0.connected().is_some_and(|connection| connection.is_newer)
    }

    /// Writes without waiting, when the page is closing. The requests are issued before this returns if a connection is
    /// open; whether they succeed is not reported.
    pub fn put_now(&self, batch: &Batch) {
        if crash::poisoned() {
            return;
        }
        let Some(connection) = self.0.connected().filter(|connection| !connection.is_newer) else { return };
        let Ok(plan) = PreparedBatch::of(batch) else { return };
        let mut work = async move { drop(plan.run(&connection.database).await) }.boxed_local();
        // The first poll issues the requests; a spawned task might never run.
        if (&mut work).now_or_never().is_none() {
            wasm_bindgen_futures::spawn_local(work);
        }
    }

    pub(super) async fn secrets(&self) -> Result<Vec<(String, JsValue)>, StoreError> {
        let all = |database: &IdbDatabase| {
            let store = store(database, SECRETS)?;
            Ok(vec![store.get_all_keys()?, store.get_all()?])
        };
        rows::pairs_in(&self.0.ask(&all).await?, Ok)
    }

    /// Replaces or deletes these records, all or none. Completes when the data is safe.
    pub(super) async fn change_secrets(
        &self,
        records: &[(String, Option<JsValue>)],
    ) -> Result<(), StoreError> {
        if crash::poisoned() {
            return Err(StoreError::Lost("the program has failed".to_owned()));
        }
        let change = |connection: Rc<Connection>| {
            async move {
                request::write(&connection.database, &[SECRETS], "strict", &|transaction| {
                    let store = transaction.object_store(SECRETS)?;
                    for (key, record) in records {
                        put_or_delete(&store, key, record.as_ref())?;
                    }
                    Ok(Vec::new())
                })
                .await
                .map(|()| Vec::new())
            }
            .boxed_local()
        };
        self.0.run(&change).await.map(drop)
    }

    fn read<T: 'static>(
        &self,
        requests: impl Fn(&IdbDatabase) -> IssuedRequests + 'static,
        parse: fn(&[JsValue]) -> Result<T, StoreError>,
    ) -> StoreFuture<T> {
        let inner = Rc::clone(&self.0);
        async move { parse(&inner.ask(&requests).await?) }.boxed_local()
    }

    /// Closes the connection; the next operation opens a new one.
    pub fn close(&self) {
        self.0.forget();
    }
}

impl IdbState {
    fn connected(&self) -> Option<Rc<Connection>> {
        self.connection.borrow().clone().filter(|connection| connection.alive.get())
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
        Ok(connection.is_new || (last > 0 && newest_of_device(connection).await? < last))
    }

    /// An open connection without waiting, so that the first poll issues the requests; otherwise connects. Boxed, so
    /// that the code for opening is not inlined into every operation.
    fn connection(&self) -> LocalBoxFuture<'_, Result<Rc<Connection>, IdbError>> {
        match self.connected() {
            Some(connection) => Box::pin(ready(Ok(connection))),
            None => Box::pin(self.connect()),
        }
    }

    async fn ask(
        &self,
        request: &dyn Fn(&IdbDatabase) -> IssuedRequests,
    ) -> Result<Vec<JsValue>, StoreError> {
        self.run(&|connection| async move { answers(request(&connection.database)).await }.boxed_local())
            .await
    }

    /// Runs `work`; retries it once on a new connection if the connection was lost.
    async fn run<'a>(&self, work: &'a Work<'a>) -> Result<Vec<JsValue>, StoreError> {
        let _request = self.watch.begin();
        let mut is_first = true;
        let outcome = loop {
            let outcome = match self.connection().await {
                Ok(connection) => work(connection).await,
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

/// An operation on a connection that returns the results of its requests.
type Work<'a> = dyn Fn(Rc<Connection>) -> LocalBoxFuture<'a, Result<Vec<JsValue>, IdbError>> + 'a;

async fn answers(requests: IssuedRequests) -> Result<Vec<JsValue>, IdbError> {
    let requests = requests.map_err(|thrown| IdbError::of_thrown(&thrown))?;
    let mut answers = Vec::with_capacity(requests.len());
    for request in &requests {
        answers.push(answer(request).await?);
    }
    Ok(answers)
}

async fn newest_of_device(connection: &Connection) -> Result<u64, IdbError> {
    let found = answers(rows::newest(&connection.database, StreamId::App)).await?;
    rows::last_seq_in(&found).map_err(IdbError::Final)
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
            let of_device = batch.events.iter().filter(|event| event.stream == StreamId::App);
            let last = of_device.map(|event| event.seq).max();
            let write = |connection: Rc<Connection>| {
                let plan = &plan;
                async move {
                    if connection.is_newer {
                        return Err(IdbError::Final(StoreError::Newer));
                    }
                    plan.run(&connection.database).await.map(|()| Vec::new())
                }
                .boxed_local()
            };
            let written = inner.run(&write).await.map(drop);
            if let (Ok(()), Some(last)) = (&written, last) {
                inner.last_device_seq.set(last);
            }
            written
        }
        .boxed_local()
    }

    fn get(&self, table: Table, keys: Vec<String>) -> StoreFuture<Vec<Option<String>>> {
        self.read(move |database| rows::rows(database, table, &keys), rows::rows_in)
    }

    fn scan(&self, table: Table, prefix: String) -> StoreFuture<Vec<StoredRow>> {
        self.read(move |database| rows::scan(database, table, &prefix, true), rows::json_rows_in)
    }

    fn turns_back(&self, turn: TurnId, most: usize) -> StoreFuture<Vec<StoredRow>> {
        let inner = Rc::clone(&self.0);
        async move {
            let follow = |connection: Rc<Connection>| {
                async move { rows::turns_back(&connection.database, turn, most).await }.boxed_local()
            };
            rows::json_rows_in(&inner.run(&follow).await?)
        }
        .boxed_local()
    }

    fn last_seq(&self, stream: StreamId) -> StoreFuture<u64> {
        self.read(move |database| rows::newest(database, stream), rows::last_seq_in)
    }

    fn events(&self, stream: StreamId, from: u64, most: usize) -> StoreFuture<Vec<String>> {
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let some = move |database: &IdbDatabase| {
            if most == 0 {
                // 0 means no limit to the database.
                return Ok(Vec::new());
            }
            let range = stream_from(stream, from)?;
            Ok(vec![store(database, EVENTS)?.get_all_with_key_and_limit(&range, most)?])
        };
        self.read(some, rows::events_in)
    }

    /// Ordered by key: all events of a run are in one stream.
    fn events_of_run(&self, run: RunId) -> StoreFuture<Vec<String>> {
        let of_run = move |database: &IdbDatabase| {
            let only = IdbKeyRange::only(&JsValue::from_str(&run.to_string()))?;
            Ok(vec![store(database, EVENTS)?.index(RUN)?.get_all_with_key(&only)?])
        };
        self.read(of_run, rows::events_in)
    }

    fn keys(&self, table: Table, prefix: String) -> StoreFuture<Vec<String>> {
        self.read(move |database| rows::scan(database, table, &prefix, false), rows::texts_in)
    }
}
