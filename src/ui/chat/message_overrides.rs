//! Overrides for one message: the button, the dialog, and the line that shows them until it is sent.
//!
//! Never allows what agents or settings deny; the engine enforces that. Loaded lazily.

use leptos::html::Dialog;
use leptos::prelude::*;

use crate::ui::hooks::dialog::use_modal;
use crate::ui::kit::model_choice::{ModelOption, choices, config_of, temperature_in, value_of};
use crate::ui::shell::workspace::{OverridesState, Recipients};
use crate::ui::view_state::{Agents, Providers};
use nexus_engine::tools::ToolRegistry;
use nexus_model::agent::permission::{PermissionDecision, group, set_said};
use nexus_model::agent::{Agent, Permissions};
use nexus_model::llm::{ModelConfig, Thinking};
use nexus_model::session::Target;
use nexus_model::tool::ToolClass;
use nexus_view::strings::chat::message_overrides as words;
use nexus_view::strings::settings;

const GROUPS: [ToolClass; 5] =
    [ToolClass::Mind, ToolClass::Files, ToolClass::Network, ToolClass::Code, ToolClass::Lent];

/// The button, and what it opens.
#[component]
pub(crate) fn OverridesButton(
    over: OverridesState,
    /// Whether a model can be chosen here.
    #[prop(default = true)]
    with_model: bool,
) -> impl IntoView {
    let OverridesState { said, asks } = over;
    if with_model {
        let (agents, Recipients(target)) = (expect_context::<Agents>(), expect_context());
        Effect::new(move |before: Option<Target>| {
            let now = target.get();
            if let Some(Target::Agents(keys)) = before.filter(|before| *before != now) {
                // Parameters that were changed of what an agent has are its own, and not for whom it goes to now.
                let own = keys
                    .first()
                    .and_then(|key| agents.get_untracked(key))
                    .map(|row| value_of(&row.agent.config));
                let is_its = said.with_untracked(|over| over.config.as_ref().map(value_of) == own);
                if own.is_some() && is_its {
                    said.update(|over| over.config = None);
                }
            }
            now
        });
    }
    let line = move || Some(said.with(words::held)).filter(|line| !line.is_empty());
    let chip = move || {
        line().map(|line| {
            view! { class="n",
                <span class="over-chip" role="status" data-testid="over-chip">
                    <span>{line}</span>
                    <button
                        type="button" class="icon" data-testid="over-clear" title=words::CLEAR aria-label=words::CLEAR
                        on:click=move |_| said.set(Default::default())
                    >
                        {"×"}
                    </button>
                </span>
            }
        })
    };
    view! { class="n",
        <button
            type="button" class="quiet" data-testid="over-open" title=words::TITLE aria-haspopup="dialog"
            on:click=move |_| asks.set(true)
        >
            {words::OPEN}
        </button>
        {chip}
        <Show when=move || asks.get()>
            <OverridesDialog over with_model />
        </Show>
    }
}

#[component]
fn OverridesDialog(over: OverridesState, with_model: bool) -> impl IntoView {
    let OverridesState { said, asks } = over;
    let dialog = NodeRef::<Dialog>::new();
    use_modal(dialog);
    let leave = move || asks.set(false);
    let model = with_model.then(|| view! { class="n", <OverrideModelFields over /> });
    let tools = ToolRegistry::default().all().map(|(tool, _)| tool).collect::<Vec<_>>();
    let groups = GROUPS.map(|class| group(class).to_owned());
    let names = std::iter::once("*".to_owned()).chain(groups).chain(tools);
    let rules = names.map(|name| {
        let (id, shown) = (format!("over-{name}"), words::name(&name));
        let name = StoredValue::new(name);
        let now = move || said.with(|over| name.with_value(|name| ruling_of(over.tools.as_ref(), name)));
        let choose = move |ev| {
            let value = event_target_value(&ev);
            let ruling = PermissionDecision::ALL.into_iter().find(|ruling| ruling.name() == value);
            said.update(|over| {
                let mut tools = over.tools.take().unwrap_or_default();
                name.with_value(|name| set_said(&mut tools, name, ruling));
                over.tools = Some(tools).filter(|tools| *tools != Permissions::default());
            });
        };
        let option = move |ruling: PermissionDecision| {
            view! { class="n",
                <option value=ruling.name() prop:selected=move || now() == Some(ruling)>{settings::ruling(ruling)}</option>
            }
        };
        view! { class="n",
            <li class="rule">
                <label for=id.clone()>{shown}</label>
                <select id=id class="select" data-testid="over-tool" data-tool=name.get_value() on:change=choose>
                    <option value="" prop:selected=move || now().is_none()>{words::USUAL}</option>
                    {PermissionDecision::ALL.map(option).into_iter().collect_view()}
                </select>
            </li>
        }
    });
    view! { class="n",
        <dialog class="dialog over-dialog" node_ref=dialog aria-label=words::TITLE data-testid="over" on:close=move |_| leave()>
            <h2>{words::TITLE}</h2>
            <p class="hint">{words::ABOUT}</p>
            {model}
            <h3 id="over-tools">{words::TOOLS}</h3>
            <ul class="rules" aria-labelledby="over-tools">{rules.collect::<Vec<_>>()}</ul>
            <div class="turn-row">
                <button type="button" class="button" data-weight="first" data-testid="over-done" on:click=move |_| leave()>{words::DONE}</button>
                <button type="button" class="quiet" data-testid="over-usual" on:click=move |_| said.set(Default::default())>{words::CLEAR}</button>
            </div>
        </dialog>
    }
}

/// What is said of a tool or a group by its name.
fn ruling_of(said: Option<&Permissions>, name: &str) -> Option<PermissionDecision> {
    let said = said?;
    let lists = [
        (PermissionDecision::Deny, &said.tools_denied),
        (PermissionDecision::Ask, &said.tools_ask),
        (PermissionDecision::Allow, &said.tools_always),
    ];
    lists.into_iter().find(|(_, names)| names.iter().any(|other| other == name)).map(|(ruling, _)| ruling)
}

/// The model for this message and its parameters. They are those of whom it is for; several agents have several, so that
/// parameters can only be chosen with a model then.
#[component]
fn OverrideModelFields(over: OverridesState) -> impl IntoView {
    let (agents, providers) = (expect_context::<Agents>(), expect_context::<Providers>());
    let Recipients(target) = expect_context();
    let alone = move || match target.get() {
        Target::Agents(keys) if keys.len() == 1 => keys.first().cloned(),
        Target::Agents(_) | Target::All => None,
    };
    let agent = move || -> Option<Agent> {
        let first = match target.get() {
            Target::Agents(keys) => keys.first().cloned(),
            Target::All => None,
        };
        let key = first.or_else(|| agents.order().get_untracked().first().cloned())?;
        Some(agents.get_untracked(&key)?.agent.as_ref().clone())
    };
    let now = move || over.said.with(|over| over.config.as_ref().map(value_of).unwrap_or_default());
    // What the parameters are changed of: what was chosen, else what the only agent has.
    let base = move || {
        let chosen = over.said.with(|over| over.config.clone());
        chosen.or_else(|| agent().filter(|_| alone().is_some()).map(|agent| agent.config))
    };
    let keep = move |config: ModelConfig| {
        let usual = untrack(|| agent().filter(|_| alone().is_some())).map(|agent| agent.config);
        over.said.update(|over| over.config = Some(config).filter(|config| Some(config) != usual.as_ref()));
    };
    let choose = move |ev| {
        let value = event_target_value(&ev);
        let config = untrack(agent).and_then(|agent| config_of(&agent, &value, agents, providers));
        over.said.update(|over| {
            // What was chosen besides goes along.
            let before = over.config.take().map(|before| (before.thinking, before.temperature));
            over.config = match (config, before) {
                (Some(config), Some((thinking, temperature))) => {
                    Some(ModelConfig { thinking, temperature, ..config })
                }
                (config, _) => config,
            };
        });
    };
    let options = move || {
        let all = agent().map(|agent| choices(&agent, agents, providers)).unwrap_or_default();
        let option = |ModelOption { value, label, .. }: ModelOption| {
            let same = value.clone();
            view! { class="n", <option value=value prop:selected=move || now() == same>{label}</option> }
        };
        all.into_iter().map(option).collect_view()
    };
    let think = move |ev| {
        let value = event_target_value(&ev);
        let chosen = Thinking::ALL.into_iter().find(|one| one.name() == value);
        if let Some((config, thinking)) = untrack(base).zip(chosen) {
            keep(ModelConfig { thinking, ..config });
        }
    };
    let thinking = move || base().map(|config| config.thinking);
    let amount = move |one: Thinking| {
        view! { class="n",
            <option value=one.name() prop:selected=move || thinking() == Some(one)>{settings::thinking(one)}</option>
        }
    };
    let wrong = RwSignal::new(false);
    let vary = move |ev| {
        let text = event_target_value(&ev);
        let temperature = temperature_in(&text);
        wrong.set(temperature.is_none());
        if let Some((config, temperature)) = untrack(base).zip(temperature) {
            keep(ModelConfig { temperature, ..config });
        }
    };
    let varies = move || base().and_then(|config| config.temperature).map(|one| one.to_string());
    let is_open = Memo::new(move |_| base().is_some());
    view! { class="n",
        <label class="over-model">
            <span>{words::MODEL}</span>
            <select class="select" data-testid="over-model" on:change=choose>
                <option value="" prop:selected=move || now().is_empty()>{words::OWN_MODEL}</option>
                {options}
            </select>
        </label>
        <div class="over-parameters">
            <label class="over-model">
                <span>{settings::THINKING}</span>
                <select class="select" data-testid="over-thinking" disabled=move || !is_open.get() on:change=think>
                    {Thinking::ALL.map(amount).into_iter().collect_view()}
                </select>
            </label>
            <label class="over-model">
                <span>{settings::TEMPERATURE}</span>
                <input
                    class="input" type="text" inputmode="decimal" data-testid="over-temperature"
                    placeholder=settings::PROVIDERS_OWN disabled=move || !is_open.get()
                    aria-invalid=move || wrong.get().to_string() prop:value=move || varies().unwrap_or_default()
                    on:change=vary
                />
            </label>
        </div>
        <p class="field-problem" role="alert">{move || wrong.get().then_some(settings::TEMPERATURE_WRONG)}</p>
        <Show when=move || !is_open.get()>
            <p class="hint">{words::CHOOSE_MODEL}</p>
        </Show>
    }
}
