//! The completion list for `@…`, `#…` and `/…` above the composer.

use crate::ui::agents::badge::AgentBadge;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::Agents;
use nexus_model::id::AgentKey;
use nexus_view::language::{shown, tr};
use nexus_view::mention::slash::SlashCommand;

/// Something that fits what was typed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MentionCandidate {
    Agent(AgentKey),
    File(String),
    Command(&'static SlashCommand),
}

/// The agents or files that fit what was typed.
#[component]
pub fn MentionList(
    /// Who fits, best first.
    fitting: Selector<Vec<MentionCandidate>>,
    /// The place of the one that Enter takes.
    chosen: Selector<usize>,
    take: Callback<MentionCandidate>,
) -> impl IntoMarkup {
    let agents = expect_context::<Agents>();
    let item = move |fit: MentionCandidate| {
        let (face, about, name) = match &fit {
            MentionCandidate::Agent(key) => {
                let about =
                    agents.row(key).map(|row| row.with_untracked(|row| shown(&row.agent.description)));
                (Some(AgentBadge::of(Some(key))), about, None)
            }
            MentionCandidate::File(name) => (None, None, Some(name.clone())),
            MentionCandidate::Command(command) => {
                (None, Some(tr(command.about).to_owned()), Some(command.name.to_owned()))
            }
        };
        let mark = if matches!(fit, MentionCandidate::Command(_)) { "/" } else { "#" };
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
        view! {
            <li
                class="mention" id=id role="option" aria-selected=move || is_chosen().to_string()
                data-accent=move || face.map(|face| face.accent()) on:mousedown=take_it
            >
                <span aria-hidden="true">{move || face.map_or_else(|| mark.into_markup(), |face| face.picture())}</span>
                <span>{move || name.clone().or_else(|| Some(face?.name()))}</span>
                <small>{about}</small>
            </li>
        }
    };
    view! {
        <Show when=move || fitting.with(|fitting| !fitting.is_empty())>
            <ul class="mention-list" id="mentions" role="listbox" data-testid="mention-list" aria-label=tr("Suggestions")>
                {keyed_list(move || fitting.get(), Clone::clone, item)}
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
        MentionCandidate::Command(command) => format!("mention-command-{}", command.name),
    }
}
