//! Never tells the same thing twice within its time, and never exports by itself.
//!
//! Owns what the operator is reminded of so that the browser does not lose what is here: a weekly export where the
//! storage may be cleared, and, once, that a page is given so little room that its window is probably a private one.

use crate::domain::command::Command;
use crate::domain::id::Millis;
use crate::domain::limits::{EXPORT_EVERY_MS, SMALL_QUOTA_BYTES};
use crate::domain::live::{Care, Live};
use crate::domain::world::World;
use crate::engine::data::Desk;
use crate::engine::port::DeviceFacts;

/// The setting that says when everything was last exported, in milliseconds.
pub const EXPORTED_SETTING: &str = "exported_at";
/// The setting that says when an export was last advised.
const ADVISED_SETTING: &str = "export_advised_at";
/// The setting that says that the little room was told of.
const SMALL_SETTING: &str = "small_quota_told";

/// Looks once, and tells what is due.
pub(super) async fn look(desk: &Desk) {
    // Two tabs tell it once.
    let Some(_held) = desk.door.ports.locks.try_hold("nexus-care").await else { return };
    let facts = desk.device.facts().await;
    let now = desk.door.ports.clock.now();
    let due = due(&desk.door.world.borrow(), facts, now);
    for care in due {
        let (name, value) = match care {
            Care::Export => (ADVISED_SETTING, now.0.into()),
            Care::LittleRoom { .. } => (SMALL_SETTING, true.into()),
        };
        let noted = Command::ChangeSetting { name: name.to_owned(), value };
        // What cannot be noted would be told for ever.
        if desk.door.handle.send(noted).await.is_ok() {
            desk.door.bus.show(&Live::Care(care));
        }
    }
}

/// What is to be told now.
fn due(world: &World, facts: DeviceFacts, now: Millis) -> Vec<Care> {
    let setting = |name: &str| world.setting(&name.to_owned());
    let at = |name: &str| setting(name).and_then(|value| value.as_u64());
    // Before the first message there is nothing to lose.
    let spoken = |last: &Option<Millis>| last.is_some();
    let begun = world.sessions.values().filter(|session| spoken(&session.last_message_at));
    let Some(begun) = begun.map(|session| session.created_at.0).min() else { return Vec::new() };
    let since = at(EXPORTED_SETTING).into_iter().chain(at(ADVISED_SETTING)).fold(begun, u64::max);
    let is_long = now.0.saturating_sub(since) >= EXPORT_EVERY_MS;
    let export = (is_long && facts.persisted != Some(true)).then_some(Care::Export);
    let little = facts
        .quota
        .filter(|quota| *quota < SMALL_QUOTA_BYTES && facts.persisted != Some(true))
        .filter(|_| setting(SMALL_SETTING).is_none())
        .map(|quota| Care::LittleRoom { quota });
    export.into_iter().chain(little).collect()
}
