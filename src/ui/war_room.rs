//! Never does anything by itself.
//!
//! Owns the war room, the screen that composes the panels around one session.

use leptos::prelude::*;

use crate::ui::agents::AgentsPanel;
use crate::ui::banners::Banners;
use crate::ui::board::Board;
use crate::ui::board::desk::FileDesk;
use crate::ui::board::faces::Faces;
use crate::ui::chat::Chat;
use crate::ui::panes::{InView, Panes, Place};
use crate::ui::top_bar::TopBar;
use crate::ui::tree_desk::{TreeDesk, TreeDialog};
use crate::ui::voice::desk::VoiceDesk;

/// The war room.
#[component]
pub fn WarRoom() -> impl IntoView {
    provide_context(FileDesk::new());
    provide_context(VoiceDesk::new());
    provide_context(InView(RwSignal::new(Place::Timeline)));
    provide_context(Faces::new());
    provide_context(TreeDesk::default());
    view! { class="n",
        <div class="war-room" data-testid="war-room">
            <TopBar />
            <Banners />
            <Panes
                agents=view! { class="n", <AgentsPanel /> }.into_any()
                timeline=view! { class="n", <Chat /> }.into_any()
                board=view! { class="n", <Board /> }.into_any()
            />
            <TreeDialog />
        </div>
    }
}
