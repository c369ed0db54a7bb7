//! Cards of a run in the timeline: the result of a round, and questions to the operator such as a reached limit.

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::agent_badge::AgentBadge;
use nexus_model::command::Command;
use nexus_model::id::RunId;
use nexus_model::run::PauseCause;
use nexus_view::strings;
use nexus_view::strings::Notice;
use nexus_view::timeline::TimelineRow;

/// What a round came to, in two lines.
#[component]
pub fn RoundCard(#[prop(into)] row: Signal<TimelineRow>) -> impl IntoView {
    move || {
        row.with(|row| match row {
            TimelineRow::Round(summary) => Some(view! { class="n",
                <div class="round" data-testid="round" data-round=summary.round.to_string()>
                    <div class="round-lines">
                        <span>{format!("Round {} · {}", summary.round, summary.changed)}</span>
                        <span>{summary.outcome.clone()}</span>
                    </div>
                </div>
            }),
            TimelineRow::Message { .. }
            | TimelineRow::Tool { .. }
            | TimelineRow::Ending { .. }
            | TimelineRow::Paused { .. }
            | TimelineRow::Unasked { .. }
            | TimelineRow::Held { .. }
            | TimelineRow::Siblings { .. }
            | TimelineRow::Forked { .. }
            | TimelineRow::Ahead { .. }
            | TimelineRow::Compaction { .. }
            | TimelineRow::Unread => None,
        })
    }
}

/// What a run asks of the operator.
#[component]
pub fn RunPrompt(#[prop(into)] row: Signal<TimelineRow>) -> impl IntoView {
    move || match row.get() {
        TimelineRow::Paused { run, cause, used } => {
            let told = strings::pause(&cause);
            Some(if is_cap(&cause) {
                view! { class="n", <LimitCard run told used=strings::used(&used) /> }.into_any()
            } else {
                view! { class="n", <RunQuestionCard run told can_end=true /> }.into_any()
            })
        }
        TimelineRow::Unasked { run, agents } => {
            let names: Vec<_> = agents.iter().map(|agent| AgentBadge::of(Some(agent)).name()).collect();
            Some(
                view! { class="n", <RunQuestionCard run told=strings::unasked(&names) can_end=false /> }
                    .into_any(),
            )
        }
        TimelineRow::Message { .. }
        | TimelineRow::Tool { .. }
        | TimelineRow::Ending { .. }
        | TimelineRow::Round(_)
        | TimelineRow::Held { .. }
        | TimelineRow::Siblings { .. }
        | TimelineRow::Forked { .. }
        | TimelineRow::Ahead { .. }
        | TimelineRow::Compaction { .. }
        | TimelineRow::Unread => None,
    }
}

/// Whether a run waits because it has used as much as it may.
fn is_cap(cause: &PauseCause) -> bool {
    match cause {
        PauseCause::CallCap { .. } | PauseCause::TokenCap { .. } | PauseCause::CostCap { .. } => true,
        PauseCause::Interrupted | PauseCause::Loop { .. } | PauseCause::Choice => false,
    }
}

/// A run that has used as much as it may.
#[component]
fn LimitCard(run: RunId, told: Notice, used: String) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    view! { class="n",
        <div class="run-card" data-testid="cap-card" role="group">
            <h3>{told.title}</h3>
            <p>{told.advice}</p>
            <p>{used}</p>
            <div class="card-actions">
                <button
                    class="button"
                    type="button"
                    data-weight="first"
                    data-testid="cap-raise"
                    on:click=move |_| dispatch.send(Command::GoOn { run })
                >
                    {"Raise it and go on"}
                </button>
                <button
                    class="quiet"
                    type="button"
                    data-testid="cap-end"
                    on:click=move |_| dispatch.send(Command::EndRun { run })
                >
                    {"End"}
                </button>
            </div>
        </div>
    }
}

#[component]
fn RunQuestionCard(run: RunId, told: Notice, can_end: bool) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    view! { class="n",
        <div class="run-card" data-testid="run-card" role="group">
            <h3>{told.title}</h3>
            <p>{told.advice}</p>
            <div class="card-actions">
                <button
                    class="button"
                    type="button"
                    data-weight="first"
                    data-testid="go-on"
                    on:click=move |_| dispatch.send(Command::GoOn { run })
                >
                    {"Go on"}
                </button>
                {can_end
                    .then(|| view! { class="n",
                        <button
                            class="quiet"
                            type="button"
                            data-testid="end-run"
                            on:click=move |_| dispatch.send(Command::EndRun { run })
                        >
                            {"End"}
                        </button>
                    })}
            </div>
        </div>
    }
}
