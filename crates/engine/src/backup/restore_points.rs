//! Makes restore points when they are due and deletes old ones.
//!
//! Keeps the newest five and the newest of each of the last days. Never deletes one before its successor is stored.

use crate::backup::{BackupService, reminders};
use crate::port::{RestorePoint, StoreError, Table};
use nexus_model::id::{Millis, StreamId};
use nexus_model::limits::{POINT_BYTES, POINT_EVERY_MS, POINTS_DAYS, POINTS_NEWEST};
use nexus_model::session::{Session, SessionRole};
use nexus_text::json;

const DAY_MS: u64 = 24 * 60 * 60_000;

/// Makes restore points as long as the page stands.
pub(super) async fn keep(desk: BackupService) {
    loop {
        if is_due(&desk).await {
            // The next one is tried as if this had never been; the settings tell how old the newest is.
            drop(make(&desk).await);
        }
        reminders::look(&desk).await;
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
