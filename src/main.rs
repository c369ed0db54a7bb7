//! Entry point: connects the browser's ports, the engine and the screen.

mod parts;

use std::rc::Rc;

use nexus::browser::idb::Watch;
use nexus::browser::lifecycle::BrowserSpawn;
use nexus::browser::local_storage::{LocalMirror, session_in_view};
use nexus::browser::start::{BootContext, start};
use nexus::browser::tabs::TabMessage;
use nexus::browser::{crash, lifecycle};
use nexus::ui;
use nexus::ui::hooks::js_part::LoadTerminals;
use nexus::ui::hooks::page;
use nexus::ui::{LocalTime, PastCrash, StorageStatus};
use nexus_engine::backup::BackupClient;
use nexus_engine::lazy::CodecLoader as _;
use nexus_engine::lazy::loader::ChunkLoader;
use nexus_engine::port::Spawn;
use nexus_engine::queries::EventQueries;
use nexus_engine::start::RunningEngine;
use nexus_model::command::Command;
use nexus_model::id::{SessionId, StreamId};
use nexus_model::limits::POINT_AFTER_START_MS;
use nexus_model::mind::Mind;

fn main() {
    crash::install();
    BrowserSpawn.spawn(Box::pin(run()));
}

/// Starts the engine and the screen, then follows other tabs until the page closes.
async fn run() {
    page::choose_language();
    let loaded = parts::Loaded::default();
    let with_keys = |key_store| Rc::new(loaded.with_keys(key_store)) as Rc<dyn ChunkLoader>;
    let watch = Rc::new(Watch::default());
    BrowserSpawn.spawn(Box::pin(ui::show_slow_start(watch.follow())));
    let booted = match start(Rc::clone(&watch), parts::in_memory_store).await {
        Ok(booted) => booted.engine(with_keys).await,
        Err(error) => Err(error),
    };
    let (started, running) = match booted {
        Ok(both) => both,
        Err(error) => return crash::stop(&format!("The engine did not start: {error}")),
    };
    let (ports, bus, handle) = (&started.ports, &running.bus, &running.handle);
    crash::note_all(bus, &started.errors);
    lifecycle::keep_after_first_turn(bus, started.note_first_turn());
    started.channel.announce_all(bus);
    let (world, local) = (Rc::clone(&running.world), Rc::clone(&started.local));
    // A newer version's localStorage is left alone too.
    let mirrored = started.storage != StorageStatus::ReadOnly;
    let _mirror =
        mirrored.then(|| LocalMirror::start(world, bus, local, Rc::clone(&ports.clock), &*ports.spawn));
    let (put_now, leaving) = (started.put_now(), running.clone());
    let _unsaved = lifecycle::on_hidden(move || put_now(&leaving.unsaved()));
    let (back, known) = (handle.clone(), Rc::clone(&running.world));
    let _restored = lifecycle::on_restored(move || {
        // Streams that this tab has locked are not read again: no other tab can have changed them.
        back.reload_stream(StreamId::App);
        let shown = session_in_view(&known.borrow()).map(|session| session.id);
        shown.into_iter().for_each(|session| back.reload_stream(StreamId::Session(session)));
    });
    let (focus, create) = session_to_show(&started, &running);
    if !started.is_safe_mode {
        page::remember_session(focus);
    }
    let data = BackupClient {
        ports: ports.clone(),
        load: Rc::new(parts::data),
        handle: handle.clone(),
        bus: Rc::clone(bus),
        world: Rc::clone(&running.world),
        is_persistent: started.storage == StorageStatus::Device,
        version: crash::VERSION,
    };
    let terminals: LoadTerminals = Rc::new(move || loaded.terminals());
    show(&started, &running, focus, (data.clone(), terminals), &watch).await;
    // In safe mode nothing runs by itself.
    if !started.is_safe_mode {
        ports.spawn.spawn(Box::pin(data.start_restore_points(POINT_AFTER_START_MS)));
    }
    // The screen listens from here on. Commands may wait for the lazily loaded services.
    for error in &started.errors {
        // If it cannot be stored, the screen still shows it.
        drop(handle.send(Command::RecordCriticalError { text: error.message.clone() }).await);
    }
    if let Some(create) = create {
        drop(handle.send(create).await);
    }
    // Reports whether another tab has the lock. If rejected, the session stays empty.
    drop(handle.open(focus).await);
    let mut messages = started.channel.follow();
    loop {
        match messages.next().await {
            TabMessage::Grew(stream) => handle.reload_stream(stream),
            TabMessage::PartialStored(session) => handle.reload_partial(session),
            TabMessage::Key(key) => handle.receive_key_broadcast(key),
            TabMessage::SessionRequested(session) => handle.release_session(session),
        }
    }
}

/// The session that was in view last. In safe mode one without any data: an untouched one, else a new one with the
/// command that creates it.
fn session_to_show(started: &BootContext, running: &RunningEngine) -> (SessionId, Option<Command>) {
    if started.is_safe_mode {
        let world = running.world.borrow();
        if let Some(untouched) = world.sessions.values().find(|session| session.is_untouched()) {
            return (untouched.id, None);
        }
        let session = SessionId::new(&mut *started.ports.ids.borrow_mut());
        let create = Command::CreateSession { session, label: String::new(), mind: Mind::default() };
        return (session, Some(create));
    }
    let world = running.world.borrow();
    // The session that this tab showed before its reload wins over the last one opened in any tab.
    let own = page::recall_session().and_then(|id| world.session(&id)).filter(|own| own.deleted_at.is_none());
    let last = || session_in_view(&world).map(|session| session.id);
    (own.map(|own| own.id).or_else(last).unwrap_or(started.first_session), None)
}

async fn show(
    started: &BootContext,
    running: &RunningEngine,
    focus: SessionId,
    (data, terminals): (BackupClient, LoadTerminals),
    watch: &Watch,
) {
    let past_crash = |error: &crash::CrashReport| PastCrash {
        message: error.message.clone(),
        location: error.location.clone(),
        is_crash: error.is_crash(),
    };
    ui::mount(ui::UiConfig {
        handle: running.handle.clone(),
        world: Rc::clone(&running.world),
        bus: Rc::clone(&running.bus),
        records: EventQueries::new(
            Rc::clone(&started.ports.store),
            Rc::new(parts::Loaded::default()),
            Rc::clone(&running.bus),
        ),
        clock: Rc::clone(&started.ports.clock),
        ids: Rc::clone(&started.ports.ids),
        local_time: LocalTime { minutes_behind_utc: lifecycle::minutes_behind_utc },
        storage: started.storage,
        is_cleared: started.is_cleared,
        is_safe_mode: started.is_safe_mode,
        data,
        past_errors: started.errors.iter().map(past_crash).collect(),
        focus,
        disk: parts::disk,
        voice: parts::voice,
        checks: parts::checks,
        terminals,
        store_news: watch.follow(),
    })
    .await;
}
