//! Lists the models that an agent can use, with their labels, and parses temperatures.

use std::str::FromStr;

use crate::ui::kit::control::Control;
use crate::ui::kit::prelude::*;
use crate::ui::page::Dispatch;
use crate::ui::view_state::{Agents, Providers};
use nexus_engine::keys::KeyState;
use nexus_model::agent::Agent;
use nexus_model::id::ProviderId;
use nexus_model::llm::{ModelConfig, Thinking};
use nexus_text::json::number;
use nexus_view::strings;
use nexus_view::strings::settings;

#[derive(Clone, PartialEq)]
pub struct ModelOption {
    pub value: String,
    pub label: String,
    pub config: ModelConfig,
}

pub fn value_of(config: &ModelConfig) -> String {
    format!("{}/{}", config.provider, config.model)
}

/// Label of a model with its provider; the demo is one provider with one model.
fn label_with_provider(model: String, provider: &str) -> String {
    if model == provider { model } else { format!("{model} · {provider}") }
}

/// Loads a provider's models unless they are loaded. They are shown when they arrive.
pub fn load_models(dispatch: Dispatch, providers: Providers, provider: ProviderId) {
    let may_ask = providers.rows.get_untracked(&provider).is_some_and(|row| {
        row.listed.is_none()
            && !row.provider.is_demo()
            && match row.key {
                KeyState::Usable(_) => true,
                KeyState::Missing => !row.provider.needs_key,
                KeyState::Locked => false,
            }
    });
    if may_ask {
        spawn_local(async move { drop(dispatch.engine().list_models(provider).await) });
    }
}

/// The models that an agent may use: its own first, then those of the other agents, then those that providers listed.
pub fn choices(agent: &Agent, agents: Agents, providers: Providers) -> Vec<ModelOption> {
    let mut rows = untrack(|| providers.rows.all());
    rows.retain(|row| agent.permissions.allow_provider(&row.provider.id));
    let label = |provider: &ProviderId, model: &str| {
        let row = rows.iter().find(|row| row.provider.id == *provider)?;
        Some(label_with_provider(strings::model_name(model), &row.provider.label))
    };
    let others = untrack(|| agents.roster()).into_iter().map(|row| row.agent.config.clone());
    let own = ModelConfig::clone(&agent.config);
    let used = std::iter::once(own.clone()).chain(others).filter_map(|other| {
        let config = ModelConfig {
            provider: other.provider,
            model: other.model,
            context_tokens: other.context_tokens,
            ..own.clone()
        };
        let label = label(&config.provider, &config.model)?;
        Some(ModelOption { value: value_of(&config), label, config })
    });
    let listed = rows.iter().flat_map(|row| {
        let models = row.models().map(|list| list.models).unwrap_or_default();
        let (row, own) = (row.clone(), own.clone());
        models.into_iter().map(move |info| {
            let config = ModelConfig {
                provider: row.provider.id.clone(),
                model: info.id,
                context_tokens: info.input_limit,
                ..own.clone()
            };
            let label = label_with_provider(info.name, &row.provider.label);
            ModelOption { value: value_of(&config), label, config }
        })
    });
    let mut options_found: Vec<ModelOption> = Vec::new();
    for choice in used.chain(listed) {
        match options_found.iter_mut().find(|other| other.value == choice.value) {
            // The list has a better label than the id.
            Some(known) => known.label = choice.label,
            None => options_found.push(choice),
        }
    }
    options_found
}

/// The agent's configuration with the chosen model; `None` if that model is unknown.
pub fn config_of(agent: &Agent, chosen: &str, agents: Agents, providers: Providers) -> Option<ModelConfig> {
    let choice = choices(agent, agents, providers).into_iter().find(|choice| choice.value == chosen)?;
    Some(choice.config)
}

/// A select of efforts, which shows the one of `now`.
pub fn thinking_box(
    now: impl Fn() -> Option<Thinking> + Copy + Send + 'static,
    mut choose: impl FnMut(Thinking) + 'static,
) -> Control {
    let effort = |one: Thinking| option(one.name(), settings::thinking(one), move || now() == Some(one));
    select_box(Thinking::ALL.map(effort), move |name| {
        Thinking::named(&name).into_iter().for_each(&mut choose);
    })
}

/// Parses a number that is at least `least`: `Some(None)` is none, `None` is invalid.
pub(crate) fn number_in<T: FromStr + PartialOrd>(text: &str, least: T) -> Option<Option<T>> {
    if text.is_empty() {
        return Some(None);
    }
    text.parse().ok().filter(|number| *number >= least).map(Some)
}

/// Parses a temperature: `Some(None)` leaves it to the provider, `None` is invalid.
pub fn temperature_in(text: &str) -> Option<Option<f64>> {
    let text = text.trim().replace(',', ".");
    if text.is_empty() {
        return Some(None);
    }
    number(&text).filter(|value| (0.0..=2.0).contains(value)).map(Some)
}
