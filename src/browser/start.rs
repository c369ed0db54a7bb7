//! Starts the browser's side: probes storage, connects the ports, reads past crashes and starts the engine.
//!
//! If the browser stores nothing, the program runs in memory and says so.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::mpsc::{UnboundedReceiver, unbounded};
use futures_util::StreamExt;

use crate::browser::crash::CrashReport;
use crate::browser::idb::{DATABASE, IdbStore, Watch};
use crate::browser::lifecycle::{BrowserClock, BrowserIds, BrowserSpawn};
use crate::browser::local_storage::{LocalStorageError, LocalStore};
use crate::browser::tabs::{BrowserLocks, NoLocks, TabChannel};
use crate::browser::{js, lifecycle, local_storage, vault};
use nexus_engine::client::KeyRing;
use nexus_engine::demo::Demo;
use nexus_engine::lazy::LazyFuture;
use nexus_engine::lazy::loader::ChunkLoader;
use nexus_engine::port::{Batch, Ports, StorageStatus, Store, StoreError, VaultUnavailable};
use nexus_engine::start::RunningEngine;
use nexus_model::command::Command;
use nexus_model::id::{SessionId, StreamId};
use nexus_model::mind::{ContextNodeState, Mind};

/// Where keys that outlive the tab can be stored.
#[derive(Clone)]
pub struct KeyStore(pub Result<IdbStore, VaultUnavailable>);

impl Default for KeyStore {
    fn default() -> Self {
        Self(Err(VaultUnavailable::NoStorage))
    }
}

/// Loads a store in memory, for browsers that deny storage.
pub type LoadStore = fn() -> LazyFuture<Rc<dyn Store>>;

async fn in_memory(load: LoadStore) -> Result<Rc<dyn Store>, StoreError> {
    load().await.map_err(|error| StoreError::Lost(error.to_string()))
}

pub struct BootContext {
    pub ports: Ports,
    pub storage: StorageStatus,
    pub local: Rc<LocalStore>,
    /// Errors to show once: crashes since the last start, and what could not be read at this one.
    pub errors: Vec<CrashReport>,
    /// The mind that an earlier version left in localStorage, if the store is empty.
    pub imported: Option<ContextNodeState>,
    /// The id of the device's first session; new if none is stored.
    pub first_session: SessionId,
    pub channel: TabChannel,
    /// True if the store is empty although it once held data: the browser cleared it.
    pub is_cleared: bool,
    /// True if the address asks for safe mode: no last session, nothing runs by itself.
    pub is_safe_mode: bool,
    database: Option<IdbStore>,
    load_in_memory: LoadStore,
    key_store: KeyStore,
    local_errors: UnboundedReceiver<LocalStorageError>,
}

impl BootContext {
    /// Writes without waiting, when the page is closing; a no-op without a database.
    pub fn put_now(&self) -> impl Fn(&Batch) + use<> {
        let database = self.database.clone();
        move |batch| {
            if let Some(database) = &database {
                database.put_now(batch);
            }
        }
    }

    pub fn note_first_turn(&self) -> impl FnOnce() + use<> {
        let local = (self.storage == StorageStatus::Device).then(|| Rc::clone(&self.local));
        move || {
            if let Some(local) = local {
                local.write_text(local_storage::HAD_TURN, "1");
            }
        }
    }

    /// Starts the engine on these ports; falls back to memory if the opened store failed. Later localStorage errors are
    /// recorded in the ledger as critical errors.
    pub async fn engine(
        mut self,
        parts: impl Fn(KeyStore) -> Rc<dyn ChunkLoader>,
    ) -> Result<(Self, RunningEngine), StoreError> {
        let mut running = self.engine_start(parts(self.key_store.clone())).run().await;
        if let (Err(error), Some(_)) = (&running, &self.database) {
            // The stored data is left alone.
            let was_newer = self.storage == StorageStatus::ReadOnly;
            self.storage = if was_newer { StorageStatus::Newer } else { failed_status(error) };
            self.ports.store = in_memory(self.load_in_memory).await?;
            self.key_store = KeyStore::default();
            self.channel = TabChannel::disconnected();
            self.database = None;
            running = self.engine_start(parts(self.key_store.clone())).run().await;
        }
        let running = running?;
        let (handle, mut local_errors) =
            (running.handle.clone(), std::mem::replace(&mut self.local_errors, unbounded().1));
        self.ports.spawn.spawn(Box::pin(async move {
            while let Some(error) = local_errors.next().await {
                // If the store fails as well, the operator sees that error.
                drop(handle.send(Command::RecordCriticalError { text: error.to_string() }).await);
            }
        }));
        Ok((self, running))
    }

    fn engine_start(&self, parts: Rc<dyn ChunkLoader>) -> nexus_engine::start::EngineConfig {
        nexus_engine::start::EngineConfig {
            ports: self.ports.clone(),
            keys: KeyRing::default(),
            first_session: self.first_session,
            first_mind: self.imported.clone().map(Mind::from).unwrap_or_default(),
            parts,
            demo: Demo::default(),
            is_safe_mode: self.is_safe_mode,
        }
    }
}

/// Probes the browser and creates the ports; `watch` reports on the store. Fails if the store in memory is needed and
/// cannot be loaded. Call [`crate::browser::crash::install`] before.
pub async fn start(watch: Rc<Watch>, load_in_memory: LoadStore) -> Result<BootContext, StoreError> {
    let (local, mut local_errors) = LocalStore::probe();
    let mut errors = local.take_crashes();
    let (database, storage) = open_store(watch).await;
    let store: Rc<dyn Store> = match &database {
        Some(database) => Rc::new(database.clone()),
        None => in_memory(load_in_memory).await?,
    };
    // The store wins over the mirror, so the mirror is read only if the store is empty.
    let is_empty = matches!(store.last_seq(StreamId::App).await, Ok(0));
    let is_cleared =
        is_empty && storage == StorageStatus::Device && local.text(local_storage::HAD_TURN).is_some();
    let imported = is_empty.then(|| local.read::<ContextNodeState>(local_storage::CONTEXT_STATE)).flatten();
    while let Ok(error) = local_errors.try_recv() {
        let message = error.to_string();
        errors.push(CrashReport { kind: "storage".to_owned(), message, ..CrashReport::default() });
    }
    let mut ids = BrowserIds::default();
    let stored_id = local.text(local_storage::SESSION_ID).and_then(|id| id.parse().ok());
    let first_session = stored_id.unwrap_or_else(|| SessionId::new(&mut ids));
    let key_store = KeyStore(match (vault::unavailable(), &database) {
        (Some(why), _) => Err(why),
        // A newer version's store is not written to.
        (None, Some(database)) if storage != StorageStatus::ReadOnly => Ok(database.clone()),
        (None, _) => Err(VaultUnavailable::NoStorage),
    });
    let ports = Ports {
        store,
        clock: Rc::new(BrowserClock),
        ids: Rc::new(RefCell::new(ids)),
        spawn: Rc::new(BrowserSpawn),
        locks: if storage == StorageStatus::ReadOnly { Rc::new(NoLocks) } else { Rc::new(BrowserLocks) },
    };
    Ok(BootContext {
        ports,
        storage,
        local: Rc::new(local),
        errors,
        imported: imported.filter(|state| *state != ContextNodeState::default()),
        first_session,
        channel: if database.is_some() { TabChannel::open() } else { TabChannel::disconnected() },
        is_cleared,
        is_safe_mode: lifecycle::safe_mode(),
        database,
        load_in_memory,
        key_store,
        local_errors,
    })
}

async fn open_store(watch: Rc<Watch>) -> (Option<IdbStore>, StorageStatus) {
    if !js::has_database() {
        return (None, StorageStatus::Denied);
    }
    match IdbStore::open(DATABASE, watch).await {
        Ok(store) if store.is_newer() => (Some(store), StorageStatus::ReadOnly),
        Ok(store) => (Some(store), StorageStatus::Device),
        Err(error) => (None, failed_status(&error)),
    }
}

/// Why data is only in memory after this error.
fn failed_status(error: &StoreError) -> StorageStatus {
    match error {
        StoreError::Newer => StorageStatus::Newer,
        StoreError::Full => StorageStatus::Full,
        // In an iframe whose third-party storage is blocked, only localStorage says clearly that access is denied.
        _ if js::local_storage().is_none() => StorageStatus::Denied,
        StoreError::Lost(_) | StoreError::Damaged(_) | StoreError::Collision => StorageStatus::Failed,
    }
}
