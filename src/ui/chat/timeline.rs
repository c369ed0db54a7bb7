//! The scrolling list of timeline rows. A changed row rebuilds no other.

use leptos::prelude::*;

use crate::ui::chat::catch_up_offer::RunSummaryOffer;
use crate::ui::chat::ending::TurnEnding;
use crate::ui::chat::message::MessageView;
use crate::ui::chat::reading::ReadingPosition;
use crate::ui::chat::retry_card::RetryCard;
use crate::ui::chat::run_card::{RoundCard, RunPrompt};
use crate::ui::chat::tool_card::ToolCard;
use crate::ui::chat::turn_actions::BranchRow;
use crate::ui::kit::keyed_list::KeyedList;
use crate::ui::kit::lazy_view::arriving;
use crate::ui::shell::screens;
use crate::ui::view_state::{Conversation, Notices};
use nexus_view::timeline::{TimelineKey, TimelineRow};

/// The rows of the session in view, oldest first.
#[component]
pub fn TimelineList() -> impl IntoView {
    let conversation = expect_context::<Conversation>();
    let reading = expect_context::<ReadingPosition>();
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
            <LoadEarlierButton />
            <Show when=move || is_empty.get()>
                <Welcome />
            </Show>
            <KeyedList each=move || shown.get() key=Clone::clone children=move |key| row(conversation, &key) />
            <RunSummaryOffer />
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

fn row(conversation: Conversation, key: &TimelineKey) -> Option<AnyView> {
    let row = conversation.row(key)?;
    Some(match key {
        TimelineKey::Message(_) => view! { class="n", <MessageView row /> }.into_any(),
        TimelineKey::Tool(_) => view! { class="n", <ToolCard row /> }.into_any(),
        TimelineKey::Held(_) => view! { class="n", <RetryCard row /> }.into_any(),
        TimelineKey::Ending(_) => view! { class="n", <TurnEnding row /> }.into_any(),
        TimelineKey::Round(..) => view! { class="n", <RoundCard row /> }.into_any(),
        TimelineKey::Waiting(_) => view! { class="n", <RunPrompt row /> }.into_any(),
        TimelineKey::Siblings(_) | TimelineKey::Forked(_) | TimelineKey::Ahead => {
            view! { class="n", <BranchRow row /> }.into_any()
        }
        TimelineKey::Compaction(_) => view! { class="n", <CompactionRow row /> }.into_any(),
        TimelineKey::Unread => view! { class="n",
            <div class="round unread-line" role="separator" data-testid="unread-line">
                <div class="round-lines">{"New while you were away"}</div>
            </div>
        }
        .into_any(),
    })
}

/// The mark of a compaction; it comes with the board.
#[component]
fn CompactionRow(row: Signal<TimelineRow>) -> impl IntoView {
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
fn LoadEarlierButton() -> impl IntoView {
    let earlier = expect_context::<Conversation>().earlier();
    let reading = expect_context::<ReadingPosition>();
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
