//! Never takes two things over with one click.
//!
//! Owns what a dump proposes for this device, each with the button that takes it over.

use std::rc::Rc;

use leptos::prelude::*;
use send_wrapper::SendWrapper;

use crate::domain::command::Command;
use crate::domain::dump::proposal::Proposal;
use crate::engine::data::Plan;
use crate::ui::dispatch::Dispatch;
use crate::ui::view_state::Providers;
use crate::ui::words::data as words;

/// The most characters of a setting's value that are shown.
const VALUE_CHARS: usize = 200;

/// The proposals.
#[component]
pub fn Proposals(
    /// What would come.
    plan: SendWrapper<Rc<Plan>>,
) -> impl IntoView {
    let rows = plan.proposals.iter().cloned().map(|proposal| view! { class="n", <Line proposal /> });
    view! { class="n",
        <section class="data-proposals" hidden=plan.proposals.is_empty() data-testid="data-proposals">
            <h4>{words::PROPOSALS}</h4>
            <p class="hint">{words::PROPOSALS_ABOUT}</p>
            <ul>{rows.collect_view()}</ul>
        </section>
    }
}

#[component]
fn Line(proposal: Proposal) -> impl IntoView {
    let (dispatch, providers) = (expect_context::<Dispatch>(), expect_context::<Providers>());
    let is_done = RwSignal::new(false);
    let (kind, key, name) = match &proposal {
        Proposal::Provider { provider, .. } => ("provider", provider.id.to_string(), provider.label.clone()),
        Proposal::Agent { agent, .. } => ("agent", agent.key.to_string(), agent.identity.name.clone()),
        Proposal::Setting { name, .. } => ("setting", name.clone(), words::setting(name).to_owned()),
    };
    let needs = match &proposal {
        Proposal::Agent { agent, .. } => Some(agent.config.provider.clone()),
        Proposal::Provider { .. } | Proposal::Setting { .. } => None,
    };
    // An agent whose provider was taken over a moment ago can follow it.
    let can = Memo::new(move |_| {
        needs.as_ref().is_none_or(|id| {
            providers.order().with(|order| order.contains(id)) && providers.row(id).is_some()
        })
    });
    let about = {
        let proposal = proposal.clone();
        move || match &proposal {
            Proposal::Provider { provider, here } => words::would_call(&provider.base_url, here.as_deref()),
            Proposal::Agent { is_here, .. } => words::agent(*is_here, can.get()).to_owned(),
            Proposal::Setting { value, .. } => {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                text.chars().take(VALUE_CHARS).collect()
            }
        }
    };
    let accept = move |_| {
        let command = match proposal.clone() {
            Proposal::Provider { provider, .. } => Command::ChangeProvider { provider },
            Proposal::Agent { agent, .. } => Command::ChangeAgent { agent: *agent },
            Proposal::Setting { name, value } => Command::ChangeSetting { name, value },
        };
        dispatch.send_then(command, move |outcome| {
            is_done.try_set(outcome.is_ok());
        });
    };
    view! { class="n",
        <li data-testid="data-proposal" data-kind=kind data-key=key>
            <span class="settings-card-words">
                <b>{name}</b>
                <span class="hint">{about}</span>
            </span>
            <button
                type="button"
                class="button"
                data-testid="data-accept"
                disabled=move || is_done.get() || !can.get()
                on:click=accept
            >
                {move || if is_done.get() { words::ACCEPTED } else { words::ACCEPT }}
            </button>
        </li>
    }
}
