//! Makes restore points when they are due, deletes old ones, and reminds the operator to export.
//!
//! Keeps the newest five and the newest of each of the last days. Never deletes one before its successor is stored.
//! Reminds weekly where the browser may clear storage, and warns once of a private window, which is recognised by a
//! very small storage quota. A reminder is not repeated within its interval.

use crate::backup::BackupService;
use crate::port::{RestorePoint, StorageEstimate, StoreError, Table};
use nexus_model::command::Command;
use nexus_model::id::{Millis, StreamId};
use nexus_model::limits::{
    EXPORT_EVERY_MS, POINT_BYTES, POINT_EVERY_MS, POINTS_DAYS, POINTS_NEWEST, SMALL_QUOTA_BYTES,
};
use nexus_model::session::{Session, SessionRole};
use nexus_model::settings::schema::{EXPORT_ADVISED_AT, EXPORTED_AT, SMALL_QUOTA_TOLD};
use nexus_model::settings::{Own, Setting};
use nexus_model::signal::{BackupReminder, TransientEvent};
use nexus_model::world::World;
use nexus_text::json;

const DAY_MS: u64 = 24 * 60 * 60_000;

/// Makes restore points as long as the page stands.
pub(super) async fn keep(desk: BackupService) {
    loop {
        if is_due(&desk).await {
            // The next one is tried as if this had never been; the settings tell how old the newest is.
            drop(make(&desk).await);
        }
        look(&desk).await;
        desk.door.ports.clock.sleep(POINT_EVERY_MS).await;
    }
}

/// Whether something happened since the newest restore point, it is old enough, and there is room for another.
async fn is_due(desk: &BackupService) -> bool {
    let Ok(points) = desk.device.points().await else { return false };
    let (sessions, events) = match size(desk).await {
        Ok(size) => size,
        Err(_) => return false,
    };
    let now = desk.door.ports.clock.now().0;
    let is_news = points.first().is_none_or(|newest| {
        (newest.sessions, newest.events) != (sessions, events)
            && now.saturating_sub(newest.at.0) >= POINT_EVERY_MS
    });
    let facts = desk.device.facts().await;
    let is_room = match (facts.used, facts.quota) {
        (Some(used), Some(quota)) => used < POINT_BYTES && used < quota / 2,
        _ => true,
    };
    // A session that was only made says nothing yet.
    is_news && is_room && events > sessions
}

/// How many sessions there are, those that only keep runs of the Archivist not counted, and how many events in all.
async fn size(desk: &BackupService) -> Result<(u64, u64), StoreError> {
    let store = &desk.door.ports.store;
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

/// Makes a restore point, and throws away what is too old then.
pub(super) async fn make(desk: &BackupService) -> Result<(), StoreError> {
    // Two tabs make one point, not two.
    let Some(_held) = desk.door.ports.locks.try_hold("nexus-points").await else { return Ok(()) };
    let (sessions, events) = size(desk).await?;
    let point = RestorePoint { at: desk.door.ports.clock.now(), bytes: 0, sessions, events };
    desk.device.keep_point(point, desk.export(None)).await?;
    for old in too_old(&desk.device.points().await?, desk.door.ports.clock.now()) {
        desk.device.drop_point(old).await?;
    }
    Ok(())
}

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

/// Looks once, and tells what is due.
pub(super) async fn look(desk: &BackupService) {
    // Two tabs tell it once.
    let Some(_held) = desk.door.ports.locks.try_hold("nexus-care").await else { return };
    let facts = desk.device.facts().await;
    let now = desk.door.ports.clock.now();
    let due = due(&desk.door.world.borrow(), facts, now);
    for care in due {
        let (name, value) = match care {
            BackupReminder::Export => (EXPORT_ADVISED_AT.name(), now.0.into()),
            BackupReminder::LittleRoom { .. } => (SMALL_QUOTA_TOLD.name(), true.into()),
        };
        let noted = Command::ChangeSetting { name: name.to_owned(), value };
        // What cannot be noted would be told for ever.
        if desk.door.handle.send(noted).await.is_ok() {
            desk.door.bus.show(&TransientEvent::Care(care));
        }
    }
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
