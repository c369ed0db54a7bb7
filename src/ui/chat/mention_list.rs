//! The recipients of the next message, and the completion list for `@…`, `#…` and `/…` above the composer.

use leptos::html::Select;

use crate::ui::prelude::*;
use crate::ui::workspace::dialogs::{DialogState, OpenDialog};
use nexus_model::session::Target;
use nexus_view::language::{text, translated};
use nexus_view::mention::slash::SlashCommand;
use nexus_view::strings::search as words;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MentionCandidate {
    Agent(AgentKey),
    File(String),
    Command(&'static SlashCommand),
}

lazy_view!(board, lazy_mention_list, MentionList {
    fitting: Selector<Vec<MentionCandidate>>,
    chosen: Selector<usize>,
    take: Callback<MentionCandidate>
});

#[component]
fn MentionList(
    fitting: Selector<Vec<MentionCandidate>>,
    /// Index of the option that Enter inserts.
    chosen: Selector<usize>,
    take: Callback<MentionCandidate>,
) -> impl IntoMarkup {
    let agents = expect_context::<Agents>();
    let item = move |fit: MentionCandidate| {
        let (badge, about, name) = match &fit {
            MentionCandidate::Agent(key) => {
                let about = agents
                    .rows
                    .row(key)
                    .map(|row| row.with_untracked(|row| translated(&row.agent.description)));
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
                data-accent=move || badge.map(|badge| badge.accent()) on:mousedown=take_it
            >
                <span aria-hidden="true">{move || badge.map_or_else(|| mark.into_markup(), |badge| badge.picture())}</span>
                <span>{move || name.clone().or_else(|| Some(badge?.name()))}</span>
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
        // Ids contain no spaces.
        MentionCandidate::File(name) => format!("mention-file-{}", name.replace(char::is_whitespace, "_")),
        MentionCandidate::Command(command) => format!("mention-command-{}", command.name),
    }
}

/// The value for all agents.
const ALL: &str = "ALL";
/// The value for another thread.
const OTHER: &str = "OTHER";

#[component]
pub fn TargetSelect(target: RwSignal<Target>) -> impl IntoMarkup {
    let (agents, tree) = (expect_context::<Agents>(), expect_context::<DialogState>());
    let option = move |key: AgentKey| {
        let badge = AgentBadge::of(Some(&key));
        view! { <option value=key.0>{move || text!("To {}", badge.name())}</option> }
    };
    let select_ref = NodeRef::<Select>::new();
    let value_of = |target: &Target| match target {
        Target::All => ALL.to_owned(),
        Target::Agents(agents) => agents.first().map_or_else(|| ALL.to_owned(), |agent| agent.0.clone()),
    };
    let value = move || target.with(value_of);
    let value_now = move || target.with_untracked(value_of);
    let choose = move |event| {
        let value = event_target_value(&event);
        if value == OTHER {
            // Restore the selection.
            if let Some(select) = select_ref.get_untracked() {
                select.set_value(&value_now());
            }
            return tree.open(OpenDialog::SendTo);
        }
        target.set(if value == ALL { Target::All } else { Target::Agents(vec![AgentKey(value)]) });
    };
    view! {
        <select
            class="select" node_ref=select_ref data-testid="target-select" aria-label=tr("Send to")
            prop:value=value on:change=choose
        >
            <option value=ALL>{tr("To all agents")}</option>
            {keyed_list(move || agents.order.get(), Clone::clone, option)}
            <option value=OTHER>{words::TO_OTHER}</option>
        </select>
    }
}
