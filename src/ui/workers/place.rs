//! Never shows anything by itself.
//!
//! Owns the places of the war room in which workers are shown, once the board has come.

use leptos::prelude::*;

use crate::domain::timeline::Row;
use crate::ui::later::arriving;
use crate::ui::screens;

/// The place below a tool run, where it sent a worker out.
#[component]
pub fn WorkerPlace(
    /// The tool run's row.
    row: Signal<Row>,
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
pub fn NeedsPlace() -> impl IntoView {
    let needs = arriving(screens::worker_needs);
    move || needs.get().map(|draw| draw())
}
