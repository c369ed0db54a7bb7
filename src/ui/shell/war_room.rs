//! The war room screen: composes the panels around one session.

use leptos::prelude::*;

use crate::ui::agents::AgentsPanel;
use crate::ui::board::Board;
use crate::ui::board::file_panel::FilePanelState;
use crate::ui::board::files::FilePrompt;
use crate::ui::board::tabs::BoardTabState;
use crate::ui::chat::Chat;
use crate::ui::chat::catch_up_offer::OpenRunSummary;
use crate::ui::chat::composer::images::PendingImages;
use crate::ui::chat::message_actions::MessageActionsState;
use crate::ui::chat::voice::state::VoiceState;
use crate::ui::kit::lazy_view::LazyView;
use crate::ui::shell::banners::Banners;
use crate::ui::shell::dialogs::{DialogState, TreeDialog};
use crate::ui::shell::panes::kept::PaneLayout;
use crate::ui::shell::panes::{ActivePane, Pane, Panes};
use crate::ui::shell::screens;
use crate::ui::shell::top_bar::TopBar;
use crate::ui::shell::workspace::{DestinationState, FilePromptState, OverridesState, Recipients, Workspace};
use crate::ui::view_state::Sessions;

#[component]
pub fn WarRoom() -> impl IntoView {
    let care = MessageActionsState::new();
    let room = Workspace {
        place: RwSignal::new(Pane::Timeline),
        panes: PaneLayout::load(),
        faces: BoardTabState::new(),
        desk: FilePanelState::new(),
        asked: RwSignal::new(FilePrompt::Nothing),
        looked_at: RwSignal::new(None),
        target: care.target,
        over: OverridesState::new(Default::default()),
        catching_up: RwSignal::new(None),
        voice: VoiceState::new(),
        care,
        tree: DialogState::enter(expect_context::<Sessions>().focus().get_untracked()),
    };
    provide_context(care);
    provide_context(PendingImages(RwSignal::new(Vec::new())));
    provide_context(room.desk);
    provide_context(room.voice);
    provide_context(ActivePane(room.place));
    provide_context(room.faces);
    provide_context(room.panes);
    provide_context(FilePromptState { asked: room.asked, looked_at: room.looked_at });
    provide_context(Recipients(room.target));
    provide_context(DestinationState(RwSignal::new(None)));
    provide_context(room.over);
    provide_context(OpenRunSummary(room.catching_up));
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
                <LazyView load=screens::as_it_was />
            </Show>
            <TreeDialog />
        </div>
    }
}
