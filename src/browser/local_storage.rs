//! The few localStorage keys that boot.js and the next start need before WASM runs, and the mirror that writes them:
//! the working mind of the session in view, the operator's name, the device's first session and boot flags.
//!
//! The store is the source of truth: a killed browser loses the last seconds of localStorage. Never overwrites a value
//! that it could not read.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures_util::future::{Fuse, FutureExt};
use futures_util::{Stream, StreamExt, select, stream};
use gloo_storage::{LocalStorage, Storage as _};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use web_sys::Storage;

use crate::browser::crash::{CrashReport, STORED_CRASHES};
use crate::browser::lifecycle::Listeners;
use crate::browser::{crash, js, lifecycle};
use nexus_engine::bus::Bus;
use nexus_engine::port::{Clock, Spawn};
use nexus_model::event::Topic;
use nexus_model::id::SessionId;
use nexus_model::limits::MIRROR_MS;
use nexus_model::run::templates::allowed_origins;
use nexus_model::session::Session;
use nexus_model::settings::Setting;
use nexus_model::settings::schema::{
    DENSITY, FIRST_START_DONE, LANGUAGE, MOTION, OPEN_SESSION, OPERATOR_NAME, TEXT_SIZE, THEME,
};
use nexus_model::signal::TransientEvent;
use nexus_model::world::World;
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecSet;

/// The working mind of the session in view, as `ContextNodeState`.
pub const CONTEXT_STATE: &str = "nexus_context_state";
pub const USER_NAME: &str = "nexus_user_name";
/// The device's first session, as plain text. Written once.
pub const SESSION_ID: &str = "nexus_session_id";
/// Theme, language and the providers' origins, which boot.js needs before WASM runs.
pub const BOOT: &str = "nexus_boot";
/// The war room as it was left, which boot.js keeps and shows.
pub const PICTURE: &str = "nexus_picture";
/// Set once the store has held a turn: if the store is empty nevertheless, the browser cleared it.
pub const HAD_TURN: &str = "nexus_kept";

/// Longer texts are not read: the program never writes such.
const MOST_BYTES: usize = 2_000_000;
/// Maximum number of quarantined texts per key.
const MOST_QUARANTINED: u32 = 9;

/// A localStorage error that the operator should see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalStorageError {
    /// The value under `key` could not be read. It was moved to `kept_as`, or, without room, stays where it is and is
    /// not overwritten.
    Unreadable { key: &'static str, moved_to: Option<String> },
    /// No room for a new value; the last saved one stays.
    Full { key: &'static str },
}

impl fmt::Display for LocalStorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { key, moved_to: Some(kept_as) } => {
                write!(f, "The saved {key} could not be read; it is kept as {kept_as}")
            }
            Self::Unreadable { key, moved_to: None } => {
                write!(f, "The saved {key} cannot be read; it is left unchanged")
            }
            Self::Full { key } => {
                write!(
                    f,
                    "{key} is too large for localStorage, which keeps its last copy. The database of the browser has everything"
                )
            }
        }
    }
}

/// localStorage. If access is denied, reads are empty and writes are dropped.
pub struct LocalStore {
    storage: Option<Storage>,
    /// Keys whose unreadable text could not be moved and must not be overwritten.
    sealed: RefCell<VecSet<&'static str>>,
    /// Keys that did not fit and were reported.
    full: RefCell<VecSet<&'static str>>,
    errors: UnboundedSender<LocalStorageError>,
}

impl LocalStore {
    /// Probes localStorage. The receiver gets each error once per key.
    pub fn probe() -> (Self, UnboundedReceiver<LocalStorageError>) {
        let (errors, receiver) = unbounded();
        // gloo's accessor throws if access is denied.
        let storage = js::local_storage().map(|_| LocalStorage::raw());
        (Self { storage, sealed: RefCell::default(), full: RefCell::default(), errors }, receiver)
    }

    pub fn text(&self, key: &'static str) -> Option<String> {
        self.storage.as_ref()?.get_item(key).ok()?
    }

    /// The JSON value under a key. Quarantines an unreadable value and returns `None`.
    pub fn read<T: DeserializeOwned>(&self, key: &'static str) -> Option<T> {
        let text = self.text(key)?;
        let fits = text.len() <= MOST_BYTES;
        let value = fits.then(|| nexus_text::json::read(&text).ok()).flatten();
        if value.is_none() {
            let moved_to = self.quarantine(key, &text);
            if moved_to.is_none() {
                self.sealed.borrow_mut().insert(key);
            }
            self.report(LocalStorageError::Unreadable { key, moved_to });
        }
        value
    }

    /// Writes a value as JSON and returns true if it was stored; otherwise the last value stays.
    pub fn write<T: Serialize>(&self, key: &'static str, value: &T) -> bool {
        let Ok(text) = nexus_text::json::write(value) else { return false };
        self.write_text(key, &text)
    }

    /// Writes plain text, like [`write`](Self::write).
    pub fn write_text(&self, key: &'static str, text: &str) -> bool {
        let Some(storage) = self.writable(key) else { return false };
        let written = storage.set_item(key, text).is_ok();
        if written {
            self.full.borrow_mut().remove(key);
        } else if self.full.borrow_mut().insert(key) {
            self.report(LocalStorageError::Full { key });
        }
        written
    }

    pub fn remove(&self, key: &'static str) {
        if let Some(storage) = self.writable(key) {
            // Removing a text never throws.
            drop(storage.remove_item(key));
        }
    }

    /// Returns and clears the crashes and critical errors since the last start.
    pub fn take_crashes(&self) -> Vec<CrashReport> {
        let crashes = self.read::<Vec<CrashReport>>(STORED_CRASHES).unwrap_or_default();
        if !crashes.is_empty() {
            self.remove(STORED_CRASHES);
        }
        crashes
    }

    /// localStorage, if this key may be written.
    fn writable(&self, key: &'static str) -> Option<&Storage> {
        self.storage.as_ref().filter(|_| !crash::poisoned() && !self.sealed.borrow().contains(key))
    }

    /// Moves an unreadable text to a key of its own and returns that key.
    fn quarantine(&self, key: &'static str, text: &str) -> Option<String> {
        let raw = self.storage.as_ref()?;
        let name = (1..=MOST_QUARANTINED)
            .map(|number| match number {
                1 => format!("{key}_quarantine"),
                _ => format!("{key}_quarantine_{number}"),
            })
            .find(|name| matches!(raw.get_item(name), Ok(None)))?;
        // Removed first: a text of half the quota would not fit twice.
        raw.remove_item(key).ok()?;
        if raw.set_item(&name, text).is_ok() {
            return Some(name);
        }
        // It was there before, so there is room for it.
        drop(raw.set_item(key, text));
        None
    }

    fn report(&self, error: LocalStorageError) {
        // Nobody listens before the screen is mounted; the error was handled anyway.
        drop(self.errors.unbounded_send(error));
    }
}

/// Writes what changed in the world.
pub struct LocalMirror {
    world: Rc<RefCell<World>>,
    local: Rc<LocalStore>,
    mirrored: RefCell<MirroredState>,
}

#[derive(Default)]
struct MirroredState {
    first_session_noted: bool,
    mind: Option<ContentHash>,
    /// True if `mind` still has to be written.
    unwritten: bool,
    name: Option<String>,
    boot: Option<Value>,
}

impl LocalMirror {
    /// Starts mirroring: the mind two seconds after its last change and, while the listeners exist, when the page is
    /// hidden; the rest at once.
    pub fn start(
        world: Rc<RefCell<World>>,
        bus: &Bus,
        local: Rc<LocalStore>,
        clock: Rc<dyn Clock>,
        spawn: &dyn Spawn,
    ) -> Listeners {
        let writer = Rc::new(Self { world, local, mirrored: RefCell::default() });
        writer.update();
        let changes = stream::select(
            bus.subscribe(&Topic::ALL).map(|_| ()),
            bus.subscribe_transient()
                .filter_map(async |live| matches!(live, TransientEvent::Loaded { .. }).then_some(()))
                .boxed_local(),
        );
        spawn.spawn(Rc::clone(&writer).follow(changes, clock).boxed_local());
        lifecycle::on_hidden(move || writer.write_mind())
    }

    async fn follow(self: Rc<Self>, changes: impl Stream<Item = ()> + Unpin, clock: Rc<dyn Clock>) {
        let mut changes = changes.fuse();
        let mut quiet = Fuse::terminated();
        loop {
            select! {
                change = changes.next() => {
                    let Some(()) = change else { return };
                    // What another tab left is not how it is any more.
                    self.local.remove(PICTURE);
                    if self.update() {
                        quiet = clock.sleep(MIRROR_MS).fuse();
                    }
                },
                () = quiet => self.write_mind(),
            }
        }
    }

    /// Stores the first session's id as the device's, unless one is stored.
    fn note_first_session(&self, world: &World, mirrored: &mut MirroredState) {
        if mirrored.first_session_noted {
            return;
        }
        let Some(first) = world.sessions.keys().next() else { return };
        if self.local.text(SESSION_ID).is_none() {
            self.local.write_text(SESSION_ID, &first.to_string());
        }
        mirrored.first_session_noted = true;
    }

    /// Writes small values that changed; true if the mind changed.
    fn update(&self) -> bool {
        let world = self.world.borrow();
        let mut mirrored = self.mirrored.borrow_mut();
        self.note_first_session(&world, &mut mirrored);
        if let Some(name) = stored_text(&world, OPERATOR_NAME)
            && mirrored.name.as_deref() != Some(name)
        {
            self.local.write_text(USER_NAME, name);
            mirrored.name = Some(name.to_owned());
        }
        let boot = boot_settings(&world);
        if mirrored.boot.as_ref() != Some(&boot) {
            self.local.write(BOOT, &boot);
            mirrored.boot = Some(boot);
        }
        let mind = session_in_view(&world).map(|session| session.mind);
        if mind.is_none() || mind == mirrored.mind {
            return false;
        }
        mirrored.mind = mind;
        mirrored.unwritten = true;
        true
    }

    /// Writes the mind of the session in view if it changed.
    fn write_mind(&self) {
        self.update();
        if !self.mirrored.borrow().unwritten {
            return;
        }
        let world = self.world.borrow();
        // A mind whose texts are not loaded follows with the event of their loading.
        let Some(mind) = session_in_view(&world).and_then(|session| world.working_mind(session)) else {
            return;
        };
        self.local.write(CONTEXT_STATE, &mind.context_node_state());
        self.mirrored.borrow_mut().unwritten = false;
    }
}

fn stored_text<K>(world: &World, setting: Setting<K>) -> Option<&str> {
    world.stored(setting).and_then(Value::as_str)
}

/// The session that was opened last, else the first one. Never a deleted one.
pub fn session_in_view(world: &World) -> Option<&Session> {
    let opened = stored_text(world, OPEN_SESSION).and_then(|id| id.parse::<SessionId>().ok());
    let is_present = |session: &&Arc<Session>| session.deleted_at.is_none();
    let first = || world.sessions.values().find(is_present);
    let session = opened.and_then(|id| world.session(&id)).filter(is_present).or_else(first);
    session.map(|session| &**session)
}

/// What boot.js reads before WASM runs. Texts that were not chosen are absent.
fn boot_settings(world: &World) -> Value {
    let origins: VecSet<_> =
        world.providers.values().filter_map(|provider| provider.as_ref().as_ref()?.origin()).collect();
    let origins = if origins.is_empty() {
        // Without providers the page may call any origin, terminals too.
        Vec::new()
    } else {
        origins.into_iter().chain(allowed_origins(world)).collect()
    };
    let mut boot = Map::new();
    boot.insert("theme".to_owned(), stored_text(world, THEME).unwrap_or("dark").into());
    for (key, stored) in [
        ("density", stored_text(world, DENSITY)),
        ("text_size", stored_text(world, TEXT_SIZE)),
        ("motion", stored_text(world, MOTION)),
        ("language", stored_text(world, LANGUAGE)),
    ] {
        if let Some(text) = stored.filter(|text| !text.is_empty()) {
            boot.insert(key.to_owned(), text.into());
        }
    }
    // Once the first start is finished, the next one opens the war room.
    boot.insert("is_set_up".to_owned(), world.value(FIRST_START_DONE).into());
    // boot.js blocks all other origins.
    boot.insert("origins".to_owned(), origins.into());
    boot.into()
}
