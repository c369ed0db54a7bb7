//! Never does anything by itself.
//!
//! Owns the war room, the screen that composes the panels around one session.

use leptos::prelude::*;

/// The war room.
#[component]
pub fn WarRoom() -> impl IntoView {
    view! { class="n",
        <div class="war-room" data-testid="war-room"></div>
    }
}
