//! The first-start screen: the operator's name, the provider and its key, the agents, and the first message.
//!
//! The key is only put into this tab's key ring.

pub mod connect;

use std::borrow::Cow;

use crate::ui::first_start::connect::{
    FirstStartInput, LocalSearch, StartError, WantedModel, begin, lazy_connector, servers,
};
use crate::ui::prelude::*;
use crate::ui::settings::providers::key::{KeyPlace, lazy_key_place_fields};
use crate::ui::view_state::Banner;
use nexus_model::provider::presets::{DEMO_OBJECTIVES, demo_objective};
use nexus_view::strings::first_start as words;

lazy_view!(first_start, lazy_first_start, FirstStart);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StartChoice {
    Demo,
    Cloud,
    Local,
    AsSet,
}

/// Providers other than the demo that the settings gave to agents.
fn others(agents: Agents, providers: Providers) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for row in agents.roster() {
        let Some(provider) = providers.rows.row(&row.agent.config.provider) else { continue };
        let name = provider.with(|row| (!row.provider.is_demo()).then(|| row.provider.label.clone()));
        name.filter(|name| !names.contains(name)).into_iter().for_each(|name| names.push(name));
    }
    names
}

#[component]
pub fn FirstStart() -> impl IntoMarkup {
    let page = expect_context::<&Page>();
    let &Page { agents, dispatch, mind, providers, .. } = page;
    // Text typed while the program loaded, else the objective that an older version left.
    let typed = dispatch.field(&DraftField::Composer).text;
    let objective = RwSignal::new(typed.get_untracked().to_string());
    let problem = RwSignal::new(None::<String>);
    // The device's first session and its drafts may arrive after the screen.
    for known in [typed, mind.objective] {
        Effect::new(move |_| {
            let known = known.get();
            if objective.with_untracked(String::is_empty) {
                objective.set(known.to_string());
            }
        });
    }
    // Both inputs are kept while another screen is shown, and over a reload.
    let write = move |text: String| {
        dispatch.type_into(&DraftField::Composer, &text);
        objective.set(text);
        problem.set(None);
    };
    let name = RwSignal::new(page.settings.text(OPERATOR_NAME).get_untracked());
    let keep_name =
        move || dispatch.set_setting(OPERATOR_NAME, name.with_untracked(|name| name.trim().to_owned()));
    let key = RwSignal::new(String::new());
    // If the settings were changed before, they are the default choice.
    let others = select(move || others(agents, providers));
    let is_new = others.with_untracked(Vec::is_empty);
    let choice_made = RwSignal::new(if is_new { StartChoice::Demo } else { StartChoice::AsSet });
    let busy = RwSignal::new(false);
    let place = KeyPlace::new();
    let search = LocalSearch::default();
    let clouds = || PRESETS.iter().filter(|preset| preset.key_page.is_some());
    let preset = RwSignal::new(&PRESETS[0]);
    let server_names: Vec<_> = servers().map(|server| server.label.to_owned()).collect();

    let start = move || {
        let objective = objective.get_untracked().trim().to_owned();
        let choice = choice_made.get_untracked();
        let wanted = match choice {
            StartChoice::Demo | StartChoice::AsSet => Ok(None),
            StartChoice::Local => {
                search.chosen().map(|model| Some(WantedModel::Local(model))).ok_or(words::NO_LOCAL)
            }
            StartChoice::Cloud => {
                let (preset, key) = (preset.get_untracked(), key.get_untracked());
                Ok(Some(WantedModel::Cloud { preset, key, place }))
            }
        };
        let wanted = if objective.is_empty() { Err(words::NO_OBJECTIVE) } else { wanted };
        problem.set(wanted.as_ref().err().map(|problem| (*problem).to_owned()));
        let Ok(wanted) = wanted else { return };
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        let name = name.get_untracked().trim().to_owned();
        let input = FirstStartInput { name, uses_demo: choice == StartChoice::Demo, objective };
        spawn_local(async move {
            let begun = async {
                if let Some(wanted) = wanted {
                    let connector = lazy_connector().await;
                    let missing = |_| StartError::Wrong(strings::part_missing().title);
                    (connector.map_err(missing)?.connect)(page, wanted).await?;
                }
                begin(page, input).await
            };
            // The screen stays, with its input.
            if let Err(error) = begun.await {
                busy.set(false);
                if let StartError::Wrong(error) = error {
                    problem.set(Some(error));
                }
            }
        });
    };
    // A click handler, not `submit`: sandboxed iframes submit nothing. Enter clicks this button too.
    let submit = move |ev: MouseEvent| {
        ev.prevent_default();
        start();
    };
    let shortcut = move |ev: KeyboardEvent| {
        if ev.key() == "Enter" && (ev.ctrl_key() || ev.meta_key()) {
            ev.prevent_default();
            start();
        }
    };
    let key_typed = move |ev| {
        key.set(event_target_value(&ev));
        problem.set(None);
        let is_empty = key.with_untracked(String::is_empty);
        choice_made.set(if is_empty { StartChoice::Demo } else { StartChoice::Cloud });
    };
    let choose = move |ev| {
        let id = event_target_value(&ev);
        if let Some(one) = clouds().find(|one| one.id == id) {
            preset.set(one);
            choice_made.set(StartChoice::Cloud);
        }
    };
    let search_local = move |_| {
        spawn_local(async move {
            match lazy_connector().await {
                Ok(connector) => (connector.search)(search, dispatch),
                Err(_) => problem.set(Some(strings::part_missing().title)),
            }
        });
    };
    let choice = move |one: StartChoice, class, name: &'static str, about: Cow<'static, str>| {
        plain_button(class, view! { <b>{name}</b> <span>{about}</span> })
            .with("aria-pressed", move || (choice_made.get() == one).to_string())
            .on_click(move |_| choice_made.set(one))
    };
    let as_set = move || {
        let names = others.get();
        (!names.is_empty()).then(|| {
            let ready = words::ready(&names).into();
            choice(StartChoice::AsSet, "first-way", words::OTHER_READY.get(), ready).test("first-as-set")
        })
    };
    let is_cloud = select(move || choice_made.get() == StartChoice::Cloud);
    let key_place =
        move || lazy_part(lazy_key_place_fields, move |draw| draw(place, "first-key".to_owned(), false));
    let is_searched = search.left.map(Option::is_some);
    let local_models =
        move || lazy_part(lazy_connector, move |connector| (connector.local_models)(search, dispatch));
    let ideas = DEMO_OBJECTIVES.map(|one| {
        let chosen = move || objective.with(|text| demo_objective(text) == Some(&one)).to_string();
        plain_button("first-idea", tr(one.title))
            .test("first-idea")
            .title(one.objective)
            .with("aria-pressed", chosen)
            .on_click(move |_| write(one.objective.to_owned()))
    });
    // Warns before the start if the demo has no answer prepared.
    let not_prepared = select(move || {
        let is_foreign = |text: &String| !text.trim().is_empty() && demo_objective(text).is_none();
        choice_made.get() == StartChoice::Demo && objective.with(is_foreign)
    });

    // The banner of the war room has the reason.
    let kept = move || {
        page.notices.banners.with(|banners| match banners.first() {
            Some(Banner::Memory(_)) => words::NOT_KEPT,
            Some(_) | None => words::KEPT,
        })
    };
    view! {
        <main class="first-start" data-testid="first-start">
            <div class="first-columns">
                <div class="first-words">
                    <Brand />
                    <h1>{words::TITLE}</h1>
                    <p>{words::ABOUT} " " {kept}</p>
                    <Team agents />
                </div>
                <form class="first-form" autocomplete="off">
                    <div class="field">
                        <label class="field-name" for="first-name">{words::NAME}</label>
                        <input
                            id="first-name" class="input" data-testid="first-name" autocomplete="nickname"
                            placeholder=words::NAME_EXAMPLE prop:value=name
                            on:input=move |ev| name.set(event_target_value(&ev))
                            on:change=move |_| keep_name()
                        />
                    </div>
                    <div class="field" role="group" aria-labelledby="first-who">
                        <span class="field-name" id="first-who">{common::MODEL}</span>
                        <div class="first-way" data-chosen=move || is_cloud.get().to_string()>
                            {choice(StartChoice::Cloud, "first-way-choose", words::CLOUD.get(), words::CLOUD_ABOUT.into())
                                .test("first-cloud")}
                            <div class="first-key">
                                <select
                                    class="select" data-testid="first-provider" aria-label=common::PROVIDER
                                    on:change=choose
                                >
                                    {clouds().map(|one| view! { <option value=one.id>{one.label}</option> })}
                                </select>
                                <input
                                    type="password" class="input" data-testid="first-key" data-face="code"
                                    aria-label=common::API_KEY aria-describedby="first-key-about" autocomplete="off"
                                    spellcheck="false" placeholder=words::KEY_EXAMPLE prop:value=key
                                    on:input=key_typed
                                />
                            </div>
                            <span id="first-key-about">{move || words::key_about(preset.get().label)}</span>
                            <Show when=move || is_cloud.get()>{key_place()}</Show>
                        </div>
                        <div class="first-way" data-chosen=move || (choice_made.get() == StartChoice::Local).to_string()>
                            {choice(StartChoice::Local, "first-way-choose", words::LOCAL.get(), words::local_about(&server_names).into())
                                .test("first-local").on_click(search_local)}
                            <Show when=move || is_searched.get()>{local_models()}</Show>
                        </div>
                        {as_set}
                        {choice(StartChoice::Demo, "first-way", common::DEMO.get(), words::DEMO_ABOUT.into())
                            .test("first-demo")}
                        <a class="first-other" href=settings_path_at("settings-providers") data-testid="first-other">{words::OTHER}</a>
                    </div>
                    <div class="field">
                        <label class="field-name" for="first-objective">{common::OBJECTIVE}</label>
                        <textarea
                            id="first-objective" class="area" data-testid="first-objective" rows="4"
                            placeholder=words::OBJECTIVE_EXAMPLE prop:value=objective
                            on:input=move |ev| write(event_target_value(&ev)) on:keydown=shortcut
                        ></textarea>
                        <p class="hint" role="status" data-testid="first-not-prepared">
                            {move || not_prepared.get().then_some(words::NOT_PREPARED)}
                        </p>
                        <div class="first-ideas" role="group" aria-label=words::IDEAS_LABEL>{ideas}</div>
                    </div>
                    <p class="field-problem" role="alert">{problem}</p>
                    <button
                        type="submit" on:click=submit class="button" data-weight="first"
                        data-testid="first-go" disabled=busy
                    >
                        {common::START}
                    </button>
                    <p class="hint">{words::GO_ABOUT}</p>
                </form>
            </div>
        </main>
    }
}

#[component]
pub fn Team(agents: Agents) -> impl IntoMarkup {
    let one = |row: Selector<AgentRow>| {
        view! {
            <li class="first-agent" data-accent=move || row.with(|row| row.agent.accent.name())>
                <span class="avatar" aria-hidden="true">
                    {move || row.with(|row| picture(&row.agent.identity))}
                </span>
                <span>
                    <b>{move || row.with(|row| row.agent.identity.name.clone())}</b>
                    <span>{move || row.with(|row| translated(&row.agent.description))}</span>
                </span>
            </li>
        }
    };
    view! {
        <ul class="first-team">
            {keyed_list(move || agents.order.get(), Clone::clone, move |key| agents.rows.row(&key).map(one))}
        </ul>
    }
}
