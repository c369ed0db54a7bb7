//! The form of an agent's definition. Session-specific state is edited on its card in the war room.

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::settings::agents::bar::{AgentBar, shift_by_key, title_id};
use crate::ui::settings::agents::model::ModelFields;
use crate::ui::settings::agents::rules::RuleFields;
use crate::ui::settings::field::{ChoiceField, FieldIds, TextField, TextInputKind};
use crate::ui::settings::pending_edit::PendingEdit;
use crate::ui::view_state::{AgentRow, Agents, Providers};
use nexus_model::agent::{Accent, Agent, AgentRole, Priority};
use nexus_model::command::Command;
use nexus_view::strings::chat::workers as worker_words;
use nexus_view::strings::{agents as card_words, settings as words};

/// Changes an agent's definition, as handlers copy it.
#[derive(Clone, Copy)]
pub struct AgentEditor {
    dispatch: Dispatch,
    row: Signal<AgentRow>,
    pending: PendingEdit<Agent>,
}

impl AgentEditor {
    /// Makes an edit; one that changes nothing is not sent.
    pub(crate) fn agent(self, edit: &dyn Fn(&mut Agent)) {
        let edited = self.row.with_untracked(|row| self.pending.edited(&row.agent, edit));
        if let Some(agent) = edited {
            let answered = move |outcome: Result<(), _>| self.pending.answered(outcome.is_ok());
            self.dispatch.send_then(Command::ChangeAgent { agent }, answered);
        }
    }
}

#[component]
pub fn AgentForm(
    row: Signal<AgentRow>,
    /// All agents, for names that are taken and for their order.
    agents: Agents,
    providers: Providers,
) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let change = AgentEditor { dispatch, row, pending: PendingEdit::new() };
    let read = move |get: fn(&Agent) -> String| Signal::derive(move || row.with(|row| get(&row.agent)));
    let agent_key = row.with_untracked(|row| row.agent.key.clone());
    let key = agent_key.0.clone();
    let id = |field: &str| format!("{key}-{field}");
    let taken = move |name: &str| {
        let own = row.with_untracked(|row| row.agent.key.clone());
        let same = |row: AgentRow| row.agent.identity.name.to_lowercase() == name.to_lowercase();
        let others = agents.order().get_untracked().into_iter().filter(|key| *key != own);
        others.filter_map(|key| agents.get_untracked(&key)).any(same)
    };
    let keep_name = move |name: &str| {
        if name.is_empty() {
            return Err(words::EMPTY);
        }
        if taken(name) {
            return Err(words::NAME_TAKEN);
        }
        change.agent(&|agent| name.clone_into(&mut agent.identity.name));
        Ok(())
    };
    let keep_text = move |edit: fn(&mut Agent, &str)| {
        move |text: &str| {
            change.agent(&|agent| edit(agent, text));
            Ok(())
        }
    };
    let keep_role = move |chosen: String| {
        if let Some(role) = AgentRole::ALL.into_iter().find(|one| one.name() == chosen) {
            change.agent(&|agent| agent.role = role);
        }
    };
    let keep_priority = move |chosen: String| {
        if let Some(priority) = Priority::ALL.into_iter().find(|one| one.name() == chosen) {
            change.agent(&|agent| agent.priority = priority);
        }
    };
    let roles = AgentRole::ALL.map(|one| (one.name().to_owned(), words::role(one).to_owned())).to_vec();
    let priorities =
        Priority::ALL.map(|one| (one.name().to_owned(), card_words::priority(one).to_owned())).to_vec();
    let swatches = Accent::ALL.map(|accent| {
        view! { class="n",
            <label class="swatch" data-accent=accent.name() title=words::accent(accent)>
                <input
                    type="radio"
                    name=id("accent")
                    aria-label=words::accent(accent)
                    prop:checked=move || row.with(|row| row.agent.accent == accent)
                    on:change=move |_| change.agent(&|agent| agent.accent = accent)
                />
            </label>
        }
    });
    let head = title_id(&agent_key);

    view! { class="n",
        <details
            class="settings-card"
            open
            data-testid="agent-settings"
            data-agent=key.clone()
            data-accent=move || row.with(|row| row.agent.accent.name())
        >
            <summary id=head on:keydown=move |ev| shift_by_key(dispatch, agents, &agent_key, &ev)>
                <span class="avatar" aria-hidden="true">{read(|agent| agent.identity.emoji.clone())}</span>
                <span class="settings-card-words">
                    <b>{read(|agent| agent.identity.name.clone())}</b>
                    <span class="hint">{read(|agent| agent.description.clone())}</span>
                </span>
                <Show when=move || row.with(|row| row.rehearsal)>
                    <span class="tag" data-kind="rehearsal">{card_words::DEMO}</span>
                </Show>
            </summary>
            <div class="settings-form">
                <div class="settings-row">
                    <TextField
                        tag=FieldIds::known(id("name"), "agent-name")
                        title=words::AGENT_NAME
                        hint=words::AGENT_NAME_ABOUT
                        value=read(|agent| agent.identity.name.clone())
                        keep=keep_name
                    />
                    <TextField
                        tag=FieldIds::plain(id("emoji"))
                        title=words::EMOJI
                        hint=words::EMOJI_ABOUT
                        value=read(|agent| agent.identity.emoji.clone())
                        keep=keep_text(|agent, text| text.clone_into(&mut agent.identity.emoji))
                    />
                    <fieldset class="field">
                        <legend class="field-name">{words::COLOUR}</legend>
                        <div class="swatches">{swatches}</div>
                    </fieldset>
                </div>
                <TextField
                    tag=FieldIds::plain(id("description"))
                    title=words::DESCRIPTION
                    hint=words::DESCRIPTION_ABOUT
                    value=read(|agent| agent.description.clone())
                    keep=keep_text(|agent, text| text.clone_into(&mut agent.description))
                />
                <TextField
                    tag=FieldIds::plain(id("persona"))
                    title=words::PERSONA
                    hint=words::PERSONA_ABOUT
                    entry=TextInputKind::Lines
                    value=read(|agent| agent.identity.soul.clone())
                    keep=keep_text(|agent, text| text.clone_into(&mut agent.identity.soul))
                />
                <ModelFields row change providers />
                <div class="settings-row">
                    <ChoiceField
                        tag=FieldIds::plain(id("role"))
                        title=words::ROLE
                        hint=worker_words::ROLE_ABOUT
                        choices=Signal::stored(roles)
                        value=read(|agent| agent.role.name().to_owned())
                        keep=keep_role
                    />
                    <ChoiceField
                        tag=FieldIds::plain(id("priority"))
                        title=words::PRIORITY
                        hint=words::PRIORITY_ABOUT
                        choices=Signal::stored(priorities)
                        value=read(|agent| agent.priority.name().to_owned())
                        keep=keep_priority
                    />
                </div>
                <RuleFields row change />
                <AgentBar row agents providers />
            </div>
        </details>
    }
}
