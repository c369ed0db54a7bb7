//! The middle pane: timeline, queue and composer of the session in view.

pub mod answer;
pub mod approval_card;
pub mod catch_up_offer;
pub mod composer;
pub mod demo_offer;
pub mod ending;
pub mod keep_going;
pub mod mention_list;
pub mod message;
pub mod message_actions;
pub mod message_overrides;
pub mod queue;
pub mod race;
pub mod reading;
pub mod retry_card;
pub mod run_card;
pub mod targets;
pub mod timeline;
pub mod tool_card;
pub mod tool_diff;
pub mod turn_actions;
pub mod turn_menu;
pub mod voice;
pub mod workers;

use leptos::prelude::*;

use crate::ui::chat::composer::Composer;
use crate::ui::chat::message_actions::MessageActionsSlot;
use crate::ui::chat::reading::ReadingPosition;
use crate::ui::chat::timeline::TimelineList;
use crate::ui::chat::workers::place::WorkerNeedsSlot;
use crate::ui::kit::lazy_view::LazyView;
use crate::ui::shell::screens;
use crate::ui::view_state::RunView;

/// The conversation with the agents.
#[component]
pub fn Chat() -> impl IntoView {
    let order = expect_context::<RunView>().queue_order();
    let waits = Memo::new(move |_| order.with(|order| !order.is_empty()));
    provide_context(ReadingPosition::new());
    view! { class="n",
        <section class="chat" aria-label="Conversation">
            <MessageActionsSlot />
            <TimelineList />
            <WorkerNeedsSlot />
            <Show when=move || waits.get()>
                <LazyView load=screens::queue />
            </Show>
            <Composer />
        </section>
    }
}
