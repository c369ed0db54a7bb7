//! Workers in the war room: the card below the tool run that started one, and notices of those that need an answer.
//!
//! The slots are in the first program; what fills them is loaded with the board.

pub mod card;
pub mod needs;

use crate::ui::chat::race::lazy_race;
use crate::ui::chat::workers::card::lazy_worker_card;
use crate::ui::chat::workers::needs::lazy_worker_needs;
use crate::ui::kit::prelude::*;
use nexus_view::timeline::TimelineRow;

/// The place below a tool run, where it sent a worker out.
#[component]
pub fn WorkerSlot(
    /// The tool run's row.
    row: Selector<TimelineRow>,
) -> impl IntoMarkup {
    let is_sent = select(move || row.with(|row| row.tool().is_some_and(|run| run.0.worker.is_some())));
    move || {
        is_sent.get().then(|| {
            let card = loaded(lazy_worker_card);
            move || card.get().map(|draw| draw(row))
        })
    }
}

/// The place for what needs the operator.
#[component]
pub fn WorkerNeedsSlot() -> impl IntoMarkup {
    let (race, needs) = (loaded(lazy_race), loaded(lazy_worker_needs));
    move || [race.get().map(|draw| draw()), needs.get().map(|draw| draw())]
}
