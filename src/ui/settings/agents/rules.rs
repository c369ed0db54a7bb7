//! An agent's permissions: tools, files and API keys.

use leptos::prelude::*;

use crate::ui::settings::agents::agent::AgentEditor;
use crate::ui::settings::field::{FieldIds, TextField, TextInputKind};
use crate::ui::view_state::AgentRow;
use nexus_engine::tools::ToolRegistry;
use nexus_model::agent::Agent;
use nexus_model::agent::permission::{PermissionDecision, ruling, set_own};
use nexus_view::strings::settings as words;

/// What an agent may do.
#[component]
pub fn RuleFields(
    row: Signal<AgentRow>,
    /// Makes the edits.
    change: AgentEditor,
) -> impl IntoView {
    let key = row.with_untracked(|row| row.agent.key.0.clone());
    let registry = ToolRegistry::default();
    let tools = registry.all().map(|(tool, class)| {
        let id = format!("{key}-may-{tool}");
        let name = StoredValue::new(tool.clone());
        let now = move || row.with(|row| name.with_value(|tool| ruling(&[], &row.agent, tool, class)));
        let choose = move |ev| {
            let value = event_target_value(&ev);
            let Some(wanted) = PermissionDecision::ALL.into_iter().find(|ruling| ruling.name() == value) else { return };
            change.agent(&|agent| {
                name.with_value(|tool| set_own(&mut agent.permissions, tool, class, wanted));
            });
        };
        let option = move |ruling: PermissionDecision| {
            view! { class="n",
                <option value=ruling.name() prop:selected=move || now() == ruling>{words::ruling(ruling)}</option>
            }
        };
        view! { class="n",
            <li class="rule">
                <label for=id.clone()>
                    <code>{tool.clone()}</code>
                </label>
                <select id=id class="select" data-testid="agent-tool" data-tool=tool on:change=choose>
                    {PermissionDecision::ALL.map(option).into_iter().collect_view()}
                </select>
            </li>
        }
    });
    let files = Signal::derive(move || {
        row.with(|row| {
            row.agent.permissions.sandbox.as_ref().map(|files| files.join(", ")).unwrap_or_default()
        })
    });
    let keep_files = move |text: &str| {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let names: Vec<_> = names.map(str::to_owned).collect();
        change.agent(&|agent| agent.permissions.sandbox = (!names.is_empty()).then(|| names.clone()));
        Ok(())
    };
    let own_only = move || row.with(|row| row.agent.permissions.credentials.is_some());
    let keep_own = move |ev| {
        let own = event_target_checked(&ev);
        let keep = move |agent: &mut Agent| {
            agent.permissions.credentials = own.then(|| vec![agent.config.provider.clone()]);
        };
        change.agent(&keep);
    };
    let legend = format!("{key}-rules");
    view! { class="n",
        <details class="guide">
            <summary id=legend.clone()>{words::RULES_OF_AGENT}</summary>
            <ul class="rules" aria-labelledby=legend>{tools.collect::<Vec<_>>()}</ul>
            <TextField
                tag=FieldIds::known(format!("{key}-files"), "agent-files")
                title=words::FILES
                hint=words::FILES_ABOUT
                example=words::FILES_EXAMPLE
                entry=TextInputKind::Code
                value=files
                keep=keep_files
            />
            <label class="check">
                <input type="checkbox" data-testid="agent-own-key" prop:checked=own_only on:change=keep_own />
                {words::OWN_KEY_ONLY}
            </label>
            <p class="hint">{words::OWN_KEY_ONLY_ABOUT}</p>
        </details>
    }
}
