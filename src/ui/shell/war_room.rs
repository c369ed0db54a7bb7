//! The war room screen: composes the panels around one session.

use crate::ui::agents::AgentsPanel;
use crate::ui::board::Board;
use crate::ui::board::checks::lazy_checks;
use crate::ui::chat::Chat;
use crate::ui::chat::composer::images::PendingImages;
use crate::ui::chat::turn_menu::lazy_turn_menu;
use crate::ui::hooks::focus::{self, COMPOSER};
use crate::ui::kit::prelude::*;
use crate::ui::run_graph::template_dialog::lazy_graph_dialog;
use crate::ui::search::lazy_search;
use crate::ui::sessions::lazy_session_list;
use crate::ui::shell::banners::Banners;
use crate::ui::shell::banners::NewVersionSlot;
use crate::ui::shell::panes::Panes;
use crate::ui::shell::top_bar::TopBar;
use crate::ui::tree_map::reflog::lazy_reflog;
use crate::ui::tree_map::turn_snapshot::lazy_turn_snapshot;
use crate::ui::view_state::Sessions;
use crate::ui::workspace::board_tabs::BoardTabState;
use crate::ui::workspace::dialogs::{DialogState, OpenDialog};
use crate::ui::workspace::file_panel::{FilePanelState, FilePrompt};
use crate::ui::workspace::message_actions::MessageActionsState;
use crate::ui::workspace::panes::{ActivePane, Pane, PaneLayout};
use crate::ui::workspace::voice::VoiceState;
use crate::ui::workspace::{
    DestinationState, FilePromptState, OpenRunSummary, OverridesState, Recipients, Workspace,
};
use leptos::ev::MouseEvent;
use nexus_view::strings::panes;

lazy_view!(war_room, lazy_war_room, WarRoom);

#[component]
pub fn WarRoom() -> impl IntoMarkup {
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
    // By hand: in a sandboxed frame the address cannot change.
    let to_composer = move |event: MouseEvent| {
        event.prevent_default();
        room.place.set(Pane::Timeline);
        focus::soon(COMPOSER.to_owned());
    };
    let look = room.tree.look();
    let looks_back = select(move || look.with(Option::is_some));
    view! {
        <div class="war-room" data-testid="war-room">
            <a class="skip" href=format!("#{COMPOSER}") on:click=to_composer>{panes::SKIP}</a>
            <TopBar />
            <Banners />
            // What is typed, where one reads and what runs stay as they are meanwhile.
            <Panes
                hidden=looks_back agents=view! { <AgentsPanel /> }
                timeline=view! { <Chat /> } board=view! { <Board /> }
            />
            <Show when=move || looks_back.get()><LazyView load=lazy_turn_snapshot /></Show>
            <TreeDialog />
            <NewVersionSlot />
        </div>
    }
}

/// The dialog that is open; nothing while none is.
#[component]
fn TreeDialog() -> impl IntoMarkup {
    let opened = expect_context::<DialogState>().opened();
    move || match opened.get()? {
        OpenDialog::Sessions(_) => Some(view! { <LazyView load=lazy_session_list /> }),
        OpenDialog::Checks => Some(view! { <LazyView load=lazy_checks /> }),
        OpenDialog::Graph => Some(view! { <LazyView load=lazy_graph_dialog /> }),
        OpenDialog::Heads(_) => Some(view! { <LazyView load=lazy_reflog /> }),
        OpenDialog::Find | OpenDialog::SendTo => Some(view! { <LazyView load=lazy_search /> }),
        OpenDialog::Turn(..) | OpenDialog::Race(_) => Some(view! { <LazyView load=lazy_turn_menu /> }),
    }
}
