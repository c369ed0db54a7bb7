//! Never changes what a session notes about an agent: that is on its card in the war room.
//!
//! Owns the form of an agent's definition.

use leptos::prelude::*;

use crate::domain::agent::{Accent, Agent, Priority};
use crate::domain::command::Command;
use crate::domain::model::Thinking;
use crate::ui::dispatch::Dispatch;
use crate::ui::settings::field::{ChoiceField, Entry, Tag, TextField};
use crate::ui::settings::provider::first_model;
use crate::ui::view_state::{AgentRow, Agents, Providers};
use crate::ui::words::{agents as card_words, settings as words};

const THINKING: [Thinking; 5] =
    [Thinking::Auto, Thinking::Off, Thinking::Low, Thinking::Medium, Thinking::High];
const PRIORITIES: [Priority; 3] = [Priority::High, Priority::Normal, Priority::Low];

/// The form of an agent.
#[component]
pub fn AgentForm(
    /// What it shows.
    row: Signal<AgentRow>,
    /// All agents, for names that are taken.
    agents: Agents,
    /// The providers to choose from.
    providers: Providers,
) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let change = move |edit: &dyn Fn(&mut Agent)| {
        let mut agent = row.with_untracked(|row| (*row.agent).clone());
        edit(&mut agent);
        if row.with_untracked(|row| *row.agent != agent) {
            dispatch.send(Command::ChangeAgent { agent });
        }
    };
    let read = move |get: fn(&Agent) -> String| Signal::derive(move || row.with(|row| get(&row.agent)));
    let key = row.with_untracked(|row| row.agent.key.0.clone());
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
        change(&|agent| name.clone_into(&mut agent.identity.name));
        Ok(())
    };
    let keep_model = move |model: &str| {
        if model.is_empty() {
            return Err(words::EMPTY);
        }
        change(&|agent| model.clone_into(&mut agent.config.model));
        Ok(())
    };
    let keep_text = move |edit: fn(&mut Agent, &str)| {
        move |text: &str| {
            change(&|agent| edit(agent, text));
            Ok(())
        }
    };
    let keep_tokens = move |text: &str| {
        let most = match text {
            "" => None,
            text => match text.parse::<u32>() {
                Ok(most) if most > 0 => Some(most),
                Ok(_) | Err(_) => return Err(words::MAX_TOKENS_WRONG),
            },
        };
        change(&|agent| agent.config.max_tokens = most);
        Ok(())
    };
    let keep_temperature = move |text: &str| {
        let temperature = match text {
            "" => None,
            text => match text.replace(',', ".").parse::<f64>() {
                Ok(value) if (0.0..=2.0).contains(&value) => Some(value),
                Ok(_) | Err(_) => return Err(words::TEMPERATURE_WRONG),
            },
        };
        change(&|agent| agent.config.temperature = temperature);
        Ok(())
    };
    let keep_provider = move |chosen: String| {
        let found = providers.order().get_untracked().into_iter().find(|id| id.as_str() == chosen);
        let Some(row) = found.and_then(|id| providers.get_untracked(&id)) else { return };
        change(&|agent| {
            // A model is known by its provider only; the same choice again changes nothing.
            if agent.config.provider != row.provider.id {
                agent.config.provider = row.provider.id.clone();
                first_model(&row.provider).clone_into(&mut agent.config.model);
            }
        });
    };
    let keep_thinking = move |chosen: String| {
        if let Some(thinking) = THINKING.into_iter().find(|one| words::thinking(*one) == chosen) {
            change(&|agent| agent.config.thinking = thinking);
        }
    };
    let keep_priority = move |chosen: String| {
        if let Some(priority) = PRIORITIES.into_iter().find(|one| one.name() == chosen) {
            change(&|agent| agent.priority = priority);
        }
    };
    let provider_choices = Signal::derive(move || {
        let rows = providers.order().get().into_iter().filter_map(|id| providers.row(&id));
        rows.map(|row| row.with(|row| (row.provider.id.0.clone(), row.provider.label.clone()))).collect()
    });
    let thinking_choices =
        THINKING.map(|one| (words::thinking(one).to_owned(), words::thinking(one).to_owned())).to_vec();
    let priority_choices =
        PRIORITIES.map(|one| (one.name().to_owned(), card_words::priority(one).to_owned())).to_vec();
    let swatches = Accent::ALL.map(|accent| {
        view! { class="n",
            <label class="swatch" data-accent=accent.name() title=words::accent(accent)>
                <input
                    type="radio"
                    name=id("accent")
                    aria-label=words::accent(accent)
                    prop:checked=move || row.with(|row| row.agent.accent == accent)
                    on:change=move |_| change(&|agent| agent.accent = accent)
                />
            </label>
        }
    });

    view! { class="n",
        <details
            class="settings-card"
            open
            data-testid="agent-settings"
            data-agent=key.clone()
            data-accent=move || row.with(|row| row.agent.accent.name())
        >
            <summary>
                <span class="avatar" aria-hidden="true">{read(|agent| agent.identity.emoji.clone())}</span>
                <span class="settings-card-words">
                    <b>{read(|agent| agent.identity.name.clone())}</b>
                    <span class="hint">{read(|agent| agent.description.clone())}</span>
                </span>
                <Show when=move || row.with(|row| row.rehearsal)>
                    <span class="tag" data-kind="rehearsal">{card_words::REHEARSAL}</span>
                </Show>
            </summary>
            <div class="settings-form">
                <div class="settings-row">
                    <TextField
                        tag=Tag::plain(id("name"))
                        title=words::AGENT_NAME
                        value=read(|agent| agent.identity.name.clone())
                        keep=keep_name
                    />
                    <TextField
                        tag=Tag::plain(id("emoji"))
                        title=words::EMOJI
                        value=read(|agent| agent.identity.emoji.clone())
                        keep=keep_text(|agent, text| text.clone_into(&mut agent.identity.emoji))
                    />
                    <fieldset class="field">
                        <legend class="field-name">{words::COLOUR}</legend>
                        <div class="swatches">{swatches}</div>
                    </fieldset>
                </div>
                <TextField
                    tag=Tag::plain(id("description"))
                    title=words::DESCRIPTION
                    value=read(|agent| agent.description.clone())
                    keep=keep_text(|agent, text| text.clone_into(&mut agent.description))
                />
                <TextField
                    tag=Tag::plain(id("persona"))
                    title=words::PERSONA
                    hint=words::PERSONA_ABOUT
                    entry=Entry::Lines
                    value=read(|agent| agent.identity.soul.clone())
                    keep=keep_text(|agent, text| text.clone_into(&mut agent.identity.soul))
                />
                <div class="settings-row">
                    <ChoiceField
                        tag=Tag::known(id("provider"), "agent-provider")
                        title=words::PROVIDER
                        choices=provider_choices
                        value=read(|agent| agent.config.provider.0.clone())
                        keep=keep_provider
                    />
                    <TextField
                        tag=Tag::known(id("model"), "agent-model")
                        title=words::MODEL
                        entry=Entry::Code
                        value=read(|agent| agent.config.model.clone())
                        keep=keep_model
                    />
                    <ChoiceField
                        tag=Tag::plain(id("thinking"))
                        title=words::THINKING
                        choices=Signal::stored(thinking_choices)
                        value=read(|agent| words::thinking(agent.config.thinking).to_owned())
                        keep=keep_thinking
                    />
                </div>
                <div class="settings-row">
                    <TextField
                        tag=Tag::plain(id("tokens"))
                        title=words::MAX_TOKENS
                        example=words::PROVIDERS_OWN
                        entry=Entry::Code
                        value=read(|agent| agent.config.max_tokens.map(|most| most.to_string()).unwrap_or_default())
                        keep=keep_tokens
                    />
                    <TextField
                        tag=Tag::plain(id("temperature"))
                        title=words::TEMPERATURE
                        example=words::PROVIDERS_OWN
                        entry=Entry::Code
                        value=read(|agent| agent.config.temperature.map(|t| t.to_string()).unwrap_or_default())
                        keep=keep_temperature
                    />
                    <ChoiceField
                        tag=Tag::plain(id("priority"))
                        title=words::PRIORITY
                        choices=Signal::stored(priority_choices)
                        value=read(|agent| agent.priority.name().to_owned())
                        keep=keep_priority
                    />
                </div>
            </div>
        </details>
    }
}
