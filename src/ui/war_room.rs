//! Never does anything by itself.
//!
//! Owns the war room, the screen that composes the panels around one session.

use leptos::prelude::*;

use crate::ui::agents::AgentsPanel;
use crate::ui::banners::Banners;
use crate::ui::board::Board;
use crate::ui::board::desk::FileDesk;
use crate::ui::board::faces::Faces;
use crate::ui::board::files::Asked;
use crate::ui::care::Care;
use crate::ui::chat::Chat;
use crate::ui::chat::catch_up_offer::CatchingUp;
use crate::ui::chat::composer::images::Waiting;
use crate::ui::later::Later;
use crate::ui::panes::kept::Kept;
use crate::ui::panes::{InView, Panes, Place};
use crate::ui::room::{Aim, Elsewhere, FileCare, Overriding, Room};
use crate::ui::screens;
use crate::ui::top_bar::TopBar;
use crate::ui::tree_desk::{TreeDesk, TreeDialog};
use crate::ui::view_state::Sessions;
use crate::ui::voice::desk::VoiceDesk;

/// The war room.
#[component]
pub fn WarRoom() -> impl IntoView {
    let care = Care::new();
    let room = Room {
        place: RwSignal::new(Place::Timeline),
        panes: Kept::load(),
        faces: Faces::new(),
        desk: FileDesk::new(),
        asked: RwSignal::new(Asked::Nothing),
        looked_at: RwSignal::new(None),
        target: care.target,
        over: Overriding::new(Default::default()),
        catching_up: RwSignal::new(None),
        voice: VoiceDesk::new(),
        care,
        tree: TreeDesk::enter(expect_context::<Sessions>().focus().get_untracked()),
    };
    provide_context(care);
    provide_context(Waiting(RwSignal::new(Vec::new())));
    provide_context(room.desk);
    provide_context(room.voice);
    provide_context(InView(room.place));
    provide_context(room.faces);
    provide_context(room.panes);
    provide_context(FileCare { asked: room.asked, looked_at: room.looked_at });
    provide_context(Aim(room.target));
    provide_context(Elsewhere(RwSignal::new(None)));
    provide_context(room.over);
    provide_context(CatchingUp(room.catching_up));
    room.enter();
    provide_context(room.tree);
    let look = room.tree.look();
    let looks_back = Memo::new(move |_| look.with(Option::is_some));
    view! { class="n",
        <div class="war-room" data-testid="war-room">
            <TopBar />
            <Banners />
            // What is typed, where one reads and what runs stay as they are meanwhile.
            <Panes
                hidden=looks_back
                agents=view! { class="n", <AgentsPanel /> }.into_any()
                timeline=view! { class="n", <Chat /> }.into_any()
                board=view! { class="n", <Board /> }.into_any()
            />
            <Show when=move || looks_back.get()>
                <Later load=screens::as_it_was />
            </Show>
            <TreeDialog />
        </div>
    }
}
