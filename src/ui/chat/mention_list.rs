//! The completion list for `@…` and `#…` above the composer.

use leptos::prelude::*;

use crate::ui::kit::agent_badge::AgentBadge;
use crate::ui::kit::keyed_list::KeyedList;
use crate::ui::view_state::Agents;
use nexus_model::id::AgentKey;

/// Something that fits what was typed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MentionCandidate {
    Agent(AgentKey),
    File(String),
}

/// The agents or files that fit what was typed.
#[component]
pub fn MentionList(
    /// Who fits, best first.
    #[prop(into)]
    fitting: Signal<Vec<MentionCandidate>>,
    /// The place of the one that Enter takes.
    #[prop(into)]
    chosen: Signal<usize>,
    take: Callback<MentionCandidate>,
) -> impl IntoView {
    let agents = expect_context::<Agents>();
    let item = move |fit: MentionCandidate| {
        let (face, about, name) = match &fit {
            MentionCandidate::Agent(key) => {
                let about =
                    agents.row(key).map(|row| row.with_untracked(|row| row.agent.description.clone()));
                (Some(AgentBadge::of(Some(key))), about, None)
            }
            MentionCandidate::File(name) => (None, None, Some(name.clone())),
        };
        let is_chosen = {
            let fit = fit.clone();
            move || fitting.with(|fitting| fitting.get(chosen.get()) == Some(&fit))
        };
        let id = option_id(&fit);
        let take_it = move |event: leptos::ev::MouseEvent| {
            // The composer keeps the focus.
            event.prevent_default();
            take.run(fit.clone());
        };
        view! { class="n",
            <li
                class="mention"
                id=id
                role="option"
                aria-selected=move || is_chosen().to_string()
                data-accent=move || face.map(|face| face.accent())
                on:mousedown=take_it
            >
                <span aria-hidden="true">{move || face.map_or_else(|| "#".to_owned(), |face| face.emoji())}</span>
                <span>{move || name.clone().or_else(|| Some(face?.name()))}</span>
                <small>{about}</small>
            </li>
        }
    };
    view! { class="n",
        <Show when=move || fitting.with(|fitting| !fitting.is_empty())>
            <ul class="mention-list" id="mentions" role="listbox" data-testid="mention-list" aria-label="What fits">
                <KeyedList each=move || fitting.get() key=Clone::clone children=item />
            </ul>
        </Show>
    }
}

/// The element id of an option, for `aria-activedescendant`.
pub(super) fn option_id(fit: &MentionCandidate) -> String {
    match fit {
        MentionCandidate::Agent(agent) => format!("mention-{agent}"),
        // An id holds no space.
        MentionCandidate::File(name) => format!("mention-file-{}", name.replace(char::is_whitespace, "_")),
    }
}
