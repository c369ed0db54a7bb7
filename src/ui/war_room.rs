//! Never does anything by itself.
//!
//! Owns the war room, the screen that composes the panels around one session.

use leptos::prelude::*;

use crate::ui::banners::{Banners, NoticeList};
use crate::ui::chat::Chat;
use crate::ui::top_bar::TopBar;

/// The war room.
#[component]
pub fn WarRoom() -> impl IntoView {
    view! { class="n",
        <div class="war-room" data-testid="war-room">
            <TopBar />
            <Banners />
            <Chat />
            <NoticeList />
        </div>
    }
}
