//! Mirrors a few values into localStorage for boot.js and the first moment of the next start.
//!
//! These are the mind of the session in view, the operator's name, the device's first session and boot flags. The
//! store has the truth.

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

/// What boot.js reads before the program runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
struct BootSettings {
    theme: String,
    /// These are written where they were chosen only.
    #[serde(skip_serializing_if = "String::is_empty")]
    density: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    text_size: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    motion: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    language: String,
    /// Whether the first start is over, so that the next one comes to the war room.
    is_set_up: bool,
    /// Where requests may go; boot.js closes everything else.
    origins: Vec<String>,
}

/// The mirror at work. Dropping it stops the watch for the page being hidden.
pub struct LocalMirror {
    _hidden: Listeners,
}

impl LocalMirror {
    /// Mirrors from now on: the mind when it has been quiet for two seconds and when the page is hidden, the rest at
    /// once.
    pub fn start(
        world: Rc<RefCell<World>>,
        bus: &Bus,
        local: Rc<LocalStore>,
        clock: Rc<dyn Clock>,
        spawn: &dyn Spawn,
    ) -> Self {
        let reflection = Rc::new(MirrorWriter { world, local, seen: RefCell::default() });
        reflection.look();
        let changes = stream::select(
            bus.subscribe(&Topic::ALL).map(|_| ()),
            bus.watch()
                .filter_map(async |live| matches!(live, TransientEvent::Loaded { .. }).then_some(()))
                .boxed_local(),
        );
        spawn.spawn(Rc::clone(&reflection).follow(changes, clock).boxed_local());
        Self { _hidden: lifecycle::on_hidden(move || reflection.write_mind()) }
    }
}

struct MirrorWriter {
    world: Rc<RefCell<World>>,
    local: Rc<LocalStore>,
    seen: RefCell<MirroredState>,
}

#[derive(Default)]
struct MirroredState {
    first_session_noted: bool,
    mind: Option<ContentHash>,
    /// Whether `mind` still has to be written.
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
                    Some(()) if self.look() => quiet = clock.sleep(MIRROR_MS).fuse(),
                    Some(()) => {}
                },
                () = quiet => self.write_mind(),
            }
        }
    }

    /// The first session's id is the device's; it is written where there is none and then left alone.
    fn note_first_session(&self, world: &World, seen: &mut MirroredState) {
        if seen.first_session_noted {
            return;
        }
        let Some(first) = world.sessions.keys().next() else { return };
        if self.local.text(local_storage::SESSION_ID).is_none() {
            self.local.write_text(local_storage::SESSION_ID, &first.to_string());
        }
        seen.first_session_noted = true;
    }

    /// Writes what is small and changed; says whether the mind moved.
    fn look(&self) -> bool {
        let world = self.world.borrow();
        let mut seen = self.seen.borrow_mut();
        self.note_first_session(&world, &mut seen);
        if let Some(name) = kept_text(&world, OPERATOR_NAME)
            && seen.name.as_deref() != Some(name)
        {
            self.local.write_text(local_storage::USER_NAME, name);
            seen.name = Some(name.to_owned());
        }
        let boot = boot_of(&world);
        if seen.boot.as_ref() != Some(&boot) {
            self.local.write(local_storage::BOOT, &boot);
            seen.boot = Some(boot);
        }
        let mind = session_in_view(&world).map(|session| session.mind);
        if mind.is_none() || mind == seen.mind {
            return false;
        }
        seen.mind = mind;
        seen.unwritten = true;
        true
    }

    /// Writes the mind of the session in view, if it is not there yet.
    fn write_mind(&self) {
        self.look();
        if !self.seen.borrow().unwritten {
            return;
        }
        let world = self.world.borrow();
        // A mind whose texts are not loaded comes again with the event that says it was.
        let Some(mind) = session_in_view(&world).and_then(|session| world.working_mind(session)) else {
            return;
        };
        self.local.write(local_storage::CONTEXT_STATE, &mind.context_node_state());
        self.seen.borrow_mut().unwritten = false;
    }
}

fn kept_text<K>(world: &World, setting: Setting<K>) -> Option<&str> {
    world.kept(setting).and_then(Value::as_str)
}

/// The session that was opened last; the first one before any was. Never a deleted one.
pub fn session_in_view(world: &World) -> Option<&Session> {
    let opened = kept_text(world, OPEN_SESSION).and_then(|id| id.parse::<SessionId>().ok());
    let here = |session: &&Arc<Session>| session.deleted_at.is_none();
    let first = || world.sessions.values().find(here);
    let session = opened.and_then(|id| world.session(&id)).filter(here).or_else(first);
    session.map(|session| &**session)
}

fn boot_of(world: &World) -> BootSettings {
    let origins: VecSet<_> =
        world.providers.values().filter_map(|provider| provider.as_ref().as_ref()?.origin()).collect();
    let origins = if origins.is_empty() {
        // The page may call anything then, terminals too.
        Vec::new()
    } else {
        origins.into_iter().chain(allowed_origins(world)).collect()
    };
    let text = |kept: Option<&str>, default: &str| kept.unwrap_or(default).to_owned();
    BootSettings {
        theme: text(kept_text(world, THEME), "dark"),
        density: text(kept_text(world, DENSITY), ""),
        text_size: text(kept_text(world, TEXT_SIZE), ""),
        motion: text(kept_text(world, MOTION), ""),
        language: text(kept_text(world, LANGUAGE), ""),
        is_set_up: world.value(FIRST_START_DONE),
        origins,
    }
}
