//! Opens the database, creates its object stores, and watches the connection: reports when the store is slow to
//! respond, and when the browser deleted it.
//!
//! Gives up after five seconds without an answer. A request that succeeds later still creates its object stores before
//! it is closed, so no database stays incomplete.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures_channel::oneshot;
use futures_util::future::{Either, select};
use js_sys::Array;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::IdbDatabase;

use crate::browser::idb::request;
use crate::browser::idb::request::{IdbError, answer, factory};
use crate::browser::idb::rows::{EVENTS, RUN, TOPIC};
use crate::browser::js::Listener;
use crate::browser::lifecycle::{now_ms, sleep};
use nexus_engine::port::{StoreError, StoreNews, Table};
use nexus_text::vec_map::VecMap;

/// API keys, encrypted or plain as the operator chose. They have their own store, so that no export or scan includes
/// them. Only the vault knows what a record contains.
pub(super) const SECRETS: &str = "secrets";

/// The version of the layout. A database with a higher version is opened unchanged and read-only.
const VERSION: u32 = 2;
/// How long opening may take, in milliseconds.
const OPEN_TIMEOUT_MS: u64 = 5_000;

/// An open connection. Dropping it closes the database once its transactions are done.
pub(super) struct Connection {
    pub(super) database: IdbDatabase,
    /// True if a newer version of Nexus created the layout: then it is only read.
    pub(super) is_newer: bool,
    pub(super) is_new: bool,
    pub(super) alive: Rc<Cell<bool>>,
    _listeners: [Listener; 2],
}

impl Connection {
    fn new(database: IdbDatabase, is_new: bool) -> Self {
        let alive = Rc::new(Cell::new(true));
        let upgrade = {
            let (alive, held) = (Rc::clone(&alive), database.clone());
            // A newer program in another tab wants to change the layout: it must not wait for this one.
            Listener::on(&database, "versionchange", move |_| {
                alive.set(false);
                held.close();
            })
        };
        let closed = {
            let alive = Rc::clone(&alive);
            // The browser closed it: the disk failed, or site data was cleared.
            Listener::on(&database, "close", move |_| alive.set(false))
        };
        let is_newer = database.version() > f64::from(VERSION);
        Self { database, is_newer, is_new, alive, _listeners: [upgrade, closed] }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.database.close();
    }
}

pub(super) async fn open(name: &str) -> Result<Connection, IdbError> {
    let (answer, answered) = oneshot::channel();
    let (blocked, is_new) = (Rc::new(Cell::new(false)), Rc::new(Cell::new(false)));
    let request = request_any(name.to_owned(), Rc::clone(&blocked), Rc::clone(&is_new));
    // A separate task, not dropped with this future: without its listeners the request would create no stores, and the
    // browser would keep an empty database of this version.
    wasm_bindgen_futures::spawn_local(async move {
        if let Err(Ok(late)) = answer.send(request.await) {
            late.close();
        }
    });
    match select(answered, sleep(OPEN_TIMEOUT_MS)).await {
        Either::Left((Ok(opened), _)) => opened.map(|database| Connection::new(database, is_new.get())),
        Either::Left((Err(_), _)) => Err(IdbError::Disconnected("opening the database broke off".to_owned())),
        Either::Right(_) if blocked.get() => {
            Err(IdbError::Disconnected("another tab holds an older version of the database".to_owned()))
        }
        Either::Right(_) => Err(IdbError::Disconnected("the database does not answer".to_owned())),
    }
}

/// Opens the database in this version's layout; one with a newer layout unchanged.
async fn request_any(
    name: String,
    blocked: Rc<Cell<bool>>,
    is_new: Rc<Cell<bool>>,
) -> Result<IdbDatabase, IdbError> {
    let change: request::LayOut = Box::new(move |database, from| {
        is_new.set(from < 1.0);
        lay_out(database, from)
    });
    match request::open(&name, VERSION, change, blocked).await {
        Err(IdbError::Final(StoreError::Newer)) => {
            let request = factory()?.open(&name).map_err(|thrown| IdbError::of_thrown(&thrown))?;
            answer(&request).await.map(JsValue::unchecked_into)
        }
        opened => opened,
    }
}

/// Upgrades the layout step by step from an older version; 0 if the database is new.
fn lay_out(database: &IdbDatabase, from: f64) -> Result<(), JsValue> {
    if from < 1.0 {
        let events = database.create_object_store(EVENTS)?;
        events.create_index_with_str(TOPIC, TOPIC)?;
        events.create_index_with_str(RUN, RUN)?;
        for table in Table::ALL.into_iter().filter(|table| !is_newer_than_1(*table)) {
            let store = database.create_object_store(table.name())?;
            if table == Table::Messages {
                let path = Array::of2(&"session".into(), &"sequence".into());
                store.create_index_with_str_sequence("place", &path)?;
            }
        }
        database.create_object_store(SECRETS)?;
    }
    if from < 2.0 {
        for table in Table::ALL.into_iter().filter(|table| is_newer_than_1(*table)) {
            database.create_object_store(table.name())?;
        }
    }
    Ok(())
}

/// True if version 2 of the layout added this table.
fn is_newer_than_1(table: Table) -> bool {
    table == Table::Raw
}

/// Response time after which the page is notified, in milliseconds.
const SLOW_MS: u64 = 2_000;
const POLL_MS: u64 = 500;

#[derive(Default)]
pub struct Watch {
    /// Start times of open requests, by request id.
    open: RefCell<VecMap<u64, u64>>,
    last_id: Cell<u64>,
    is_polling: Cell<bool>,
    is_slow: Cell<bool>,
    is_deleted: Cell<bool>,
    subscriber: RefCell<Option<UnboundedSender<StoreNews>>>,
}

impl Watch {
    /// The state of the store from now on, the current state first. Replaces the previous subscriber.
    pub fn follow(&self) -> UnboundedReceiver<StoreNews> {
        let (sender, news) = unbounded();
        *self.subscriber.borrow_mut() = Some(sender);
        if self.is_slow.get() {
            self.send(StoreNews::Slow(true));
        }
        if self.is_deleted.get() {
            self.send(StoreNews::Deleted);
        }
        news
    }

    pub(super) fn is_deleted(&self) -> bool {
        self.is_deleted.get()
    }

    pub(super) fn note_deleted(&self) {
        if !self.is_deleted.replace(true) {
            self.send(StoreNews::Deleted);
        }
    }

    /// Starts a request; it ends when the returned value is dropped.
    pub(super) fn begin(self: &Rc<Self>) -> Request {
        let id = self.last_id.get().wrapping_add(1);
        self.last_id.set(id);
        self.open.borrow_mut().insert(id, now_ms());
        if !self.is_polling.replace(true) {
            wasm_bindgen_futures::spawn_local(Rc::clone(self).poll());
        }
        Request { watch: Rc::clone(self), id }
    }

    /// Polls while requests are open.
    async fn poll(self: Rc<Self>) {
        while !self.open.borrow().is_empty() {
            sleep(POLL_MS).await;
            self.update();
        }
        self.is_polling.set(false);
    }

    fn update(&self) {
        let since = self.open.borrow().values().next().copied();
        let is_slow = since.is_some_and(|since| now_ms().saturating_sub(since) >= SLOW_MS);
        if self.is_slow.replace(is_slow) != is_slow {
            self.send(StoreNews::Slow(is_slow));
        }
    }

    fn send(&self, news: StoreNews) {
        if let Some(subscriber) = &*self.subscriber.borrow() {
            // The subscriber may be gone.
            drop(subscriber.unbounded_send(news));
        }
    }
}

pub(super) struct Request {
    watch: Rc<Watch>,
    id: u64,
}

impl Drop for Request {
    fn drop(&mut self) {
        self.watch.open.borrow_mut().remove(&self.id);
        if self.watch.is_slow.get() {
            self.watch.update();
        }
    }
}
