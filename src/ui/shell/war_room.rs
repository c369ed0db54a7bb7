//! The war room: the panels around one session, in three panes with splitters, or one at a time with tabs on narrow
//! screens. Widths and collapsed panes are stored as a setting.

use leptos::ev::MouseEvent;

use crate::ui::agents::AgentsPanel;
use crate::ui::board::Board;
use crate::ui::board::checks::lazy_checks;
use crate::ui::chat::Chat;
use crate::ui::chat::composer::images::PendingImages;
use crate::ui::chat::turn_menu::lazy_turn_menu;
use crate::ui::hooks::focus::COMPOSER;
use crate::ui::prelude::*;
use crate::ui::run_graph::template_dialog::lazy_graph_dialog;
use crate::ui::search::lazy_search;
use crate::ui::sessions::lazy_session_list;
use crate::ui::shell::banners::{Banners, NewVersionSlot};
use crate::ui::shell::top_bar::TopBar;
use crate::ui::tree_map::reflog::lazy_reflog;
use crate::ui::tree_map::turn_snapshot::lazy_turn_snapshot;
use crate::ui::view_state::AgentState;
use crate::ui::workspace::dialogs::{DialogState, OpenDialog};
use crate::ui::workspace::message_actions::{FilePanelState, FilePrompt, MessageActionsState, VoiceState};
use crate::ui::workspace::panes::{ActivePane, BoardTabState, Pane, PaneLayout, PaneState};
use crate::ui::workspace::{
    DestinationState, FilePromptState, OpenRunSummary, OverridesState, Recipients, Workspace,
};
use nexus_view::strings::panes as words;

lazy_view!(war_room, lazy_war_room, WarRoom);

#[component]
pub fn WarRoom() -> impl IntoMarkup {
    let care = MessageActionsState::new();
    let room = Workspace {
        place: RwSignal::new(Pane::Timeline),
        panes: PaneLayout::load(),
        faces: BoardTabState::default(),
        desk: FilePanelState::new(),
        asked: RwSignal::new(FilePrompt::Nothing),
        looked_at: RwSignal::new(None),
        target: care.target,
        over: OverridesState::new(Default::default()),
        catching_up: RwSignal::new(None),
        voice: VoiceState::new(),
        care,
        tree: DialogState::enter(expect_context::<Sessions>().focus.get_untracked()),
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
    let look = room.tree.look;
    let looks_back = select(move || look.with(Option::is_some));
    view! {
        <div class="war-room" data-testid="war-room">
            <a class="skip" href=format!("#{COMPOSER}") on:click=to_composer>{words::SKIP}</a>
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
    let opened = expect_context::<DialogState>().opened;
    move || match opened.get()? {
        OpenDialog::Sessions(_) => Some(view! { <LazyView load=lazy_session_list /> }),
        OpenDialog::Checks => Some(view! { <LazyView load=lazy_checks /> }),
        OpenDialog::Graph => Some(view! { <LazyView load=lazy_graph_dialog /> }),
        OpenDialog::Heads(_) => Some(view! { <LazyView load=lazy_reflog /> }),
        OpenDialog::Find | OpenDialog::SendTo => Some(view! { <LazyView load=lazy_search /> }),
        OpenDialog::Turn(..) | OpenDialog::Race(_) => Some(view! { <LazyView load=lazy_turn_menu /> }),
    }
}

/// The least widths of an outer pane and of the conversation, in pixels.
const LEAST: (f64, f64) = (208.0, 320.0);

#[component]
pub fn Panes(
    /// Whether something else stands in their place. They keep where they are scrolled to.
    hidden: Selector<bool>,
    agents: Markup,
    timeline: Markup,
    board: Markup,
) -> impl IntoMarkup {
    let kept = expect_context::<PaneLayout>();
    let shown = expect_context::<ActivePane>().0;
    // Whoever is led to the board wants to see it, also where it is folded away.
    Effect::new(move |led: Option<bool>| {
        let to_board = shown.get() == Pane::Board;
        if to_board && led.is_some() && kept.board.folded.get_untracked() {
            kept.board.folded.set(false);
        }
        to_board
    });
    let outer = |place: Pane, folded: RwSignal<bool>, body: Markup| {
        view! {
            <section
                class="pane" id=format!("pane-{}", place.name()) data-pane=place.name()
                data-shown=move || (shown.get() == place).to_string()
                data-closed=move || folded.get().to_string() aria-label=place.title()
            >
                <PaneHeader place folded keep=kept />
                <div class="pane-body">{body}</div>
            </section>
        }
    };
    let px = |width: Option<f64>| width.map(|width| format!("{width:.0}px"));
    let between = move |place: Pane, side: PaneState, id: &'static str| {
        splitter(words::width_of(place.title()), side.width, (id, "pane-timeline"), LEAST)
            .title(words::RESIZE.get())
            .hidden(move || side.folded.get())
            .kept(move || kept.keep())
    };
    view! {
        <main
            class="panes" inert=move || hidden.get()
            data-agents=move || kept.agents.folded.get().then_some("closed")
            data-board=move || kept.board.folded.get().then_some("closed")
            style:--agents-width=move || px(kept.agents.width.get())
            style:--board-width=move || px(kept.board.width.get())
        >
            {outer(Pane::Agents, kept.agents.folded, agents)}
            {between(Pane::Agents, kept.agents, "pane-agents")}
            <section
                class="pane" id="pane-timeline" data-pane="timeline"
                data-shown=move || (shown.get() == Pane::Timeline).to_string()
                aria-label=Pane::Timeline.title()
            >
                <div class="pane-body">{timeline}</div>
            </section>
            {between(Pane::Board, kept.board, "pane-board").before()}
            {outer(Pane::Board, kept.board.folded, board)}
            <PaneTabs shown />
        </main>
    }
}

#[component]
fn PaneHeader(place: Pane, folded: RwSignal<bool>, keep: PaneLayout) -> impl IntoMarkup {
    let about = move || if folded.get() { words::open(place.title()) } else { words::close(place.title()) };
    // The arrow points to where the pane goes.
    let arrow =
        move || if (place == Pane::Agents) == folded.get() { icon(icon::FORWARD) } else { icon(icon::BACK) };
    let toggle = move |_| {
        folded.update(|folded| *folded = !*folded);
        keep.keep();
    };
    view! {
        <header class="pane-head">
            <h2 class="label">{place.title()}</h2>
            {icon_button(arrow).title(about).label(about)
                .with("aria-expanded", move || (!folded.get()).to_string()).on_click(toggle)}
        </header>
    }
}

/// The tabs of a narrow screen. A dot says that there is something to see behind a tab.
#[component]
fn PaneTabs(shown: RwSignal<Pane>) -> impl IntoMarkup {
    let (roster, mind) = (expect_context::<Agents>(), expect_context::<MindView>());
    let written = mind.last_written;
    let seen = RwSignal::new(None);
    let trouble = move || {
        let failed =
            |key| roster.rows.row(&key).is_some_and(|row| row.with(|row| row.state == AgentState::Error));
        roster.order.get().into_iter().any(failed)
    };
    let news = move |place| match place {
        _ if shown.get() == place => false,
        Pane::Agents => trouble(),
        Pane::Timeline => false,
        Pane::Board => written.get() > seen.get(),
    };
    let show = move |place| {
        // What was written up to now is seen, be it on the way to the board or away from it.
        if place == Pane::Board || shown.get_untracked() == Pane::Board {
            seen.set(written.get_untracked());
        }
        shown.set(place);
    };
    let tab = move |place: Pane, title: &'static str| {
        plain_button("pane-tab", title)
            .with("aria-pressed", move || (shown.get() == place).to_string())
            .with("aria-controls", format!("pane-{}", place.name()))
            .with("data-news", move || news(place).to_string())
            .on_click(move |_| show(place))
    };
    view! {
        <nav class="pane-tabs" aria-label=common::PANES>
            {tab(Pane::Agents, common::AGENTS.get())}
            {tab(Pane::Timeline, common::CONVERSATION.get())}
            {tab(Pane::Board, common::BOARD.get())}
        </nav>
    }
}
