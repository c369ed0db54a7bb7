//! Introduces the agents on the first-start screen.

use crate::ui::agents::badge::picture;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::{AgentRow, Agents};
use nexus_view::language::shown;

/// Who will answer.
#[component]
pub fn Team(agents: Agents) -> impl IntoMarkup {
    let one = |row: Selector<AgentRow>| {
        view! {
            <li class="first-agent" data-accent=move || row.with(|row| row.agent.accent.name())>
                <span class="avatar" aria-hidden="true">
                    {move || row.with(|row| picture(&row.agent.identity))}
                </span>
                <span>
                    <b>{move || row.with(|row| row.agent.identity.name.clone())}</b>
                    <span>{move || row.with(|row| shown(&row.agent.description))}</span>
                </span>
            </li>
        }
    };
    view! {
        <ul class="first-team">
            {keyed_list(move || agents.order().get(), Clone::clone, move |key| agents.row(&key).map(one))}
        </ul>
    }
}
