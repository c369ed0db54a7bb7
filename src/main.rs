//! Never decides and never draws.
//!
//! Owns the composition: the browser's ports, the engine on them, and the screen on the engine.

mod parts;

use std::rc::Rc;

use nexus::browser::channel::News;
use nexus::browser::mirror::{Mirror, session_in_view};
use nexus::browser::probe::{MemoryReason, StorageMode};
use nexus::browser::spawn::BrowserSpawn;
use nexus::browser::start::{Started, start};
use nexus::browser::{clock, crash, page};
use nexus::domain::command::Command;
use nexus::domain::id::{SessionId, StreamId};
use nexus::domain::limits::POINT_AFTER_START_MS;
use nexus::domain::mind::Mind;
use nexus::engine::data::DataDoor;
use nexus::engine::parts::Parts;
use nexus::engine::port::Spawn;
use nexus::engine::records::Records;
use nexus::engine::start::Running;
use nexus::ui::{self, LocalTime, Storage, ToldError};

fn main() {
    crash::install();
    BrowserSpawn.spawn(Box::pin(run()));
}

/// Runs as long as the page lives.
async fn run() {
    let parts: Rc<dyn Parts> = Rc::new(parts::Loaded);
    let (started, running) = match start().await.engine(Rc::clone(&parts)).await {
        Ok(both) => both,
        Err(error) => return crash::stop(&format!("The engine did not start: {error:?}")),
    };
    let (ports, bus, handle) = (&started.ports, &running.bus, &running.handle);
    crash::note_all(bus);
    page::keep_after_first_turn(bus, started.note_kept());
    started.channel.announce_all(bus);
    let (world, local) = (Rc::clone(&running.world), Rc::clone(&started.local));
    // What a newer version keeps in the small storage is left alone too.
    let mirrored = started.storage != StorageMode::ReadOnly;
    let _mirror = mirrored.then(|| Mirror::start(world, bus, local, Rc::clone(&ports.clock), &*ports.spawn));
    let (put_now, leaving) = (started.put_now(), running.clone());
    let _unsaved = page::on_hidden(move || put_now(&leaving.unsaved()));
    let (back, known) = (handle.clone(), Rc::clone(&running.world));
    let _restored = page::on_restored(move || {
        // Where this tab works nobody else can have changed anything, and nothing is read again.
        back.follow(StreamId::App);
        let shown = session_in_view(&known.borrow()).map(|session| session.id);
        shown.into_iter().for_each(|session| back.follow(StreamId::Session(session)));
    });
    let (focus, made) = session_to_show(&started, &running);
    let data = DataDoor {
        ports: ports.clone(),
        parts,
        handle: handle.clone(),
        bus: Rc::clone(bus),
        world: Rc::clone(&running.world),
        is_kept: started.storage == StorageMode::Kept,
        version: crash::VERSION,
    };
    show(&started, &running, focus, data.clone()).await;
    // In safe mode nothing is done by itself.
    if !started.safe {
        ports.spawn.spawn(Box::pin(data.keep_points(POINT_AFTER_START_MS)));
    }
    // From here on after the screen listens, and may wait for the part of the engine that changes things.
    for error in &started.errors {
        // Where it cannot be stored it is still told on the screen.
        drop(handle.send(Command::RecordCriticalError { text: error.message.clone() }).await);
    }
    if let Some(made) = made {
        drop(handle.send(made).await);
    }
    // It is told whether another tab works there. A refusal leaves the session empty.
    drop(handle.open(focus).await);
    let mut news = started.channel.follow();
    loop {
        match news.next().await {
            News::Grew(stream) => handle.follow(stream),
            News::Key(news) => handle.hear_of_key(news),
            News::Wanted(session) => handle.hand_over(session),
        }
    }
}

/// The session that was in view last; in safe mode a new one, with what makes it, so that nothing old is in the way.
fn session_to_show(started: &Started, running: &Running) -> (SessionId, Option<Command>) {
    if started.safe {
        let session = SessionId::new(&mut *started.ports.ids.borrow_mut());
        let made = Command::CreateSession { session, label: String::new(), mind: Mind::default() };
        return (session, Some(made));
    }
    (session_in_view(&running.world.borrow()).map_or(started.first_session, |session| session.id), None)
}

async fn show(started: &Started, running: &Running, focus: SessionId, data: DataDoor) {
    let told = |error: &crash::CriticalError| ToldError {
        message: error.message.clone(),
        location: error.location.clone(),
    };
    ui::mount(ui::Start {
        handle: running.handle.clone(),
        world: Rc::clone(&running.world),
        bus: Rc::clone(&running.bus),
        records: Records::new(
            Rc::clone(&started.ports.store),
            Rc::new(parts::Loaded),
            Rc::clone(&running.bus),
        ),
        clock: Rc::clone(&started.ports.clock),
        ids: Rc::clone(&started.ports.ids),
        local_time: LocalTime { minutes_behind_utc: clock::minutes_behind_utc() },
        storage: match started.storage {
            StorageMode::Kept => Storage::Device,
            StorageMode::ReadOnly => Storage::ReadOnly,
            StorageMode::Memory(MemoryReason::Denied) => Storage::Denied,
            StorageMode::Memory(MemoryReason::Newer) => Storage::Newer,
            StorageMode::Memory(MemoryReason::Full) => Storage::Full,
            StorageMode::Memory(MemoryReason::Failed(_)) => Storage::Failed,
        },
        is_cleared: started.is_cleared,
        data,
        told_errors: started.errors.iter().map(told).collect(),
        focus,
        disk: parts::disk,
        voice: parts::voice,
    })
    .await;
}
