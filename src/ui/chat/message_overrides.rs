//! Overrides for one message: the button, the dialog, and the line that shows them until it is sent.
//!
//! Never allows what agents or settings deny; the engine enforces that. Loaded lazily.

use crate::ui::agents::model_choice::temperature_in;
use crate::ui::prelude::*;
use crate::ui::settings::device::rule_row;
use nexus_engine::tools;
use nexus_model::agent::Permissions;
use nexus_model::agent::permission::{PermissionDecision, group, set_override};
use nexus_model::llm::ModelConfig;
use nexus_model::tool::ToolClass;
use nexus_view::strings::chat::message_overrides as words;
use nexus_view::strings::settings;

lazy_view!(board, lazy_overrides, OverridesButton { over: OverridesState, with_model: bool });

const GROUPS: [ToolClass; 5] =
    [ToolClass::Mind, ToolClass::Files, ToolClass::Checks, ToolClass::Code, ToolClass::HostPage];

#[component]
pub(crate) fn OverridesButton(
    over: OverridesState,
    /// True if a model can be chosen here.
    with_model: bool,
) -> impl IntoMarkup {
    let OverridesState { overrides, is_open } = over;
    if with_model {
        let &Page { agents, .. } = expect_context();
        let Workspace { target, .. } = expect_context();
        Effect::new(move |before: Option<Target>| {
            let now = target.get();
            if let Some(before) = before.filter(|before| *before != now) {
                // Parameters based on the previous recipient's model do not apply to the new one.
                let own = first_recipient(&before).and_then(|key| agents.rows.get_untracked(key));
                let own = own.map(|row| value_of(&row.agent.config));
                let is_its = overrides.with_untracked(|over| over.config.as_ref().map(value_of) == own);
                if own.is_some() && is_its {
                    overrides.update(|over| over.config = None);
                }
            }
            now
        });
    }
    let line = move || Some(overrides.with(words::held)).filter(|line| !line.is_empty());
    let chip = move || {
        line().map(|line| {
            view! {
                <span class="override-chip" role="status" data-testid="override-chip">
                    <span>{line}</span>
                    {icon_button(icon(icon::CLOSE)).test("override-clear").named(words::CLEAR)
                        .on_click(move |_| overrides.set(Default::default()))}
                </span>
            }
        })
    };
    let force = with_model.then(|| (expect_context::<&Page>().agents, expect_context::<Workspace>().target));
    let label = move || match force {
        Some((agents, target)) => effective_model(overrides, agents, target),
        None => words::OPEN.to_owned(),
    };
    view! {
        {quiet_button(label).test("override-open").title(words::TITLE).with("aria-haspopup", "dialog")
            .on_click(move |_| is_open.set(true))}
        {chip}
        <Show when=move || is_open.get()><OverridesDialog over with_model /></Show>
    }
}

/// The model and effort that apply to the next message. Reactive.
fn effective_model(
    overrides: RwSignal<MessageOverrides>,
    agents: Agents,
    target: Selector<Target>,
) -> String {
    if let Some(config) = overrides.with(|over| over.config.clone()) {
        return words::model_in_force(&config.model, config.thinking);
    }
    let is_recipient = |row: &AgentRow| match target.get() {
        Target::All => true,
        Target::Agents(keys) => keys.contains(&row.agent.key),
    };
    let (mut all, mut models): (Vec<String>, Vec<String>) = Default::default();
    let put = |list: &mut Vec<String>, label: String| {
        if !list.contains(&label) {
            list.push(label);
        }
    };
    for row in agents.roster().iter().filter(|row| !row.flags.muted && is_recipient(row)) {
        let config = (!row.demo).then_some(&row.agent.config);
        let label = |thinking| match config {
            Some(config) => words::model_in_force(&config.model, thinking),
            None => common::DEMO.to_owned(),
        };
        put(&mut all, label(config.map_or(Thinking::Auto, |config| config.thinking)));
        put(&mut models, label(Thinking::Auto));
    }
    match (all.as_slice(), models.as_slice()) {
        // Agents that differ only in effort have one model.
        ([one], _) | (_, [one]) => one.clone(),
        (_, more) => words::models_in_force(more.len()),
    }
}

#[component]
fn OverridesDialog(over: OverridesState, with_model: bool) -> impl IntoMarkup {
    let OverridesState { overrides, is_open } = over;
    let leave = move || is_open.set(false);
    let model = with_model.then(|| view! { <OverrideModelFields over /> });
    // Rarely used, so folded unless it is set.
    let says_tools = overrides.with_untracked(|over| over.tools.is_some()) || !with_model;
    let tools = tools::all().map(|(tool, _)| tool).collect::<Vec<_>>();
    let groups = GROUPS.map(|class| group(class).to_owned());
    let names = std::iter::once("*".to_owned()).chain(groups).chain(tools);
    let rules = names.map(|name| {
        let (id, shown) = (format!("override-{name}"), words::name(&name));
        let name = StoredValue::new(name);
        let now =
            move || overrides.with(|over| name.with_value(|name| decision_for(over.tools.as_ref(), name)));
        let choose = move |decision| {
            overrides.update(|over| {
                let mut tools = over.tools.take().unwrap_or_default();
                name.with_value(|name| set_override(&mut tools, name, decision));
                over.tools = Some(tools).filter(|tools| *tools != Permissions::default());
            });
        };
        rule_row(id, "override-tool", name.get_value(), shown, Some(words::USUAL.get()), now, choose)
    });
    modal("dialog override-dialog", "over", leave).at("[data-testid=override-open]").label(words::TITLE).with_children(view! {
        <h2>{words::TITLE}</h2>
        <p class="hint">{words::ABOUT}</p>
        {model}
        <details class="override-tools" open=says_tools data-testid="override-tools">
            <summary>{common::TOOLS}</summary>
            <ul class="rules" aria-label=common::TOOLS>{rules}</ul>
        </details>
        <div class="turn-row">
            {button(words::DONE).first().test("override-done").on_click(move |_| leave())}
            {quiet_button(words::CLEAR).test("override-usual").on_click(move |_| overrides.set(Default::default()))}
        </div>
    })
}

/// The decision for a tool or a group.
fn decision_for(overrides: Option<&Permissions>, name: &str) -> Option<PermissionDecision> {
    let overrides = overrides?;
    let lists = [
        (PermissionDecision::Deny, &overrides.tools_denied),
        (PermissionDecision::Ask, &overrides.tools_ask),
        (PermissionDecision::Allow, &overrides.tools_always),
    ];
    lists.into_iter().find(|(_, names)| names.iter().any(|other| other == name)).map(|(decision, _)| decision)
}

/// The model for this message and its parameters. Without a chosen model they are those of the recipient, so with
/// several recipients they need one.
#[component]
fn OverrideModelFields(over: OverridesState) -> impl IntoMarkup {
    let &Page { agents, dispatch, providers, .. } = expect_context();
    let Workspace { target, .. } = expect_context();
    let alone = move || match target.get() {
        Target::Agents(keys) if keys.len() == 1 => keys.first().cloned(),
        Target::Agents(_) | Target::All => None,
    };
    let agent = move || -> Option<Agent> {
        let first = target.with(|target| first_recipient(target).cloned());
        let key = first.or_else(|| agents.order.get_untracked().first().cloned())?;
        Some(agents.rows.get_untracked(&key)?.agent.as_ref().clone())
    };
    let now = move || over.overrides.with(|over| over.config.as_ref().map(value_of).unwrap_or_default());
    // The configuration that parameters are changed on: the chosen one, else that of the only recipient.
    let base = move || {
        let chosen = over.overrides.with(|over| over.config.clone());
        chosen.or_else(|| agent().filter(|_| alone().is_some()).map(|agent| agent.config))
    };
    let store = move |config: ModelConfig| {
        let own_config = untrack(|| agent().filter(|_| alone().is_some())).map(|agent| agent.config);
        over.overrides
            .update(|over| over.config = Some(config).filter(|config| Some(config) != own_config.as_ref()));
    };
    let choose = move |value: String| {
        let config = untrack(agent).and_then(|agent| config_of(&agent, &value, agents, providers));
        over.overrides.update(|over| {
            // Parameters chosen before are kept.
            let before = over.config.take().map(|before| (before.thinking, before.temperature));
            over.config = match (config, before) {
                (Some(config), Some((thinking, temperature))) => {
                    Some(ModelConfig { thinking, temperature, ..config })
                }
                (config, _) => config,
            };
        });
    };
    let provider = select(move || agent().map(|agent| agent.config.provider));
    Effect::new(move || {
        provider.get().into_iter().for_each(|provider| load_models(dispatch, providers, provider));
    });
    let models = move || {
        // Reruns when the list of models arrives.
        drop(provider.get().and_then(|provider| providers.rows.row(&provider)).map(|row| row.get()));
        let all = agent().map(|agent| choices(&agent, agents, providers)).unwrap_or_default();
        let own = (String::new(), words::OWN_MODEL.to_owned());
        let all = std::iter::once(own).chain(all.into_iter().map(|one| (one.value, one.label)));
        options(all.collect(), select(now))
    };
    let set_effort = move |thinking| {
        untrack(base).into_iter().for_each(|config| store(ModelConfig { thinking, ..config }));
    };
    let wrong = RwSignal::new(false);
    let set_temperature = move |ev| {
        let text = event_target_value(&ev);
        let temperature = temperature_in(&text);
        let is_wrong = temperature.is_none();
        page::when_released(move || wrong.set(is_wrong));
        if let Some((config, temperature)) = untrack(base).zip(temperature) {
            store(ModelConfig { temperature, ..config });
        }
    };
    let temperature_text = move || base().and_then(|config| config.temperature).map(|one| one.to_string());
    let is_open = select(move || base().is_some());
    let efforts = thinking_box(move || base().map(|config| config.thinking), set_effort)
        .test("override-thinking")
        .disabled(move || !is_open.get());
    view! {
        {labelled("override-model", common::MODEL, select_box(models, choose).test("override-model"))}
        <div class="override-parameters">
            {labelled("override-model", settings::THINKING, efforts)}
            <label class="override-model">
                <span>{settings::TEMPERATURE}</span>
                <input
                    class="input" type="text" inputmode="decimal" data-testid="override-temperature"
                    placeholder=settings::PROVIDERS_OWN disabled=move || !is_open.get()
                    aria-invalid=move || wrong.get().to_string()
                    prop:value=move || temperature_text().unwrap_or_default() on:change=set_temperature
                />
            </label>
        </div>
        <p class="field-problem" role="alert">{move || wrong.get().then_some(settings::TEMPERATURE_WRONG)}</p>
        <Show when=move || !is_open.get()><p class="hint">{words::CHOOSE_MODEL}</p></Show>
    }
}
