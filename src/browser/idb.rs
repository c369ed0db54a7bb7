//! Never calls a write done before its transaction completed, and never writes after the program has failed.
//!
//! Owns the store that survives the tab: IndexedDB database `nexus`, one object store for the events and one for each
//! table. A connection that broke is made anew once for each attempt.

mod fault;
mod open;
pub(super) mod points;
mod read;
mod secrets;
mod value;
mod write;

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::{FutureExt, LocalBoxFuture};
use futures_util::lock::Mutex;
use wasm_bindgen::JsValue;

use crate::browser::crash;
use crate::browser::idb::fault::Fault;
use crate::browser::idb::open::Connection;
use crate::browser::idb::write::Plan;
use crate::domain::id::{RunId, StreamId};
use crate::engine::port::{Batch, Row, Store, StoreError, Table};

/// The name of the database.
pub const DATABASE: &str = "nexus";

/// The store on IndexedDB. Clones share one connection.
#[derive(Clone)]
pub struct IdbStore(Rc<Inner>);

struct Inner {
    name: String,
    connection: RefCell<Option<Rc<Connection>>>,
    /// Held while a connection is made, so that only one is.
    opening: Mutex<()>,
}

impl IdbStore {
    /// Opens the database of that name, making it where there is none.
    pub async fn open(name: &str) -> Result<Self, StoreError> {
        let inner =
            Inner { name: name.to_owned(), connection: RefCell::default(), opening: Mutex::default() };
        inner.connect().await.map_err(Fault::into_error)?;
        Ok(Self(Rc::new(inner)))
    }

    /// Whether the data is of a newer program: it can be read here, and every write is refused.
    pub fn is_newer(&self) -> bool {
        self.0.connected().is_some_and(|connection| connection.is_newer())
    }

    /// Writes without waiting: for the moment when the page leaves. The requests are issued when this returns, as far
    /// as a connection is open; nobody hears whether they succeeded.
    pub fn put_now(&self, batch: &Batch) {
        if crash::poisoned() {
            return;
        }
        let Some(connection) = self.0.connected().filter(|connection| !connection.is_newer()) else { return };
        let Ok(plan) = Plan::of(batch) else { return };
        let mut work = async move { drop(plan.run(connection.database()).await) }.boxed_local();
        // The first poll issues the requests; a task would only begin after the page's last one.
        if (&mut work).now_or_never().is_none() {
            wasm_bindgen_futures::spawn_local(work);
        }
    }

    /// Every record of the store of keys, with its key.
    pub(super) async fn secrets(&self) -> Result<Vec<(String, JsValue)>, StoreError> {
        self.0.run(async |connection: &Connection| secrets::all(connection.database()).await).await
    }

    /// Puts records into the store of keys, or takes them out.
    pub(super) async fn change_secrets(
        &self,
        records: &[(String, Option<JsValue>)],
    ) -> Result<(), StoreError> {
        if crash::poisoned() {
            return Err(StoreError::Lost("the program has failed".to_owned()));
        }
        self.0
            .run(async |connection: &Connection| secrets::change(connection.database(), records).await)
            .await
    }

    /// Closes the connection; the next use makes a new one.
    pub fn close(&self) {
        self.0.forget();
    }
}

impl Inner {
    fn connected(&self) -> Option<Rc<Connection>> {
        self.connection.borrow().clone().filter(|connection| connection.is_alive())
    }

    fn forget(&self) {
        let gone = self.connection.borrow_mut().take();
        drop(gone);
    }

    async fn connect(&self) -> Result<Rc<Connection>, Fault> {
        let _one_at_a_time = self.opening.lock().await;
        if let Some(connection) = self.connected() {
            return Ok(connection);
        }
        let connection = Rc::new(open::open(&self.name).await?);
        self.connection.replace(Some(Rc::clone(&connection)));
        Ok(connection)
    }

    async fn attempt<T>(&self, work: &impl AsyncFn(&Connection) -> Result<T, Fault>) -> Result<T, Fault> {
        // Without a wait where a connection is open, so that requests are issued by the first poll.
        let connection = match self.connected() {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        work(&connection).await
    }

    /// Does `work`; where the connection is gone, once more on a new one.
    async fn run<T>(&self, work: impl AsyncFn(&Connection) -> Result<T, Fault>) -> Result<T, StoreError> {
        let first = self.attempt(&work).await;
        let outcome = match first {
            Err(Fault::Gone(_)) => {
                self.forget();
                self.attempt(&work).await
            }
            first => first,
        };
        if let Err(Fault::Gone(_) | Fault::Final(StoreError::Full)) = &outcome {
            // A handle of a full or failed disk may stay bad after there is room again.
            self.forget();
        }
        outcome.map_err(Fault::into_error)
    }
}

impl Store for IdbStore {
    fn write(&self, batch: Batch) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        let inner = Rc::clone(&self.0);
        async move {
            if crash::poisoned() {
                return Err(StoreError::Lost("the program has failed".to_owned()));
            }
            let plan = Plan::of(&batch)?;
            inner
                .run(async |connection: &Connection| {
                    if connection.is_newer() {
                        return Err(Fault::Final(StoreError::Newer));
                    }
                    plan.run(connection.database()).await
                })
                .await
        }
        .boxed_local()
    }

    fn get(
        &self,
        table: Table,
        keys: Vec<String>,
    ) -> LocalBoxFuture<'static, Result<Vec<Option<String>>, StoreError>> {
        let inner = Rc::clone(&self.0);
        async move {
            inner
                .run(async |connection: &Connection| read::get(connection.database(), table, &keys).await)
                .await
        }
        .boxed_local()
    }

    fn scan(&self, table: Table, prefix: String) -> LocalBoxFuture<'static, Result<Vec<Row>, StoreError>> {
        let inner = Rc::clone(&self.0);
        async move {
            inner
                .run(async |connection: &Connection| read::scan(connection.database(), table, &prefix).await)
                .await
        }
        .boxed_local()
    }

    fn last_seq(&self, stream: StreamId) -> LocalBoxFuture<'static, Result<u64, StoreError>> {
        let inner = Rc::clone(&self.0);
        async move {
            inner
                .run(async |connection: &Connection| read::last_seq(connection.database(), stream).await)
                .await
        }
        .boxed_local()
    }

    fn events(
        &self,
        stream: StreamId,
        from: u64,
        most: usize,
    ) -> LocalBoxFuture<'static, Result<Vec<String>, StoreError>> {
        let inner = Rc::clone(&self.0);
        async move {
            inner
                .run(async |connection: &Connection| {
                    read::events(connection.database(), stream, from, most).await
                })
                .await
        }
        .boxed_local()
    }

    fn events_of_run(&self, run: RunId) -> LocalBoxFuture<'static, Result<Vec<String>, StoreError>> {
        let inner = Rc::clone(&self.0);
        async move {
            inner
                .run(async |connection: &Connection| read::events_of_run(connection.database(), run).await)
                .await
        }
        .boxed_local()
    }

    fn keys(&self, table: Table, prefix: String) -> LocalBoxFuture<'static, Result<Vec<String>, StoreError>> {
        let inner = Rc::clone(&self.0);
        async move {
            inner
                .run(async |connection: &Connection| read::keys(connection.database(), table, &prefix).await)
                .await
        }
        .boxed_local()
    }
}
