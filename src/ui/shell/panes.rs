//! The layout of the war room: three panes with handles, or one at a time with tabs on narrow screens.
//!
//! The outer panes collapse. Widths and collapsed panes are stored as a setting.

pub mod handle;
pub mod kept;

use leptos::html::Section;
use leptos::prelude::*;

use crate::ui::shell::panes::handle::PaneHandle;
use crate::ui::shell::panes::kept::PaneLayout;
use crate::ui::view_state::{AgentState, Agents, MindView};
use nexus_view::strings::{agents, board, panes as words};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    Agents,
    Timeline,
    Board,
}

impl Pane {
    fn name(self) -> &'static str {
        match self {
            Self::Agents => "agents",
            Self::Timeline => "timeline",
            Self::Board => "board",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Agents => agents::PANE,
            Self::Timeline => words::TIMELINE,
            Self::Board => board::PANE,
        }
    }
}

/// Which pane is in view where there is room for one, as a context: what is done in one may lead to another.
#[derive(Clone, Copy)]
pub struct ActivePane(pub RwSignal<Pane>);

/// The three panes.
#[component]
pub fn Panes(
    /// Whether something else stands in their place. They keep where they are scrolled to.
    #[prop(into)]
    hidden: Signal<bool>,
    agents: AnyView,
    timeline: AnyView,
    board: AnyView,
) -> impl IntoView {
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
    let (left, right) = (NodeRef::<Section>::new(), NodeRef::<Section>::new());
    let px = |width: Option<f64>| width.map(|width| format!("{width:.0}px"));
    view! { class="n",
        <main
            class="panes"
            inert=move || hidden.get()
            data-agents=move || kept.agents.folded.get().then_some("closed")
            data-board=move || kept.board.folded.get().then_some("closed")
            style:--agents-width=move || px(kept.agents.width.get())
            style:--board-width=move || px(kept.board.width.get())
        >
            <section
                node_ref=left
                class="pane"
                id="pane-agents"
                data-pane="agents"
                data-shown=move || (shown.get() == Pane::Agents).to_string()
                data-closed=move || kept.agents.folded.get().to_string()
                aria-label=Pane::Agents.title()
            >
                <PaneHeader place=Pane::Agents folded=kept.agents.folded keep=kept />
                <div class="pane-body">{agents}</div>
            </section>
            <PaneHandle place=Pane::Agents pane=left side=kept.agents keep=kept />
            <section
                class="pane"
                id="pane-timeline"
                data-pane="timeline"
                data-shown=move || (shown.get() == Pane::Timeline).to_string()
                aria-label=Pane::Timeline.title()
            >
                <div class="pane-body">{timeline}</div>
            </section>
            <PaneHandle place=Pane::Board pane=right side=kept.board keep=kept />
            <section
                node_ref=right
                class="pane"
                id="pane-board"
                data-pane="board"
                data-shown=move || (shown.get() == Pane::Board).to_string()
                data-closed=move || kept.board.folded.get().to_string()
                aria-label=Pane::Board.title()
            >
                <PaneHeader place=Pane::Board folded=kept.board.folded keep=kept />
                <div class="pane-body">{board}</div>
            </section>
            <PaneTabs shown />
        </main>
    }
}

/// The head of an outer pane, with the button that folds it away.
#[component]
fn PaneHeader(place: Pane, folded: RwSignal<bool>, keep: PaneLayout) -> impl IntoView {
    let about = move || if folded.get() { words::open(place.title()) } else { words::close(place.title()) };
    // The arrow points to where the pane goes.
    let arrow = move || if (place == Pane::Agents) == folded.get() { "›" } else { "‹" };
    let toggle = move |_| {
        folded.update(|folded| *folded = !*folded);
        keep.keep();
    };
    view! { class="n",
        <header class="pane-head">
            <h2 class="label">{place.title()}</h2>
            <button
                type="button"
                class="icon"
                title=about
                aria-label=about
                aria-expanded=move || (!folded.get()).to_string()
                on:click=toggle
            >
                {arrow}
            </button>
        </header>
    }
}

/// The tabs of a narrow screen. A dot says that there is something to see behind a tab.
#[component]
fn PaneTabs(shown: RwSignal<Pane>) -> impl IntoView {
    let (roster, mind) = (expect_context::<Agents>(), expect_context::<MindView>());
    let written = mind.last_written();
    let seen = RwSignal::new(None);
    let trouble = move || {
        let failed = |key| roster.row(&key).is_some_and(|row| row.with(|row| row.state == AgentState::Error));
        roster.order().get().into_iter().any(failed)
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
        view! { class="n",
            <button
                type="button"
                class="pane-tab"
                aria-pressed=move || (shown.get() == place).to_string()
                aria-controls=format!("pane-{}", place.name())
                data-news=move || news(place).to_string()
                on:click=move |_| show(place)
            >
                {title}
            </button>
        }
    };
    view! { class="n",
        <nav class="pane-tabs" aria-label=words::TABS>
            {tab(Pane::Agents, agents::PANE)}
            {tab(Pane::Timeline, words::TIMELINE)}
            {tab(Pane::Board, words::BOARD_TAB)}
        </nav>
    }
}
