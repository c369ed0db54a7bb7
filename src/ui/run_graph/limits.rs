//! What a run will use, before it starts, and the condition on which it ends.

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::run_graph::state::RunScreenState;
use crate::ui::view_state::{WorldParts, WorldReader};
use nexus_model::command::{Command, GraphCommand};
use nexus_model::context::forecast::forecast;
use nexus_model::run::graph::{Completion, GraphTemplate};
use nexus_model::run::templates::fitted;
use nexus_view::run_graph::NodeRole;
use nexus_view::strings::graph::ends_when;
use nexus_view::strings::rerun as words;

/// What a run of a template is expected to use.
#[component]
pub(super) fn Forecast(template: Selector<Option<GraphTemplate>>) -> impl IntoMarkup {
    let (dispatch, past) = (expect_context::<Dispatch>(), expect_context::<WorldReader>());
    let told = select(move || {
        let template = template.get()?;
        Some(past.with(WorldParts::ALL, |world| {
            let template = fitted(world, template);
            words::forecast(&forecast(world, dispatch.session(), &template, "", dispatch.now()))
        }))
    });
    view! { <p class="hint" data-testid="graph-forecast">{move || told.get()}</p> }
}

/// A list of the conditions that the graph can meet.
#[component]
pub(super) fn EndsWhen(state: RunScreenState) -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    let known = select(move || {
        state.diagram().with(|diagram| {
            let run = diagram.as_ref().filter(|run| run.status.is_open())?;
            let has = |role: NodeRole| run.nodes.iter().any(|node| node.role == role);
            let can = |completion: &Completion| match completion {
                Completion::Verifier => has(NodeRole::Verifier),
                Completion::Orchestrator => has(NodeRole::Orchestrator),
                Completion::Drained | Completion::Budget => true,
            };
            Some((run.completion?, Completion::ALL.into_iter().filter(can).collect::<Vec<_>>()))
        })
    });
    move || {
        let (now, all) = known.get().filter(|_| state.is_live() && !state.is_imported())?;
        let choices = all.iter().enumerate().map(|(at, one)| (at.to_string(), ends_when(*one).to_owned()));
        let at = all.iter().position(|one| *one == now).unwrap_or_default().to_string();
        let run = state.run();
        let choices: Vec<_> = choices.collect();
        let pick = move |at: String| {
            let wanted = at.parse::<usize>().ok().and_then(|at| all.get(at).copied());
            if let Some(completion) = wanted {
                dispatch.send(Command::Graph(GraphCommand::SetCompletion { run, completion }));
            }
        };
        Some(
            select_box(options(choices, Selector::fixed(at)), pick)
                .test("run-ends-when")
                .label(words::ENDS_WHEN)
                .title(words::ENDS_WHEN),
        )
    }
}
