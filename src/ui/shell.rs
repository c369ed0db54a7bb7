//! The frame of the page: mounts the interface on a running engine, with the loader of each screen, the page title,
//! the appearance, and the list of notices, temporary or until dismissed.

pub mod projector;
pub mod top_bar;
pub mod war_room;

use futures_util::FutureExt as _;

use crate::ui::audit::lazy_audit;
use crate::ui::chat::message_actions::service::NotificationSlot;
use crate::ui::first_start::lazy_first_start;
use crate::ui::hooks::dom::on_window_event;
use crate::ui::hooks::files::{LazyFileSystem, MakeFileSystem};
use crate::ui::hooks::focus_restore::load_keep_focus;
use crate::ui::hooks::js_part::{LazyChecks, LazyTerminals, LazyVoice, LoadTerminals, MakeVoice};
use crate::ui::kit::lazy_view::LoadView;
use crate::ui::prelude::*;
use crate::ui::run_graph::lazy_run_graph;
use crate::ui::screens::help::lazy_help;
use crate::ui::screens::inspect::lazy_inspector;
use crate::ui::screens::usage::lazy_usage;
use crate::ui::settings::device::use_appearance;
use crate::ui::settings::lazy_settings;
use crate::ui::settings::providers::passphrase::UnlockDialog;
use crate::ui::shell::projector::{FollowBus, PastCrash, Projector, lazy_follow};
use crate::ui::shell::top_bar::KeyboardSlot;
use crate::ui::shell::war_room::lazy_war_room;
use crate::ui::tree_map::lazy_tree;
use crate::ui::view_state::{Banner, NoticeEntry};
use nexus_engine::backup::BackupClient;
use nexus_engine::bus::Bus;
use nexus_engine::checks::RunChecks;
use nexus_engine::client::EngineClient;
use nexus_engine::port::{Clock, StoreNews};
use nexus_model::event::Topic;
use nexus_model::id::IdSource;
use nexus_model::limits::CHUNK_RETRY_MS;
use nexus_model::signal::TransientEvent;
use nexus_view::StorageStatus;

/// The loader of a screen. The war room, or once before it the first start, for home and unknown addresses.
fn screen_at(screen: Option<Screen>, is_set_up: impl FnOnce() -> bool) -> LoadView {
    match screen {
        Some(Screen::Settings) => lazy_settings,
        Some(Screen::Audit) => lazy_audit,
        Some(Screen::Inspect) => lazy_inspector,
        Some(Screen::Tree) => lazy_tree,
        Some(Screen::Run) => lazy_run_graph,
        Some(Screen::Usage) => lazy_usage,
        Some(Screen::Help) => lazy_help,
        None if is_set_up() => lazy_war_room,
        None => lazy_first_start,
    }
}

#[component]
pub fn App() -> impl IntoMarkup {
    let &Page { settings, keyboard, .. } = expect_context();
    use_appearance(settings);
    let (screen, is_set_up) = (address::use_screen(), settings.get(FIRST_START_DONE));
    page_title(screen);
    // A field of the settings is stored when it is left. Storing takes a moment, so that a fast reload may still lose
    // it; at `pagehide` it would always be too late.
    on_window_event("beforeunload", |_| {
        // The next start gives the focus back to the composer, which stores as one types.
        if focus::focused_id().as_deref() != Some(COMPOSER) {
            focus::leave_field();
        }
    });
    // Back and Forward leave the palette open, with the actions of the screen before.
    on_change(move || screen.get(), move |_| keyboard.set(None));
    let load = select(move || screen_at(screen.get(), move || is_set_up.get()));
    view! {
        {move || view! { <LazyView load=load.get() /> }}
        <NoticeList />
        <NotificationSlot />
        <UnlockDialog />
        <KeyboardSlot />
    }
}

/// The title shows the screen, or the session in view; and the status of its run, for background tabs.
fn page_title(screen: Selector<Option<Screen>>) {
    let &Page { dispatch, run: RunView { run, .. }, sessions, .. } = expect_context();
    let started = dispatch.now();
    let hidden = page::hidden();
    Effect::new(move |_| {
        if hidden.get() {
            dispatch.notify_projector(ProjectorMessage::Hidden);
        }
    });
    page::title(move || {
        let row = sessions.rows.row(&sessions.focus.get());
        let label = match screen.get() {
            Some(screen) => screen.title().to_owned(),
            None => reveal(&row.map(|row| row.with(|row| row.label.clone())).unwrap_or_default()),
        };
        let status = run.with(|run| {
            let run = run.as_ref()?;
            let status = if run.needs_approval { RunStatus::Paused } else { run.status };
            strings::title(status, run.ended_at.is_some_and(|end| end >= started))
        });
        match status {
            Some(status) => format!("{status} – {label} – Nexus"),
            None => format!("{label} – Nexus"),
        }
    });
}

/// How long a notice stays, and one with undo.
const NOTICE_TIME: Duration = Duration::from_secs(8);
const UNDO_TIME: Duration = Duration::from_secs(20);

#[component]
pub fn NoticeList() -> impl IntoMarkup {
    let &Page { notices, .. } = expect_context();
    view! {
        <div class="notices" role="region" aria-label=tr("Status messages")>
            {keyed_list(move || notices.list.get(), |notice| notice.id,
                move |notice| view! { <NoticeLine notice notices /> })}
        </div>
    }
}

#[component]
fn NoticeLine(notice: NoticeEntry, notices: Notices) -> impl IntoMarkup {
    let id = notice.id;
    let (kind, role) = match notice.kind {
        NoticeKind::Info => {
            // The list of notices outlives the timer; dismissing twice is harmless.
            let duration = if notice.undo.is_some() { UNDO_TIME } else { NOTICE_TIME };
            set_timeout(move || notices.dismiss(id), duration);
            ("info", "status")
        }
        NoticeKind::Error => ("error", "alert"),
    };
    let undo = notice.undo.map(|undo| {
        let &Page { dispatch, .. } = expect_context();
        let undo = move |_| {
            notices.dismiss(id);
            dispatch.undo(&undo);
        };
        button(tr("Undo")).test("notice-undo").on_click(undo)
    });
    view! {
        <div class="notice" data-testid="notice" data-kind=kind role=role>
            <p>
                <b>{notice.title}</b>
                {" "}
                {notice.advice}
            </p>
            {undo}
            {icon_button(icon(icon::CLOSE)).named(tr("Dismiss")).on_click(move |_| notices.dismiss(id))}
        </div>
    }
}

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
    /// True in safe mode: nothing runs by itself, and the last session is not opened.
    pub is_safe_mode: bool,
    pub data: BackupClient,
    /// Critical errors of earlier visits that were not shown yet.
    pub past_errors: Vec<PastCrash>,
    pub focus: SessionId,
    pub disk: fn() -> LazyFuture<MakeFileSystem>,
    pub voice: fn() -> LazyFuture<MakeVoice>,
    pub checks: fn() -> LazyFuture<RunChecks>,
    pub terminals: LoadTerminals,
    pub store_news: UnboundedReceiver<StoreNews>,
}

/// Shows on the static page that the start waits for the store, until the mounted page takes over.
pub async fn show_slow_start(mut news: UnboundedReceiver<StoreNews>) {
    while let Some(news) = news.next().await {
        if let StoreNews::Slow(waits) = news {
            let notice = strings::banner_waiting();
            let waiting = format!("{}. {}", notice.title, notice.advice);
            page::show_status(if waits { &waiting } else { strings::STARTING.get() });
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
    // The first screen replaces the static page without a gap. If it is not loaded, it is retried when it is shown.
    let is_loaded = screen_at(address::screen(), || is_set_up)().await.is_ok();
    let Some(place) = page::shell_place() else {
        leptos::logging::error!("The page has no body to show anything in.");
        return;
    };
    let (shell, mut live) = (page::take_over_shell(is_set_up && is_loaded), start.bus.subscribe_transient());
    // Mounted for the page's lifetime.
    mount_to_renderer(&place, move || app(start, shell)).forget();
    // Only once the page is mounted, which sets up the executor.
    spawn_local(async move {
        let loaded = async move {
            while is_set_up && !matches!(live.next().await, Some(TransientEvent::Loaded { .. }) | None) {}
        };
        page::settle(loaded).await;
    });
    spawn_local(async move {
        // Its part is fetched for the services anyway.
        if is_set_up {
            load_keep_focus().map(|_| ()).await;
        }
        page::settled().await;
        // A newcomer may only be looking.
        if !is_set_up {
            page::first_input().await;
            load_keep_focus().map(|_| ()).await;
        }
        // Prefetches the war room from any screen.
        if !page::is_frugal() {
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

/// The whole page on a running engine, with what was typed into the static page.
pub fn app(start: UiConfig, shell: page::StaticShellInput) -> Markup {
    let (waker, wakes) = unbounded();
    let dispatch = Dispatch::new(start.handle, Rc::clone(&start.clock), start.ids, waker);
    let history = HistoryContext::new(start.records);
    let page = Page::new(&start.world, start.focus, dispatch, history, start.local_time);
    provide_context(page);
    provide_context(LazyFileSystem(start.disk));
    provide_context(LazyVoice(start.voice));
    provide_context(LazyChecks(start.checks));
    provide_context(LazyTerminals(SendWrapper::new(start.terminals)));
    provide_context(StoredValue::new(SendWrapper::new(start.data)));
    let (events, live) = (start.bus.subscribe(&Topic::ALL), start.bus.subscribe_transient());
    let projector = Projector::new(start.world, page, start.past_errors);
    projector.show(WorldParts::NONE);
    if !shell.text.is_empty() {
        dispatch.type_into(&DraftField::Composer, &shell.text);
    }
    page.notices.banner(Banner::Memory(start.storage), start.storage != StorageStatus::Device);
    page.notices.banner(Banner::SafeMode, start.is_safe_mode);
    if start.is_cleared {
        page.notices.add_error(strings::cleared());
    }
    spawn_here(async move {
        until_loaded(&*start.clock, page.notices).await(projector, (events, live, wakes)).await;
    });
    spawn_here(follow_store(start.store_news, page.notices));
    provide_context(StoredValue::new(Some(shell)));
    view! { <App /> }
}
