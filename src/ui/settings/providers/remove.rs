//! Removes a provider after a confirmation that lists the agents that use it.

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::{Agents, ProviderRow};
use nexus_model::command::Command;
pub use nexus_view::strings::settings::provider_card as words;

/// The button that removes a provider, and the question that it asks first.
#[component]
pub fn RemoveProviderButton(row: Selector<ProviderRow>, agents: Agents) -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    let asked = RwSignal::new(false);
    let users = move || {
        let id = row.with(|row| row.provider.id.clone());
        agents.on(&id).iter().map(|agent| agent.identity.name.clone()).collect::<Vec<_>>()
    };
    let remove = move |_| {
        let provider = row.with_untracked(|row| row.provider.id.clone());
        dispatch.send(Command::RemoveProvider { provider, move_agents: true });
    };
    let question = move || {
        let users = users();
        let about = words::remove_about(&row.with(|row| row.provider.label.clone()), &users);
        let verb = if users.is_empty() { words::REMOVE_YES } else { words::REMOVE_AND_MOVE };
        view! {
            <div class="callout" role="alert">
                <p>{about}</p>
                <div class="settings-acts">
                    {button(verb).danger().test("provider-remove-yes").on_click(remove)}
                    {button(words::REMOVE_NO).on_click(move |_| asked.set(false))}
                </div>
            </div>
        }
    };
    view! {
        {button(words::REMOVE).danger().test("provider-remove")
            .with("aria-expanded", move || asked.get().to_string()).on_click(move |_| asked.set(true))}
        <Show when=move || asked.get()>{question}</Show>
    }
}
