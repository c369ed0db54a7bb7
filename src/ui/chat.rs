//! Never decides what a row says: the timeline's rows come from `domain::timeline`, its words from `words`.
//!
//! Owns the middle of the war room: the timeline, the queue and the composer of the session in view.

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

use crate::domain::draft::DraftField;
use crate::domain::id::QueueItemId;
use crate::ui::care::CarePlace;
use crate::ui::dispatch::Dispatch;
use crate::ui::view_state::RunView;
use crate::ui::workers::place::NeedsPlace;
use composer::Composer;
use queue::Queue;
use reading::Reading;
use timeline::TimelineList;

/// The conversation with the agents.
#[component]
pub fn Chat() -> impl IntoView {
    let (dispatch, run) = (expect_context::<Dispatch>(), expect_context::<RunView>());
    let editing = RwSignal::new(None::<QueueItemId>);
    provide_context(Reading::new());
    // A message that was taken meanwhile is no longer changed: what stands in the composer is a new one.
    let order = run.queue_order();
    Effect::new(move |_| {
        if order.with(|order| editing.get().is_some_and(|item| !order.contains(&item))) {
            editing.set(None);
        }
    });
    let edit = Callback::new(move |item: QueueItemId| {
        if let Some(row) = run.queue_row(&item) {
            dispatch.type_into(&DraftField::Composer, &row.get_untracked().text);
            editing.set(Some(item));
        }
    });
    view! { class="n",
        <section class="chat" aria-label="Conversation">
            <CarePlace />
            <TimelineList />
            <NeedsPlace />
            <Queue edit />
            <Composer editing />
        </section>
    }
}
