//! The backup service on running devices: restore points, reminders, and what an import shows.

use std::rc::Rc;

use serde_json::json;

use super::{BackupClient, BackupModule, BackupService, expired};
use crate::backup::import::ImportResult;
use crate::backup::plan::ImportAction;
use crate::backup::tests::{exported, fates, now};
use crate::lazy::LazyFuture;
use crate::port::{ByteSource, DeviceStorage as _, RestorePoint, StorageEstimate};
use crate::store::in_memory::InMemoryDeviceStorage;
use crate::tests::{Tab, says, tab};
use nexus_model::prelude::*;
use nexus_model::settings::schema::{EXPORTED_AT, OPEN_SESSION};
use nexus_model::signal::{BackupReminder, TransientEvent};

#[test]
fn restore_points_are_kept_by_age() {
    const DAY: u64 = 24 * 60 * 60_000;
    let now = Millis(100 * DAY + 10_000);
    let at = |days_ago: u64, hour: u64| Millis(100 * DAY - days_ago * DAY + hour * 1_000);
    let mut ages: Vec<_> = (0..20).flat_map(|day| [at(day, 1), at(day, 2)]).collect();
    ages.sort_by(|one, other| other.cmp(one));
    let points: Vec<_> =
        ages.iter().map(|at| RestorePoint { at: *at, bytes: 1, sessions: 1, events: 2 }).collect();
    let expired_points = expired(&points, now);
    let remaining: Vec<_> = ages.iter().filter(|at| !expired_points.contains(at)).collect();
    assert_eq!(
        remaining.iter().take(5).map(|at| at.0).collect::<Vec<_>>(),
        ages.iter().take(5).map(|at| at.0).collect::<Vec<_>>()
    );
    // One a day after that, for seven days.
    assert_eq!(remaining.len(), 5 + 5, "{remaining:?}");
    assert!(remaining.iter().all(|remaining| now.0 - remaining.0 <= 8 * DAY));
}

fn module() -> LazyFuture<BackupModule> {
    let device = || Rc::new(InMemoryDeviceStorage::default()) as Rc<dyn crate::port::DeviceStorage>;
    Box::pin(std::future::ready(Ok(BackupModule { device, start: BackupService::start })))
}

fn service(here: &Tab, device: &Rc<InMemoryDeviceStorage>) -> BackupService {
    let client = BackupClient {
        ports: here.ports.clone(),
        load: Rc::new(module),
        handle: here.running.handle.clone(),
        bus: Rc::clone(&here.running.bus),
        world: Rc::clone(&here.running.world),
        is_persistent: true,
        version: "0.0.0",
    };
    BackupService { client, device: Rc::clone(device) as _ }
}

fn import(here: &Tab, service: BackupService, source: Rc<dyn ByteSource>) -> ImportResult {
    here.wait_for(async move {
        let plan = service.plan_import(&*source).await?;
        service.import(&*source, &plan, "(copy)", &|_| ()).await
    })
    .unwrap()
}

/// An import on a new device shows the conversation that was open, else the newest, in place of the empty one.
#[test]
fn import_on_a_new_device_replaces_the_empty_session() {
    let there = tab(|_, _| says("Done."));
    there.say("Build it").unwrap();
    there.pass(1_000);
    let newer = SessionId::from(9_001);
    there
        .send(Command::CreateSession { session: newer, label: "newer".into(), mind: Mind::default() })
        .unwrap();
    for opened in [Some(there.session), None] {
        let value = opened.map_or(json!(null), |session| json!(session.to_string()));
        there.send(Command::ChangeSetting { name: OPEN_SESSION.name().to_owned(), value }).unwrap();
        let here = tab(|_, _| says("Done."));
        let source = exported(&there.store, None);
        let result = import(&here, service(&here, &Rc::default()), Rc::new(source));
        let world = here.world();
        let shown = world.session(&result.shown.unwrap()).unwrap();
        assert_eq!(shown.label, if opened.is_some() { "main (copy)" } else { "newer" });
        assert_eq!(**world.setting(&"open_session".to_owned()).unwrap(), json!(shown.id.to_string()));
        assert!(world.session(&here.session).unwrap().deleted_at.is_some());
        // Another import finds a device in use.
        drop(world);
        assert_eq!(
            import(&here, service(&here, &Rc::default()), Rc::new(exported(&there.store, None))).shown,
            None
        );
    }
}

#[test]
fn restore_points_are_made_and_can_be_imported() {
    let here = tab(|_, _| says("Done."));
    here.say("Build it").unwrap();
    // The Archivist has also summarised it.
    here.pass(20_000);
    let device = Rc::new(InMemoryDeviceStorage::default());
    let service = service(&here, &device);
    service.clone().start();
    here.settle();
    let points = now(device.restore_points()).unwrap();
    assert_eq!((points.len(), points[0].sessions), (1, 1));
    // Nothing happened: no further point.
    here.pass(3 * 60 * 60_000);
    assert_eq!(now(device.restore_points()).unwrap().len(), 1);
    here.say("More").unwrap();
    here.pass(2 * 60 * 60_000);
    assert_eq!(now(device.restore_points()).unwrap().len(), 2);

    // Restored on the same device, the changed session becomes a copy beside the current one.
    let source = now(service.device.restore_point(points[0].at)).unwrap();
    // Including the session with its jobs.
    let plan = now(service.plan_import(&*source)).unwrap();
    assert_eq!(fates(&plan), [ImportAction::Copy, ImportAction::Copy]);
    let imported_sessions = import(&here, service, source);
    let world = here.world();
    let imported_sessions =
        imported_sessions.sessions.iter().map(|id| world.session(id).expect("the engine sees it"));
    let (passes, copies): (Vec<_>, Vec<_>) =
        imported_sessions.partition(|session| session.role() == SessionRole::Jobs);
    assert!(copies.len() == 1 && copies[0].label.ends_with("(copy)"), "{copies:?}");
    assert!(passes.len() == 1 && passes[0].parent == Some(copies[0].id), "{passes:?}");
    assert_eq!(**world.setting(&"open_session".to_owned()).unwrap(), json!(copies[0].id.to_string()));
}

/// S18 and S20: an export is advised a week after the first session, the last export or the last advice; low storage is
/// reported once.
#[test]
fn s18_s20_export_is_advised_weekly_and_low_storage_reported_once() {
    let here = tab(|_, _| says("Done."));
    let device = Rc::new(InMemoryDeviceStorage::default());
    let mut live = here.running.bus.subscribe_transient();
    let mut reminders = || {
        let mut reminders = Vec::new();
        while let Ok(signal) = live.try_recv() {
            if let TransientEvent::Reminder(reminder) = signal {
                reminders.push(reminder);
            }
        }
        reminders
    };
    let small = StorageEstimate { used: Some(1), quota: Some(100_000_000), persisted: Some(false) };
    device.set_facts(small);
    service(&here, &device).start();
    here.settle();
    assert_eq!(reminders(), [], "there is nothing to lose yet");
    here.say("Build it").unwrap();
    here.pass(60 * 60_000);
    assert_eq!(reminders(), [BackupReminder::LittleRoom { quota: 100_000_000 }]);
    const DAY: u64 = 24 * 60 * 60_000;
    here.pass(6 * DAY);
    assert_eq!(reminders(), []);
    here.pass(DAY);
    assert_eq!(reminders(), [BackupReminder::Export]);
    here.pass(6 * DAY);
    assert_eq!(reminders(), [], "it was advised");
    // The operator exports: the week starts again.
    let now = here.ports.clock.now().0;
    here.send(Command::ChangeSetting { name: EXPORTED_AT.name().to_owned(), value: now.into() }).unwrap();
    here.pass(6 * DAY);
    assert_eq!(reminders(), []);
    here.pass(DAY + 60 * 60_000);
    assert_eq!(reminders(), [BackupReminder::Export]);
    // Persistent storage needs no reminder.
    device.set_facts(StorageEstimate { persisted: Some(true), ..small });
    here.pass(9 * DAY);
    assert_eq!(reminders(), []);
}
