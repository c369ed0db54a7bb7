//! Providers, agents and settings that a dump contains, each with a button to adopt it.

use std::rc::Rc;

use send_wrapper::SendWrapper;

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::Providers;
use nexus_engine::backup::ImportPlan;
use nexus_model::command::Command;
use nexus_model::dump::proposal::ImportProposal;
use nexus_model::settings::schema::import_name;
pub use nexus_view::strings::settings::data as words;

/// The most characters of a setting's value that are shown.
const VALUE_CHARS: usize = 200;

#[component]
pub fn ProposalList(
    /// What would come.
    plan: SendWrapper<Rc<ImportPlan>>,
) -> impl IntoMarkup {
    let rows = plan.proposals.iter().cloned().map(|proposal| view! { <ProposalLine proposal /> });
    view! {
        <section class="data-proposals" hidden=plan.proposals.is_empty() data-testid="data-proposals">
            <h4>{words::PROPOSALS}</h4>
            <p class="hint">{words::PROPOSALS_ABOUT}</p>
            <ul>{rows}</ul>
        </section>
    }
}

#[component]
fn ProposalLine(proposal: ImportProposal) -> impl IntoMarkup {
    let (dispatch, providers) = (expect_context::<Dispatch>(), expect_context::<Providers>());
    let is_done = RwSignal::new(false);
    let (kind, key, name) = match &proposal {
        ImportProposal::Provider { provider, .. } => {
            ("provider", provider.id.to_string(), provider.label.clone())
        }
        ImportProposal::Agent { agent, .. } => ("agent", agent.key.to_string(), agent.identity.name.clone()),
        ImportProposal::Setting { name, .. } => ("setting", name.clone(), import_name(name)),
    };
    let needs = match &proposal {
        ImportProposal::Agent { agent, .. } => Some(agent.config.provider.clone()),
        ImportProposal::Provider { .. } | ImportProposal::Setting { .. } => None,
    };
    // An agent whose provider was taken over a moment ago can follow it.
    let can = select(move || {
        needs.as_ref().is_none_or(|id| {
            providers.order().with(|order| order.contains(id)) && providers.row(id).is_some()
        })
    });
    let about = {
        let proposal = proposal.clone();
        move || match &proposal {
            ImportProposal::Provider { provider, here } => {
                words::would_call(&provider.base_url, here.as_deref())
            }
            ImportProposal::Agent { is_here, .. } => words::agent(*is_here, can.get()).to_owned(),
            ImportProposal::Setting { value, .. } => {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                text.chars().take(VALUE_CHARS).collect()
            }
        }
    };
    let accept = move |_| {
        let command = match proposal.clone() {
            ImportProposal::Provider { provider, .. } => Command::ChangeProvider { provider },
            ImportProposal::Agent { agent, .. } => Command::ChangeAgent { agent: *agent },
            ImportProposal::Setting { name, value } => Command::ChangeSetting { name, value },
        };
        dispatch.send_then(command, move |outcome| {
            is_done.try_set(outcome.is_ok());
        });
    };
    view! {
        <li data-testid="data-proposal" data-kind=kind data-key=key>
            <span class="settings-card-words">
                <b>{name}</b>
                <span class="hint">{about}</span>
            </span>
            {button(move || if is_done.get() { words::ACCEPTED } else { words::ACCEPT }).test("data-accept")
                .disabled(move || is_done.get() || !can.get()).on_click(accept)}
        </li>
    }
}
