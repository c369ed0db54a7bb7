//! The connection test, step by step, on a click.

use leptos::task::spawn_local;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::address;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::{Agents, ProviderRow};
use nexus_engine::keys::KeyState;
use nexus_model::provider::Provider;
use nexus_model::provider::address::is_callable;
use nexus_model::provider::presets::host_of;
use nexus_text::small_sort::SmallSort as _;
use nexus_view::connection_test::{
    CheckDetail, CheckOutcome, ConnectionCheck, HostAccess, KeyAvailability, after, before,
};
use nexus_view::strings;
pub use nexus_view::strings::settings::provider_card as card_words;

type CheckResults = Vec<(ConnectionCheck, CheckOutcome)>;

/// The button and what came of it.
#[component]
pub fn ConnectionTest(row: Selector<ProviderRow>, agents: Agents) -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    let (busy, told) = (RwSignal::new(false), RwSignal::new(CheckResults::new()));
    let test = move |_| {
        let row = row.get_untracked();
        let provider = row.provider;
        let key = match row.key {
            KeyState::Here(_) => KeyAvailability::Yes,
            KeyState::Locked => KeyAvailability::Locked,
            KeyState::Missing => KeyAvailability::No,
        };
        let gate = gate(&provider);
        let first = before(&provider, gate, key);
        let is_hopeless = gate != HostAccess::Open || (provider.needs_key && key == KeyAvailability::Locked);
        told.set(first);
        if is_hopeless || busy.get_untracked() {
            return;
        }
        busy.set(true);
        let mut used: Vec<_> =
            untrack(|| agents.on(&provider.id)).iter().map(|agent| agent.config.model.clone()).collect();
        used.small_sort();
        used.dedup();
        spawn_local(async move {
            let answer = dispatch.test_connection(provider.id.clone()).await;
            // The screen may be gone by now; the list was kept all the same.
            busy.try_set(false);
            told.try_set(after(&provider, key == KeyAvailability::Yes, &used, &answer));
        });
    };
    let steps = move || told.get().into_iter().map(|(check, outcome)| step(check, &outcome));
    let no_answer = move || {
        told.with(|told| {
            told.iter().any(|(_, outcome)| matches!(outcome, CheckOutcome::Failed(CheckDetail::NoAnswer(_))))
        })
    };
    let checklist = move || {
        let (host, url) = row.with(|row| (host_of(&row.provider), row.provider.base_url.clone()));
        let origin = address::page_origin();
        let page = strings::PageContext { origin: &origin, online: address::online() };
        let items = strings::checklist(host, &url, page).into_iter();
        view! {
            <div class="callout">
                <p><b>{card_words::CHECKLIST}</b></p>
                <ul class="checklist">{items.map(|item| view! { <li>{with_code(&item)}</li> })}</ul>
            </div>
        }
    };
    view! {
        <div class="field">
            <div>
                {button(move || if busy.get() { card_words::TESTING } else { card_words::TEST })
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
    let (state, sign, seen) = match outcome {
        CheckOutcome::Passed(seen) => ("passed", "✓", seen),
        CheckOutcome::Failed(seen) => ("failed", "✗", seen),
        CheckOutcome::Unknown(seen) => ("unknown", "–", seen),
    };
    view! {
        <li data-testid="provider-test-step" data-check=check_name(check) data-state=state>
            <span aria-hidden="true">{sign}</span>
            <b>{strings::check(check)}</b>
            <span>{strings::seen(seen)}</span>
        </li>
    }
}

fn check_name(check: ConnectionCheck) -> &'static str {
    match check {
        ConnectionCheck::Address => "address",
        ConnectionCheck::Reached => "reached",
        ConnectionCheck::Key => "key",
        ConnectionCheck::Models => "models",
        ConnectionCheck::InUse => "in-use",
    }
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

/// A sentence whose pieces between backticks are typed as they stand.
pub(crate) fn with_code(sentence: &str) -> Markup {
    let piece = |(at, text): (usize, &str)| {
        let text = text.to_owned();
        if at % 2 == 0 {
            text.into_markup()
        } else {
            view! { <code>{text}</code> }
        }
    };
    sentence.split('`').enumerate().map(piece).into_markup()
}
