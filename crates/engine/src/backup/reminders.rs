//! Reminds the operator to export weekly where the browser may clear storage, and warns once of a private window.
//!
//! A private window is recognised by a very small storage quota. A reminder is not repeated within its interval.

use crate::backup::BackupService;
use crate::port::StorageEstimate;
use nexus_model::command::Command;
use nexus_model::id::Millis;
use nexus_model::limits::{EXPORT_EVERY_MS, SMALL_QUOTA_BYTES};
use nexus_model::settings::schema::{EXPORT_ADVISED_AT, EXPORTED_AT, SMALL_QUOTA_TOLD};
use nexus_model::settings::{Own, Setting};
use nexus_model::signal::{BackupReminder, TransientEvent};
use nexus_model::world::World;

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
