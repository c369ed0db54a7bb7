//! Slots of the war room for workers, filled once the board has been loaded.

use leptos::prelude::*;

use crate::ui::kit::lazy_view::arriving;
use crate::ui::shell::screens;
use nexus_view::timeline::TimelineRow;

/// The place below a tool run, where it sent a worker out.
#[component]
pub fn WorkerSlot(
    /// The tool run's row.
    row: Signal<TimelineRow>,
) -> impl IntoView {
    let is_sent = Memo::new(move |_| row.with(|row| row.tool().is_some_and(|run| run.0.worker.is_some())));
    move || {
        is_sent.get().then(|| {
            let card = arriving(screens::worker_card);
            move || card.get().map(|draw| draw(row))
        })
    }
}

/// The place for what needs the operator.
#[component]
pub fn WorkerNeedsSlot() -> impl IntoView {
    let needs = arriving(screens::worker_needs);
    move || needs.get().map(|draw| draw())
}
