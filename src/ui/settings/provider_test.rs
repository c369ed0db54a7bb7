//! Never asks a provider without a click.
//!
//! Owns the test of a connection, which says step by step what it saw.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::domain::connection::{Check, Gate, KeyAtHand, Outcome, Seen, after, before};
use crate::domain::presets::host_of;
use crate::engine::keys::KeyState;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::address;
use crate::ui::settings::provider::{gate, with_code};
use crate::ui::view_state::{Agents, ProviderRow};
use crate::ui::words;
use crate::ui::words::provider_card as card_words;

type Checks = Vec<(Check, Outcome)>;

/// The button and what came of it.
#[component]
pub fn ConnectionTest(
    /// What it shows.
    row: Signal<ProviderRow>,
    /// The agents.
    agents: Agents,
) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let (busy, told) = (RwSignal::new(false), RwSignal::new(Checks::new()));
    let test = move |_| {
        let row = row.get_untracked();
        let provider = row.provider;
        let key = match row.key {
            KeyState::Here(_) => KeyAtHand::Yes,
            KeyState::Locked => KeyAtHand::Locked,
            KeyState::Missing => KeyAtHand::No,
        };
        let gate = gate(&provider);
        let first = before(&provider, gate, key);
        let is_hopeless = gate != Gate::Open || (provider.needs_key && key == KeyAtHand::Locked);
        told.set(first);
        if is_hopeless || busy.get_untracked() {
            return;
        }
        busy.set(true);
        let mut used: Vec<_> =
            untrack(|| agents.on(&provider.id)).iter().map(|agent| agent.config.model.clone()).collect();
        used.sort();
        used.dedup();
        spawn_local(async move {
            let answer = dispatch.list_models(provider.id.clone()).await;
            // The screen may be gone by now; the list was kept all the same.
            busy.try_set(false);
            told.try_set(after(&provider, key == KeyAtHand::Yes, &used, &answer));
        });
    };
    let steps = move || told.get().into_iter().map(|(check, outcome)| step(check, &outcome)).collect_view();
    let no_answer = move || {
        told.with(|told| {
            told.iter().any(|(_, outcome)| matches!(outcome, Outcome::Failed(Seen::NoAnswer(_))))
        })
    };
    let checklist = move || {
        let (host, url) = row.with(|row| (host_of(&row.provider), row.provider.base_url.clone()));
        let origin = address::page_origin();
        let page = words::Page { origin: &origin, online: address::online() };
        let items = words::checklist(host, &url, page).into_iter();
        view! { class="n",
            <div class="callout">
                <p><b>{card_words::CHECKLIST}</b></p>
                <ul class="checklist">
                    {items.map(|item| view! { class="n", <li>{with_code(&item)}</li> }).collect_view()}
                </ul>
            </div>
        }
    };
    view! { class="n",
        <div class="field">
            <div>
                <button
                    type="button"
                    class="button"
                    data-testid="provider-test"
                    disabled=move || busy.get()
                    on:click=test
                >
                    {move || if busy.get() { card_words::TESTING } else { card_words::TEST }}
                </button>
            </div>
            <div role="status" aria-busy=move || busy.get().to_string()>
                <ol class="test-steps">{steps}</ol>
            </div>
            <Show when=no_answer>{checklist}</Show>
        </div>
    }
}

fn step(check: Check, outcome: &Outcome) -> AnyView {
    let (state, sign, seen) = match outcome {
        Outcome::Passed(seen) => ("passed", "✓", seen),
        Outcome::Failed(seen) => ("failed", "✗", seen),
        Outcome::Unknown(seen) => ("unknown", "–", seen),
    };
    view! { class="n",
        <li data-testid="provider-test-step" data-check=check_name(check) data-state=state>
            <span aria-hidden="true">{sign}</span>
            <b>{words::check(check)}</b>
            <span>{words::seen(seen)}</span>
        </li>
    }
    .into_any()
}

fn check_name(check: Check) -> &'static str {
    match check {
        Check::Address => "address",
        Check::Reached => "reached",
        Check::Key => "key",
        Check::Models => "models",
        Check::InUse => "in-use",
    }
}
