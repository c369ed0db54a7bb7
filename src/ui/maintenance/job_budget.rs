//! What automatic jobs used of their daily budget, and that it is used up.

use crate::ui::dispatch::use_now;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::{WorldParts, WorldReader};
use nexus_model::id::Millis;
use nexus_model::job::maintenance::{is_over, job_limits, used_today};
use nexus_model::memory::DAY_MS;
use nexus_model::run::{RunLimits, RunUsage};
use nexus_view::strings::job_budget;

/// What is used of today's budget, and the budget.
fn today() -> Selector<(RunUsage, RunLimits)> {
    let (past, now) = (expect_context::<WorldReader>(), use_now());
    // Another second changes nothing, another day does.
    let day = select(move || now.get().0 / DAY_MS);
    select(move || {
        let at = Millis(day.get() * DAY_MS);
        past.with(WorldParts::SESSIONS.and(WorldParts::SETTINGS), |world| {
            (used_today(world, at), job_limits(world))
        })
    })
}

/// A line for the places where usage is shown.
#[component]
pub fn JobBudget() -> impl IntoMarkup {
    let today = today();
    let used = move || today.with(|(used, limits)| job_budget::used(used, limits));
    view! {
        <p class="hint" data-testid="job-budget">{used}</p>
        <JobBudgetSpent />
    }
}

/// Says that nothing begins by itself any more today; nothing before that.
#[component]
pub fn JobBudgetSpent() -> impl IntoMarkup {
    let today = today();
    let told =
        select(move || today.with(|(used, limits)| is_over(limits, used).then(|| job_budget::spent(limits))));
    move || {
        told.get().map(|told| {
            view! {
                <p class="hint" role="status" data-testid="job-budget-spent">
                    <b>{told.title}</b>" "{told.advice}
                </p>
            }
        })
    }
}
