//! Never shows more than the frame: each screen is a composition of its own.
//!
//! Owns which screen is at which address, and what belongs to the page as a whole: its title and its look.

use leptos::prelude::*;
use leptos_router::components::{FlatRoutes, Route, Router};
use leptos_router::path;

use crate::domain::run::RunStatus;
use crate::domain::text::hidden::reveal;
use crate::ui::care::alerts::AlertPlace;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::theme::use_theme;
use crate::ui::hooks::{address, page};
use crate::ui::keyboard::{Keyboard, KeyboardPlace};
use crate::ui::look_back::{AUDIT, INSPECT, TREE};
use crate::ui::notices::NoticeList;
use crate::ui::screens;
use crate::ui::settings::appearance::use_appearance;
use crate::ui::settings::unlock::UnlockDialog;
use crate::ui::start::FIRST_START_DONE;
use crate::ui::view_state::{RunView, Sessions, Settings, Wake};
use crate::ui::words;

/// The path of the settings below the folder of the build. The build writes a page for it, so it ends in a slash.
const SETTINGS: &str = "/settings/";

/// The address of the war room.
pub fn home_path() -> String {
    format!("{}/", address::base_path())
}

/// The address of the settings.
pub fn settings_path() -> String {
    format!("{}{SETTINGS}", address::base_path())
}

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    let settings = expect_context::<Settings>();
    use_theme(settings.text("theme"));
    use_appearance(settings);
    page::root_attribute("lang", settings.text("language"));
    provide_context(Keyboard(RwSignal::new(None)));
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
        <AlertPlace />
        <UnlockDialog />
        <KeyboardPlace />
    }
}

/// The screen at the page's address.
#[component]
fn Screen() -> impl IntoView {
    view! { class="n",
        <FlatRoutes fallback=Home>
            <Route path=path!("/") view=Home />
            <Route path=path!("/settings") view=screens::Settings />
            <Route path=path!("/audit") view=screens::Audit />
            <Route path=path!("/inspect") view=screens::Inspect />
            <Route path=path!("/tree") view=screens::Tree />
        </FlatRoutes>
    }
}

/// The screen that the last link led to.
#[component]
fn FramedScreen(path: RwSignal<String>) -> impl IntoView {
    move || match path.get().as_str() {
        SETTINGS => view! { class="n", <screens::Settings /> }.into_any(),
        AUDIT => view! { class="n", <screens::Audit /> }.into_any(),
        INSPECT => view! { class="n", <screens::Inspect /> }.into_any(),
        TREE => view! { class="n", <screens::Tree /> }.into_any(),
        _ => view! { class="n", <Home /> }.into_any(),
    }
}

/// What stands at the folder of the build: the war room, and before it, once, the first start.
#[component]
fn Home() -> impl IntoView {
    let is_set_up = expect_context::<Settings>().is_on(FIRST_START_DONE);
    move || {
        if is_set_up.get() {
            view! { class="n", <screens::War /> }.into_any()
        } else {
            view! { class="n", <screens::First /> }.into_any()
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
            dispatch.wake(Wake::Away);
        }
    });
    page::title(move || {
        let row = sessions.row(&sessions.focus().get()).map(|row| row.get());
        // A worker that asks needs the operator as much as the run itself.
        let (label, waits) = row.map(|row| (row.label, row.waits)).unwrap_or_default();
        let told = run.with(|run| {
            let run = run.as_ref()?;
            let status = if run.asks || waits { RunStatus::Paused } else { run.status };
            words::title(status, run.ended_at.is_some_and(|end| end >= started))
        });
        let label = reveal(&label);
        match told {
            Some(told) => format!("{told} – {label} – Nexus"),
            None => format!("{label} – Nexus"),
        }
    });
}
