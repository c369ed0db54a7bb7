//! The settings of agents: the list, with new ones blank, from a template, or from a file; and the form of each:
//! definition, permissions, model, and buttons to move, copy, export and delete it.
//!
//! Session-specific state is edited on an agent's card in the war room. Services that are not agents select provider
//! and model by the same fields.

use crate::ui::agents::model_choice::{number_in, temperature_in};
use crate::ui::first_start::connect::reported_window;
use crate::ui::prelude::*;
use crate::ui::settings::device::rule_row;
use crate::ui::settings::pending_edit::AgentEditor;
use crate::ui::settings::providers::first_model;
use nexus_engine::tools;
use nexus_model::agent::permission::{decision, set_agent_rule};
use nexus_model::agent::{Accent, AgentRole, Priority, defaults, file};
use nexus_model::limits::AGENT_FILE_BYTES;
use nexus_model::llm::ModelConfig;
use nexus_model::provider::ModelInfo;
use nexus_model::settings::schema::{ARCHIVIST_MODEL, ARCHIVIST_PROVIDER, CORE_MODEL, CORE_PROVIDER};
use nexus_model::settings::{Setting, Text};
use nexus_view::strings::agents::NO_TOOLS_ABOUT;
use nexus_view::strings::board::core_sync::settings as core_words;
use nexus_view::strings::chat::workers as worker_words;
use nexus_view::strings::{agents as agents_words, maintenance as archivist_words, settings as words};

#[component]
pub fn AgentList() -> impl IntoMarkup {
    let &Page { agents, dispatch, notices, providers, .. } = expect_context();
    let chosen_file = NodeRef::<Input>::new();
    let problem = RwSignal::new(None::<String>);
    let template = RwSignal::new("0".to_owned());
    let add_agent = move |agent: Agent| {
        let name = name_id(&agent.key);
        dispatch.send_and_focus(Command::ChangeAgent { agent }, name);
    };
    let all = move || agents.all_untracked().iter().map(|agent| agent.as_ref().clone()).collect::<Vec<_>>();
    let add = move |_| {
        let at = template.with_untracked(|at| at.parse::<usize>().unwrap_or_default());
        let Some(pattern) = defaults::templates().into_iter().nth(at) else { return };
        let mut agent = defaults::agent_like(&pattern, all().iter());
        // Uses the first agent's model until it is changed.
        if let Some(first) = untrack(|| agents.roster()).first() {
            let ModelConfig { provider, model, context_tokens, .. } = first.agent.config.clone();
            agent.config = ModelConfig { provider, model, context_tokens, ..agent.config };
        }
        add_agent(agent);
    };
    let import = move |text: Option<String>| {
        let Some(text) = text else { return problem.set(Some(words::NOT_READ.to_owned())) };
        match file::read(&text) {
            Ok(file) => {
                let existing_providers: Vec<_> =
                    providers.all_untracked().iter().map(|one| one.as_ref().clone()).collect();
                let tools: Vec<_> = tools::all().map(|(name, _)| name).collect();
                let (agent, remarks) = file.join(&all(), &existing_providers, &tools);
                problem.set(None);
                let remarks: Vec<_> = remarks.iter().map(strings::remark).collect();
                let title = words::imported(&agent.identity.name);
                notices.add(NoticeKind::Info, title, remarks.join(" "));
                add_agent(agent);
            }
            Err(wrong) => problem.set(Some(strings::file_problem(&wrong))),
        }
    };
    let names = defaults::templates().into_iter().enumerate().map(|(at, agent)| {
        let name = if at == 0 { words::TEMPLATE_BLANK.to_owned() } else { agent.identity.name };
        (at.to_string(), name)
    });
    view! {
        {keyed_list(move || agents.order.get(), Clone::clone,
            move |key| agents.rows.row(&key).map(|row| view! { <AgentForm row /> }))}
        <div class="settings-actions agent-new">
            {choice_field("agent-template", words::AGENT_TEMPLATE, Selector::fixed(names.collect()),
                template, move |chosen| template.set(chosen)).test("agent-template")}
            {button(words::AGENT_ADD).test("agent-add").on_click(add)}
            <label class="button file-button">
                {words::AGENT_IMPORT}
                <input
                    node_ref=chosen_file class="unseen" type="file" accept="application/json,.json"
                    data-testid="agent-import"
                    on:change=move |_| files::read_chosen(chosen_file, AGENT_FILE_BYTES, import)
                />
            </label>
        </div>
        <p class="field-problem" role="alert" data-testid="agent-import-problem">{problem}</p>
    }
}

#[component]
pub fn AgentForm(row: Selector<AgentRow>) -> impl IntoMarkup {
    let &Page { agents, dispatch, .. } = expect_context();
    let change = AgentEditor::new(dispatch, row);
    let agent_key = row.with_untracked(|row| row.agent.key.clone());
    let key = agent_key.0.clone();
    let id = |field: &str| format!("{key}-{field}");
    let set_name = move |name: &str| {
        let own = row.with_untracked(|row| row.agent.key.clone());
        let is_same = |agent: &Arc<Agent>| agent.identity.name.to_lowercase() == name.to_lowercase();
        if name.is_empty() {
            return Err(words::EMPTY);
        }
        if agents.all_untracked().iter().any(|agent| agent.exists() && agent.key != own && is_same(agent)) {
            return Err(words::NAME_TAKEN);
        }
        change.agent(&|agent| name.clone_into(&mut agent.identity.name));
        Ok(())
    };
    let text_setter =
        move |edit: fn(&mut Agent, &str)| move |text: &str| change.agent(&|agent| edit(agent, text));
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
    let (head, name_field) = (title_id(&agent_key), name_id(&agent_key));
    // Alt and an arrow key on the card's heading move the card.
    let shift_by_key = move |ev: KeyboardEvent| {
        let later = match ev.key().as_str() {
            "ArrowUp" if ev.alt_key() => false,
            "ArrowDown" if ev.alt_key() => true,
            _ => return,
        };
        ev.prevent_default();
        shift(dispatch, agents, &agent_key, later, title_id(&agent_key));
    };
    view! {
        <details
            class="settings-card" open data-testid="agent-settings" data-agent=key.clone()
            data-accent=move || row.with(|row| row.agent.accent.name())
        >
            <summary id=head on:keydown=shift_by_key>
                <span class="avatar" aria-hidden="true">{move || row.with(|row| picture(&row.agent.identity))}</span>
                <span class="settings-card-words">
                    <b>{change.read(|agent| agent.identity.name.clone())}</b>
                    <span class="hint">{change.read(|agent| translated(&agent.description))}</span>
                </span>
                <Show when=move || row.with(|row| row.demo)>
                    <span class="tag" data-kind="rehearsal">{common::DEMO}</span>
                </Show>
            </summary>
            <div class="settings-form">
                <div class="settings-row">
                    {text_field(name_field, common::NAME, change.read(|agent| agent.identity.name.clone()),
                        set_name)
                        .test("agent-name").hint(words::AGENT_NAME_ABOUT)}
                    {free_field(id("emoji"), words::EMOJI, change.read(|agent| agent.identity.emoji.clone()),
                        text_setter(|agent, text| text.clone_into(&mut agent.identity.emoji)))
                        .hint(words::EMOJI_ABOUT)}
                    <fieldset class="field">
                        <legend class="field-name">{words::COLOUR}</legend>
                        <div class="swatches">{swatches}</div>
                    </fieldset>
                </div>
                {free_field(id("description"), common::DESCRIPTION, change.read(|agent| agent.description.clone()),
                    text_setter(|agent, text| text.clone_into(&mut agent.description)))
                    .hint(words::DESCRIPTION_ABOUT)}
                {free_field(id("persona"), words::PERSONA, change.read(|agent| agent.identity.soul.clone()),
                    text_setter(|agent, text| text.clone_into(&mut agent.identity.soul)))
                    .hint(words::PERSONA_ABOUT).lines()}
                <ModelFields change />
                <div class="settings-row">
                    {enum_field(id("role"), words::ROLE, &AgentRole::ALL, (AgentRole::name, words::role),
                        move || row.with(|row| Some(row.agent.role)),
                        move |role| change.agent(&|agent| agent.role = role)).hint(worker_words::ROLE_ABOUT)}
                    {enum_field(id("priority"), words::PRIORITY, &Priority::ALL, (Priority::name, agents_words::priority),
                        move || row.with(|row| Some(row.agent.priority)),
                        move |priority| change.agent(&|agent| agent.priority = priority))
                        .hint(words::PRIORITY_ABOUT)}
                </div>
                <RuleFields change />
                <AgentBar row />
            </div>
        </details>
    }
}

#[component]
pub fn RuleFields(change: AgentEditor) -> impl IntoMarkup {
    let row = change.row;
    let key = row.with_untracked(|row| row.agent.key.0.clone());
    let tools = tools::all().map(|(tool, class)| {
        let id = format!("{key}-may-{tool}");
        let name = StoredValue::new(tool.clone());
        let now = move || row.with(|row| name.with_value(|tool| decision(&[], &row.agent, tool, class)));
        let choose = move |decision| {
            let Some(decision) = decision else { return };
            change.agent(&|agent| {
                name.with_value(|tool| set_agent_rule(&mut agent.permissions, tool, class, decision));
            });
        };
        let shown = view! { <code>{tool.clone()}</code> };
        rule_row(id, "agent-tool", tool, shown, None, move || Some(now()), choose)
    });
    let files = change.read(|agent| agent.permissions.sandbox.as_deref().unwrap_or_default().join(", "));
    let set_files = move |text: &str| {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let names: Vec<_> = names.map(str::to_owned).collect();
        change.agent(&|agent| agent.permissions.sandbox = (!names.is_empty()).then(|| names.clone()));
    };
    let own_only = move || row.with(|row| row.agent.permissions.credentials.is_some());
    let set_own_only = move |own: bool| {
        change.agent(&|agent| {
            agent.permissions.credentials = own.then(|| vec![agent.config.provider.clone()]);
        });
    };
    let legend = format!("{key}-rules");
    view! {
        <details class="guide">
            <summary id=legend.clone()>{words::RULES_OF_AGENT}</summary>
            <ul class="rules" aria-labelledby=legend>{tools}</ul>
            {free_field(format!("{key}-files"), common::FILES, files, set_files)
                .test("agent-files").hint(words::FILES_ABOUT).example(common::ALL_FILES).code()}
            {check(words::OWN_KEY_ONLY, own_only, set_own_only).test("agent-own-key")}
            <p class="hint">{words::OWN_KEY_ONLY_ABOUT}</p>
        </details>
    }
}

pub(crate) fn title_id(agent: &AgentKey) -> String {
    format!("agent-{agent}")
}

/// The id of the field for an agent's name.
fn name_id(agent: &AgentKey) -> String {
    format!("{agent}-name")
}

/// Moves an agent one place in the order, then focuses the element with the id `focused`.
fn shift(dispatch: Dispatch, agents: Agents, key: &AgentKey, later: bool, focused: String) {
    let mut order = agents.order.get_untracked();
    let Some(at) = order.iter().position(|other| other == key) else { return };
    let to = if later { at.saturating_add(1) } else { at.saturating_sub(1) };
    if to == at || to >= order.len() {
        return;
    }
    order.swap(at, to);
    dispatch.send_then(Command::ArrangeAgents { order }, move |_| focus::soon(focused));
}

#[component]
pub fn AgentBar(row: Selector<AgentRow>) -> impl IntoMarkup {
    let &Page { agents, dispatch, notices, providers, .. } = expect_context();
    let key = StoredValue::new(row.with_untracked(|row| row.agent.key.clone()));
    let place = move || agents.order.with(|order| order.iter().position(|other| *other == key.get_value()));
    let is_first = move || place() == Some(0);
    let is_last = move || place().is_some_and(|at| at.saturating_add(1) == agents.order.with(Vec::len));
    let is_only = move || agents.order.with(Vec::len) == 1;
    let id = move |act: &str| format!("agent-{}-{act}", key.get_value());
    let up = move |_| shift(dispatch, agents, &key.get_value(), false, id("up"));
    let down = move |_| shift(dispatch, agents, &key.get_value(), true, id("down"));
    let duplicate = move |_| {
        let all: Vec<_> = agents.all_untracked().iter().map(|agent| agent.as_ref().clone()).collect();
        let agent = defaults::agent_like(&row.with_untracked(|row| (*row.agent).clone()), all.iter());
        let name = name_id(&agent.key);
        dispatch.send_and_focus(Command::ChangeAgent { agent }, name);
    };
    let export = move |_| {
        let agent = row.with_untracked(|row| row.agent.clone());
        let provider = providers.rows.get_untracked(&agent.config.provider).map(|row| row.provider);
        let text = file::write(&agent, provider.as_deref());
        if !files::download(&file::file_name(&agent), &text) {
            notices.add(NoticeKind::Error, common::NOT_SAVED, "");
        }
    };
    let delete = move |_| {
        let agent = row.with_untracked(|row| (*row.agent).clone());
        let command = Command::RemoveAgent { agent: agent.key.clone() };
        let title = words::deleted(&agent.identity.name);
        dispatch.send_undoable(command, title, move || Command::ChangeAgent { agent: agent.clone() });
    };
    view! {
        <div class="settings-actions">
            {button(view! { {icon(icon::UP)} {words::UP} }).id(id("up")).test("agent-up").disabled(is_first).on_click(up)}
            {button(view! { {icon(icon::DOWN)} {words::DOWN} }).id(id("down")).test("agent-down").disabled(is_last)
                .on_click(down)}
            {button(common::DUPLICATE).test("agent-duplicate").on_click(duplicate)}
            {button(common::EXPORT).test("agent-export").on_click(export)}
            {button(common::DELETE).danger().test("agent-delete").disabled(is_only).on_click(delete)}
        </div>
    }
}

/// Minimum context window, in tokens.
const LEAST_CONTEXT: u64 = 1_000;

#[component]
pub fn ModelFields(change: AgentEditor) -> impl IntoMarkup {
    let row = change.row;
    let &Page { dispatch, now, providers, .. } = expect_context();
    let key = row.with_untracked(|row| row.agent.key.0.clone());
    let id = |field: &str| format!("{key}-{field}");
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
        let most = number_in(text, 1).ok_or(words::MAX_TOKENS_WRONG)?;
        change.agent(&|agent| agent.config.max_tokens = most);
        Ok(())
    };
    let set_context = move |text: &str| {
        let window =
            number_in(&text.replace([',', ' ', '_'], ""), LEAST_CONTEXT).ok_or(words::CONTEXT_WRONG)?;
        change.agent(&|agent| agent.config.context_tokens = window);
        Ok(())
    };
    let set_temperature = move |text: &str| {
        let temperature = temperature_in(text).ok_or(words::TEMPERATURE_WRONG)?;
        change.agent(&|agent| agent.config.temperature = temperature);
        Ok(())
    };
    let provider_choices = select(move || providers.labels());
    let facts = move || {
        let model = row.with(|row| row.agent.config.model.clone());
        let Some(list) = listed.get() else { return words::MODEL_NO_LIST.to_owned() };
        let Some(info) = list.models.iter().find(|one| one.id == model) else {
            return words::MODEL_NOT_LISTED.to_owned();
        };
        let provider = row.with(|row| providers.label_untracked(&row.agent.config.provider));
        let listed = words::model_list(&provider, &ago(list.at, now.get()));
        match facts_of(info) {
            facts if facts.is_empty() => format!("{listed}."),
            facts => format!("{listed}: {facts}."),
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
                change.read(|agent| agent.config.provider.0.clone()), set_provider).test("agent-provider")
                .hint(common::PROVIDER_OF_MODEL)}
            <div class="field">
                {text_field(id("model"), common::MODEL, change.read(|agent| model_name(&agent.config.model)), set_model)
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
                change.read(|agent| agent.config.max_tokens.map(|most| most.to_string()).unwrap_or_default()),
                set_tokens).hint(words::MAX_TOKENS_ABOUT).example(words::PROVIDERS_OWN).code()}
            {text_field(id("temperature"), words::TEMPERATURE,
                change.read(|agent| agent.config.temperature.map(|t| t.to_string()).unwrap_or_default()),
                set_temperature).hint(words::TEMPERATURE_ABOUT).example(words::PROVIDERS_OWN).code()}
            {text_field(id("context"), words::CONTEXT,
                change.read(|agent| agent.config.context_tokens.map(|most| most.to_string()).unwrap_or_default()),
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
    /// The option without a provider: whose provider is used instead.
    none: language::Text,
    model_about: language::Text,
}

pub const CORE: PickedModel = PickedModel {
    provider: CORE_PROVIDER,
    model: CORE_MODEL,
    provider_title: common::PROVIDER,
    none: core_words::AS_ARCHITECT,
    model_about: core_words::MODEL_ABOUT,
};
pub const ARCHIVIST: PickedModel = PickedModel {
    provider: ARCHIVIST_PROVIDER,
    model: ARCHIVIST_MODEL,
    provider_title: archivist_words::PROVIDER,
    none: archivist_words::AS_CORE,
    model_about: archivist_words::MODEL_ABOUT,
};

#[component]
pub fn ModelPicker(of: PickedModel) -> impl IntoMarkup {
    let &Page { dispatch, providers, settings, .. } = expect_context();
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
                .test(provider_id).hint(common::PROVIDER_OF_MODEL)}
            <div class="field">
                {free_field(model_id, common::MODEL, settings.text(of.model),
                    move |model| dispatch.set_setting(of.model, model)).test(model_id).hint(of.model_about).code().list(list.clone())}
                <datalist id=list>{models}</datalist>
            </div>
        </div>
    }
}
