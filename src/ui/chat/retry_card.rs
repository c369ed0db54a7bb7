//! Never counts by itself: what is left follows from the time that is due, also after the machine slept.
//!
//! Owns the card of a turn whose call waits for its time: why, how long, and the ways to end the wait.

use leptos::prelude::*;

use crate::domain::command::Command;
use crate::domain::timeline::Row;
use crate::ui::dispatch::Dispatch;
use crate::ui::face::Face;
use crate::ui::hooks::now::use_now;
use crate::ui::view_state::Providers;
use crate::ui::words;

/// A turn that waits before its call is sent.
#[component]
pub fn RetryCard(
    /// Its row.
    #[prop(into)]
    row: Signal<Row>,
) -> impl IntoView {
    let held = Memo::new(move |_| {
        row.with(|row| match row {
            Row::Held { turn, agent, provider, retry, failure } => {
                Some((*turn, agent.clone(), provider.clone(), *retry, failure.clone()))
            }
            Row::Message { .. }
            | Row::Tool { .. }
            | Row::Ending { .. }
            | Row::Round(_)
            | Row::Paused { .. }
            | Row::Unasked { .. }
            | Row::Siblings { .. }
            | Row::Forked { .. }
            | Row::Ahead { .. }
            | Row::Compaction { .. }
            | Row::Unread => None,
        })
    });
    let dispatch = expect_context::<Dispatch>();
    let providers = expect_context::<Providers>();
    let now = use_now();
    move || {
        let (turn, agent, provider, retry, failure) = held.get()?;
        let face = Face::of(Some(&agent));
        let label = providers
            .get_untracked(&provider)
            .map_or_else(|| provider.0.clone(), |row| row.provider.label.clone());
        let why = words::held(failure.as_ref(), &label);
        Some(view! { class="n",
            <div
                class="run-card"
                data-testid="retry-card"
                data-agent=agent.0.clone()
                data-accent=move || face.accent()
                role="group"
            >
                <h3>
                    {move || format!("{} ", face.name())}
                    <span data-testid="retry-countdown">
                        {move || words::countdown(retry.at, now.get(), retry.attempt)}
                    </span>
                </h3>
                <p>{why}</p>
                <div class="card-actions">
                    <button
                        class="button"
                        type="button"
                        data-testid="retry-now"
                        on:click=move |_| dispatch.send(Command::RetryNow { turn })
                    >
                        {"Try now"}
                    </button>
                    <button
                        class="quiet"
                        type="button"
                        data-testid="retry-stop"
                        on:click=move |_| dispatch.send(Command::StopWaiting { turn })
                    >
                        {"Stop waiting"}
                    </button>
                </div>
            </div>
        })
    }
}
