//! Settings of providers: a card for each with its setup steps, name, address and key, using it for all agents, and
//! removing it; prices, connection tests, and the list of providers to add. Contacts none of them.

pub mod key;
pub mod passphrase;
pub mod prices;

use crate::ui::first_start::connect::{reported_window, use_for_all};
use crate::ui::prelude::*;
use crate::ui::settings::pending_edit::{PendingEdit, button_with_question};
use crate::ui::settings::providers::key::KeyField;
use crate::ui::view_state::ProviderRow;
use nexus_model::provider::address::{is_callable, normalise};
use nexus_model::provider::presets::{self, Preset, preset_of};
use nexus_model::provider::{ListedModels, Protocol, Provider, ProviderError};
use nexus_view::connection_test::{CheckDetail, CheckOutcome, ConnectionCheck, HostAccess, after, before};
use nexus_view::strings::error_remedy::SettingsField;
use nexus_view::strings::first_start;
use nexus_view::strings::settings::provider_card as words;

/// Placeholder address for a preset without one.
const BLANK_URL: &str = "https://example.com/v1";

/// The button that opens the list of providers.
#[component]
pub fn ProviderAdd(added: RwSignal<Option<ProviderId>>) -> impl IntoMarkup {
    let &Page { dispatch, providers, .. } = expect_context();
    let open = RwSignal::new(false);
    let add = move |preset: &Preset| {
        let others = providers.all_untracked();
        let mut provider = preset.provider(others.iter().map(AsRef::as_ref));
        if provider.base_url.is_empty() {
            BLANK_URL.clone_into(&mut provider.base_url);
        }
        let title = title_id(&provider.id);
        open.set(false);
        added.set(Some(provider.id.clone()));
        dispatch.send_and_focus(Command::ChangeProvider { provider }, title);
    };
    let preset_button = move |preset: &'static Preset| {
        view! {
            <button
                type="button" class="preset" data-testid=format!("preset-{}", preset.id)
                on:click=move |_| add(preset)
            >
                <b>{preset.label}</b>
                <span>{preset.base_url}</span>
            </button>
        }
    };
    let group = move |name: &'static str, presets: Vec<&'static Preset>| {
        view! {
            <div role="group" aria-label=name class="preset-group">
                <p class="label">{name}</p>
                <div class="presets">{presets.into_iter().map(preset_button)}</div>
            </div>
        }
    };
    view! {
        {button(move || if open.get() { common::CANCEL } else { words::ADD }).test("provider-add")
            .with("aria-expanded", move || open.get().to_string())
            .on_click(move |_| {
                open.update(|open| *open = !*open);
                if open.get_untracked() {
                    focus::focus_when_ready(".preset".to_owned());
                }
            })}
        <Show when=move || open.get()>
            <div class="settings-card">
                {group(words::ADD_CLOUD.get(), PRESETS.iter().filter(|preset| preset.needs_key).collect())}
                {group(words::ADD_LOCAL.get(), PRESETS.iter().filter(|preset| !preset.needs_key).collect())}
            </div>
        </Show>
    }
}

/// The model that agents get with a provider: its preset's, else the first one listed.
pub(crate) fn first_model(row: &ProviderRow) -> String {
    if row.provider.is_demo() {
        return DEMO_MODEL.to_owned();
    }
    let preset_model = preset_of(&row.provider).model;
    let listed = row.models().map(|list| list.models).unwrap_or_default();
    let is_listed = |id: &&str| listed.is_empty() || listed.iter().any(|model| model.id == *id);
    let first = || listed.first().map(|model| model.id.clone()).unwrap_or_default();
    preset_model.filter(is_listed).map_or_else(first, str::to_owned)
}

pub(crate) fn title_id(provider: &ProviderId) -> String {
    format!("provider-{provider}")
}

#[component]
pub fn ProviderCard(row: Selector<ProviderRow>, added: RwSignal<Option<ProviderId>>) -> impl IntoMarkup {
    let &Page { providers, .. } = expect_context();
    let id = row.with_untracked(|row| row.provider.id.clone());
    let is_demo = row.with_untracked(|row| row.provider.is_demo());
    let lacks_key = row.with_untracked(|row| row.provider.needs_key && row.key == KeyState::Missing);
    // Open if something has to be done; later as the operator leaves it.
    let is_only = || providers.all_untracked().iter().filter(|provider| !provider.is_demo()).count() == 1;
    let is_added = added.with_untracked(|added| added.as_ref() == Some(&id));
    let is_open = !is_demo && (lacks_key || is_added || is_only());
    let wants_key = row.map(move |row| row.provider.needs_key || row.key != KeyState::Missing);
    let label = move || row.with(|row| row.provider.label.clone());
    let tag = move || wants_key.get().then(|| row.with(|row| words::key_tag(row.key)));
    let has_key = move || row.with(|row| matches!(row.key, KeyState::Usable(_)).to_string());
    view! {
        <details class="settings-card" open=is_open data-testid="provider-card" data-provider=id.0.clone()>
            <summary id=title_id(&id)>
                <span class="settings-card-words">
                    <b>{label}</b>
                    <span class="hint">{move || row.with(|row| if is_demo { String::new() } else { row.provider.base_url.clone() })}</span>
                </span>
                {move || tag().map(|tag| view! { <span class="tag" data-held=has_key>{tag}</span> })}
            </summary>
            <div class="settings-form">
                {if is_demo {
                    view! {
                        <p class="hint">{words::DEMO_ABOUT}</p>
                        <UseForAll row />
                    }
                } else {
                    view! {
                        <ProviderGuide row />
                        <ProviderAddress row />
                        <ReloadNotice row />
                        {move || wants_key.get().then(|| view! { <KeyField row /> })}
                        <ConnectionTest row />
                        <div class="settings-actions">
                            <UseForAll row />
                            <RemoveProviderButton row />
                        </div>
                    }
                }}
            </div>
        </details>
    }
}

#[component]
fn UseForAll(row: Selector<ProviderRow>) -> impl IntoMarkup {
    let page = expect_context::<&Page>();
    let agents = page.agents;
    // With the same model: otherwise the button still gives them one.
    let used_by_all = move || {
        let (users, all) = (row.with(|row| agents.on(&row.provider.id)), agents.order.with(Vec::len));
        let model = users.first().map(|first| &first.config.model).filter(|model| !model.is_empty());
        users.len() == all && users.iter().all(|user| Some(&user.config.model) == model)
    };
    let use_it = move |_| {
        let row = row.get_untracked();
        spawn_local(async move {
            let id = &row.provider.id;
            let mut listed = row.models().map(|list| list.models).unwrap_or_default();
            let mut model = first_model(&row);
            if model.is_empty() {
                // Its models may not have been listed yet.
                listed = page.dispatch.engine().list_models(id.clone()).await.unwrap_or_default();
                model = listed.first().map(|first| first.id.clone()).unwrap_or_default();
            }
            // A rejection was shown; agents before it are changed.
            let outcome = use_for_all(page, id, &model, reported_window(&listed, &model)).await;
            let agent = untrack(|| agents.roster()).into_iter().next();
            if let (Ok(()), true, Some(row)) = (outcome, model.is_empty(), agent) {
                page.notices.add(NoticeKind::Error, first_start::NO_MODEL, "");
                let field = SettingsField::Model.id(&row.agent.key, id);
                focus::focus_when_ready(format!("[id=\"{field}\"]"));
            }
        });
    };
    button(move || if used_by_all() { words::USED_BY_ALL } else { words::USE_FOR_ALL })
        .disabled(used_by_all)
        .on_click(use_it)
        .test("provider-use")
}

#[component]
fn ProviderGuide(row: Selector<ProviderRow>) -> impl IntoMarkup {
    let steps = move || {
        let preset = row.with(|row| preset_of(&row.provider));
        let steps = strings::guide(preset, &address::page_origin()).into_iter();
        steps.map(|step| view! { <li>{with_code(&step)}</li> })
    };
    let link = move || {
        let page = row.with(|row| preset_of(&row.provider).key_page)?;
        let link = view! { <a href=page target="_blank" rel="noopener noreferrer">{page}</a> };
        Some(view! { <li>{words::KEY_PAGE} {" "} {link}</li> })
    };
    view! {
        <details class="guide" open=row.with_untracked(|row| row.key == KeyState::Missing)>
            <summary>{words::GUIDE}</summary>
            <ol>{link} {steps}</ol>
        </details>
    }
}

#[component]
fn ProviderAddress(row: Selector<ProviderRow>) -> impl IntoMarkup {
    let &Page { dispatch, providers, .. } = expect_context();
    let id = row.with_untracked(|row| row.provider.id.clone());
    let field = |name: &str| format!("provider-{id}-{name}");
    let pending = PendingEdit::of(row.map(|row| Provider::clone(&row.provider)));
    let change = move |edit: &dyn Fn(&mut Provider)| {
        pending.send(dispatch, edit, |provider| Command::ChangeProvider { provider });
    };
    let set_label = move |label: &str| {
        let own = row.with_untracked(|row| row.provider.id.clone());
        let taken = |other: &Provider| other.id != own && other.label.eq_ignore_ascii_case(label);
        if label.is_empty() {
            return Err(strings::settings::EMPTY);
        }
        if providers.all_untracked().iter().any(|other| taken(other)) {
            return Err(words::LABEL_TAKEN);
        }
        change(&|provider| label.clone_into(&mut provider.label));
        Ok(())
    };
    let set_address = move |url: &str| {
        let url = normalise(url).map_err(|problem| Text(strings::address_error(problem)))?;
        let others = providers.all_untracked();
        change(&|provider| presets::set_address(provider, &url, others.iter().map(AsRef::as_ref)));
        Ok(())
    };
    let read = move |get: fn(&Provider) -> String| row.map(move |row| get(&row.provider));
    view! {
        <div class="settings-row">
            {text_field(field("label"), common::NAME, read(|provider| provider.label.clone()),
                set_label)
                .test("provider-label").hint(words::LABEL_ABOUT)}
            {enum_field(field("protocol"), words::PROTOCOL, &Protocol::ALL, (Protocol::name, words::protocol),
                move || row.with(|row| Some(row.provider.protocol)),
                move |protocol| change(&|provider| provider.protocol = protocol))
                .test("provider-protocol").hint(words::PROTOCOL_ABOUT)}
        </div>
        {text_field(field("address"), words::BASE_URL, read(|provider| provider.base_url.clone()),
            set_address)
            .test("provider-base-url").hint(words::BASE_URL_ABOUT).code()}
        {check(words::NEEDS_KEY, move || row.with(|row| row.provider.needs_key), move |needs_key| {
            change(&|provider| provider.needs_key = needs_key);
        }).id(field("needs-key")).test("provider-needs-key")}
        <p class="hint">{words::NEEDS_KEY_ABOUT}</p>
    }
}

/// A notice with a button to reload the page, which the provider needs before it can be called.
#[component]
fn ReloadNotice(row: Selector<ProviderRow>) -> impl IntoMarkup {
    let waits = row.map(move |row| {
        (host_access(&row.provider) == HostAccess::AfterReload).then(|| row.provider.origin()).flatten()
    });
    move || {
        let origin = waits.get()?;
        Some(view! {
            <div class="callout" role="status" data-testid="provider-reload">
                <p>{strings::reload(&origin)}</p>
                {button(common::RELOAD_PAGE).first().on_click(move |_| address::reload())}
            </div>
        })
    }
}

#[component]
pub fn RemoveProviderButton(row: Selector<ProviderRow>) -> impl IntoMarkup {
    let &Page { agents, dispatch, .. } = expect_context();
    let users = move || {
        let id = row.with(|row| row.provider.id.clone());
        agents.on(&id).iter().map(|agent| agent.identity.name.clone()).collect::<Vec<_>>()
    };
    let remove = move |_| {
        let provider = row.with_untracked(|row| row.provider.id.clone());
        dispatch.send(Command::RemoveProvider { provider, move_agents: true });
    };
    let about = move || words::remove_about(&row.with(|row| row.provider.label.clone()), &users());
    let yes = move || {
        let verb = if users().is_empty() { words::REMOVE_YES } else { words::REMOVE_AND_MOVE };
        button(verb).danger().test("provider-remove-yes").on_click(remove)
    };
    button_with_question(button(common::REMOVE).danger().test("provider-remove"), about, yes)
}

#[component]
pub fn ConnectionTest(row: Selector<ProviderRow>) -> impl IntoMarkup {
    let &Page { agents, dispatch, .. } = expect_context();
    let busy = RwSignal::new(false);
    let first = RwSignal::new(Vec::<(ConnectionCheck, CheckOutcome)>::new());
    // The provider as it was tested, whether it had a key, and its response.
    let tested = RwSignal::new(None::<(Arc<Provider>, bool, Result<ListedModels, ProviderError>)>);
    // The models in use may change after the test.
    let results = select(move || {
        tested.with(|tested| {
            let Some((provider, had_key, response)) = tested else { return first.get() };
            let mut used: Vec<_> =
                agents.on(&provider.id).iter().map(|agent| agent.config.model.clone()).collect();
            used.small_sort();
            used.dedup();
            after(provider, *had_key, &used, response)
        })
    });
    let test = move |_| {
        let row = row.get_untracked();
        let provider = row.provider;
        let has_key = matches!(row.key, KeyState::Usable(_));
        let host_access = host_access(&provider);
        let cannot_test =
            host_access != HostAccess::Open || (provider.needs_key && row.key == KeyState::Locked);
        first.set(before(&provider, host_access, row.key));
        tested.set(None);
        if cannot_test || busy.get_untracked() {
            return;
        }
        busy.set(true);
        spawn_local(async move {
            let response = dispatch.engine().test_connection(provider.id.clone()).await;
            busy.set(false);
            tested.set(Some((provider, has_key, response)));
        });
    };
    let steps = move || results.get().into_iter().map(|(check, outcome)| step(check, &outcome));
    let is_no_answer =
        |(_, outcome): &(_, CheckOutcome)| matches!(outcome, CheckOutcome::Failed(CheckDetail::NoAnswer(_)));
    let no_answer = move || results.with(|results| results.iter().any(is_no_answer));
    let checklist = move || {
        let (preset, url) = row.with(|row| (preset_of(&row.provider), row.provider.base_url.clone()));
        let origin = address::page_origin();
        let page = strings::PageContext { origin: &origin, online: address::online() };
        let items = strings::checklist(preset, &url, page).into_iter();
        view! {
            <div class="callout">
                <p><b>{words::CHECKLIST}</b></p>
                <ul class="checklist">{items.map(|item| view! { <li>{with_code(&item)}</li> })}</ul>
            </div>
        }
    };
    view! {
        <div class="field">
            <div>
                {button(move || if busy.get() { words::TESTING } else { words::TEST })
                    .test("provider-test").disabled(busy).on_click(test)}
            </div>
            <div role="status" aria-busy=move || busy.get().to_string()>
                <ol class="test-steps">{steps}</ol>
            </div>
            <Show when=no_answer>{checklist}</Show>
        </div>
    }
}

fn step(check: ConnectionCheck, outcome: &CheckOutcome) -> Markup {
    let (state, symbol, detail) = match outcome {
        CheckOutcome::Passed(detail) => ("passed", "✓", detail),
        CheckOutcome::Failed(detail) => ("failed", "✗", detail),
        CheckOutcome::Unknown(detail) => ("unknown", "–", detail),
    };
    view! {
        <li data-testid="provider-test-step" data-check=json::name(&check) data-state=state>
            <span aria-hidden="true">{symbol}</span>
            <b>{strings::check(check)}</b>
            <span>{strings::seen(detail)}</span>
        </li>
    }
}

pub(crate) fn host_access(provider: &Provider) -> HostAccess {
    if !is_callable(&provider.base_url) {
        return HostAccess::Closed;
    }
    match provider.origin() {
        Some(origin) if !address::may_call(&origin) => HostAccess::AfterReload,
        Some(_) | None => HostAccess::Open,
    }
}

/// Formats the parts of a sentence between backticks as code.
pub(crate) fn with_code(sentence: &str) -> Markup {
    let part = |(at, text): (usize, &str)| {
        let text = text.to_owned();
        if at % 2 == 0 {
            text.into_markup()
        } else {
            view! { <code>{text}</code> }
        }
    };
    sentence.split('`').enumerate().map(part).into_markup()
}
