//! The page: the loader of each screen, the page title, the appearance, and the list of notices, temporary or until
//! dismissed.

use std::time::Duration;

use futures_util::FutureExt as _;

use crate::ui::actions::KeyboardState;
use crate::ui::audit::lazy_audit;
use crate::ui::chat::message_actions::service::NotificationSlot;
use crate::ui::first_start::lazy_first_start;
use crate::ui::help::lazy_help;
use crate::ui::hooks::page;
use crate::ui::hooks::page::use_theme;
use crate::ui::inspect::lazy_inspector;
use crate::ui::kit::lazy_view::LoadView;
use crate::ui::prelude::*;
use crate::ui::run_graph::lazy_run_graph;
use crate::ui::settings::appearance::use_appearance;
use crate::ui::settings::lazy_settings;
use crate::ui::settings::providers::passphrase::UnlockDialog;
use crate::ui::shell::top_bar::KeyboardSlot;
use crate::ui::shell::war_room::lazy_war_room;
use crate::ui::tree_map::lazy_tree;
use crate::ui::usage::lazy_usage;
use crate::ui::view_state::{NoticeEntry, ProjectorMessage};
use nexus_model::run::RunStatus;
use nexus_model::settings::schema::{FIRST_START_DONE, THEME};

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

/// Loads the first screen, so that it replaces the static page without a gap. A failed load is retried when the screen
/// is shown.
pub(super) async fn load_screen(is_set_up: bool) {
    screen_at(address::screen(), || is_set_up)().map(|_| ()).await;
}

#[component]
pub fn App() -> impl IntoMarkup {
    let settings = expect_context::<Settings>();
    use_theme(settings.text(THEME));
    use_appearance(settings);
    provide_context(KeyboardState(RwSignal::new(None)));
    page_title();
    let (screen, is_set_up) = (address::use_screen(), settings.get(FIRST_START_DONE));
    let load = select(move || screen_at(screen.get(), move || is_set_up.get()));
    view! {
        {move || view! { <LazyView load=load.get() /> }}
        <NoticeList />
        <NotificationSlot />
        <UnlockDialog />
        <KeyboardSlot />
    }
}

/// The title shows the status of the run in view, for background tabs.
fn page_title() {
    let dispatch = expect_context::<Dispatch>();
    let (run, sessions) = (expect_context::<RunView>().run, expect_context::<Sessions>());
    let started = dispatch.now();
    let hidden = page::hidden();
    Effect::new(move |_| {
        if hidden.get() {
            dispatch.notify_projector(ProjectorMessage::Hidden);
        }
    });
    page::title(move || {
        let row = sessions.rows.row(&sessions.focus.get()).map(|row| row.get());
        // A worker's question counts like one of the run.
        let (label, waits) = row.map(|row| (row.label, row.is_waiting)).unwrap_or_default();
        let status = run.with(|run| {
            let run = run.as_ref()?;
            let status = if run.needs_approval || waits { RunStatus::Paused } else { run.status };
            strings::title(status, run.ended_at.is_some_and(|end| end >= started))
        });
        let label = reveal(&label);
        match status {
            Some(status) => format!("{status} – {label} – Nexus"),
            None => format!("{label} – Nexus"),
        }
    });
}

/// How long a notice stays.
const NOTICE_TIME: Duration = Duration::from_secs(8);
/// How long a notice with undo stays.
const UNDO_TIME: Duration = Duration::from_secs(20);

#[component]
pub fn NoticeList() -> impl IntoMarkup {
    let notices = expect_context::<Notices>();
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
        let dispatch = expect_context::<Dispatch>();
        let undo = move |_| {
            notices.dismiss(id);
            dispatch.send(undo.command());
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
            {icon_button(icon(icon::CLOSE)).label(tr("Dismiss")).title(tr("Dismiss")).on_click(move |_| notices.dismiss(id))}
        </div>
    }
}
