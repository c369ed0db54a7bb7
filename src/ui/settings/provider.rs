//! Never shows or stores a key: it goes from the field to the key ring of this tab.
//!
//! Owns the card of a provider: its address, its key, and letting all agents use it.

use leptos::html::Input;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::domain::command::Command;
use crate::domain::provider::{Provider, origin_of};
use crate::domain::roster::{GEMINI_MODEL, REHEARSAL_MODEL};
use crate::ui::dispatch::Dispatch;
use crate::ui::first_start::use_for_all;
use crate::ui::settings::field::{Entry, Tag, TextField};
use crate::ui::view_state::{Agents, ProviderRow};
use crate::ui::words::settings as words;

/// The model that agents get with a provider, until another one is chosen.
pub(super) fn first_model(provider: &Provider) -> &'static str {
    if provider.is_rehearsal() { REHEARSAL_MODEL } else { GEMINI_MODEL }
}

/// The card of a provider.
#[component]
pub fn ProviderCard(
    /// What it shows.
    row: Signal<ProviderRow>,
    /// The agents.
    agents: Agents,
) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let provider = move || row.with(|row| row.provider.clone());
    let is_rehearsal = row.with_untracked(|row| row.provider.is_rehearsal());
    let used_by_all = move || {
        let id = row.with(|row| row.provider.id.clone());
        let uses = |key| agents.row(&key).is_some_and(|agent| agent.with(|a| a.agent.config.provider == id));
        agents.order().get().into_iter().all(uses)
    };
    let use_it = move |_| {
        let provider = row.with_untracked(|row| row.provider.clone());
        spawn_local(async move {
            // A refusal was told as a notice; the agents before it are changed, and show it.
            drop(use_for_all(dispatch, agents, &provider.id, first_model(&provider)).await);
        });
    };
    view! { class="n",
        <section class="settings-card" aria-label=move || provider().label.clone()>
            <div class="settings-card-head">
                <h3>{move || provider().label.clone()}</h3>
                <button type="button" class="button" disabled=used_by_all on:click=use_it>
                    {move || if used_by_all() { words::USED_BY_ALL } else { words::USE_FOR_ALL }}
                </button>
            </div>
            {if is_rehearsal {
                view! { class="n", <p class="hint">{words::REHEARSAL_ABOUT}</p> }.into_any()
            } else {
                view! { class="n", <KeyField row /> <AddressField row /> }.into_any()
            }}
        </section>
    }
}

#[component]
fn KeyField(row: Signal<ProviderRow>) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let input = NodeRef::<Input>::new();
    let put = move |key: &str| {
        let provider = row.with_untracked(|row| row.provider.clone());
        dispatch.put_key(&provider, key);
    };
    let change = move |ev| {
        let key = event_target_value(&ev);
        if !key.trim().is_empty() {
            put(&key);
            // What is in the key ring need not be on screen, even as dots.
            if let Some(input) = input.get_untracked() {
                input.set_value("");
            }
        }
    };
    let has_key = move || row.with(|row| row.has_key);
    let about = move || words::key_about(&row.with(|row| row.provider.origin().unwrap_or_default()));
    view! { class="n",
        <div class="field">
            <label class="field-name" for="provider-key">{words::KEY}</label>
            <div class="key-line">
                <input
                    node_ref=input
                    id="provider-key"
                    type="password"
                    class="input"
                    data-testid="provider-key"
                    data-face="code"
                    autocomplete="off"
                    spellcheck="false"
                    aria-describedby="provider-key-state provider-key-about"
                    placeholder=words::KEY_EXAMPLE
                    on:change=change
                />
                <button type="button" class="quiet" disabled=move || !has_key() on:click=move |_| put("")>
                    {words::KEY_FORGET}
                </button>
            </div>
            <p class="key-state" id="provider-key-state" role="status" data-held=move || has_key().to_string()>
                {move || if has_key() { words::KEY_HELD } else { words::KEY_MISSING }}
            </p>
            <p class="hint" id="provider-key-about">{about}</p>
        </div>
    }
}

#[component]
fn AddressField(row: Signal<ProviderRow>) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let keep = move |url: &str| {
        let url = url.trim_end_matches('/');
        let is_web = url.starts_with("https://") || url.starts_with("http://");
        if !is_web || origin_of(url).is_none() {
            return Err(words::BASE_URL_WRONG);
        }
        let mut provider = row.with_untracked(|row| (*row.provider).clone());
        if provider.base_url != url {
            provider.base_url = url.to_owned();
            dispatch.send(Command::ChangeProvider { provider });
        }
        Ok(())
    };
    view! { class="n",
        <TextField
            tag=Tag::known("provider-address", "provider-base-url")
            title=words::BASE_URL
            hint=words::BASE_URL_ABOUT
            entry=Entry::Code
            value=Signal::derive(move || row.with(|row| row.provider.base_url.clone()))
            keep
        />
    }
}
