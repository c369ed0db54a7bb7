//! An agent's permissions: tools, files and API keys.

use crate::ui::kit::prelude::*;
use crate::ui::settings::agents::editor::AgentEditor;
use crate::ui::settings::tool_rules::rule_row;
use crate::ui::view_state::AgentRow;
use nexus_engine::tools;
use nexus_model::agent::Agent;
use nexus_model::agent::permission::{ruling, set_own};
use nexus_view::strings::settings as words;

/// What an agent may do.
#[component]
pub fn RuleFields(
    row: Selector<AgentRow>,
    /// Makes the edits.
    change: AgentEditor,
) -> impl IntoMarkup {
    let key = row.with_untracked(|row| row.agent.key.0.clone());
    let tools = tools::all().map(|(tool, class)| {
        let id = format!("{key}-may-{tool}");
        let name = StoredValue::new(tool.clone());
        let now = move || row.with(|row| name.with_value(|tool| ruling(&[], &row.agent, tool, class)));
        let choose = move |wanted| {
            let Some(wanted) = wanted else { return };
            change.agent(&|agent| {
                name.with_value(|tool| set_own(&mut agent.permissions, tool, class, wanted));
            });
        };
        let shown = view! { <code>{tool.clone()}</code> };
        rule_row(id, "agent-tool", tool, shown, None, move || Some(now()), choose)
    });
    let files = select(move || {
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
    let keep_own = move |own: bool| {
        let keep = move |agent: &mut Agent| {
            agent.permissions.credentials = own.then(|| vec![agent.config.provider.clone()]);
        };
        change.agent(&keep);
    };
    let legend = format!("{key}-rules");
    view! {
        <details class="guide">
            <summary id=legend.clone()>{words::RULES_OF_AGENT}</summary>
            <ul class="rules" aria-labelledby=legend>{tools}</ul>
            {text_field(format!("{key}-files"), words::FILES, files, keep_files)
                .test("agent-files").hint(words::FILES_ABOUT).example(words::FILES_EXAMPLE).code()}
            {check(words::OWN_KEY_ONLY, own_only, keep_own).test("agent-own-key")}
            <p class="hint">{words::OWN_KEY_ONLY_ABOUT}</p>
        </details>
    }
}
