//! Never decides whom a message reaches.
//!
//! Owns the list that completes `@…` above the composer.

use leptos::prelude::*;

use crate::domain::id::AgentKey;
use crate::ui::each::Each;
use crate::ui::face::Face;
use crate::ui::view_state::Agents;

/// The agents that fit what was typed.
#[component]
pub fn MentionList(
    /// Who fits, best first.
    #[prop(into)]
    fitting: Signal<Vec<AgentKey>>,
    /// The place of the one that Enter takes.
    #[prop(into)]
    chosen: Signal<usize>,
    /// Takes one.
    take: Callback<AgentKey>,
) -> impl IntoView {
    let agents = expect_context::<Agents>();
    let item = move |key: AgentKey| {
        let face = Face::of(Some(&key));
        let about = agents.row(&key).map(|row| move || row.with(|row| row.agent.description.clone()));
        let is_chosen = {
            let key = key.clone();
            move || fitting.with(|fitting| fitting.get(chosen.get()) == Some(&key))
        };
        let id = option_id(&key);
        let take_it = move |event: leptos::ev::MouseEvent| {
            // The composer keeps the focus.
            event.prevent_default();
            take.run(key.clone());
        };
        view! { class="n",
            <li
                class="mention"
                id=id
                role="option"
                aria-selected=move || is_chosen().to_string()
                data-accent=move || face.accent()
                on:mousedown=take_it
            >
                <span aria-hidden="true">{move || face.emoji()}</span>
                <span>{move || face.name()}</span>
                <small>{about}</small>
            </li>
        }
    };
    view! { class="n",
        <Show when=move || fitting.with(|fitting| !fitting.is_empty())>
            <ul class="mention-list" id="mentions" role="listbox" data-testid="mention-list" aria-label="Agents">
                <Each each=move || fitting.get() key=Clone::clone children=item />
            </ul>
        </Show>
    }
}

/// The element id of an agent's option, for `aria-activedescendant`.
pub(super) fn option_id(agent: &AgentKey) -> String {
    format!("mention-{agent}")
}
