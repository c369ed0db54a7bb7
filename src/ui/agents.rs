//! The left pane: the sessions, a card for each agent, and the activity feed.

pub mod badge;
pub mod card;
pub mod feed;
pub mod model_choice;

use crate::ui::agents::card::AgentCard;
use crate::ui::agents::feed::ActivityFeed;
use crate::ui::dispatch::use_now;
use crate::ui::kit::prelude::*;
use crate::ui::sessions::rail::SessionRail;
use crate::ui::view_state::{Activity, Agents};
use nexus_view::strings::agents as words;

#[component]
pub fn AgentsPanel() -> impl IntoMarkup {
    let agents = expect_context::<Agents>();
    let activity = expect_context::<Activity>();
    let now = use_now();
    view! {
        <div class="agents">
            <SessionRail />
            <h2 class="label agents-title" aria-hidden="true">{words::PANE}</h2>
            <div class="agent-list" role="list" aria-label=words::PANE>
                {keyed_list(move || agents.order().get(), Clone::clone,
                    move |key| agents.row(&key).map(|row| view! { <AgentCard row now /> }))}
            </div>
            <ActivityFeed items=activity.items() now />
        </div>
    }
}
