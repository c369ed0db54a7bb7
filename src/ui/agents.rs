//! Never decides who speaks.
//!
//! Owns the left pane: a card for each agent, and the feed of what happened lately.

pub mod card;
pub mod feed;

use leptos::prelude::*;

use crate::ui::agents::card::AgentCard;
use crate::ui::agents::feed::Feed;
use crate::ui::each::Each;
use crate::ui::hooks::now::use_now;
use crate::ui::view_state::{Activity, Agents};
use crate::ui::words::agents as words;

/// The agents and what they did.
#[component]
pub fn AgentsPanel() -> impl IntoView {
    let agents = expect_context::<Agents>();
    let activity = expect_context::<Activity>();
    let now = use_now();
    view! { class="n",
        <div class="agents">
            <div class="agent-list" role="list" aria-label=words::PANE>
                <Each
                    each=move || agents.order().get()
                    key=Clone::clone
                    children=move |key| agents.row(&key).map(|row| view! { class="n", <AgentCard row now /> })
                />
            </div>
            <Feed items=activity.items() now />
        </div>
    }
}
