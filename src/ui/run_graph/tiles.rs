//! Panes of several nodes side by side in the place of the graph, each with its terminal and transcript.
//!
//! Alt+Shift with an arrow goes to the pane beside, with S splits, with X closes. A narrow screen shows the active one.

use leptos::ev::KeyboardEvent;

use crate::ui::hooks::focus;
use crate::ui::kit::prelude::*;
use crate::ui::kit::signal::HeldSignal;
use crate::ui::run_graph::state::RunScreenState;
use crate::ui::run_graph::terminal_pane::TerminalPane;
use crate::ui::run_graph::transcript_pane::TranscriptPane;
use nexus_view::run_graph::next_tile;
use nexus_view::strings::graph::terminal as words;

fn tile_id(number: u32) -> String {
    format!("run-tile-{number}")
}

/// Opens a pane more: of the selected node, or of the first one that has none yet.
pub(super) fn split(state: RunScreenState) -> Option<u32> {
    let shown: Vec<String> =
        state.tiles.with_untracked(|tiles| tiles.iter().map(|(_, node)| node.get_untracked()).collect());
    let all = untrack(move || state.readable());
    let selected = untrack(move || state.selected_node()).map(|node| node.id);
    let free = |id: &String| !shown.contains(id);
    let others = || all.iter().map(|(id, _)| id).rev().find(|id| free(id)).cloned();
    let node = selected.clone().filter(free).or_else(others).or(selected)?;
    let number = state
        .tiles
        .with_untracked(|tiles| tiles.iter().map(|(number, _)| *number).max().unwrap_or_default())
        .saturating_add(1);
    state.tiles.update(|tiles| tiles.push((number, HeldSignal::new(node))));
    focus::soon(tile_id(number));
    Some(number)
}

#[component]
pub(super) fn RunTiles(state: RunScreenState) -> impl IntoMarkup {
    let first = state.tiles.with_untracked(|tiles| tiles.first().map(|(number, _)| *number));
    let active = RwSignal::new(first.unwrap_or_default());
    let go = move |to: Option<u32>| {
        if let Some(to) = to {
            active.set(to);
            focus::soon(tile_id(to));
        }
    };
    let close = move |number: u32| {
        let numbers =
            state.tiles.with_untracked(|tiles| tiles.iter().map(|(one, _)| *one).collect::<Vec<_>>());
        state.tiles.update(|tiles| tiles.retain(|(one, _)| *one != number));
        go(next_tile(&numbers, number, false).filter(|next| *next != number));
    };
    let key = move |event: KeyboardEvent| {
        if !(event.alt_key() && event.shift_key()) {
            return;
        }
        let numbers =
            state.tiles.with_untracked(|tiles| tiles.iter().map(|(one, _)| *one).collect::<Vec<_>>());
        let now = active.get_untracked();
        match event.code().as_str() {
            "ArrowLeft" | "ArrowUp" => go(next_tile(&numbers, now, false)),
            "ArrowRight" | "ArrowDown" => go(next_tile(&numbers, now, true)),
            "KeyS" => go(split(state)),
            "KeyX" => close(now),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let switch = keyed_list(
        move || state.tiles.get(),
        |(number, _)| *number,
        move |(number, node)| {
            let node = node.here();
            let pane = state.pane(node);
            let name = move || pane.selected_node().map(|node| pane.name(&node));
            plain_button("quiet", name)
                .test("run-tile-switch")
                .label(words::TO_PANE)
                .with("aria-pressed", move || (active.get() == number).to_string())
                .on_click(move |_| go(Some(number)))
        },
    );
    let tiles = keyed_list(
        move || state.tiles.get(),
        |(number, _)| *number,
        move |(number, node)| {
            let node = node.here();
            let pane = state.pane(node);
            let choices = select(move || state.readable());
            let is_active = move || (active.get() == number).to_string();
            let boxed = move || {
                select_box(options(choices.get(), select(move || node.get())), move |id| node.set(id))
                    .test("run-tile-node")
                    .label(words::PANE_NODE)
            };
            view! {
                <section class="run-tile" id=tile_id(number) tabindex="-1" data-testid="run-tile" data-active=is_active
                    aria-label=words::PANE on:focusin=move |_| active.set(number)>
                    <header class="run-tile-head">
                        {boxed}
                        {quiet_button(icon(icon::CLOSE)).test("run-tile-close").label(words::CLOSE_PANE).title(words::CLOSE_PANE)
                            .on_click(move |_| close(number))}
                    </header>
                    <TerminalPane state=pane />
                    <TranscriptPane state=pane id=None />
                </section>
            }
        },
    );
    view! {
        <div class="run-tiled" data-testid="run-tiles" on:keydown=key>
            <div class="run-tile-bar" role="group" aria-label=words::PANES title=words::PANE_KEYS>
                {switch}
                {quiet_button(words::SPLIT).test("run-tile-split").title(words::PANE_KEYS)
                    .on_click(move |_| go(split(state)))}
                {quiet_button(words::SHOW_GRAPH).test("run-tile-graph").on_click(move |_| state.tiles.set(Vec::new()))}
            </div>
            <div class="run-tile-grid">{tiles}</div>
        </div>
    }
}
