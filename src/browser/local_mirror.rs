//! Mirrors a few values into localStorage for boot.js and the next start.
//!
//! These are the working mind of the session in view, the operator's name, the device's first session and boot flags.
//! The store is the source of truth.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use futures_util::future::{Fuse, FutureExt};
use futures_util::{Stream, StreamExt, select, stream};
use serde::Serialize;
use serde_json::Value;

use crate::browser::lifecycle::Listeners;
use crate::browser::local_storage::LocalStore;
use crate::browser::{lifecycle, local_storage};
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

/// Values that boot.js reads before WASM runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
struct BootSettings {
    theme: String,
    /// Empty if not chosen.
    #[serde(skip_serializing_if = "String::is_empty")]
    density: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    text_size: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    motion: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    language: String,
    /// True once the first start is finished: the next start opens the war room.
    is_set_up: bool,
    /// Allowed request origins; boot.js blocks all others.
    origins: Vec<String>,
}

/// The running mirror. Dropping it removes the page-hidden listener.
pub struct LocalMirror {
    _hidden: Listeners,
}

impl LocalMirror {
    /// Starts mirroring: the mind two seconds after its last change and when the page is hidden, the rest at once.
    pub fn start(
        world: Rc<RefCell<World>>,
        bus: &Bus,
        local: Rc<LocalStore>,
        clock: Rc<dyn Clock>,
        spawn: &dyn Spawn,
    ) -> Self {
        let writer = Rc::new(MirrorWriter { world, local, mirrored: RefCell::default() });
        writer.update();
        let changes = stream::select(
            bus.subscribe(&Topic::ALL).map(|_| ()),
            bus.subscribe_transient()
                .filter_map(async |live| matches!(live, TransientEvent::Loaded { .. }).then_some(()))
                .boxed_local(),
        );
        spawn.spawn(Rc::clone(&writer).follow(changes, clock).boxed_local());
        Self { _hidden: lifecycle::on_hidden(move || writer.write_mind()) }
    }
}

struct MirrorWriter {
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
    boot: Option<BootSettings>,
}

impl MirrorWriter {
    async fn follow(self: Rc<Self>, changes: impl Stream<Item = ()> + Unpin, clock: Rc<dyn Clock>) {
        let mut changes = changes.fuse();
        let mut quiet = Fuse::terminated();
        loop {
            select! {
                change = changes.next() => match change {
                    None => return,
                    Some(()) if self.update() => quiet = clock.sleep(MIRROR_MS).fuse(),
                    Some(()) => {}
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
        if self.local.text(local_storage::SESSION_ID).is_none() {
            self.local.write_text(local_storage::SESSION_ID, &first.to_string());
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
            self.local.write_text(local_storage::USER_NAME, name);
            mirrored.name = Some(name.to_owned());
        }
        let boot = boot_of(&world);
        if mirrored.boot.as_ref() != Some(&boot) {
            self.local.write(local_storage::BOOT, &boot);
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
        self.local.write(local_storage::CONTEXT_STATE, &mind.context_node_state());
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

fn boot_of(world: &World) -> BootSettings {
    let origins: VecSet<_> =
        world.providers.values().filter_map(|provider| provider.as_ref().as_ref()?.origin()).collect();
    let origins = if origins.is_empty() {
        // Without providers the page may call any origin, terminals too.
        Vec::new()
    } else {
        origins.into_iter().chain(allowed_origins(world)).collect()
    };
    let text_or = |stored: Option<&str>, default: &str| stored.unwrap_or(default).to_owned();
    BootSettings {
        theme: text_or(stored_text(world, THEME), "dark"),
        density: text_or(stored_text(world, DENSITY), ""),
        text_size: text_or(stored_text(world, TEXT_SIZE), ""),
        motion: text_or(stored_text(world, MOTION), ""),
        language: text_or(stored_text(world, LANGUAGE), ""),
        is_set_up: world.value(FIRST_START_DONE),
        origins,
    }
}
