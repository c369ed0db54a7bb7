//! Never shows more than the frame: each screen is a composition of its own.
//!
//! Owns which screen is at which address, and what belongs to the page as a whole: its title and its look.

use leptos::prelude::*;
use leptos_router::components::{FlatRoutes, Route, Router};
use leptos_router::path;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::{address, page};
use crate::ui::view_state::{RunView, Sessions, Settings, Wake};
use crate::ui::war_room::WarRoom;
use crate::ui::words;

/// The address of the war room.
pub fn home_path() -> String {
    format!("{}/", address::base_path())
}

/// The address of the settings. The build writes a page for it, so it ends in a slash.
pub fn settings_path() -> String {
    format!("{}/settings/", address::base_path())
}

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    let settings = expect_context::<Settings>();
    page::root_attribute("data-theme", settings.text("theme"));
    page::root_attribute("lang", settings.text("language"));
    page_title();
    view! { class="n",
        <Router base=address::base_path()>
            <FlatRoutes fallback=WarRoom>
                <Route path=path!("/") view=WarRoom />
            </FlatRoutes>
        </Router>
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
        let label = sessions.row(&sessions.focus().get()).map(|row| row.get().label).unwrap_or_default();
        let told = run.with(|run| {
            let run = run.as_ref()?;
            words::title(run.status, run.ended_at.is_some_and(|end| end >= started))
        });
        match told {
            Some(told) => format!("{told} – {label} – Nexus"),
            None => format!("{label} – Nexus"),
        }
    });
}
