//! Never fails: where the browser keeps nothing, the program runs in memory and says so.
//!
//! Owns the start of the browser's side: what can be used here, the ports on it, what the last time left behind, and the
//! engine on all that.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::mpsc::{UnboundedReceiver, unbounded};
use futures_util::StreamExt;

use crate::browser::channel::Channel;
use crate::browser::clock::BrowserClock;
use crate::browser::crash::{self, CriticalError};
use crate::browser::fetch::FetchHttp;
use crate::browser::idb::{DATABASE, IdbStore};
use crate::browser::ids::BrowserIds;
use crate::browser::local::{self, Local, Trouble};
use crate::browser::locks::{BrowserLocks, NoLocks};
use crate::browser::page;
use crate::browser::probe::{self, MemoryReason, StorageMode};
use crate::browser::spawn::BrowserSpawn;
use crate::browser::vault::{self, BrowserVault};
use crate::domain::command::Command;
use crate::domain::id::{SessionId, StreamId};
use crate::domain::mind::{ContextNodeState, Mind};
use crate::engine;
use crate::engine::handle::KeyRing;
use crate::engine::memory::{MemStore, TabOnly};
use crate::engine::parts::Parts;
use crate::engine::port::{Batch, NoVault, Ports, Store, StoreError, Vault};
use crate::engine::rehearsal::Rehearsal;
use crate::engine::start::Running;

/// What the program starts with.
pub struct Started {
    /// What the engine needs.
    pub ports: Ports,
    /// Where the truth is kept.
    pub storage: StorageMode,
    /// The small storage.
    pub local: Rc<Local>,
    /// What the operator must be told once: the crashes since the last start, and what could not be read at this one.
    pub errors: Vec<CriticalError>,
    /// The mind that an earlier program left in localStorage, where the store holds nothing.
    pub imported: Option<ContextNodeState>,
    /// The id of the device's first session, new where none was noted.
    pub first_session: SessionId,
    /// The word between tabs.
    pub channel: Channel,
    /// Whether the store is empty although it held something once: the browser cleared it.
    pub is_cleared: bool,
    /// Whether the address asks for safe mode: no last session, nothing done unasked.
    pub safe: bool,
    database: Option<IdbStore>,
    troubles: UnboundedReceiver<Trouble>,
}

impl Started {
    /// Writes without waiting, for the moment when the page leaves; nothing where nothing is kept.
    pub fn put_now(&self) -> impl Fn(&Batch) + use<> {
        let database = self.database.clone();
        move |batch| {
            if let Some(database) = &database {
                database.put_now(batch);
            }
        }
    }

    /// Notes that the store holds something now.
    pub fn note_kept(&self) -> impl FnOnce() + use<> {
        let local = (self.storage == StorageMode::Kept).then(|| Rc::clone(&self.local));
        move || {
            if let Some(local) = local {
                local.write_text(local::KEPT, "1");
            }
        }
    }

    /// Starts the engine on these ports; where the store opened and then failed, in memory. Later trouble with the small
    /// storage goes to the ledger as critical errors.
    pub async fn engine(mut self, parts: Rc<dyn Parts>) -> Result<(Self, Running), StoreError> {
        let mut running = self.engine_start(Rc::clone(&parts)).run().await;
        if let (Err(error), Some(_)) = (&running, &self.database) {
            // What the store holds is left alone.
            self.storage = StorageMode::Memory(match self.storage {
                StorageMode::ReadOnly => MemoryReason::Newer,
                StorageMode::Kept | StorageMode::Memory(_) => reason(error.clone()),
            });
            self.ports.store = Rc::new(MemStore::default());
            self.ports.vault = Rc::new(TabOnly(NoVault::NoStorage));
            self.channel = Channel::silent();
            self.database = None;
            running = self.engine_start(Rc::clone(&parts)).run().await;
        }
        let running = running?;
        let (handle, mut troubles) =
            (running.handle.clone(), std::mem::replace(&mut self.troubles, unbounded().1));
        self.ports.spawn.spawn(Box::pin(async move {
            while let Some(trouble) = troubles.next().await {
                // Where the store fails as well, that is what the operator hears of.
                drop(handle.send(Command::RecordCriticalError { text: trouble.to_string() }).await);
            }
        }));
        Ok((self, running))
    }

    fn engine_start(&self, parts: Rc<dyn Parts>) -> engine::start::Start {
        engine::start::Start {
            ports: self.ports.clone(),
            keys: KeyRing::default(),
            first_session: self.first_session,
            first_mind: self.imported.clone().map(Mind::from).unwrap_or_default(),
            parts,
            rehearsal: Rehearsal::default(),
            safe: self.safe,
        }
    }
}

/// Probes the browser and makes the ports. Call [`crash::install`] before.
pub async fn start() -> Started {
    let (local, mut troubles) = Local::probe();
    let mut errors = crash::take_last(&local);
    let (database, storage) = open_store().await;
    let store: Rc<dyn Store> = match &database {
        Some(database) => Rc::new(database.clone()),
        None => Rc::new(MemStore::default()),
    };
    // The store wins wherever both speak, so the mirror is looked at only where the store is silent.
    let silent = matches!(store.last_seq(StreamId::App).await, Ok(0));
    let is_cleared = silent && storage == StorageMode::Kept && local.text(local::KEPT).is_some();
    let imported = silent.then(|| local.read::<ContextNodeState>(local::CONTEXT_STATE)).flatten();
    while let Ok(trouble) = troubles.try_recv() {
        errors.push(told(&trouble));
    }
    let mut ids = BrowserIds::default();
    let noted = local.text(local::SESSION_ID).and_then(|id| id.parse().ok());
    let first_session = noted.unwrap_or_else(|| SessionId::new(&mut ids));
    let vault: Rc<dyn Vault> = match (vault::hindrance(), &database) {
        (Some(why), _) => Rc::new(TabOnly(why)),
        (None, None) => Rc::new(TabOnly(NoVault::NoStorage)),
        // What a newer program keeps is not written to.
        (None, Some(_)) if storage == StorageMode::ReadOnly => Rc::new(TabOnly(NoVault::NoStorage)),
        (None, Some(database)) => Rc::new(BrowserVault::new(database.clone())),
    };
    let ports = Ports {
        http: Rc::new(FetchHttp),
        store,
        clock: Rc::new(BrowserClock),
        ids: Rc::new(RefCell::new(ids)),
        spawn: Rc::new(BrowserSpawn),
        locks: if storage == StorageMode::ReadOnly { Rc::new(NoLocks) } else { Rc::new(BrowserLocks) },
        vault,
    };
    Started {
        ports,
        storage,
        local: Rc::new(local),
        errors,
        imported: imported.filter(|state| *state != ContextNodeState::default()),
        first_session,
        channel: if database.is_some() { Channel::open() } else { Channel::silent() },
        is_cleared,
        safe: page::safe_mode(),
        database,
        troubles,
    }
}

fn told(trouble: &Trouble) -> CriticalError {
    CriticalError { kind: "storage".to_owned(), message: trouble.to_string(), ..CriticalError::default() }
}

async fn open_store() -> (Option<IdbStore>, StorageMode) {
    if !probe::has_database() {
        return (None, StorageMode::Memory(MemoryReason::Denied));
    }
    match IdbStore::open(DATABASE).await {
        Ok(store) if store.is_newer() => (Some(store), StorageMode::ReadOnly),
        Ok(store) => (Some(store), StorageMode::Kept),
        Err(error) => (None, StorageMode::Memory(reason(error))),
    }
}

fn reason(error: StoreError) -> MemoryReason {
    match error {
        StoreError::Newer => MemoryReason::Newer,
        StoreError::Full => MemoryReason::Full,
        StoreError::Lost(why) | StoreError::Damaged(why) => MemoryReason::Failed(why),
        StoreError::Collision => MemoryReason::Failed("another tab wrote at the same place".to_owned()),
    }
}
