//! Never shows more than the frame: each screen is a composition of its own.
//!
//! Owns which screen is at which address.

use leptos::prelude::*;
use leptos_router::components::{FlatRoutes, Route, Router};
use leptos_router::path;

use crate::ui::hooks;
use crate::ui::hooks::shell::Shell;
use crate::ui::war_room::WarRoom;

/// The whole page.
#[component]
pub fn App(
    /// What was typed before the program stood.
    shell: Shell,
) -> impl IntoView {
    provide_context(shell);
    let base = hooks::address::base_path();
    view! { class="n",
        <Router base>
            <FlatRoutes fallback=WarRoom>
                <Route path=path!("/") view=WarRoom />
            </FlatRoutes>
        </Router>
    }
}
