//! The run screen: a run as a graph, with a node's transcript, envelopes and files, and a replay of its events.
//!
//! Reads the event log, so that it shows running and finished runs and every moment in between alike.
//!
//! Also shows the run's open questions: tool calls to approve, and pauses.
//!
//! The timeline of the run's events can be scrubbed. Every moment is folded from the log; no model is called.

mod canvas;
mod editor;
mod editor_canvas;
mod editor_form;
mod editor_state;
mod folder;
mod frame;
mod node_panel;
mod state;
pub mod template_dialog;
mod terminal_pane;
mod transcript_pane;

use crate::ui::chat::approval_card::approval_cards;
use crate::ui::chat::ending::RunPrompt;
use crate::ui::hooks::page::ticks;
use crate::ui::prelude::*;
use crate::ui::run_graph::canvas::{PlaceState, RunCanvas, RunPlace};
use crate::ui::run_graph::editor::GraphEditorScreen;
use crate::ui::run_graph::editor_state::offered_at;
use crate::ui::run_graph::folder::{ExportButton, FolderButton, ImportDialog};
use crate::ui::run_graph::node_panel::NodePanel;
use crate::ui::run_graph::state::RunScreenState;
use crate::ui::run_graph::template_dialog::EndsWhen;
use crate::ui::run_graph::transcript_pane::{RunTiles, split};
use crate::ui::shell::top_bar::StopButton;
use nexus_model::run::{PauseCause, RunMode};
use nexus_model::session::workers::awaiting_approval;
use nexus_view::graph_editor::template_of;
use nexus_view::run_graph::replay::RunReplay;
use nexus_view::strings::graph::terminal;
use nexus_view::strings::{audit, run_graph as words};

lazy_view!(run_graph, lazy_run_graph, RunScreen);

/// The node that Tab reaches, of a run or in the editor.
const NODE_STOP: &str = ".run-screen .run-node[tabindex=\"0\"]";

#[component]
pub fn RunScreen() -> impl IntoMarkup {
    let is_inner = StoredValue::new(false);
    // A link or a step of history on this screen may lead to another run or to the editor, so that all is built anew.
    move || {
        address::track_visits();
        if is_inner.get_value() {
            // The focus was in what is replaced.
            focus::focus_when_ready(NODE_STOP.to_owned());
        }
        is_inner.set_value(true);
        view! { <AddressedPlace /> }
    }
}

/// What the address names: a run, the newest one, or the editor.
#[component]
fn AddressedPlace() -> impl IntoMarkup {
    let page = expect_context::<&Page>();
    let named = address::query_value;
    let wanted: Option<RunId> = named("run").and_then(|id| id.parse().ok());
    let (node, at) = (named("node"), named("at").and_then(|at| at.parse().ok()));
    let template = named("graph").and_then(|at| at.parse().ok());
    let template = page.world.with_untracked(|world| offered_at(world, template?));
    let place = if named("edit").is_some() { RunPlace::Edit(template) } else { RunPlace::Run(None) };
    let places =
        PlaceState { place: RwSignal::new(place), imports: RwSignal::new(named("import").is_some()) };
    let newest = page.run.run;
    // A newer run does not replace the one that is shown.
    let run = select_from(move |before: Option<&Option<RunId>>| {
        before.copied().flatten().or(wanted).or_else(|| newest.with_some(|run| Some(run.id)))
    });
    view! {
        {move || match places.place.get() {
            RunPlace::Edit(template) => view! { <GraphEditorScreen places template /> },
            RunPlace::Imported(archive) => view! { <OneRun places state=RunScreenState::imported(&archive) /> },
            RunPlace::Run(chosen) => match chosen.or_else(|| run.get()) {
                Some(run) => view! { <OneRun places state=RunScreenState::open(run, node.clone(), at) /> },
                None => view! { <NoRun places /> },
            },
        }}
        <Show when=move || places.imports.get()><ImportDialog places /></Show>
    }
}

#[component]
fn NoRun(places: PlaceState) -> impl IntoMarkup {
    view! {
        <main class="run-screen" data-testid="run-screen" data-done="true">
            <ScreenBar title=common::RUN>
                <div class="run-actions"><OtherPlaces places state=None /></div>
            </ScreenBar>
            <p class="inspect-empty" data-testid="run-nothing" role="status">{words::NO_RUN}</p>
        </main>
    }
}

#[component]
fn OtherPlaces(places: PlaceState, state: Option<RunScreenState>) -> impl IntoMarkup {
    // The graph of the shown run; else the one that was last edited.
    let edit = move |_| {
        let graph = state.and_then(|state| {
            state.diagram.with_some_untracked(|diagram| template_of(&diagram.run).map(Arc::new))
        });
        places.go(RunPlace::Edit(graph));
    };
    view! {
        {quiet_button(words::IMPORT).test("run-import").title(words::IMPORT_RUN)
            .on_click(move |_| places.imports.set(true))}
        {quiet_button(words::EDIT_GRAPHS).test("run-edit-graphs")
            .on_click(edit)}
    }
}

#[component]
fn OneRun(places: PlaceState, state: RunScreenState) -> impl IntoMarkup {
    let summary = move || state.diagram.with_some(|diagram| words::summary(diagram));
    view! {
        <main class="run-screen" data-testid="run-screen" data-done=move || state.is_read.get().to_string()>
            <ScreenBar title=common::RUN>
                <p class="hint" role="status" data-testid="run-summary-line">{summary}</p>
                <RunActions places state />
            </ScreenBar>
            <Show when=move || state.is_imported()>
                <p class="run-imported" role="status" data-testid="run-imported">
                    <span>{words::IMPORTED}</span>
                    {button(words::CLOSE_IMPORT).test("run-import-close")
                        .on_click(move |_| places.go(RunPlace::Run(None)))}
                </p>
            </Show>
            <RunBody state />
        </main>
    }
}

#[component]
fn RunActions(places: PlaceState, state: RunScreenState) -> impl IntoMarkup {
    let &Page { dispatch, notices, run, .. } = expect_context();
    let none = move || state.diagram.with(Option::is_none);
    // The session in view is stopped, so only if it is the one of this run.
    let is_in_view = run.run.map_some(move |run| run.id == state.run);
    let copy = move |_| {
        let Some(text) = state.diagram.with_some_untracked(|diagram| Some(words::as_text(diagram))) else {
            return;
        };
        spawn_local(async move {
            let (kind, title) = match text::copy(&text).await {
                true => (NoticeKind::Info, words::COPIED),
                false => (NoticeKind::Error, common::NOT_COPIED),
            };
            notices.add(kind, title, "");
        });
    };
    // Only for an open run.
    let mode = state.diagram.map(move |diagram| {
        let run = diagram.as_ref().map(|diagram| &diagram.run);
        run.filter(|run| run.status.is_open() && run.graph.is_some()).map(|run| run.mode)
    });
    let set_mode = move |leads: bool| {
        let mode = if leads { RunMode::Auto } else { RunMode::Interactive };
        dispatch.send(Command::SetRunMode { run: state.run, mode });
    };
    view! {
        <div class="run-actions">
            <Show when=move || is_in_view.get() && !state.is_imported()><StopButton /></Show>
            <Show when=move || state.is_live() && !state.is_imported() && mode.with(Option::is_some)>
                {check(words::LEADS, move || mode.get() == Some(RunMode::Auto), set_mode).test("run-mode")
                    .title(words::LEADS_ABOUT)}
            </Show>
            <EndsWhen state />
            {quiet_button(terminal::SPLIT).test("run-split").title(terminal::PANE_KEYS).disabled(none)
                .on_click(move |_| { split(state); })}
            {quiet_button(words::COPY).test("run-copy").disabled(none).on_click(copy)}
            <ExportButton state />
            <FolderButton state />
            <Show when=move || !state.is_imported()>
                <a class="quiet" href=run_path(state.run) data-testid="run-events">{common::EVENT_LOG}</a>
            </Show>
            <OtherPlaces places state=Some(state) />
        </div>
    }
}

#[component]
fn RunBody(state: RunScreenState) -> impl IntoMarkup {
    let problem = move || {
        let text = state.problem.get().or_else(|| {
            state.diagram.with(Option::is_none).then(|| match state.is_read.get() {
                true => words::NOT_HERE.get(),
                false => words::READING.get(),
            })
        });
        text.map(|text| view! { <p class="inspect-empty" data-testid="run-nothing" role="status">{text}</p> })
    };
    let is_tiled = select(move || !state.tiles.with(Vec::is_empty));
    view! {
        {problem}
        <Show when=move || state.diagram.with(Option::is_some)>
            <Scrubber state />
            // Below the scrubber, whose buttons stay in place when a replay hides the questions.
            <RunQuestions state />
            <div class="run-panes" data-tiled=move || is_tiled.get().to_string()>
                {move || match is_tiled.get() {
                    false => view! { <RunCanvas state /> },
                    true => view! { <RunTiles state /> },
                }}
                <Show when=move || !is_tiled.get()><NodePanel state /></Show>
            </div>
        </Show>
    }
}

#[component]
fn RunQuestions(state: RunScreenState) -> impl IntoMarkup {
    let &Page { world, .. } = expect_context();
    let is_now = move || state.is_live() && !state.is_imported();
    let paused = select(move || {
        let row = state.diagram.with(|diagram| {
            // The choice between models has its own UI.
            let RunDiagram { run, used, .. } = diagram.as_ref()?.as_ref();
            let is_choice = run.pause == Some(PauseCause::Choice);
            let cause = run.pause.clone().unwrap_or(PauseCause::Interrupted);
            (run.status == RunStatus::Paused && !is_choice).then(|| TimelineRow::Paused {
                run: run.id,
                cause,
                used: *used,
            })
        });
        row.filter(|_| is_now()).unwrap_or(TimelineRow::Unread)
    });
    let is_paused = paused.map(move |row| *row != TimelineRow::Unread);
    let pending = select(move || {
        let session = state.diagram.with_some(|diagram| Some(diagram.run.session));
        let Some(session) = session.filter(|_| is_now()) else { return Vec::new() };
        world.with(WorldParts::SESSIONS, |world| {
            let pending =
                world.session(&session).map(|session| awaiting_approval(world, session)).unwrap_or_default();
            let own = pending.into_iter().filter(|pending| pending.run == Some(state.run));
            own.map(|pending| pending.id).collect::<Vec<ToolRunId>>()
        })
    });
    view! {
        <Show when=move || is_paused.get() || pending.with(|pending| !pending.is_empty())>
            <section class="run-asks" data-testid="run-asks" aria-label=words::ASKS>
                <RunPrompt row=paused />
                {approval_cards(pending)}
            </section>
        </Show>
    }
}

/// Interval of replay steps.
const STEP_INTERVAL: Duration = Duration::from_millis(125);
/// Maximum number of replay steps; longer replays take larger steps.
const MOST_STEPS: usize = 160;

#[component]
fn Scrubber(state: RunScreenState) -> impl IntoMarkup {
    let &Page { local, .. } = expect_context();
    let is_playing = RwSignal::new(false);
    let all = select(move || state.with_replay(RunReplay::len));
    let count = select(move || state.count());
    let ticked = ticks(STEP_INTERVAL, is_playing.into());
    Effect::new(move |first: Option<()>| {
        ticked.track();
        if first.is_none() || !is_playing.get_untracked() {
            return;
        }
        let (at, all) = (untrack(move || state.count()), all.get_untracked());
        let next = at.saturating_add(all.div_ceil(MOST_STEPS));
        state.go_to(next);
        if next >= all {
            is_playing.set(false);
        }
    });
    let play = move |_| {
        if !is_playing.get_untracked() && state.at.with_untracked(Option::is_none) {
            state.go_to(1);
        }
        is_playing.update(|is_playing| *is_playing = !*is_playing);
    };
    let step = move |to: usize| {
        is_playing.set(false);
        state.go_to(to);
    };
    let moment = move || {
        let at = count.get();
        let time = state.with_replay(|replay| replay.last_of(at).map(|event| local.clock(event.at)));
        words::moment(at, all.get(), &time.unwrap_or_default())
    };
    let description = move || {
        let at = count.get();
        let (turn, text) = state.with_replay(|replay| {
            let event = replay.last_of(at)?;
            Some((event.turn, event.known_kind().map(audit::describe).unwrap_or_default()))
        })?;
        let name = state.diagram.with_some(|diagram| {
            let node = diagram.nodes.iter().find(|node| turn.is_some_and(|turn| node.turns.contains(&turn)));
            node.map(|node| state.name(node))
        });
        let parts = name.into_iter().chain([text]).filter(|part| !part.is_empty());
        Some(parts.collect::<Vec<_>>().join(" · "))
    };
    let first = move || count.get() <= state.with_replay(RunReplay::first);
    let last = move || state.is_live();
    view! {
        <div class="run-scrubber" role="group" aria-label=words::MOMENT title=words::REPLAY_ABOUT data-testid="run-scrubber">
            {button(move || if is_playing.get() { words::PAUSE } else { words::PLAY }).test("run-play")
                .title(words::REPLAY_ABOUT).on_click(play)}
            {icon_button(icon(icon::BACK)).test("run-before").named(words::BEFORE).disabled(first)
                .on_click(move |_| step(count.get_untracked().saturating_sub(1)))}
            <input
                type="range" class="run-range" data-testid="run-range" aria-label=words::MOMENT step="1"
                min=move || state.with_replay(RunReplay::first).to_string()
                max=move || all.get().max(1).to_string() prop:value=move || count.get().to_string()
                aria-valuetext=moment
                on:input=move |event| if let Ok(to) = event_target_value(&event).parse() { step(to) }
            />
            {icon_button(icon(icon::FORWARD)).test("run-after").named(words::AFTER).disabled(last)
                .on_click(move |_| step(count.get_untracked().saturating_add(1)))}
            {button(words::LIVE).test("run-live").title(words::LIVE_ABOUT).disabled(last)
                .with("aria-pressed", move || state.is_live().to_string())
                .on_click(move |_| step(usize::MAX))}
            <p class="run-moment" data-testid="run-moment"><span>{moment}</span>" "<span>{description}</span></p>
        </div>
    }
}
