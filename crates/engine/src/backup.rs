//! Backup of the operator's data: export, import, restore points and deleting everything. Loaded lazily.
//!
//! Acts unasked only for restore points. Never changes a session that exists: imported sessions are added beside it.

pub mod export;
pub mod import;
pub mod in_memory;
pub mod plan;
mod restore_points;

use std::rc::Rc;

use crate::bus::Bus;
use crate::client::EngineClient;
use crate::lazy::{ChunkLoadError, LazyFuture};
use crate::port::{ByteSource, DeviceStorage, Ports, RestorePoint, StorageEstimate, StoreError, TextStream};
use crate::store::ledger::WorldRef;
use nexus_model::id::{SessionId, StreamId};
use nexus_model::session::SessionRole;
use nexus_model::settings::schema::{FIRST_START_DONE, OPEN_SESSION};

pub use crate::backup::import::ImportResult;
pub use crate::backup::plan::{ImportAction, ImportError, ImportPlan, PlannedSession};

#[derive(Clone, Copy)]
pub struct BackupModule {
    pub device: fn() -> Rc<dyn DeviceStorage>,
    /// What keeps restore points as long as the page stands.
    pub keep: fn(BackupService),
}

/// What data are asked for at: light, and there from the start.
#[derive(Clone)]
pub struct BackupClient {
    pub ports: Ports,
    /// Where the heavier part comes from.
    pub load: Rc<dyn Fn() -> LazyFuture<BackupModule>>,
    pub handle: EngineClient,
    pub bus: Rc<Bus>,
    pub world: WorldRef,
    /// Whether what is stored outlives the page.
    pub is_kept: bool,
    pub version: &'static str,
}

impl BackupClient {
    pub async fn desk(&self) -> Result<BackupService, ChunkLoadError> {
        let part = (self.load)().await?;
        Ok(BackupService { door: self.clone(), device: (part.device)() })
    }

    /// Keeps restore points, and reminds of exports, from now on, once the page has stood for a while.
    pub async fn keep_points(self, after_ms: u64) {
        if !self.is_kept {
            return;
        }
        self.ports.clock.sleep(after_ms).await;
        // Where the part does not come now, the next visit makes up for it.
        let Ok(part) = (self.load)().await else { return };
        (part.keep)(BackupService { door: self, device: (part.device)() });
    }
}

#[derive(Clone)]
pub struct BackupService {
    door: BackupClient,
    device: Rc<dyn DeviceStorage>,
}

impl BackupService {
    pub fn is_kept(&self) -> bool {
        self.door.is_kept
    }

    /// Everything, or one session with those that it goes back to, as a dump.
    pub fn export(&self, only: Option<SessionId>) -> TextStream {
        let ports = &self.door.ports;
        export::dump(Rc::clone(&ports.store), ports.clock.now(), self.door.version, only)
    }

    /// Looks at a whole dump, and says what would come of it. Writes nothing.
    pub async fn look(&self, source: &dyn ByteSource) -> Result<ImportPlan, ImportError> {
        plan::look(&*self.door.ports.store, &self.door.world, source).await
    }

    /// Takes in what was looked at: all of it, or nothing. `told` hears how many events were taken in so far. `mark` is
    /// added to the name of a session that comes as a copy.
    pub async fn take(
        &self,
        source: &dyn ByteSource,
        plan: &ImportPlan,
        mark: &str,
        told: &dyn Fn(u64),
    ) -> Result<ImportResult, ImportError> {
        let held = self.door.ports.locks.try_hold("nexus-import").await;
        let Some(_held) = held else { return Err(ImportError::Busy) };
        import::clean(&*self.door.ports.store, &*self.device).await?;
        let import = import::Importer {
            store: &*self.door.ports.store,
            device: &*self.device,
            world: &self.door.world,
            plan,
            mark,
            told,
        };
        let taken = import.take(source).await?;
        self.announce(&taken).await;
        Ok(taken)
    }

    /// Lets the engine, and with it other tabs, see the sessions that came.
    async fn announce(&self, taken: &ImportResult) {
        let handle = &self.door.handle;
        handle.follow(StreamId::App);
        if taken.sessions.is_empty() {
            return;
        }
        let set = |name: &str, value: serde_json::Value| {
            let name = name.to_owned();
            handle.send(nexus_model::command::Command::ChangeSetting { name, value })
        };
        // Where a setting cannot be stored, the sessions are there all the same.
        drop(set(FIRST_START_DONE.name(), true.into()).await);
        let shown = {
            let world = self.door.world.borrow();
            let is_shown = |id: &&SessionId| {
                world.session(id).is_some_and(|row| row.role() == SessionRole::Conversation)
            };
            taken.sessions.iter().rev().find(is_shown).copied()
        };
        if let Some(shown) = shown {
            drop(set(OPEN_SESSION.name(), shown.to_string().into()).await);
        }
    }

    pub async fn facts(&self) -> StorageEstimate {
        self.device.facts().await
    }

    /// Asks the browser to keep what is stored. Says whether it agreed.
    pub async fn persist(&self) -> bool {
        self.device.persist().await
    }

    pub async fn points(&self) -> Result<Vec<RestorePoint>, StoreError> {
        self.device.points().await
    }

    pub async fn point(&self, at: nexus_model::id::Millis) -> Result<Rc<dyn ByteSource>, StoreError> {
        self.device.point(at).await
    }

    /// Makes a restore point now, and throws away those that are too old.
    pub async fn make_point(&self) -> Result<(), StoreError> {
        restore_points::make(self).await
    }

    pub async fn drop_point(&self, at: nexus_model::id::Millis) -> Result<(), StoreError> {
        self.device.drop_point(at).await
    }

    /// Keeps restore points, and reminds of exports, as long as the page stands.
    pub fn keep(self) {
        let spawn = Rc::clone(&self.door.ports.spawn);
        spawn.spawn(Box::pin(restore_points::keep(self)));
    }

    /// Removes everything from this device, in all tabs. The page loads again afterwards.
    pub async fn forget_everything(&self) -> Result<(), StoreError> {
        self.device.forget_everything().await
    }
}

#[cfg(test)]
#[path = "backup/backup_tests.rs"]
mod tests;
