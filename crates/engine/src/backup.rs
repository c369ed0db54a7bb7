//! Backup of the operator's data: export, import, restore points and deleting everything. Loaded lazily.
//!
//! Acts unasked only for restore points. Never changes a session that exists: imported sessions are added beside it.

pub mod export;
pub mod import;
pub mod in_memory;
pub mod plan;

use std::rc::Rc;

use nexus_model::command::Command;
use nexus_model::id::{Millis, SessionId, StreamId};
use nexus_model::limits::{
    EXPORT_EVERY_MS, POINT_BYTES, POINT_EVERY_MS, POINTS_DAYS, POINTS_NEWEST, SMALL_QUOTA_BYTES,
};
use nexus_model::session::{Session, SessionRole};
use nexus_model::settings::schema::{
    EXPORT_ADVISED_AT, EXPORTED_AT, FIRST_START_DONE, OPEN_SESSION, SMALL_QUOTA_TOLD,
};
use nexus_model::settings::{Own, Setting};
use nexus_model::signal::{BackupReminder, TransientEvent};
use nexus_model::world::World;

use crate::bus::Bus;
use crate::client::EngineClient;
use crate::lazy::{ChunkLoadError, LazyFuture};
use crate::port::{
    ByteSource, DeviceStorage, Ports, RestorePoint, StorageEstimate, StoreError, Table, TextStream,
};
use crate::store::ledger::WorldRef;
use nexus_text::json;

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
            handle.send(Command::ChangeSetting { name, value })
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

    /// The restore points, the newest first.
    pub async fn points(&self) -> Result<Vec<RestorePoint>, StoreError> {
        self.device.points().await
    }

    pub async fn point(&self, at: Millis) -> Result<Rc<dyn ByteSource>, StoreError> {
        self.device.point(at).await
    }

    /// Makes a restore point, and throws away what is too old then.
    pub async fn make_point(&self) -> Result<(), StoreError> {
        // Two tabs make one point, not two.
        let Some(_held) = self.door.ports.locks.try_hold("nexus-points").await else { return Ok(()) };
        let (sessions, events) = self.size().await?;
        let point = RestorePoint { at: self.door.ports.clock.now(), bytes: 0, sessions, events };
        self.device.keep_point(point, self.export(None)).await?;
        for old in too_old(&self.device.points().await?, self.door.ports.clock.now()) {
            self.device.drop_point(old).await?;
        }
        Ok(())
    }

    pub async fn drop_point(&self, at: Millis) -> Result<(), StoreError> {
        self.device.drop_point(at).await
    }

    /// Keeps restore points, and reminds of exports, as long as the page stands.
    pub fn keep(self) {
        let spawn = Rc::clone(&self.door.ports.spawn);
        spawn.spawn(Box::pin(async move {
            loop {
                if self.is_due().await {
                    // The next one is tried as if this had never been; the settings tell how old the newest is.
                    drop(self.make_point().await);
                }
                self.remind().await;
                self.door.ports.clock.sleep(POINT_EVERY_MS).await;
            }
        }));
    }

    /// Whether something happened since the newest restore point, it is old enough, and there is room for another.
    async fn is_due(&self) -> bool {
        let Ok(points) = self.device.points().await else { return false };
        let (sessions, events) = match self.size().await {
            Ok(size) => size,
            Err(_) => return false,
        };
        let now = self.door.ports.clock.now().0;
        let is_news = points.first().is_none_or(|newest| {
            (newest.sessions, newest.events) != (sessions, events)
                && now.saturating_sub(newest.at.0) >= POINT_EVERY_MS
        });
        let facts = self.device.facts().await;
        let is_room = match (facts.used, facts.quota) {
            (Some(used), Some(quota)) => used < POINT_BYTES && used < quota / 2,
            _ => true,
        };
        // A session that was only made says nothing yet.
        is_news && is_room && events > sessions
    }

    /// How many sessions there are, those that only keep runs of the Archivist not counted, and how many events in all.
    async fn size(&self) -> Result<(u64, u64), StoreError> {
        let store = &self.door.ports.store;
        let (mut sessions, mut events) = (0u64, 0u64);
        for (key, row) in store.scan(Table::Sessions, String::new()).await? {
            if let Ok(session) = key.parse() {
                let is_hidden =
                    json::read::<Session>(&row).is_ok_and(|session| session.role() == SessionRole::Jobs);
                sessions = sessions.saturating_add(u64::from(!is_hidden));
                events = events.saturating_add(store.last_seq(StreamId::Session(session)).await?);
            }
        }
        Ok((sessions, events))
    }

    /// Looks once, and tells what is due.
    async fn remind(&self) {
        // Two tabs tell it once.
        let Some(_held) = self.door.ports.locks.try_hold("nexus-care").await else { return };
        let facts = self.device.facts().await;
        let now = self.door.ports.clock.now();
        let due = due(&self.door.world.borrow(), facts, now);
        for care in due {
            let (name, value) = match care {
                BackupReminder::Export => (EXPORT_ADVISED_AT.name(), now.0.into()),
                BackupReminder::LittleRoom { .. } => (SMALL_QUOTA_TOLD.name(), true.into()),
            };
            let noted = Command::ChangeSetting { name: name.to_owned(), value };
            // What cannot be noted would be told for ever.
            if self.door.handle.send(noted).await.is_ok() {
                self.door.bus.show(&TransientEvent::Care(care));
            }
        }
    }

    /// Removes everything from this device, in all tabs. The page loads again afterwards.
    pub async fn forget_everything(&self) -> Result<(), StoreError> {
        self.device.forget_everything().await
    }
}

const DAY_MS: u64 = 24 * 60 * 60_000;

/// Of points, the newest first, those to throw away: all but the newest five and the newest of each of the last days.
pub(super) fn too_old(points: &[RestorePoint], now: Millis) -> Vec<Millis> {
    let mut last_day = None;
    let mut old = Vec::new();
    for (place, point) in points.iter().enumerate() {
        let day = point.at.0 / DAY_MS;
        let is_newest_of_day = last_day != Some(day);
        last_day = Some(day);
        let is_recent = (now.0 / DAY_MS).saturating_sub(day) <= POINTS_DAYS;
        if place >= POINTS_NEWEST && !(is_newest_of_day && is_recent) {
            old.push(point.at);
        }
    }
    old
}

fn due(world: &World, facts: StorageEstimate, now: Millis) -> Vec<BackupReminder> {
    let at = |setting: Setting<Own>| world.kept(setting).and_then(|value| value.as_u64());
    // Before the first message there is nothing to lose.
    let spoken = |last: &Option<Millis>| last.is_some();
    let begun = world.sessions.values().filter(|session| spoken(&session.last_message_at));
    let Some(begun) = begun.map(|session| session.created_at.0).min() else { return Vec::new() };
    let since = at(EXPORTED_AT).into_iter().chain(at(EXPORT_ADVISED_AT)).fold(begun, u64::max);
    let is_long = now.0.saturating_sub(since) >= EXPORT_EVERY_MS;
    let export = (is_long && facts.persisted != Some(true)).then_some(BackupReminder::Export);
    let little = facts
        .quota
        .filter(|quota| *quota < SMALL_QUOTA_BYTES && facts.persisted != Some(true))
        .filter(|_| world.kept(SMALL_QUOTA_TOLD).is_none())
        .map(|quota| BackupReminder::LittleRoom { quota });
    export.into_iter().chain(little).collect()
}

#[cfg(test)]
#[path = "backup/backup_tests.rs"]
mod tests;
