//! The menu of an agent's model in its card: model, reasoning effort, and the way to its other settings. Loaded lazily.

use crate::ui::agents::model_choice::{choices, config_of, load_models, value_of};
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::address::settings_path_at;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::{Agents, Providers};
use nexus_model::agent::Agent;
use nexus_model::command::Command;
use nexus_model::id::AgentKey;
use nexus_model::llm::Thinking;
use nexus_view::strings::{agents as words, settings};

lazy_view!(board, lazy_model_menu, ModelMenu { agent: AgentKey, asks: RwSignal<bool> });

#[component]
pub fn ModelMenu(
    agent: AgentKey,
    /// Whether it is open.
    asks: RwSignal<bool>,
) -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    let (agents, providers) = (expect_context::<Agents>(), expect_context::<Providers>());
    let opener = format!("[data-agent=\"{agent}\"] [data-testid=agent-card-model]");
    let more = settings_path_at(&format!("{agent}-model"));
    let label = words::model_of(
        &agents.get_untracked(&agent).map(|row| row.agent.identity.name.clone()).unwrap_or_default(),
    );
    let agent = StoredValue::new(agent);
    let row = select(move || agent.with_value(|agent| agents.row(agent)).map(|row| row.get()));
    let now = move || row.with(|row| row.as_ref().map(|row| value_of(&row.agent.config)).unwrap_or_default());
    let edit = move |edit: &dyn Fn(&mut Agent)| {
        let Some(row) = row.get_untracked() else { return };
        let mut agent = row.agent.as_ref().clone();
        edit(&mut agent);
        if agent != *row.agent {
            dispatch.send(Command::ChangeAgent { agent });
        }
    };
    let provider = select(move || row.with(|row| row.as_ref().map(|row| row.agent.config.provider.clone())));
    if let Some(provider) = provider.get_untracked() {
        load_models(dispatch, providers, provider);
    }
    let models = move || {
        // Its list may be on its way.
        drop(provider.get().and_then(|provider| providers.row(&provider)).map(|row| row.get()));
        let all = row.with_untracked(|row| row.as_ref().map(|row| choices(&row.agent, agents, providers)));
        options(all.into_iter().flatten().map(|one| (one.value, one.label)).collect(), select(now))
    };
    let choose = move |value: String| {
        edit(&|agent| {
            if let Some(config) = config_of(agent, &value, agents, providers) {
                agent.config = config;
            }
        });
    };
    let thinking = move || row.with(|row| row.as_ref().map(|row| row.agent.config.thinking));
    let effort =
        Thinking::ALL.map(|one| option(one.name(), settings::thinking(one), move || thinking() == Some(one)));
    let think = move |value: String| {
        let chosen = Thinking::ALL.into_iter().find(|one| one.name() == value);
        edit(&|agent| agent.config.thinking = chosen.unwrap_or(agent.config.thinking));
    };
    modal("dialog model-menu", "model-menu", move || asks.set(false)).at(opener).label(label).holding(view! {
        <label class="over-model">
            <span>{settings::MODEL}</span>
            {select_box(models, choose).test("model-menu-model")}
        </label>
        <label class="over-model">
            <span>{settings::THINKING}</span>
            {select_box(effort, think).test("model-menu-thinking")}
        </label>
        <a href=more data-testid="model-menu-settings">{words::MODEL_SETTINGS}</a>
    })
}
