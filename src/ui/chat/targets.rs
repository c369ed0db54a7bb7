//! Selector for the recipients of the next message. Names in its text count as well.

use leptos::html::Select;
use leptos::prelude::*;

use crate::ui::kit::agent_badge::AgentBadge;
use crate::ui::kit::keyed_list::KeyedList;
use crate::ui::shell::dialogs::{DialogState, OpenDialog};
use crate::ui::view_state::Agents;
use nexus_model::id::AgentKey;
use nexus_model::session::Target;
use nexus_view::strings::search as words;

/// The value that means all agents.
const ALL: &str = "ALL";
/// The value that means another thread.
const OTHER: &str = "OTHER";

/// Whom the next message is for.
#[component]
pub fn TargetSelect(target: RwSignal<Target>) -> impl IntoView {
    let (agents, tree) = (expect_context::<Agents>(), expect_context::<DialogState>());
    let option = move |key: AgentKey| {
        let face = AgentBadge::of(Some(&key));
        view! { class="n", <option value=key.0>{move || format!("To {}", face.name())}</option> }
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
    view! { class="n",
        <select
            class="select"
            node_ref=place
            data-testid="target-select"
            aria-label="Whom the message is for"
            prop:value=value
            on:change=choose
        >
            <option value=ALL>{"To all agents"}</option>
            <KeyedList each=move || agents.order().get() key=Clone::clone children=option />
            <option value=OTHER>{words::TO_OTHER}</option>
        </select>
    }
}
