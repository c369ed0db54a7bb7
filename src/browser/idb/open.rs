//! Opens the database, creates its object stores, and watches the connection.
//!
//! Gives up after five seconds without a response. If the request succeeds later, it still creates its object stores
//! before the database is closed, so no database is left incomplete.

use std::cell::Cell;
use std::rc::Rc;

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use indexed_db_futures::database::Database;
use indexed_db_futures::error::Error;
use indexed_db_futures::internals::SystemRepr;
use indexed_db_futures::{Build, KeyPath};

use crate::browser::clock::sleep;
use crate::browser::idb::error::IdbError;
use crate::browser::idb::value::{EVENTS, RUN, TOPIC};
use crate::browser::js::Listener;
use nexus_engine::port::{StoreError, Table};

/// Object store of keys, encrypted or plain as the operator chose. Separate, so that no export or scan includes them.
/// Only the vault knows the format of its records.
pub(super) const SECRETS: &str = "secrets";

/// Version of the schema. A database of a higher version is opened read-only.
const VERSION: u32 = 2;
/// Timeout for opening, in milliseconds.
const OPEN_TIMEOUT_MS: u64 = 5_000;

/// An open connection. Dropping it closes the database once its transactions are done.
pub(super) struct Connection {
    database: Database,
    newer: bool,
    is_new: bool,
    alive: Rc<Cell<bool>>,
    _listeners: [Listener; 2],
}

impl Connection {
    fn new(database: Database, is_new: bool) -> Self {
        let alive = Rc::new(Cell::new(true));
        let upgrade = {
            let (alive, handle) = (Rc::clone(&alive), database.clone());
            // A newer version in another tab wants to upgrade the schema: do not block it.
            Listener::on(database.as_sys(), "versionchange", move |_| {
                alive.set(false);
                handle.clone().close();
            })
        };
        let closed = {
            let alive = Rc::clone(&alive);
            // The browser closed it: the disk failed, or site data was cleared.
            Listener::on(database.as_sys(), "close", move |_| alive.set(false))
        };
        let newer = database.version() > f64::from(VERSION);
        Self { database, newer, is_new, alive, _listeners: [upgrade, closed] }
    }

    /// True if a newer version created the schema: read-only.
    pub(super) fn is_newer(&self) -> bool {
        self.newer
    }

    pub(super) fn is_new(&self) -> bool {
        self.is_new
    }

    pub(super) fn database(&self) -> &Database {
        &self.database
    }

    pub(super) fn is_alive(&self) -> bool {
        self.alive.get()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.database.clone().close();
    }
}

/// Opens or creates the database.
pub(super) async fn open(name: &str) -> Result<Connection, IdbError> {
    let (sender, receiver) = oneshot::channel();
    let (blocked, is_new) = (Rc::new(Cell::new(false)), Rc::new(Cell::new(false)));
    let request = request_any_version(name.to_owned(), Rc::clone(&blocked), Rc::clone(&is_new));
    // Spawned, not dropped with this future: once dropped, the library's request creates no stores, and the browser
    // would keep an empty database of this version.
    wasm_bindgen_futures::spawn_local(async move {
        if let Err(Ok(late)) = sender.send(request.await) {
            late.close();
        }
    });
    match select(receiver, sleep(OPEN_TIMEOUT_MS)).await {
        Either::Left((Ok(opened), _)) => opened.map(|database| Connection::new(database, is_new.get())),
        Either::Left((Err(_), _)) => Err(IdbError::Disconnected("opening the database broke off".to_owned())),
        Either::Right(_) if blocked.get() => {
            Err(IdbError::Disconnected("another tab holds an older version of the database".to_owned()))
        }
        Either::Right(_) => Err(IdbError::Disconnected("the database does not answer".to_owned())),
    }
}

/// Opens the database with this version's schema; a newer database as it is.
async fn request_any_version(
    name: String,
    blocked: Rc<Cell<bool>>,
    is_new: Rc<Cell<bool>>,
) -> Result<Database, IdbError> {
    match request(name.clone(), blocked, is_new).await {
        Err(IdbError::Final(StoreError::Newer)) => Ok(Database::open(name).build()?.await?),
        opened => opened,
    }
}

async fn request(
    name: String,
    blocked: Rc<Cell<bool>>,
    is_new: Rc<Cell<bool>>,
) -> Result<Database, IdbError> {
    let request = Database::open(name)
        .with_version(VERSION)
        .with_on_blocked(move |_| {
            blocked.set(true);
            Ok(())
        })
        .with_on_upgrade_needed(move |change, database| {
            is_new.set(change.old_version() < 1.0);
            upgrade_schema(&database, change.old_version())
        })
        .build()?;
    Ok(request.await?)
}

/// Upgrades the schema step by step from `from`; 0 means a new database.
fn upgrade_schema(database: &Database, from: f64) -> Result<(), Error> {
    if from < 1.0 {
        let events = database.create_object_store(EVENTS).build()?;
        events.create_index(TOPIC, KeyPath::One(TOPIC)).build()?;
        events.create_index(RUN, KeyPath::One(RUN)).build()?;
        for table in Table::ALL.into_iter().filter(|table| !added_in_2(*table)) {
            let store = database.create_object_store(table.name()).build()?;
            if table == Table::Messages {
                store.create_index("place", KeyPath::from(["session", "sequence"])).build()?;
            }
        }
        database.create_object_store(SECRETS).build()?;
    }
    if from < 2.0 {
        for table in Table::ALL.into_iter().filter(|table| added_in_2(*table)) {
            database.create_object_store(table.name()).build()?;
        }
    }
    Ok(())
}

/// True if version 2 of the schema added the table.
fn added_in_2(table: Table) -> bool {
    table == Table::Raw
}
