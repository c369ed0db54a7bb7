//! The form of an agent's definition. Session-specific state is edited on its card in the war room.

use crate::ui::agents::badge::picture;
use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::settings::agents::bar::{AgentBar, shift_by_key, title_id};
use crate::ui::settings::agents::editor::AgentEditor;
use crate::ui::settings::agents::model::ModelFields;
use crate::ui::settings::agents::rules::RuleFields;
use crate::ui::view_state::{AgentRow, Agents, Providers};
use nexus_model::agent::{Accent, Agent, AgentRole, Priority};
use nexus_view::language::shown;
use nexus_view::strings::chat::workers as worker_words;
use nexus_view::strings::{agents as card_words, settings as words};

#[component]
pub fn AgentForm(
    row: Selector<AgentRow>,
    /// All agents, for names that are taken and for their order.
    agents: Agents,
    providers: Providers,
) -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    let change = AgentEditor::new(dispatch, row);
    let read = move |get: fn(&Agent) -> String| select(move || row.with(|row| get(&row.agent)));
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
        view! {
            <label class="swatch" data-accent=accent.name() title=words::accent(accent)>
                <input
                    type="radio" name=id("accent") aria-label=words::accent(accent)
                    prop:checked=move || row.with(|row| row.agent.accent == accent)
                    on:change=move |_| change.agent(&|agent| agent.accent = accent)
                />
            </label>
        }
    });
    let head = title_id(&agent_key);

    view! {
        <details
            class="settings-card" open data-testid="agent-settings" data-agent=key.clone()
            data-accent=move || row.with(|row| row.agent.accent.name())
        >
            <summary id=head on:keydown=move |ev| shift_by_key(dispatch, agents, &agent_key, &ev)>
                <span class="avatar" aria-hidden="true">{move || row.with(|row| picture(&row.agent.identity))}</span>
                <span class="settings-card-words">
                    <b>{read(|agent| agent.identity.name.clone())}</b>
                    <span class="hint">{read(|agent| shown(&agent.description))}</span>
                </span>
                <Show when=move || row.with(|row| row.rehearsal)>
                    <span class="tag" data-kind="rehearsal">{card_words::DEMO}</span>
                </Show>
            </summary>
            <div class="settings-form">
                <div class="settings-row">
                    {text_field(id("name"), words::AGENT_NAME, read(|agent| agent.identity.name.clone()),
                        keep_name)
                        .test("agent-name").hint(words::AGENT_NAME_ABOUT)}
                    {text_field(id("emoji"), words::EMOJI, read(|agent| agent.identity.emoji.clone()),
                        keep_text(|agent, text| text.clone_into(&mut agent.identity.emoji)))
                        .hint(words::EMOJI_ABOUT)}
                    <fieldset class="field">
                        <legend class="field-name">{words::COLOUR}</legend>
                        <div class="swatches">{swatches}</div>
                    </fieldset>
                </div>
                {text_field(id("description"), words::DESCRIPTION, read(|agent| agent.description.clone()),
                    keep_text(|agent, text| text.clone_into(&mut agent.description)))
                    .hint(words::DESCRIPTION_ABOUT)}
                {text_field(id("persona"), words::PERSONA, read(|agent| agent.identity.soul.clone()),
                    keep_text(|agent, text| text.clone_into(&mut agent.identity.soul)))
                    .hint(words::PERSONA_ABOUT).lines()}
                <ModelFields row change providers />
                <div class="settings-row">
                    {choice_field(id("role"), words::ROLE, Selector::fixed(roles),
                        read(|agent| agent.role.name().to_owned()), keep_role).hint(worker_words::ROLE_ABOUT)}
                    {choice_field(id("priority"), words::PRIORITY, Selector::fixed(priorities),
                        read(|agent| agent.priority.name().to_owned()), keep_priority)
                        .hint(words::PRIORITY_ABOUT)}
                </div>
                <RuleFields row change />
                <AgentBar row agents providers />
            </div>
        </details>
    }
}
