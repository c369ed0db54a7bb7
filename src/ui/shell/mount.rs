//! Mounts the interface on a running engine.

use std::cell::RefCell;

use futures_channel::mpsc::{UnboundedReceiver, unbounded};
use futures_util::{FutureExt as _, StreamExt as _};
use send_wrapper::SendWrapper;

use crate::ui::hooks;
use crate::ui::hooks::files::{LazyFileSystem, MakeFileSystem};
use crate::ui::hooks::focus_restore::load_keep_focus;
use crate::ui::hooks::js_part::{LazyChecks, LazyTerminals, LazyVoice, LoadTerminals, MakeVoice};
use crate::ui::prelude::*;
use crate::ui::shell::app::{App, load_screen};
use crate::ui::shell::projector::{FollowBus, PastCrash, Projector, lazy_follow};
use crate::ui::shell::war_room::lazy_war_room;
use crate::ui::tree_map::history_links::HistoryContext;
use crate::ui::view_state::{Banner, ViewState};
use nexus_engine::backup::BackupClient;
use nexus_engine::bus::Bus;
use nexus_engine::checks::RunChecks;
use nexus_engine::client::EngineClient;
use nexus_engine::lazy::{ChunkLoadError, LazyFuture};
use nexus_engine::port::{Clock, StoreNews};
use nexus_engine::queries::EventQueries;
use nexus_model::event::Topic;
use nexus_model::id::IdSource;
use nexus_model::limits::CHUNK_RETRY_MS;
use nexus_model::settings::schema::FIRST_START_DONE;
use nexus_model::signal::TransientEvent;
use nexus_model::world::World;
use nexus_view::StorageStatus;

pub struct UiConfig {
    pub handle: EngineClient,
    /// The folded rows, read-only.
    pub world: Rc<RefCell<World>>,
    pub bus: Rc<Bus>,
    pub records: EventQueries,
    pub clock: Rc<dyn Clock>,
    pub ids: Rc<RefCell<dyn IdSource>>,
    pub local_time: LocalTime,
    pub storage: StorageStatus,
    /// True if the browser cleared the stored data.
    pub is_cleared: bool,
    pub data: BackupClient,
    /// Critical errors of earlier visits that were not shown yet.
    pub past_errors: Vec<PastCrash>,
    pub focus: SessionId,
    pub disk: fn() -> LazyFuture<MakeFileSystem>,
    pub voice: fn() -> LazyFuture<MakeVoice>,
    pub checks: fn() -> LazyFuture<RunChecks>,
    pub terminals: LoadTerminals,
    /// State of the store while the page is open.
    pub store_news: UnboundedReceiver<StoreNews>,
}

/// Shows on the static page that the start waits for the store, until the mounted page takes over.
pub async fn show_slow_start(mut news: UnboundedReceiver<StoreNews>) {
    while let Some(news) = news.next().await {
        if let StoreNews::Slow(waits) = news {
            let notice = strings::banner_waiting();
            let waiting = format!("{}. {}", notice.title, notice.advice);
            hooks::static_shell::show_status(if waits { &waiting } else { strings::STARTING.get() });
        }
    }
}

async fn follow_store(mut news: UnboundedReceiver<StoreNews>, notices: Notices) {
    while let Some(news) = news.next().await {
        match news {
            StoreNews::Slow(waits) => notices.banner(Banner::Waiting, waits),
            StoreNews::Deleted => notices.banner(Banner::Deleted, true),
        }
    }
}

/// Mounts the page. The static shell is removed in the same task, so that nothing flickers; its input moves to the
/// composer.
pub async fn mount(start: UiConfig) {
    let is_set_up = start.world.borrow().value(FIRST_START_DONE);
    load_screen(is_set_up).await;
    let Some(place) = hooks::static_shell::place() else {
        leptos::logging::error!("The page has no body to show anything in.");
        return;
    };
    let (shell, mut live) = (hooks::static_shell::take_over(), start.bus.subscribe_transient());
    // Mounted for the page's lifetime.
    mount_to(place, move || app(start, shell)).forget();
    // Only once the page is mounted, which sets up the executor.
    spawn_local(hooks::page::settle(async move {
        while is_set_up && !matches!(live.next().await, Some(TransientEvent::Loaded { .. }) | None) {}
    }));
    spawn_local(async move {
        // Its part is fetched for the services anyway.
        if is_set_up {
            load_keep_focus().map(|_| ()).await;
        }
        hooks::page::settled().await;
        // A newcomer may only be looking.
        if !is_set_up {
            hooks::page::first_input().await;
            load_keep_focus().map(|_| ()).await;
        }
        // Prefetches the war room from any screen.
        if !hooks::page::is_frugal() {
            lazy_war_room().map(|_| ()).await;
        }
    });
}

/// Waits for the lazily loaded services and their follow function. Shows a notice while they are missing.
async fn until_loaded(clock: &dyn Clock, notices: Notices) -> FollowBus {
    loop {
        let part = lazy_follow().await;
        notices.part_missing(part.is_err());
        match part {
            Ok(follow) => return follow,
            Err(ChunkLoadError) => clock.sleep(CHUNK_RETRY_MS).await,
        }
    }
}

fn app(start: UiConfig, shell: hooks::static_shell::StaticShellInput) -> Markup {
    let clock = (Rc::clone(&start.clock), start.local_time);
    let view = ViewState::new(&start.world, start.focus, &start.handle.keys, clock);
    view.provide();
    let (waker, wakes) = unbounded();
    let dispatch = Dispatch::new(start.handle, view, Rc::clone(&start.clock), start.ids, waker);
    provide_context(dispatch);
    provide_context(HistoryContext::new(start.records));
    provide_context(start.local_time);
    provide_context(LazyFileSystem(start.disk));
    provide_context(LazyVoice(start.voice));
    provide_context(LazyChecks(start.checks));
    provide_context(LazyTerminals(SendWrapper::new(start.terminals)));
    provide_context(StoredValue::new(SendWrapper::new(start.data)));
    let (events, live) = (start.bus.subscribe(&Topic::ALL), start.bus.subscribe_transient());
    let projector = Projector::new(start.world, view, dispatch, start.past_errors);
    projector.show(WorldParts::NONE);
    if !shell.text.is_empty() {
        dispatch.type_into(&DraftField::Composer, &shell.text);
    }
    view.notices.banner(Banner::Memory(start.storage), start.storage != StorageStatus::Device);
    if start.is_cleared {
        view.notices.add_error(strings::cleared());
    }
    spawn_local(async move {
        until_loaded(&*start.clock, view.notices).await(projector, (events, live, wakes)).await;
    });
    spawn_local(follow_store(start.store_news, view.notices));
    provide_context(StoredValue::new(Some(shell)));
    view! { <App /> }
}
