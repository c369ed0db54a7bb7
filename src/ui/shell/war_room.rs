//! The war room: the panels around one session, in three panes with splitters, or one at a time with tabs on narrow
//! screens. Widths and collapsed panes are stored as a setting.

use futures_util::FutureExt as _;

use crate::ui::agents::AgentsPanel;
use crate::ui::board::Board;
use crate::ui::board::checks::lazy_checks;
use crate::ui::chat::Chat;
use crate::ui::chat::run_summary::lazy_changes_bar;
use crate::ui::chat::turn_menu::lazy_turn_menu;
use crate::ui::hooks::events::pixels;
use crate::ui::prelude::*;
use crate::ui::run_graph::template_dialog::lazy_graph_dialog;
use crate::ui::search::lazy_search;
use crate::ui::sessions::lazy_session_list;
use crate::ui::shell::top_bar::{Banners, TopBar, lazy_new_version};
use crate::ui::tree_map::reflog::lazy_reflog;
use crate::ui::tree_map::turn_snapshot::lazy_turn_snapshot;
use crate::ui::view_state::AgentState;
use crate::ui::workspace::{
    BoardTabState, DialogState, PaneLayout, PaneState, attachments_of_draft, recipients_of_draft,
};
use nexus_view::strings::panes as words;

lazy_view!(war_room, lazy_war_room, WarRoom);

/// How long the picture of the war room may stay once the session is loaded.
const PICTURE_TIME: Duration = Duration::from_millis(1500);

/// Removes the picture of the war room as it was left once all that it shows is drawn: what comes with the board, too.
async fn take_over_picture() {
    page::settled().await;
    let (wake, drawn) = page::wake_once();
    // A task of its own: loading must not be dropped half-way.
    spawn_local(lazy_changes_bar().map(move |_| wake()));
    page::within(PICTURE_TIME, drawn).await;
    page::next_frame().await;
    page::next_frame().await;
    page::remove_picture();
}

#[component]
pub fn WarRoom() -> impl IntoMarkup {
    let page = expect_context::<&Page>();
    let room = Workspace {
        pane: RwSignal::new(Pane::Timeline),
        panes: PaneLayout::load(),
        tabs: BoardTabState::default(),
        files: FilePanelState::default(),
        file_prompt: RwSignal::new(FilePrompt::Nothing),
        viewed_file: RwSignal::new(None),
        images: attachments_of_draft(page.dispatch),
        target: recipients_of_draft(page.dispatch),
        elsewhere: RwSignal::new(None),
        overrides: OverridesState::new(Default::default()),
        open_summary: RwSignal::new(None),
        voice: VoiceState::new(),
        actions: MessageActionsState::default(),
        dialogs: DialogState::enter(page.sessions.focus.get_untracked()),
    };
    provide_context(room);
    room.enter();
    spawn_local(take_over_picture());
    // By script: in a sandboxed iframe the address cannot change.
    let to_composer = move |event: MouseEvent| {
        event.prevent_default();
        room.pane.set(Pane::Timeline);
        focus::soon(COMPOSER.to_owned());
    };
    let snapshot = room.dialogs.snapshot;
    let is_snapshot = select(move || snapshot.with(Option::is_some));
    view! {
        <div class="war-room" data-testid="war-room">
            <a class="skip" href=format!("#{COMPOSER}") on:click=to_composer>{words::SKIP}</a>
            <TopBar />
            <Banners />
            // Kept mounted, so that input, scroll positions and runs are not disturbed.
            <Panes
                hidden=is_snapshot agents=view! { <AgentsPanel /> }
                timeline=view! { <Chat /> } board=view! { <Board /> }
            />
            <Show when=move || is_snapshot.get()><LazyView load=lazy_turn_snapshot /></Show>
            <TreeDialog />
            // Only here: visitors of other screens do not fetch the whole program.
            {lazy_slot(lazy_new_version, |draw| draw())}
        </div>
    }
}

#[component]
fn TreeDialog() -> impl IntoMarkup {
    let opened = expect_context::<Workspace>().dialogs.opened;
    move || match opened.get()? {
        OpenDialog::Sessions(_) => Some(view! { <LazyView load=lazy_session_list /> }),
        OpenDialog::Checks => Some(view! { <LazyView load=lazy_checks /> }),
        OpenDialog::Graph => Some(view! { <LazyView load=lazy_graph_dialog /> }),
        OpenDialog::Heads(_) => Some(view! { <LazyView load=lazy_reflog /> }),
        OpenDialog::Find | OpenDialog::SendTo => Some(view! { <LazyView load=lazy_search /> }),
        OpenDialog::Turn(..) | OpenDialog::Race(_) => Some(view! { <LazyView load=lazy_turn_menu /> }),
    }
}

/// Minimum widths of an outer pane and of the conversation, in pixels.
const LEAST: (f64, f64) = (208.0, 320.0);

#[component]
pub fn Panes(
    /// True if a snapshot replaces the panes. They keep their scroll positions.
    hidden: Selector<bool>,
    agents: Markup,
    timeline: Markup,
    board: Markup,
) -> impl IntoMarkup {
    let Workspace { pane: shown, panes: layout, .. } = expect_context();
    // Focusing the board opens its folded pane.
    Effect::new(move |shown_before: Option<bool>| {
        let to_board = shown.get() == Pane::Board;
        if to_board && shown_before.is_some() && layout.board.folded.get_untracked() {
            layout.board.folded.set(false);
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
                <PaneHeader place folded keep=layout />
                <div class="pane-body">{body}</div>
            </section>
        }
    };
    let between = move |place: Pane, side: PaneState, id: &'static str| {
        splitter(words::width_of(place.title()), side.width, (id, "pane-timeline"), LEAST)
            .title(words::RESIZE.get())
            .hidden(move || side.folded.get())
            .on_save(move || layout.keep())
    };
    view! {
        <main
            class="panes" inert=move || hidden.get()
            data-agents=move || layout.agents.folded.get().then_some("closed")
            data-board=move || layout.board.folded.get().then_some("closed")
            data-race=move || layout.has_race.get().then_some("")
            style:--agents-width=move || layout.agents.width.get().map(pixels)
            style:--board-width=move || layout.board.width.get().map(pixels)
        >
            {outer(Pane::Agents, layout.agents.folded, agents)}
            {between(Pane::Agents, layout.agents, "pane-agents")}
            <section
                class="pane" id="pane-timeline" data-pane="timeline"
                data-shown=move || (shown.get() == Pane::Timeline).to_string()
                aria-label=Pane::Timeline.title()
            >
                <div class="pane-body">{timeline}</div>
            </section>
            {between(Pane::Board, layout.board, "pane-board").before()}
            {outer(Pane::Board, layout.board.folded, board)}
            <PaneTabs shown />
        </main>
    }
}

#[component]
fn PaneHeader(place: Pane, folded: RwSignal<bool>, keep: PaneLayout) -> impl IntoMarkup {
    let about = move || if folded.get() { words::open(place.title()) } else { words::close(place.title()) };
    // The arrow shows the pane's direction.
    let arrow =
        move || if (place == Pane::Agents) == folded.get() { icon(icon::FORWARD) } else { icon(icon::BACK) };
    let toggle = move |_| {
        folded.update(|folded| *folded = !*folded);
        keep.keep();
    };
    view! {
        <header class="pane-head">
            <h2 class="label">{place.title()}</h2>
            {icon_button(arrow).named(about)
                .with("aria-expanded", move || (!folded.get()).to_string()).on_click(toggle)}
        </header>
    }
}

/// The tabs of a narrow screen. A dot marks a tab with news.
#[component]
fn PaneTabs(shown: RwSignal<Pane>) -> impl IntoMarkup {
    let &Page { agents: roster, mind, .. } = expect_context();
    let written = mind.last_written;
    let seen = RwSignal::new(None);
    let has_error = move || {
        let failed =
            |key| roster.rows.row(&key).is_some_and(|row| row.with(|row| row.state == AgentState::Error));
        roster.order.get().into_iter().any(failed)
    };
    let has_news = move |place| match place {
        _ if shown.get() == place => false,
        Pane::Agents => has_error(),
        Pane::Timeline => false,
        Pane::Board => written.get() > seen.get(),
    };
    let show = move |place| {
        // Everything written so far is seen when the board is shown or left.
        if place == Pane::Board || shown.get_untracked() == Pane::Board {
            seen.set(written.get_untracked());
        }
        shown.set(place);
    };
    let tab = move |place: Pane, title: &'static str| {
        plain_button("pane-tab", title)
            .with("aria-pressed", move || (shown.get() == place).to_string())
            .with("aria-controls", format!("pane-{}", place.name()))
            .with("data-news", move || has_news(place).to_string())
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
