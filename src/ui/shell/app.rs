//! The page: the router, the page title and the appearance.

use leptos::prelude::*;
use leptos_router::components::{FlatRoutes, Route, Router};
use leptos_router::path;

use crate::ui::chat::message_actions::alerts::NotificationSlot;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::page::use_theme;
use crate::ui::hooks::{address, page};
use crate::ui::settings::appearance::use_appearance;
use crate::ui::settings::providers::unlock::UnlockDialog;
use crate::ui::shell::keyboard::{KeyboardSlot, KeyboardState};
use crate::ui::shell::notices::NoticeList;
use crate::ui::shell::screens;
use crate::ui::tree_map::history_links::{AUDIT, INSPECT, TREE};
use crate::ui::view_state::{ProjectorMessage, RunView, Sessions, Settings};
use nexus_model::run::RunStatus;
use nexus_model::settings::schema::FIRST_START_DONE;
use nexus_model::settings::schema::{LANGUAGE, THEME};
use nexus_text::invisible::reveal;
use nexus_view::strings;

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    let settings = expect_context::<Settings>();
    use_theme(settings.text(THEME));
    use_appearance(settings);
    page::root_attribute("lang", settings.text(LANGUAGE));
    provide_context(KeyboardState(RwSignal::new(None)));
    page_title();
    // A sandboxed frame has no address to change: links then lead to screens without it.
    let framed = (!address::may_write_history()).then(|| {
        let path = RwSignal::new(String::new());
        address::on_link(move |below| path.set(below.to_owned()));
        path
    });
    view! { class="n",
        <Router base=address::base_path()>
            {match framed {
                Some(path) => view! { class="n", <FramedScreen path /> }.into_any(),
                None => view! { class="n", <Screen /> }.into_any(),
            }}
        </Router>
        <NoticeList />
        <NotificationSlot />
        <UnlockDialog />
        <KeyboardSlot />
    }
}

/// The screen at the page's address.
#[component]
fn Screen() -> impl IntoView {
    view! { class="n",
        <FlatRoutes fallback=Home>
            <Route path=path!("/") view=Home />
            <Route path=path!("/settings") view=screens::LazySettings />
            <Route path=path!("/audit") view=screens::LazyAudit />
            <Route path=path!("/inspect") view=screens::LazyInspector />
            <Route path=path!("/tree") view=screens::LazyTree />
        </FlatRoutes>
    }
}

/// The screen that the last link led to.
#[component]
fn FramedScreen(path: RwSignal<String>) -> impl IntoView {
    move || match path.get().as_str() {
        address::SETTINGS => view! { class="n", <screens::LazySettings /> }.into_any(),
        AUDIT => view! { class="n", <screens::LazyAudit /> }.into_any(),
        INSPECT => view! { class="n", <screens::LazyInspector /> }.into_any(),
        TREE => view! { class="n", <screens::LazyTree /> }.into_any(),
        _ => view! { class="n", <Home /> }.into_any(),
    }
}

/// What stands at the folder of the build: the war room, and before it, once, the first start.
#[component]
fn Home() -> impl IntoView {
    let is_set_up = expect_context::<Settings>().get(FIRST_START_DONE);
    move || {
        if is_set_up.get() {
            view! { class="n", <screens::LazyWarRoom /> }.into_any()
        } else {
            view! { class="n", <screens::LazyFirstStart /> }.into_any()
        }
    }
}

/// The title tells, also from behind other tabs, what the run in view came to.
fn page_title() {
    let dispatch = expect_context::<Dispatch>();
    let (run, sessions) = (expect_context::<RunView>().run(), expect_context::<Sessions>());
    let started = dispatch.now();
    let hidden = page::hidden();
    Effect::new(move |_| {
        if hidden.get() {
            dispatch.wake(ProjectorMessage::Away);
        }
    });
    page::title(move || {
        let row = sessions.row(&sessions.focus().get()).map(|row| row.get());
        // A worker that asks needs the operator as much as the run itself.
        let (label, waits) = row.map(|row| (row.label, row.waits)).unwrap_or_default();
        let told = run.with(|run| {
            let run = run.as_ref()?;
            let status = if run.asks || waits { RunStatus::Paused } else { run.status };
            strings::title(status, run.ended_at.is_some_and(|end| end >= started))
        });
        let label = reveal(&label);
        match told {
            Some(told) => format!("{told} – {label} – Nexus"),
            None => format!("{label} – Nexus"),
        }
    });
}
