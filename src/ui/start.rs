//! Never starts the engine.
//!
//! Owns the step from a running engine to a page that shows it.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::mpsc::unbounded;
use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;

use crate::domain::draft::DraftField;
use crate::domain::event::Topic;
use crate::domain::id::{IdSource, SessionId};
use crate::domain::world::World;
use crate::engine::bus::Bus;
use crate::engine::data::DataDoor;
use crate::engine::handle::Handle;
use crate::engine::parts::Coming;
use crate::engine::port::{Clock, Disk};
use crate::engine::records::Records;
use crate::engine::speech::VoicePorts;
use crate::ui::Storage;
use crate::ui::app::App;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks;
use crate::ui::local_time::LocalTime;
use crate::ui::look_back::LookBack;
use crate::ui::screens;
use crate::ui::view_state::{Banner, NoticeKind, Projector, ViewState};
use crate::ui::words;

/// The setting that says whether this device has been set up.
pub(in crate::ui) const FIRST_START_DONE: &str = "first_start_done";

/// What the screen starts with.
pub struct Start {
    /// The operator's end of the engine.
    pub handle: Handle,
    /// The folded rows, read only.
    pub world: Rc<RefCell<World>>,
    /// Where events and passing signals are heard.
    pub bus: Rc<Bus>,
    /// What was recorded, for screens that look back.
    pub records: Records,
    /// Time.
    pub clock: Rc<dyn Clock>,
    /// New ids.
    pub ids: Rc<RefCell<dyn IdSource>>,
    /// The operator's place in the day.
    pub local_time: LocalTime,
    /// Where everything is kept.
    pub storage: Storage,
    /// Whether the browser cleared what was kept here.
    pub is_cleared: bool,
    /// Where data as a whole are asked for.
    pub data: DataDoor,
    /// Critical errors of earlier visits that were not told yet.
    pub told_errors: Vec<ToldError>,
    /// The session to show first.
    pub focus: SessionId,
    /// Gets what makes the way to folders on disk, a part of the program that is loaded when it is first needed.
    pub disk: fn() -> Coming<MakeDisk>,
    /// Gets what makes the ears and the mouth, a part of the program that is loaded when it is first needed.
    pub voice: fn() -> Coming<MakeVoice>,
}

/// The way to ears and mouth, for who needs them.
#[derive(Clone, Copy)]
pub(in crate::ui) struct VoiceDoor(pub(in crate::ui) fn() -> Coming<MakeVoice>);

/// Makes the ears and the mouth.
pub type MakeVoice = fn() -> VoicePorts;

/// The way to folders on disk, for who needs it.
#[derive(Clone, Copy)]
pub(in crate::ui) struct DiskDoor(pub(in crate::ui) fn() -> Coming<MakeDisk>);

/// Makes the way to folders on disk.
pub type MakeDisk = fn() -> Rc<dyn Disk>;

/// A critical error of an earlier visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldError {
    /// What went wrong.
    pub message: String,
    /// Where in the program.
    pub location: String,
}

/// Shows the page. The static shell goes away in the same task, so that nothing flickers, and what was typed into it
/// stands in the composer.
pub async fn mount(start: Start) {
    let is_set_up =
        start.world.borrow().setting(&FIRST_START_DONE.to_owned()).and_then(|value| value.as_bool());
    screens::load_first(is_set_up.unwrap_or_default()).await;
    let Some(place) = hooks::shell::place() else {
        leptos::logging::error!("The page has no body to show anything in.");
        return;
    };
    let shell = hooks::shell::take_over();
    // What is mounted lives as long as the page.
    mount_to(place, move || app(start, shell)).forget();
    screens::load_ahead();
}

fn app(start: Start, shell: hooks::shell::Shell) -> impl IntoView {
    let view = ViewState::new(start.focus);
    view.provide();
    let (waker, wakes) = unbounded();
    let keys = start.handle.keys.clone();
    let dispatch = Dispatch::new(start.handle, view, start.clock, start.ids, waker);
    provide_context(dispatch);
    provide_context(LookBack::new(start.records));
    provide_context(start.local_time);
    provide_context(DiskDoor(start.disk));
    provide_context(VoiceDoor(start.voice));
    provide_context(StoredValue::new(SendWrapper::new(start.data)));
    let (events, live) = (start.bus.subscribe(&Topic::ALL), start.bus.watch());
    let mut projector = Projector::new(start.world, view, dispatch, keys, start.local_time);
    projector.show();
    if !shell.text.is_empty() {
        dispatch.type_into(&DraftField::Composer, &shell.text);
    }
    view.notices.banner(Banner::Memory(start.storage), start.storage != Storage::Device);
    if start.is_cleared {
        let told = words::cleared();
        view.notices.tell(NoticeKind::Problem, told.title, told.advice);
    }
    for error in &start.told_errors {
        let told = words::told_error(&error.message, &error.location);
        view.notices.tell(NoticeKind::Problem, told.title, told.advice);
    }
    spawn_local(projector.follow(events, live, wakes));
    provide_context(StoredValue::new(Some(shell)));
    view! { class="n", <App /> }
}
