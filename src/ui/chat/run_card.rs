//! Cards of a run in the timeline: the result of a round, and questions to the operator such as a reached limit.

use crate::ui::agents::badge::AgentBadge;
use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use nexus_model::command::Command;
use nexus_view::language::{text, told, tr};
use nexus_view::strings;
use nexus_view::timeline::TimelineRow;

/// What a round came to, in two lines.
#[component]
pub fn RoundCard(row: Selector<TimelineRow>) -> impl IntoMarkup {
    move || {
        row.with(|row| {
            let TimelineRow::Round(summary) = row else { return None };
            Some(view! {
                <div class="round" data-testid="round" data-round=summary.round.to_string()>
                    <div class="round-lines">
                        <span>{text!("Round {} · {}", summary.round, summary.changed)}</span>
                        <span>{told(&summary.outcome)}</span>
                    </div>
                </div>
            })
        })
    }
}

/// What a run asks of the operator.
#[component]
pub fn RunPrompt(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    move || {
        let row = row.get();
        let (run, told, used, can_end) = if let TimelineRow::Paused { run, cause, used } = row {
            (run, strings::pause(&cause), cause.is_budget().then(|| strings::used(&used)), true)
        } else {
            let TimelineRow::Unasked { run, agents } = row else { return None };
            let names: Vec<_> = agents.iter().map(|agent| AgentBadge::of(Some(agent)).name()).collect();
            (run, strings::unasked(&names), None, false)
        };
        let (card, go_on, go_on_test, end_test) = if used.is_some() {
            ("cap-card", tr("Raise limit and continue"), "cap-raise", "cap-end")
        } else {
            ("run-card", tr("Resume"), "go-on", "end-run")
        };
        Some(view! {
            <div class="run-card" data-testid=card role="group">
                <h3>{told.title}</h3>
                <p>{told.advice}</p>
                {used.map(|used| view! { <p>{used}</p> })}
                <div class="card-actions">
                    {button(go_on).first().test(go_on_test)
                        .on_click(move |_| dispatch.send(Command::GoOn { run }))}
                    {can_end.then(|| quiet_button(tr("End run")).test(end_test)
                        .on_click(move |_| dispatch.send(Command::EndRun { run })))}
                </div>
            </div>
        })
    }
}
