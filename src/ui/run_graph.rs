//! The run screen: a run as a graph, with a node's transcript, envelopes and files, and a replay of its events.
//!
//! Reads the event log, so that it shows a run that works, one that ended, and every moment between alike.

mod canvas;
mod export;
mod node_panel;
mod scrubber;
mod state;
pub mod template_dialog;
mod transcript_pane;

use leptos::task::spawn_local;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::address::{self, home_path};
use crate::ui::hooks::text;
use crate::ui::kit::brand::Brand;
use crate::ui::kit::prelude::*;
use crate::ui::kit::selector::select_from;
use crate::ui::run_graph::canvas::RunCanvas;
use crate::ui::run_graph::export::ExportButton;
use crate::ui::run_graph::node_panel::NodePanel;
use crate::ui::run_graph::scrubber::Scrubber;
use crate::ui::run_graph::state::RunScreenState;
use crate::ui::tree_map::history_links::run_path;
use crate::ui::view_state::{NoticeKind, Notices, RunView};
use nexus_model::command::{Command, GraphCommand};
use nexus_model::id::RunId;
use nexus_model::run::RunMode;
use nexus_view::audit::pairs_of;
use nexus_view::run_graph::NodeRole;
use nexus_view::strings::run_graph as words;

lazy_view!(run_graph, lazy_run_graph, RunScreen);

/// The run that the address names; else the newest one of the session in view, as soon as that is loaded.
#[component]
pub fn RunScreen() -> impl IntoMarkup {
    let query = address::query();
    let named =
        |name: &str| pairs_of(&query).find(|(key, _)| *key == name).map(|(_, value)| value.to_owned());
    let wanted: Option<RunId> = named("run").and_then(|id| id.parse().ok());
    let (node, at) = (named("node"), named("at").and_then(|at| at.parse().ok()));
    let newest = expect_context::<RunView>().run();
    // A newer run does not take the place of the one that is shown.
    let run = select_from(move |before: Option<&Option<RunId>>| {
        before.copied().flatten().or(wanted).or_else(|| newest.with(|run| run.as_ref().map(|run| run.id)))
    });
    move || match run.get() {
        Some(run) => view! { <OneRun state=RunScreenState::open(run, node.clone(), at) /> },
        None => view! { <NoRun /> },
    }
}

#[component]
fn NoRun() -> impl IntoMarkup {
    view! {
        <main class="run-screen" data-testid="run-screen" data-done="true">
            <header class="audit-bar">
                <a href=home_path() class="audit-back" title=words::BACK><Brand /></a>
                <h1>{words::TITLE}</h1>
                <a href=home_path() class="button">{words::BACK}</a>
            </header>
            <p class="inspect-empty" data-testid="run-nothing" role="status">{words::NO_RUN}</p>
        </main>
    }
}

#[component]
fn OneRun(state: RunScreenState) -> impl IntoMarkup {
    let told = move || state.told();
    view! {
        <main class="run-screen" data-testid="run-screen" data-done=move || state.is_read().to_string()>
            <header class="audit-bar">
                <a href=home_path() class="audit-back" title=words::BACK><Brand /></a>
                <h1>{words::TITLE}</h1>
                <p class="hint" role="status" data-testid="run-told">{told}</p>
                <RunActions state />
                <a href=home_path() class="button">{words::BACK}</a>
            </header>
            <RunBody state />
        </main>
    }
}

#[component]
fn RunActions(state: RunScreenState) -> impl IntoMarkup {
    let (notices, dispatch) = (expect_context::<Notices>(), expect_context::<Dispatch>());
    let none = move || state.diagram().with(Option::is_none);
    let copy = move |_| {
        let Some(text) =
            state.diagram().with_untracked(|diagram| diagram.as_ref().map(|diagram| words::as_text(diagram)))
        else {
            return;
        };
        spawn_local(async move {
            let done = text::copy(&text).await;
            let (kind, told) = match done {
                true => (NoticeKind::Word, words::COPIED),
                false => (NoticeKind::Problem, words::NOT_COPIED),
            };
            notices.tell(kind, told, "");
        });
    };
    // Only where there is one to lead, and something left to do.
    let mode = select(move || {
        state.diagram().with(|diagram| {
            let run = diagram.as_ref().filter(|run| run.status.is_open() && run.graph.is_some())?;
            run.nodes.iter().any(|node| node.role == NodeRole::Orchestrator).then_some(run.mode)
        })
    });
    let set_mode = move |leads: bool| {
        let mode = if leads { RunMode::Auto } else { RunMode::Interactive };
        dispatch.send(Command::Graph(GraphCommand::SetMode { run: state.run(), mode }));
    };
    view! {
        <div class="run-actions">
            <Show when=move || state.is_live() && mode.with(Option::is_some)>
                {check(words::LEADS, move || mode.get() == Some(RunMode::Auto), set_mode).test("run-mode")
                    .title(words::LEADS_ABOUT)}
            </Show>
            {quiet_button(words::COPY).test("run-copy").disabled(none).on_click(copy)}
            <ExportButton state />
            <a class="quiet" href=run_path(state.run()) data-testid="run-events">{words::EVENTS}</a>
        </div>
    }
}

#[component]
fn RunBody(state: RunScreenState) -> impl IntoMarkup {
    let problem = move || {
        let told = state.problem.get().or_else(|| {
            state.diagram().with(Option::is_none).then(|| match state.is_read() {
                true => words::NOT_HERE.get(),
                false => words::READING.get(),
            })
        });
        told.map(|told| view! { <p class="inspect-empty" data-testid="run-nothing" role="status">{told}</p> })
    };
    view! {
        {problem}
        <Show when=move || state.diagram().with(Option::is_some)>
            <Scrubber state />
            <div class="run-panes">
                <RunCanvas state />
                <NodePanel state />
            </div>
        </Show>
    }
}
