//! Selector for the recipients of the next message. Names in its text count as well.

use leptos::html::Select;

use crate::ui::agents::badge::AgentBadge;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::Agents;
use crate::ui::workspace::dialogs::{DialogState, OpenDialog};
use nexus_model::id::AgentKey;
use nexus_model::session::Target;
use nexus_view::language::{text, tr};
use nexus_view::strings::search as words;

/// The value that means all agents.
const ALL: &str = "ALL";
/// The value that means another thread.
const OTHER: &str = "OTHER";

/// Whom the next message is for.
#[component]
pub fn TargetSelect(target: RwSignal<Target>) -> impl IntoMarkup {
    let (agents, tree) = (expect_context::<Agents>(), expect_context::<DialogState>());
    let option = move |key: AgentKey| {
        let face = AgentBadge::of(Some(&key));
        view! { <option value=key.0>{move || text!("To {}", face.name())}</option> }
    };
    let place = NodeRef::<Select>::new();
    let value_of = |target: &Target| match target {
        Target::All => ALL.to_owned(),
        Target::Agents(agents) => agents.first().map_or_else(|| ALL.to_owned(), |agent| agent.0.clone()),
    };
    let value = move || target.with(value_of);
    let value_now = move || target.with_untracked(value_of);
    let choose = move |event| {
        let value = event_target_value(&event);
        if value == OTHER {
            // The choice itself stays as it was.
            if let Some(select) = place.get_untracked() {
                select.set_value(&value_now());
            }
            return tree.open(OpenDialog::SendTo);
        }
        target.set(if value == ALL { Target::All } else { Target::Agents(vec![AgentKey(value)]) });
    };
    view! {
        <select
            class="select" node_ref=place data-testid="target-select" aria-label=tr("Send to")
            prop:value=value on:change=choose
        >
            <option value=ALL>{tr("To all agents")}</option>
            {keyed_list(move || agents.order().get(), Clone::clone, option)}
            <option value=OTHER>{words::TO_OTHER}</option>
        </select>
    }
}
