//! Never knows what stands in a pane.
//!
//! Owns the frame of the war room below the top bar: three panes side by side with handles between them, of which the
//! outer ones fold away; on a narrow screen one at a time, chosen by tabs. Widths and folds are kept as a setting.

pub mod handle;
pub mod kept;

use leptos::html::Section;
use leptos::prelude::*;

use crate::ui::panes::handle::Handle;
use crate::ui::panes::kept::Kept;
use crate::ui::view_state::{AgentState, Agents, MindView};
use crate::ui::words::{agents, board, panes as words};

/// A pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Left.
    Agents,
    /// In the middle.
    Timeline,
    /// Right.
    Board,
}

impl Place {
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
pub struct InView(pub RwSignal<Place>);

/// The three panes.
#[component]
pub fn Panes(
    /// Whether something else stands in their place. They keep where they are scrolled to.
    #[prop(into)]
    hidden: Signal<bool>,
    /// The left pane.
    agents: AnyView,
    /// The middle pane.
    timeline: AnyView,
    /// The right pane.
    board: AnyView,
) -> impl IntoView {
    let kept = expect_context::<Kept>();
    let shown = expect_context::<InView>().0;
    // Whoever is led to the board wants to see it, also where it is folded away.
    Effect::new(move |led: Option<bool>| {
        let to_board = shown.get() == Place::Board;
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
                data-shown=move || (shown.get() == Place::Agents).to_string()
                data-closed=move || kept.agents.folded.get().to_string()
                aria-label=Place::Agents.title()
            >
                <Head place=Place::Agents folded=kept.agents.folded keep=kept />
                <div class="pane-body">{agents}</div>
            </section>
            <Handle place=Place::Agents pane=left side=kept.agents keep=kept />
            <section
                class="pane"
                id="pane-timeline"
                data-pane="timeline"
                data-shown=move || (shown.get() == Place::Timeline).to_string()
                aria-label=Place::Timeline.title()
            >
                <div class="pane-body">{timeline}</div>
            </section>
            <Handle place=Place::Board pane=right side=kept.board keep=kept />
            <section
                node_ref=right
                class="pane"
                id="pane-board"
                data-pane="board"
                data-shown=move || (shown.get() == Place::Board).to_string()
                data-closed=move || kept.board.folded.get().to_string()
                aria-label=Place::Board.title()
            >
                <Head place=Place::Board folded=kept.board.folded keep=kept />
                <div class="pane-body">{board}</div>
            </section>
            <Tabs shown />
        </main>
    }
}

/// The head of an outer pane, with the button that folds it away.
#[component]
fn Head(place: Place, folded: RwSignal<bool>, keep: Kept) -> impl IntoView {
    let about = move || if folded.get() { words::open(place.title()) } else { words::close(place.title()) };
    // The arrow points to where the pane goes.
    let arrow = move || if (place == Place::Agents) == folded.get() { "›" } else { "‹" };
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
fn Tabs(shown: RwSignal<Place>) -> impl IntoView {
    let (roster, mind) = (expect_context::<Agents>(), expect_context::<MindView>());
    let written = mind.last_written();
    let seen = RwSignal::new(None);
    let trouble = move || {
        let failed = |key| roster.row(&key).is_some_and(|row| row.with(|row| row.state == AgentState::Error));
        roster.order().get().into_iter().any(failed)
    };
    let news = move |place| match place {
        _ if shown.get() == place => false,
        Place::Agents => trouble(),
        Place::Timeline => false,
        Place::Board => written.get() > seen.get(),
    };
    let show = move |place| {
        // What was written up to now is seen, be it on the way to the board or away from it.
        if place == Place::Board || shown.get_untracked() == Place::Board {
            seen.set(written.get_untracked());
        }
        shown.set(place);
    };
    let tab = move |place: Place, title: &'static str| {
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
            {tab(Place::Agents, agents::PANE)}
            {tab(Place::Timeline, words::TIMELINE)}
            {tab(Place::Board, words::BOARD_TAB)}
        </nav>
    }
}
