//! An agent's model settings: provider, model, thinking and answer limits. And the selector of provider and model for
//! services that are not agents.

use crate::ui::agents::model_choice::{load_models, temperature_in};
use crate::ui::first_start::begin::reported_window;
use crate::ui::prelude::*;
use crate::ui::settings::pending_edit::AgentEditor;
use crate::ui::settings::providers::provider::first_model;
use nexus_model::agent::Agent;
use nexus_model::agent::defaults::DEMO_MODEL;
use nexus_model::llm::Thinking;
use nexus_model::provider::ModelInfo;
use nexus_model::settings::schema::{ARCHIVIST_MODEL, ARCHIVIST_PROVIDER, CORE_MODEL, CORE_PROVIDER, info};
use nexus_model::settings::{Setting, Text};
use nexus_view::language;
use nexus_view::strings::agents::NO_TOOLS_ABOUT;
use nexus_view::strings::board::core_sync::settings as core_words;
use nexus_view::strings::{ago, maintenance as archivist_words, model_name, settings as words};

/// Minimum context window, in tokens.
const LEAST_CONTEXT: u64 = 1_000;

#[component]
pub fn ModelFields(row: Selector<AgentRow>, change: AgentEditor, providers: Providers) -> impl IntoMarkup {
    let key = row.with_untracked(|row| row.agent.key.0.clone());
    let id = |field: &str| format!("{key}-{field}");
    let read = move |get: fn(&Agent) -> String| select(move || row.with(|row| get(&row.agent)));
    // Models that the agent's provider listed.
    let listed = select(move || {
        let provider = row.with(|row| row.agent.config.provider.clone());
        providers.rows.row(&provider).and_then(|row| row.with(|row| row.models()))
    });
    let find = move |model: &str| {
        let list = listed.get_untracked()?;
        list.models.iter().find(|one| one.id == model).cloned()
    };
    let is_demo = move || row.with(|row| row.demo);
    let set_model = move |model: &str| {
        // The display name of the demo's model.
        if untrack(is_demo) && model == model_name(DEMO_MODEL) {
            return Ok(());
        }
        if model.is_empty() {
            return Err(words::EMPTY);
        }
        let window = find(model).and_then(|info| info.input_limit);
        change.agent(&|agent| {
            if agent.config.model != model {
                model.clone_into(&mut agent.config.model);
                agent.config.context_tokens = window;
            }
        });
        Ok(())
    };
    let dispatch = expect_context::<Dispatch>();
    let set_provider = move |chosen: String| {
        load_models(dispatch, providers, ProviderId(chosen.clone()));
        let Some(row) = providers.rows.get_untracked(&ProviderId(chosen)) else { return };
        let (id, model) = (row.provider.id.clone(), first_model(&row));
        let window = row.models().and_then(|list| reported_window(&list.models, &model));
        change.agent(&|agent| {
            // Models belong to a provider; choosing the same provider again changes nothing.
            if agent.config.provider != id {
                agent.config.provider = id.clone();
                agent.config.model.clone_from(&model);
                agent.config.context_tokens = window;
                if let Some(credentials) = &mut agent.permissions.credentials {
                    *credentials = vec![id.clone()];
                }
            }
        });
    };
    let set_tokens = move |text: &str| {
        let most = match (text, text.parse::<u32>()) {
            ("", _) => None,
            (_, Ok(most)) if most > 0 => Some(most),
            (_, Ok(_) | Err(_)) => return Err(words::MAX_TOKENS_WRONG),
        };
        change.agent(&|agent| agent.config.max_tokens = most);
        Ok(())
    };
    let set_context = move |text: &str| {
        let plain = text.replace([',', ' ', '_'], "");
        let window = match (text, plain.parse::<u64>()) {
            ("", _) => None,
            (_, Ok(window)) if window >= LEAST_CONTEXT => Some(window),
            (_, Ok(_) | Err(_)) => return Err(words::CONTEXT_WRONG),
        };
        change.agent(&|agent| agent.config.context_tokens = window);
        Ok(())
    };
    let set_temperature = move |text: &str| {
        let temperature = temperature_in(text).ok_or(words::TEMPERATURE_WRONG)?;
        change.agent(&|agent| agent.config.temperature = temperature);
        Ok(())
    };
    let provider_choices = select(move || providers.labels());
    let now = use_now();
    let facts = move || {
        let model = row.with(|row| row.agent.config.model.clone());
        match listed.get() {
            None => words::MODEL_NO_LIST.to_owned(),
            Some(list) => match list.models.iter().find(|one| one.id == model) {
                Some(info) => {
                    let list_age = words::model_list(&ago(list.at, now.get()));
                    format!("{} {list_age}", facts_of(info)).trim_start().to_owned()
                }
                None => words::MODEL_NOT_LISTED.to_owned(),
            },
        }
    };
    let options = move || {
        let list = listed.get();
        let models = list.iter().flat_map(|list| &list.models);
        models.map(|info| view! { <option value=info.id.clone()>{label_of(info)}</option> }).into_markup()
    };
    let no_tools = move || row.with(|row| !row.takes_tools).then_some(NO_TOOLS_ABOUT);
    let list = id("models");
    view! {
        <div class="settings-row">
            {choice_field(id("provider"), common::PROVIDER, provider_choices,
                read(|agent| agent.config.provider.0.clone()), set_provider).test("agent-provider")
                .hint(common::PROVIDER_OF_MODEL)}
            <div class="field">
                {text_field(id("model"), common::MODEL, read(|agent| model_name(&agent.config.model)), set_model)
                    .test("agent-model").hint(words::MODEL_ABOUT).example(words::MODEL_EXAMPLE).code()
                    .list(list.clone())}
                <datalist id=list>{options}</datalist>
            </div>
            {enum_field(id("thinking"), words::THINKING, &Thinking::ALL, (Thinking::name, words::thinking),
                move || row.with(|row| Some(row.agent.config.thinking)),
                move |thinking| change.agent(&|agent| agent.config.thinking = thinking))
                .hint(words::THINKING_ABOUT)}
        </div>
        <p class="hint" data-testid="agent-model-facts" hidden=is_demo>{facts}" "{no_tools}</p>
        <div class="settings-row">
            {text_field(id("tokens"), words::MAX_TOKENS,
                read(|agent| agent.config.max_tokens.map(|most| most.to_string()).unwrap_or_default()),
                set_tokens).hint(words::MAX_TOKENS_ABOUT).example(words::PROVIDERS_OWN).code()}
            {text_field(id("temperature"), words::TEMPERATURE,
                read(|agent| agent.config.temperature.map(|t| t.to_string()).unwrap_or_default()),
                set_temperature).hint(words::TEMPERATURE_ABOUT).example(words::PROVIDERS_OWN).code()}
            {text_field(id("context"), words::CONTEXT,
                read(|agent| agent.config.context_tokens.map(|most| most.to_string()).unwrap_or_default()),
                set_context).test("agent-context").hint(words::CONTEXT_ABOUT)
                .example(words::CONTEXT_EXAMPLE).code()}
        </div>
    }
}

fn facts_of(info: &ModelInfo) -> String {
    words::model_facts(info.input_limit, info.output_limit, info.price)
}

fn label_of(info: &ModelInfo) -> String {
    let facts = facts_of(info);
    match (info.name == info.id, facts.is_empty()) {
        (true, _) => facts,
        (false, true) => info.name.clone(),
        (false, false) => format!("{} · {facts}", info.name),
    }
}

/// The settings of a provider and model, and the texts of their fields.
#[derive(Clone, Copy)]
pub struct PickedModel {
    provider: Setting<Text>,
    model: Setting<Text>,
    provider_title: language::Text,
    provider_about: language::Text,
    /// The option without a provider: whose provider is used instead.
    none: language::Text,
    model_title: language::Text,
    model_about: language::Text,
}

pub const CORE: PickedModel = PickedModel {
    provider: CORE_PROVIDER,
    model: CORE_MODEL,
    provider_title: common::PROVIDER,
    provider_about: common::PROVIDER_OF_MODEL,
    none: core_words::AS_ARCHITECT,
    model_title: common::MODEL,
    model_about: core_words::MODEL_ABOUT,
};
pub const ARCHIVIST: PickedModel = PickedModel {
    provider: ARCHIVIST_PROVIDER,
    model: ARCHIVIST_MODEL,
    provider_title: archivist_words::PROVIDER,
    provider_about: common::PROVIDER_OF_MODEL,
    none: archivist_words::AS_CORE,
    model_title: common::MODEL,
    model_about: archivist_words::MODEL_ABOUT,
};

#[component]
pub fn ModelPicker(providers: Providers, of: PickedModel) -> impl IntoMarkup {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let choices = select(move || {
        std::iter::once((String::new(), of.none.to_owned())).chain(providers.labels()).collect()
    });
    let chosen = settings.text(of.provider);
    let set_provider = move |id: String| {
        if chosen.get_untracked() == id {
            return;
        }
        // Models belong to a provider.
        let model = providers.rows.get_untracked(&ProviderId(id.clone())).map(|row| first_model(&row));
        dispatch.set_setting(of.model, model.unwrap_or_default());
        dispatch.set_setting(of.provider, id);
    };
    let models = move || {
        let row = providers.rows.row(&ProviderId(chosen.get()));
        let list = row.and_then(|row| row.with(|row| row.models()));
        let models = list.iter().flat_map(|list| &list.models);
        models.map(|info| view! { <option value=info.id.clone()></option> }).into_markup()
    };
    let (provider_id, model_id) = (info(of.provider).id, info(of.model).id);
    let list = format!("{model_id}s");
    view! {
        <div class="settings-row">
            {choice_field(provider_id, of.provider_title, choices, chosen, set_provider)
                .test(provider_id).hint(of.provider_about)}
            <div class="field">
                {free_field(model_id, of.model_title, settings.text(of.model),
                    move |model| dispatch.set_setting(of.model, model)).test(model_id).hint(of.model_about).code().list(list.clone())}
                <datalist id=list>{models}</datalist>
            </div>
        </div>
    }
}
