//! The middle pane: timeline, queue and composer of the session in view.

pub mod answer;
pub mod approval_card;
pub mod composer;
pub mod ending;
pub mod keep_going;
pub mod mention_list;
pub mod message;
pub mod message_actions;
pub mod message_overrides;
pub mod queue;
pub mod race;
pub mod reading;
pub mod run_summary;
pub mod timeline;
pub mod tool_card;
pub mod turn_menu;
pub mod voice;
pub mod workers;

use crate::ui::chat::composer::Composer;
use crate::ui::chat::message_actions::MessageActionsSlot;
use crate::ui::chat::queue::lazy_queue;
use crate::ui::chat::reading::ReadingPosition;
use crate::ui::chat::run_summary::ChangesBarSlot;
use crate::ui::chat::timeline::TimelineList;
use crate::ui::chat::workers::WorkerNeedsSlot;
use crate::ui::prelude::*;

#[component]
pub fn Chat() -> impl IntoMarkup {
    let order = expect_context::<RunView>().queue.order;
    let has_queue = select(move || order.with(|order| !order.is_empty()));
    provide_context(ReadingPosition::new());
    view! {
        <section class="chat" aria-label=tr("Chat")>
            <MessageActionsSlot />
            <TimelineList />
            <WorkerNeedsSlot />
            <Show when=move || has_queue.get()><LazyView load=lazy_queue /></Show>
            <ChangesBarSlot />
            <Composer />
        </section>
    }
}
