//! Backup of the operator's data: export, import, restore points and deleting everything. Loaded lazily.
//!
//! Acts unasked only for restore points. Never changes a session that exists: imported sessions are added beside it.
//! Only the empty session of a new device is deleted then.

pub mod export;
pub mod import;
pub mod plan;

use crate::bus::Bus;
use crate::client::EngineClient;
use crate::lazy::{ChunkLoadError, LazyFuture};
use crate::port::{DeviceStorage, RestorePoint, StorageEstimate, TextStream};
use crate::prelude::*;
use crate::store::ledger::WorldRef;
use nexus_model::limits::{
    EXPORT_EVERY_MS, POINT_BYTES, POINT_EVERY_MS, POINTS_DAYS, POINTS_NEWEST, SMALL_QUOTA_BYTES,
};
use nexus_model::memory::DAY_MS;
use nexus_model::settings::schema::{
    EXPORT_ADVISED_AT, EXPORTED_AT, FIRST_START_DONE, OPEN_SESSION, SMALL_QUOTA_TOLD,
};
use nexus_model::settings::{Own, Setting};
use nexus_model::signal::BackupReminder;

pub use crate::backup::import::ImportResult;
pub use crate::backup::plan::{ImportAction, ImportError, ImportPlan, PlannedSession};

#[derive(Clone, Copy)]
pub struct BackupModule {
    pub device: fn() -> Rc<dyn DeviceStorage>,
    /// Starts the service that keeps restore points until the page closes.
    pub start: fn(BackupService),
}

/// Entry point for backup, available from the start. The rest is loaded lazily.
#[derive(Clone)]
pub struct BackupClient {
    pub ports: Ports,
    pub load: Rc<dyn Fn() -> LazyFuture<BackupModule>>,
    pub handle: EngineClient,
    pub bus: Rc<Bus>,
    pub world: WorldRef,
    /// True if stored data outlives the page.
    pub is_persistent: bool,
    pub version: &'static str,
}

impl BackupClient {
    pub async fn service(&self) -> Result<BackupService, ChunkLoadError> {
        let part = (self.load)().await?;
        Ok(BackupService { client: self.clone(), device: (part.device)() })
    }

    /// After a delay, starts making restore points and export reminders.
    pub async fn start_restore_points(self, after_ms: u64) {
        if !self.is_persistent {
            return;
        }
        self.ports.clock.sleep(after_ms).await;
        // If loading fails, the next visit tries again.
        let Ok(part) = (self.load)().await else { return };
        (part.start)(BackupService { client: self, device: (part.device)() });
    }
}

#[derive(Clone)]
pub struct BackupService {
    pub client: BackupClient,
    pub device: Rc<dyn DeviceStorage>,
}

impl BackupService {
    pub fn export(&self, only: Option<SessionId>) -> TextStream {
        let ports = &self.client.ports;
        export::dump(Rc::clone(&ports.store), ports.clock.now(), self.client.version, only)
    }

    /// Checks a whole dump and plans its import. Writes nothing.
    pub async fn plan_import(&self, source: &dyn ByteSource) -> Result<ImportPlan, ImportError> {
        plan::plan_import(&*self.client.ports.store, &self.client.world, source).await
    }

    /// Imports what was planned, all or nothing. `on_progress` receives the number of events imported so far. `mark` is
    /// appended to the label of a session that is imported as a copy.
    pub async fn import(
        &self,
        source: &dyn ByteSource,
        plan: &ImportPlan,
        mark: &str,
        on_progress: &dyn Fn(u64),
    ) -> Result<ImportResult, ImportError> {
        let lock = self.client.ports.locks.try_hold("nexus-import").await;
        let Some(_lock) = lock else { return Err(ImportError::Busy) };
        import::roll_back_unfinished(&*self.client.ports.store, &*self.device).await?;
        let import = import::Importer {
            store: &*self.client.ports.store,
            device: &*self.device,
            world: &self.client.world,
            plan,
            mark,
            on_progress,
            written: import::ImportedData::default(),
        };
        let result = import.import(source).await?;
        let shown = self.announce(&result, plan).await;
        Ok(ImportResult { shown, ..result })
    }

    /// Shows the imported sessions in the engine and in other tabs. Returns the one to show.
    async fn announce(&self, result: &ImportResult, plan: &ImportPlan) -> Option<SessionId> {
        let handle = &self.client.handle;
        let empty = self.empty_session().await;
        handle.reload_stream(StreamId::App);
        if result.sessions.is_empty() {
            return None;
        }
        let set = |name: &str, value: serde_json::Value| {
            let name = name.to_owned();
            handle.send(Command::ChangeSetting { name, value })
        };
        // If a command fails, the sessions are imported all the same.
        drop(set(FIRST_START_DONE.name(), true.into()).await);
        let shown = plan.session_to_show(&self.client.world.borrow())?;
        drop(set(OPEN_SESSION.name(), shown.to_string().into()).await);
        if let Some(session) = empty {
            drop(handle.send(Command::DeleteSession { session }).await);
        }
        Some(shown)
    }

    /// The session of a device on which nothing was done yet.
    async fn empty_session(&self) -> Option<SessionId> {
        let only = {
            let world = self.client.world.borrow();
            let mut sessions = world.sessions.values();
            sessions.next().filter(|only| only.is_untouched() && sessions.next().is_none())?.id
        };
        let drafts = self.client.ports.store.scan(Table::Drafts, only.to_string()).await;
        drafts.is_ok_and(|drafts| drafts.is_empty()).then_some(only)
    }

    /// Makes a restore point now and deletes expired ones.
    pub async fn make_restore_point(&self) -> StoreResult {
        // Only one of several tabs makes the point.
        let Some(_lock) = self.client.ports.locks.try_hold("nexus-points").await else { return Ok(()) };
        let (sessions, events) = self.size().await?;
        let point = RestorePoint { at: self.client.ports.clock.now(), bytes: 0, sessions, events };
        self.device.save_restore_point(point, self.export(None)).await?;
        for expired_point in expired(&self.device.restore_points().await?, self.client.ports.clock.now()) {
            self.device.delete_restore_point(expired_point).await?;
        }
        Ok(())
    }

    pub fn start(self) {
        let spawn = Rc::clone(&self.client.ports.spawn);
        spawn.spawn(Box::pin(async move {
            loop {
                if self.is_due().await {
                    // A failure does not affect the next attempt; the settings show the age of the newest point.
                    drop(self.make_restore_point().await);
                }
                self.remind().await;
                self.client.ports.clock.sleep(POINT_EVERY_MS).await;
            }
        }));
    }

    /// True if there are new events, the newest restore point is old enough, and there is room for another.
    async fn is_due(&self) -> bool {
        let Ok(points) = self.device.restore_points().await else { return false };
        let Ok((sessions, events)) = self.size().await else { return false };
        let now = self.client.ports.clock.now().0;
        let is_news = points.first().is_none_or(|newest| {
            (newest.sessions, newest.events) != (sessions, events)
                && now.saturating_sub(newest.at.0) >= POINT_EVERY_MS
        });
        let facts = self.device.estimate().await;
        let is_room = match (facts.used, facts.quota) {
            (Some(used), Some(quota)) => used < POINT_BYTES && used < quota / 2,
            _ => true,
        };
        // A session whose only event is its creation does not count.
        is_news && is_room && events > sessions
    }

    /// Counts the sessions, except those that only hold jobs, and the events of all sessions.
    async fn size(&self) -> StoreResult<(u64, u64)> {
        let store = &self.client.ports.store;
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

    async fn remind(&self) {
        // Only one of several tabs sends them.
        let Some(_lock) = self.client.ports.locks.try_hold("nexus-care").await else { return };
        let facts = self.device.estimate().await;
        let now = self.client.ports.clock.now();
        let due = due(&self.client.world.borrow(), facts, now);
        for reminder in due {
            let (name, value) = match reminder {
                BackupReminder::Export => (EXPORT_ADVISED_AT.name(), now.0.into()),
                BackupReminder::LittleRoom { .. } => (SMALL_QUOTA_TOLD.name(), true.into()),
            };
            let command = Command::ChangeSetting { name: name.to_owned(), value };
            // A reminder that cannot be recorded would repeat forever.
            if self.client.handle.send(command).await.is_ok() {
                self.client.bus.publish_transient(&TransientEvent::Reminder(reminder));
            }
        }
    }
}

/// The restore points to delete, of a list that is newest first: all but the newest five and the newest of each recent
/// day.
pub(super) fn expired(points: &[RestorePoint], now: Millis) -> Vec<Millis> {
    let mut last_day = None;
    let mut expired = Vec::new();
    for (index, point) in points.iter().enumerate() {
        let day = point.at.0 / DAY_MS;
        let is_newest_of_day = last_day != Some(day);
        last_day = Some(day);
        let is_recent = (now.0 / DAY_MS).saturating_sub(day) <= POINTS_DAYS;
        if index >= POINTS_NEWEST && !(is_newest_of_day && is_recent) {
            expired.push(point.at);
        }
    }
    expired
}

fn due(world: &World, facts: StorageEstimate, now: Millis) -> Vec<BackupReminder> {
    let at = |setting: Setting<Own>| world.stored(setting).and_then(|value| value.as_u64());
    // Before the first message there is nothing to lose.
    let started = world.sessions.values().filter(|session| session.last_message_at.is_some());
    let Some(started) = started.map(|session| session.created_at.0).min() else { return Vec::new() };
    let since = at(EXPORTED_AT).into_iter().chain(at(EXPORT_ADVISED_AT)).fold(started, u64::max);
    let is_long = now.0.saturating_sub(since) >= EXPORT_EVERY_MS;
    let export = (is_long && facts.persisted != Some(true)).then_some(BackupReminder::Export);
    let small = facts
        .quota
        .filter(|quota| *quota < SMALL_QUOTA_BYTES && facts.persisted != Some(true))
        .filter(|_| world.stored(SMALL_QUOTA_TOLD).is_none())
        .map(|quota| BackupReminder::LittleRoom { quota });
    export.into_iter().chain(small).collect()
}

#[cfg(test)]
mod service_tests;
#[cfg(test)]
mod tests;
