//! The card of a turn that waits to retry its call: reason, countdown, send now, stop.
//!
//! The countdown is computed from the due time, so it is right after the machine slept.

use crate::ui::agents::badge::AgentBadge;
use crate::ui::dispatch::{Dispatch, use_now};
use crate::ui::kit::prelude::*;
use crate::ui::view_state::Providers;
use nexus_model::command::Command;
use nexus_view::language::tr;
use nexus_view::strings;
use nexus_view::timeline::TimelineRow;

/// A turn that waits before its call is sent.
#[component]
pub fn RetryCard(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let held = select(move || {
        row.with(|row| {
            let TimelineRow::Held { turn, agent, provider, retry, failure } = row else { return None };
            Some((*turn, agent.clone(), provider.clone(), *retry, failure.clone()))
        })
    });
    let dispatch = expect_context::<Dispatch>();
    let providers = expect_context::<Providers>();
    let now = use_now();
    move || {
        let (turn, agent, provider, retry, failure) = held.get()?;
        let face = AgentBadge::of(Some(&agent));
        let label = providers
            .get_untracked(&provider)
            .map_or_else(|| provider.0.clone(), |row| row.provider.label.clone());
        let why = strings::held(failure.as_ref(), &label);
        Some(view! {
            <div
                class="run-card" data-testid="retry-card" data-agent=agent.0.clone()
                data-accent=move || face.accent() role="group"
            >
                <h3>
                    {move || format!("{} ", face.name())}
                    <span data-testid="retry-countdown">
                        {move || strings::countdown(retry.at, now.get(), retry.attempt)}
                    </span>
                </h3>
                <p>{why}</p>
                <div class="card-actions">
                    {button(tr("Try now")).test("retry-now")
                        .on_click(move |_| dispatch.send(Command::RetryNow { turn }))}
                    {quiet_button(tr("Stop waiting")).test("retry-stop")
                        .on_click(move |_| dispatch.send(Command::StopWaiting { turn }))}
                </div>
            </div>
        })
    }
}
