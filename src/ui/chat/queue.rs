//! Never takes a message out of the queue by itself.
//!
//! Owns the strip of messages that wait for the run to end.

use leptos::prelude::*;

use crate::domain::command::Command;
use crate::domain::id::QueueItemId;
use crate::domain::session::Target;
use crate::ui::dispatch::Dispatch;
use crate::ui::each::Each;
use crate::ui::face::Face;
use crate::ui::view_state::{QueueRow, RunView};
use crate::ui::words;

/// The messages that wait, in their order.
#[component]
pub fn Queue(
    /// Takes the text of a message back into the composer.
    edit: Callback<QueueItemId>,
) -> impl IntoView {
    let run = expect_context::<RunView>();
    let order = run.queue_order();
    let row = move |id: QueueItemId| run.queue_row(&id).map(|row| view! { class="n", <Item id row edit /> });
    view! { class="n",
        <Show when=move || order.with(|order| !order.is_empty())>
            <div class="queue" role="list" aria-label="Messages that wait">
                <Each each=move || order.get() key=Clone::clone children=row />
            </div>
        </Show>
    }
}

/// A message that waits.
#[component]
fn Item(id: QueueItemId, row: Signal<QueueRow>, edit: Callback<QueueItemId>) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let whom = move || match row.get().target {
        Target::All => "Waits · to all".to_owned(),
        Target::Agents(agents) => {
            let names: Vec<_> = agents.iter().map(|agent| Face::of(Some(agent)).name()).collect();
            format!("Waits · to {}", words::names(&names))
        }
    };
    view! { class="n",
        <div class="queue-item" role="listitem" data-testid="queue-item">
            <span class="label">{whom}</span>
            <span class="queue-text" dir="auto" title=move || row.get().text>
                {move || row.get().text}
            </span>
            // What an agent reports is not put in other words.
            <Show when=move || !row.with(|row| row.is_report)>
                <button class="quiet" type="button" data-testid="queue-edit" on:click=move |_| edit.run(id)>
                    {"Edit"}
                </button>
            </Show>
            <button
                class="quiet"
                type="button"
                data-testid="queue-withdraw"
                on:click=move |_| dispatch.send(Command::WithdrawQueued { item: id })
            >
                {"Withdraw"}
            </button>
        </div>
    }
}
