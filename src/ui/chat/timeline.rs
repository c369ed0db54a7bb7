//! Never moves what somebody reads, and never builds a row again because another one changed.
//!
//! Owns the scrolling list of rows.

use leptos::prelude::*;

use crate::domain::timeline::{Row, RowKey};
use crate::ui::chat::catch_up_offer::CatchUpOffer;
use crate::ui::chat::ending::Ending;
use crate::ui::chat::message::Message;
use crate::ui::chat::reading::Reading;
use crate::ui::chat::retry_card::RetryCard;
use crate::ui::chat::run_card::{Round, Waiting};
use crate::ui::chat::tool_card::ToolCard;
use crate::ui::chat::turn_actions::BranchRow;
use crate::ui::each::Each;
use crate::ui::later::arriving;
use crate::ui::screens;
use crate::ui::view_state::{Conversation, Notices};

/// The rows of the session in view, oldest first.
#[component]
pub fn TimelineList() -> impl IntoView {
    let conversation = expect_context::<Conversation>();
    let reading = expect_context::<Reading>();
    let order = conversation.order();
    let shown = reading.shown();
    let is_empty = Memo::new(move |_| conversation.loaded().get() && order.with(Vec::is_empty));
    view! { class="n",
        <div
            class="timeline"
            data-testid="timeline"
            tabindex="0"
            role="log"
            aria-label="Timeline"
            aria-live="off"
            node_ref=reading.list()
            on:scroll=move |_| reading.scrolled()
        >
            <Earlier />
            <Show when=move || is_empty.get()>
                <Welcome />
            </Show>
            <Each each=move || shown.get() key=Clone::clone children=move |key| row(conversation, &key) />
            <CatchUpOffer />
            <Show when=move || !reading.at_end().get()>
                <button
                    class="button timeline-newest"
                    type="button"
                    title="Go to the newest message"
                    on:click=move |_| reading.newest()
                >
                    {"↓ Newest"}
                </button>
            </Show>
        </div>
        <Announcement />
    }
}

fn row(conversation: Conversation, key: &RowKey) -> Option<AnyView> {
    let row = conversation.row(key)?;
    Some(match key {
        RowKey::Message(_) => view! { class="n", <Message row /> }.into_any(),
        RowKey::Tool(_) => view! { class="n", <ToolCard row /> }.into_any(),
        RowKey::Held(_) => view! { class="n", <RetryCard row /> }.into_any(),
        RowKey::Ending(_) => view! { class="n", <Ending row /> }.into_any(),
        RowKey::Round(..) => view! { class="n", <Round row /> }.into_any(),
        RowKey::Waiting(_) => view! { class="n", <Waiting row /> }.into_any(),
        RowKey::Siblings(_) | RowKey::Forked(_) | RowKey::Ahead => {
            view! { class="n", <BranchRow row /> }.into_any()
        }
        RowKey::Compaction(_) => view! { class="n", <Compacted row /> }.into_any(),
        RowKey::Unread => view! { class="n",
            <div class="round unread-line" role="separator" data-testid="unread-line">
                <div class="round-lines">{"New while you were away"}</div>
            </div>
        }
        .into_any(),
    })
}

/// The mark of a compaction; it comes with the board.
#[component]
fn Compacted(row: Signal<Row>) -> impl IntoView {
    let mark = arriving(screens::compaction_mark);
    move || mark.get().map(|draw| draw(row))
}

/// What an empty session says.
#[component]
fn Welcome() -> impl IntoView {
    view! { class="n",
        <div class="timeline-empty">
            <h2>{"Nothing said yet"}</h2>
            <p>
                {"Write below what the agents shall do. They answer one after another, and each sees what the one before it wrote."}
            </p>
        </div>
    }
}

/// The way to turns that are not loaded.
#[component]
fn Earlier() -> impl IntoView {
    let earlier = expect_context::<Conversation>().earlier();
    let reading = expect_context::<Reading>();
    let holds_start = reading.holds_start();
    view! { class="n",
        <Show when=move || holds_start.get() && earlier.with(Option::is_some)>
            <div class="timeline-earlier">
                <button class="quiet" type="button" data-testid="load-earlier" on:click=move |_| reading.earlier()>
                    {"Load earlier turns"}
                </button>
            </div>
        </Show>
    }
}

/// Says once, to those who hear the page, that an answer is there.
#[component]
fn Announcement() -> impl IntoView {
    let words = expect_context::<Notices>().announcement();
    view! { class="n",
        <div class="unseen" role="status" aria-live="polite">
            {move || words.get()}
        </div>
    }
}
