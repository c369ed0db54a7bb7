//! The left pane: a card for each agent, and the activity feed.

pub mod card;
pub mod feed;

use leptos::prelude::*;

use crate::ui::agents::card::AgentCard;
use crate::ui::agents::feed::ActivityFeed;
use crate::ui::dispatch::use_now;
use crate::ui::kit::keyed_list::KeyedList;
use crate::ui::view_state::{Activity, Agents};
use nexus_view::strings::agents as words;

#[component]
pub fn AgentsPanel() -> impl IntoView {
    let agents = expect_context::<Agents>();
    let activity = expect_context::<Activity>();
    let now = use_now();
    view! { class="n",
        <div class="agents">
            <div class="agent-list" role="list" aria-label=words::PANE>
                <KeyedList
                    each=move || agents.order().get()
                    key=Clone::clone
                    children=move |key| agents.row(&key).map(|row| view! { class="n", <AgentCard row now /> })
                />
            </div>
            <ActivityFeed items=activity.items() now />
        </div>
    }
}
