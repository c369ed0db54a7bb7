//! What the run that is shown asks of the operator: to approve tool calls, or what is to follow a pause.

use std::sync::Arc;

use crate::ui::chat::approval_card::ApprovalCard;
use crate::ui::chat::run_card::RunPrompt;
use crate::ui::kit::prelude::*;
use crate::ui::run_graph::state::RunScreenState;
use crate::ui::view_state::{WorldParts, WorldReader};
use nexus_model::id::ToolRunId;
use nexus_model::run::{PauseCause, RunStatus};
use nexus_model::session::workers::asked_in;
use nexus_view::run_graph::RunDiagram;
use nexus_view::strings::run_graph as words;
use nexus_view::timeline::{PtrEq, TimelineRow, asked_about};

#[component]
pub(super) fn RunAsks(state: RunScreenState) -> impl IntoMarkup {
    let past = expect_context::<WorldReader>();
    let is_now = move || state.is_live() && !state.is_imported();
    let paused = select(move || {
        let row = state.diagram().with(|diagram| {
            // The choice between models has a place of its own.
            let is_choice = |run: &RunDiagram| run.pause == Some(PauseCause::Choice);
            let run = diagram.as_ref().filter(|run| run.status == RunStatus::Paused && !is_choice(run))?;
            let cause = run.pause.clone().unwrap_or(PauseCause::Interrupted);
            Some(TimelineRow::Paused { run: run.run, cause, used: run.used })
        });
        row.filter(|_| is_now()).unwrap_or(TimelineRow::Unread)
    });
    let is_paused = select(move || paused.with(|row| *row != TimelineRow::Unread));
    let asked = select(move || {
        let session = state.diagram().with(|diagram| diagram.as_ref().map(|run| run.session));
        let Some(session) = session.filter(|_| is_now()) else { return Vec::new() };
        past.with(WorldParts::SESSIONS, |world| {
            let asked = world.session(&session).map(|session| asked_in(world, session)).unwrap_or_default();
            let own = asked.into_iter().filter(|asked| asked.run == Some(state.run()));
            own.map(|asked| asked.id).collect::<Vec<ToolRunId>>()
        })
    });
    let question = move |tool_run: ToolRunId| {
        let found = past.select(WorldParts::SESSIONS, move |world| {
            let run = world.tool_run(&tool_run)?;
            let asked = asked_about(world, run);
            Some(TimelineRow::Tool { run: PtrEq(Arc::clone(run)), minds: None, asked })
        });
        let run = found.get_untracked().and_then(|row| row.tool().cloned())?;
        let row = select(move || found.get().unwrap_or(TimelineRow::Unread));
        Some(view! { <ApprovalCard run row /> })
    };
    view! {
        <Show when=move || is_paused.get() || asked.with(|asked| !asked.is_empty())>
            <section class="run-asks" data-testid="run-asks" aria-label=words::ASKS>
                <RunPrompt row=paused />
                {keyed_list(move || asked.get(), |id: &ToolRunId| *id, question)}
            </section>
        </Show>
    }
}
