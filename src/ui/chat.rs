//! Never decides what a row says: the timeline's rows come from `domain::timeline`, its words from `words`.
//!
//! Owns the middle of the war room: the timeline and the composer of the session in view, and the place of the queue.

pub mod answer;
pub mod approval_card;
pub mod catch_up_offer;
pub mod composer;
pub mod ending;
pub mod keep_going;
pub mod mention_list;
pub mod message;
pub mod queue;
pub mod reading;
pub mod retry_card;
pub mod run_card;
pub mod targets;
pub mod timeline;
pub mod tool_card;
pub mod tool_diff;
pub mod turn_actions;

use leptos::prelude::*;

use crate::ui::care::CarePlace;
use crate::ui::later::Later;
use crate::ui::screens;
use crate::ui::view_state::RunView;
use crate::ui::workers::place::NeedsPlace;
use composer::Composer;
use reading::Reading;
use timeline::TimelineList;

/// The conversation with the agents.
#[component]
pub fn Chat() -> impl IntoView {
    let order = expect_context::<RunView>().queue_order();
    let waits = Memo::new(move |_| order.with(|order| !order.is_empty()));
    provide_context(Reading::new());
    view! { class="n",
        <section class="chat" aria-label="Conversation">
            <CarePlace />
            <TimelineList />
            <NeedsPlace />
            <Show when=move || waits.get()>
                <Later load=screens::queue />
            </Show>
            <Composer />
        </section>
    }
}
