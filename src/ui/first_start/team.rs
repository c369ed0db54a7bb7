//! Introduces the agents on the first-start screen.

use leptos::prelude::*;

use crate::ui::kit::keyed_list::KeyedList;
use crate::ui::view_state::{AgentRow, Agents};

/// Who will answer.
#[component]
pub fn Team(agents: Agents) -> impl IntoView {
    let one = |row: Signal<AgentRow>| {
        view! { class="n",
            <li class="first-agent" data-accent=move || row.with(|row| row.agent.accent.name())>
                <span class="avatar" aria-hidden="true">
                    {move || row.with(|row| row.agent.identity.emoji.clone())}
                </span>
                <span>
                    <b>{move || row.with(|row| row.agent.identity.name.clone())}</b>
                    <span>{move || row.with(|row| row.agent.description.clone())}</span>
                </span>
            </li>
        }
    };
    view! { class="n",
        <ul class="first-team">
            <KeyedList
                each=move || agents.order().get()
                key=Clone::clone
                children=move |key| agents.row(&key).map(one)
            />
        </ul>
    }
}
