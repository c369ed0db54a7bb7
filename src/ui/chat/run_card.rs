//! Never lets a run go on by itself.
//!
//! Owns what a run says between and below the turns: what a round came to, and what it asks of the operator.

use leptos::prelude::*;

use crate::domain::command::Command;
use crate::domain::id::RunId;
use crate::domain::run::PauseCause;
use crate::domain::timeline::Row;
use crate::ui::dispatch::Dispatch;
use crate::ui::face::Face;
use crate::ui::words::{self, Told};

/// What a round came to, in two lines.
#[component]
pub fn Round(
    /// Its row.
    #[prop(into)]
    row: Signal<Row>,
) -> impl IntoView {
    move || {
        row.with(|row| match row {
            Row::Round(summary) => Some(view! { class="n",
                <div class="round" data-testid="round" data-round=summary.round.to_string()>
                    <div class="round-lines">
                        <span>{format!("Round {} · {}", summary.round, summary.changed)}</span>
                        <span>{summary.outcome.clone()}</span>
                    </div>
                </div>
            }),
            Row::Message { .. }
            | Row::Tool { .. }
            | Row::Ending { .. }
            | Row::Paused { .. }
            | Row::Unasked { .. }
            | Row::Held { .. }
            | Row::Siblings { .. }
            | Row::Forked { .. }
            | Row::Ahead { .. }
            | Row::Compaction { .. }
            | Row::Unread => None,
        })
    }
}

/// What a run asks of the operator.
#[component]
pub fn Waiting(
    /// Its row.
    #[prop(into)]
    row: Signal<Row>,
) -> impl IntoView {
    move || match row.get() {
        Row::Paused { run, cause, used } => {
            let told = words::pause(&cause);
            Some(if is_cap(&cause) {
                view! { class="n", <CapCard run told used=words::used(&used) /> }.into_any()
            } else {
                view! { class="n", <RunCard run told can_end=true /> }.into_any()
            })
        }
        Row::Unasked { run, agents } => {
            let names: Vec<_> = agents.iter().map(|agent| Face::of(Some(agent)).name()).collect();
            Some(view! { class="n", <RunCard run told=words::unasked(&names) can_end=false /> }.into_any())
        }
        Row::Message { .. }
        | Row::Tool { .. }
        | Row::Ending { .. }
        | Row::Round(_)
        | Row::Held { .. }
        | Row::Siblings { .. }
        | Row::Forked { .. }
        | Row::Ahead { .. }
        | Row::Compaction { .. }
        | Row::Unread => None,
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
fn CapCard(run: RunId, told: Told, used: String) -> impl IntoView {
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

/// A question of a run, with its answers.
#[component]
fn RunCard(run: RunId, told: Told, can_end: bool) -> impl IntoView {
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
