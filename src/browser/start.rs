//! Never fails: where the browser keeps nothing, the program runs in memory and says so.
//!
//! Owns the start of the browser's side: what can be used here, the ports on it, and what the last time left behind.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::mpsc::UnboundedReceiver;

use crate::browser::channel::Channel;
use crate::browser::clock::BrowserClock;
use crate::browser::crash::{self, CriticalError};
use crate::browser::fetch::FetchHttp;
use crate::browser::idb::{DATABASE, IdbStore};
use crate::browser::ids::BrowserIds;
use crate::browser::local::{self, Local, Trouble};
use crate::browser::locks::BrowserLocks;
use crate::browser::page;
use crate::browser::probe::{self, MemoryReason, StorageMode};
use crate::browser::spawn::BrowserSpawn;
use crate::domain::id::{SessionId, StreamId};
use crate::domain::mind::ContextNodeState;
use crate::engine::memory::MemStore;
use crate::engine::port::{Ports, Row, Store, StoreError, Table};

/// What the program starts with.
pub struct Started {
    /// What the engine needs.
    pub ports: Ports,
    /// Where the truth is kept.
    pub storage: StorageMode,
    /// The small storage.
    pub local: Rc<Local>,
    /// Hears of trouble with the small storage, also of what was found at this start.
    pub troubles: UnboundedReceiver<Trouble>,
    /// The crashes since the last start; they are told once.
    pub errors: Vec<CriticalError>,
    /// The mind that an earlier program left in localStorage, where the store holds nothing.
    pub imported: Option<ContextNodeState>,
    /// The device's first session, if it was noted and is one of ours.
    pub first_session: Option<SessionId>,
    /// The word between tabs.
    pub channel: Channel,
    /// Whether the address asks for safe mode: no last session, nothing done unasked.
    pub safe: bool,
    database: Option<IdbStore>,
}

impl Started {
    /// Puts rows without waiting, for the moment when the page leaves; nothing where nothing is kept.
    pub fn put_now(&self) -> impl Fn(Vec<(Table, Row)>) + use<> {
        let database = self.database.clone();
        move |rows| {
            if let Some(database) = &database {
                database.put_now(rows);
            }
        }
    }
}

/// Probes the browser and makes the ports. Call [`crash::install`] before.
pub async fn start() -> Started {
    let (local, troubles) = Local::probe();
    let errors = crash::take_last(&local);
    let (database, storage) = open_store().await;
    let store: Rc<dyn Store> = match &database {
        Some(database) => Rc::new(database.clone()),
        None => Rc::new(MemStore::default()),
    };
    // The store wins wherever both speak, so the mirror is looked at only where the store is silent.
    let silent = matches!(store.last_seq(StreamId::App).await, Ok(0));
    let imported = silent.then(|| local.read::<ContextNodeState>(local::CONTEXT_STATE)).flatten();
    let first_session = local.text(local::SESSION_ID).and_then(|id| id.parse().ok());
    let ports = Ports {
        http: Rc::new(FetchHttp),
        store,
        clock: Rc::new(BrowserClock),
        ids: Rc::new(RefCell::new(BrowserIds::default())),
        spawn: Rc::new(BrowserSpawn),
        locks: Rc::new(BrowserLocks),
    };
    Started {
        ports,
        storage,
        local: Rc::new(local),
        troubles,
        errors,
        imported: imported.filter(|state| *state != ContextNodeState::default()),
        first_session,
        channel: Channel::open(),
        safe: page::safe_mode(),
        database,
    }
}

async fn open_store() -> (Option<IdbStore>, StorageMode) {
    let reason = if probe::has_database() {
        match IdbStore::open(DATABASE).await {
            Ok(store) => return (Some(store), StorageMode::Kept),
            Err(StoreError::Newer) => MemoryReason::Newer,
            Err(StoreError::Full) => MemoryReason::Full,
            Err(StoreError::Lost(why) | StoreError::Damaged(why)) => MemoryReason::Failed(why),
            Err(StoreError::Collision) => MemoryReason::Failed("opening collided".to_owned()),
        }
    } else {
        MemoryReason::Denied
    };
    (None, StorageMode::Memory(reason))
}
