//! The card of a provider: setup steps, name, address, and using it for all agents.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::ui::dispatch::Dispatch;
use crate::ui::first_start::use_for_all;
use crate::ui::hooks::address;
use crate::ui::settings::field::{ChoiceField, FieldIds, TextField, TextInputKind};
use crate::ui::settings::pending_edit::PendingEdit;
use crate::ui::settings::providers::connection_test::ConnectionTest;
use crate::ui::settings::providers::key::KeyField;
use crate::ui::settings::providers::remove::RemoveProviderButton;
use crate::ui::view_state::{Agents, ProviderRow, Providers};
use nexus_engine::keys::KeyState;
use nexus_model::agent::defaults::REHEARSAL_MODEL;
use nexus_model::command::Command;
use nexus_model::id::ProviderId;
use nexus_model::provider::address::{is_callable, mend};
use nexus_model::provider::presets::{host_of, preset_of};
use nexus_model::provider::{Protocol, Provider};
use nexus_view::connection_test::HostAccess;
use nexus_view::strings;
pub use nexus_view::strings::settings::provider_card as card_words;

/// The model that agents get with a provider: the one its preset begins with, else the first of its list.
pub(crate) fn first_model(row: &ProviderRow) -> String {
    if row.provider.is_rehearsal() {
        return REHEARSAL_MODEL.to_owned();
    }
    let usual = preset_of(&row.provider).and_then(|preset| preset.model);
    let listed = row.models.as_ref().map(|list| list.models.as_slice()).unwrap_or_default();
    let is_listed = |id: &&str| listed.is_empty() || listed.iter().any(|model| model.id == *id);
    let first = || listed.first().map(|model| model.id.clone()).unwrap_or_default();
    usual.filter(is_listed).map_or_else(first, str::to_owned)
}

/// The id of the head of a provider's card.
pub(crate) fn title_id(provider: &ProviderId) -> String {
    format!("provider-{provider}")
}

/// Whether this page may call a provider now.
pub(crate) fn gate(provider: &Provider) -> HostAccess {
    if !is_callable(&provider.base_url) {
        return HostAccess::Closed;
    }
    match provider.origin() {
        Some(origin) if !address::may_call(&origin) => HostAccess::AfterReload,
        Some(_) | None => HostAccess::Open,
    }
}

#[component]
pub fn ProviderCard(
    row: Signal<ProviderRow>,
    agents: Agents,
    providers: Providers,
    added: RwSignal<Option<ProviderId>>,
) -> impl IntoView {
    let id = row.with_untracked(|row| row.provider.id.clone());
    let is_rehearsal = row.with_untracked(|row| row.provider.is_rehearsal());
    let lacks_key = row.with_untracked(|row| row.provider.needs_key && row.key == KeyState::Missing);
    // Open where something has to be done; afterwards as the operator leaves it.
    let is_only =
        || providers.all_untracked().iter().filter(|provider| !provider.is_rehearsal()).count() == 1;
    let is_added = added.with_untracked(|added| added.as_ref() == Some(&id));
    let is_open = !is_rehearsal && (lacks_key || is_added || is_only());
    let wants_key =
        Memo::new(move |_| row.with(|row| row.provider.needs_key || row.key != KeyState::Missing));
    let label = move || row.with(|row| row.provider.label.clone());
    let tag = move || {
        row.with(|row| {
            (row.provider.needs_key || row.key != KeyState::Missing).then(|| card_words::key_tag(row.key))
        })
    };
    let held = move || row.with(|row| matches!(row.key, KeyState::Here(_)).to_string());
    view! { class="n",
        <details
            class="settings-card"
            open=is_open
            data-testid="provider-card"
            data-provider=id.0.clone()
        >
            <summary id=title_id(&id)>
                <span class="settings-card-words">
                    <b>{label}</b>
                    <span class="hint">{move || row.with(|row| row.provider.base_url.clone())}</span>
                </span>
                {move || tag().map(|tag| view! { class="n", <span class="tag" data-held=held>{tag}</span> })}
            </summary>
            <div class="settings-form">
                {if is_rehearsal {
                    view! { class="n",
                        <p class="hint">{card_words::DEMO_ABOUT}</p>
                        <UseForAll row agents />
                    }
                        .into_any()
                } else {
                    view! { class="n",
                        <ProviderGuide row />
                        <ProviderAddress row providers />
                        <ReloadNotice row />
                        {move || wants_key.get().then(|| view! { class="n", <KeyField row providers /> })}
                        <ConnectionTest row agents />
                        <div class="settings-acts">
                            <UseForAll row agents />
                            <RemoveProviderButton row agents />
                        </div>
                    }
                        .into_any()
                }}
            </div>
        </details>
    }
}

/// Lets all agents think with the provider.
#[component]
fn UseForAll(row: Signal<ProviderRow>, agents: Agents) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let used_by_all = move || {
        let id = row.with(|row| row.provider.id.clone());
        agents.on(&id).len() == agents.order().with(Vec::len)
    };
    let use_it = move |_| {
        let row = row.get_untracked();
        spawn_local(async move {
            // A refusal was told as a notice; the agents before it are changed, and show it.
            drop(use_for_all(dispatch, agents, &row.provider.id, &first_model(&row)).await);
        });
    };
    view! { class="n",
        <button type="button" class="button" disabled=used_by_all on:click=use_it data-testid="provider-use">
            {move || if used_by_all() { card_words::USED_BY_ALL } else { card_words::USE_FOR_ALL }}
        </button>
    }
}

/// What a person must do for the provider.
#[component]
fn ProviderGuide(row: Signal<ProviderRow>) -> impl IntoView {
    let steps = move || {
        let host = row.with(|row| host_of(&row.provider));
        let steps = strings::guide(host, &address::page_origin()).into_iter();
        steps.map(|step| view! { class="n", <li>{with_code(&step)}</li> }).collect_view()
    };
    let key_page = move || row.with(|row| preset_of(&row.provider).and_then(|preset| preset.key_page));
    let link = move || {
        key_page().map(|page| {
            view! { class="n",
                <li>
                    {card_words::KEY_PAGE}
                    {" "}
                    <a href=page target="_blank" rel="noopener noreferrer">{page}</a>
                </li>
            }
        })
    };
    view! { class="n",
        <details class="guide" open=row.with_untracked(|row| row.key == KeyState::Missing)>
            <summary>{card_words::GUIDE}</summary>
            <ol>{link} {steps}</ol>
        </details>
    }
}

/// A sentence whose pieces between backticks are typed as they stand.
pub(crate) fn with_code(sentence: &str) -> AnyView {
    let piece = |(at, text): (usize, &str)| {
        let text = text.to_owned();
        if at % 2 == 0 { text.into_any() } else { view! { class="n", <code>{text}</code> }.into_any() }
    };
    sentence.split('`').enumerate().map(piece).collect_view().into_any()
}

/// The provider's name, address and protocol.
#[component]
fn ProviderAddress(row: Signal<ProviderRow>, providers: Providers) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let id = row.with_untracked(|row| row.provider.id.clone());
    let field = |name: &str| format!("provider-{id}-{name}");
    let pending = PendingEdit::new();
    let change = move |edit: &dyn Fn(&mut Provider)| {
        let edited = row.with_untracked(|row| pending.edited(&*row.provider, edit));
        if let Some(provider) = edited {
            let answered = move |outcome: Result<(), _>| pending.answered(outcome.is_ok());
            dispatch.send_then(Command::ChangeProvider { provider }, answered);
        }
    };
    let keep_label = move |label: &str| {
        let own = row.with_untracked(|row| row.provider.id.clone());
        let taken = |other: &Provider| other.id != own && other.label.eq_ignore_ascii_case(label);
        if label.is_empty() {
            return Err(strings::settings::EMPTY);
        }
        if providers.all_untracked().iter().any(|other| taken(other)) {
            return Err(card_words::LABEL_TAKEN);
        }
        change(&|provider| label.clone_into(&mut provider.label));
        Ok(())
    };
    let keep_address = move |url: &str| {
        let url = mend(url).map_err(strings::address_problem)?;
        change(&|provider| url.clone_into(&mut provider.base_url));
        Ok(())
    };
    let keep_protocol = move |name: String| {
        if let Ok(protocol) = name.parse::<Protocol>() {
            change(&|provider| provider.protocol = protocol);
        }
    };
    let protocols = Protocol::ALL.map(|one| (one.as_str().to_owned(), card_words::protocol(one).to_owned()));
    let read = move |get: fn(&Provider) -> String| Signal::derive(move || row.with(|row| get(&row.provider)));
    view! { class="n",
        <div class="settings-row">
            <TextField
                tag=FieldIds::known(field("label"), "provider-label")
                title=card_words::LABEL
                hint=card_words::LABEL_ABOUT
                value=read(|provider| provider.label.clone())
                keep=keep_label
            />
            <ChoiceField
                tag=FieldIds::known(field("protocol"), "provider-protocol")
                title=card_words::PROTOCOL
                hint=card_words::PROTOCOL_ABOUT
                choices=Signal::stored(protocols.to_vec())
                value=read(|provider| provider.protocol.as_str().to_owned())
                keep=keep_protocol
            />
        </div>
        <TextField
            tag=FieldIds::known(field("address"), "provider-base-url")
            title=card_words::BASE_URL
            hint=card_words::BASE_URL_ABOUT
            entry=TextInputKind::Code
            value=read(|provider| provider.base_url.clone())
            keep=keep_address
        />
        <label class="check">
            <input
                type="checkbox"
                data-testid="provider-needs-key"
                prop:checked=move || row.with(|row| row.provider.needs_key)
                on:change=move |ev| {
                    let needs_key = event_target_checked(&ev);
                    change(&|provider| provider.needs_key = needs_key);
                }
            />
            {card_words::NEEDS_KEY}
        </label>
        <p class="hint">{card_words::NEEDS_KEY_ABOUT}</p>
    }
}

/// Says that the page has to load again before the provider can be called, and does it.
#[component]
fn ReloadNotice(row: Signal<ProviderRow>) -> impl IntoView {
    let waits = Memo::new(move |_| {
        row.with(|row| {
            (gate(&row.provider) == HostAccess::AfterReload).then(|| row.provider.origin()).flatten()
        })
    });
    move || {
        let origin = waits.get()?;
        Some(view! { class="n",
            <div class="callout" role="status" data-testid="provider-reload">
                <p>{strings::reload(&origin)}</p>
                <button type="button" class="button" data-weight="first" on:click=move |_| address::reload()>
                    {card_words::RELOAD}
                </button>
            </div>
        })
    }
}
