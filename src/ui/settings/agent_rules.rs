//! Never decides whether a call may run: the gate stands where tools run.
//!
//! Owns what an agent may do: its tools, its files, the keys that it may use.

use leptos::prelude::*;

use crate::domain::agent::{Agent, Permissions};
use crate::domain::permission::Ruling;
use crate::engine::tools::Registry;
use crate::ui::settings::agent::Changer;
use crate::ui::settings::field::{Entry, Tag, TextField};
use crate::ui::view_state::AgentRow;
use crate::ui::words::settings as words;

/// What an agent may do.
#[component]
pub fn RuleFields(
    /// What it shows.
    row: Signal<AgentRow>,
    /// Makes the edits.
    change: Changer,
) -> impl IntoView {
    let key = row.with_untracked(|row| row.agent.key.0.clone());
    let tools = Registry::default().names().into_iter().map(|tool| {
        let id = format!("{key}-may-{tool}");
        let name = StoredValue::new(tool.clone());
        let kept = move || row.with(|row| name.with_value(|tool| rule_of(&row.agent.permissions, tool)));
        let choose = move |ev| {
            let chosen = event_target_value(&ev);
            let Some(rule) = Ruling::ALL.into_iter().find(|rule| rule.name() == chosen) else { return };
            change.agent(&|agent| name.with_value(|tool| set_rule(&mut agent.permissions, tool, rule)));
        };
        let options = Ruling::ALL.map(|rule| {
            view! { class="n",
                <option value=rule.name() prop:selected=move || kept() == rule>{words::rule(rule)}</option>
            }
        });
        view! { class="n",
            <li class="rule">
                <label for=id.clone()>
                    <code>{tool.clone()}</code>
                </label>
                <select id=id class="select" data-testid="agent-tool" data-tool=tool on:change=choose>
                    {options}
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
            <ul class="rules" aria-labelledby=legend>{tools.collect_view()}</ul>
            <TextField
                tag=Tag::known(format!("{key}-files"), "agent-files")
                title=words::FILES
                hint=words::FILES_ABOUT
                example=words::FILES_EXAMPLE
                entry=Entry::Code
                value=files
                keep=keep_files
            />
            <label class="check">
                <input type="checkbox" data-testid="agent-own-key" prop:checked=own_only on:change=keep_own />
                {words::OWN_KEY_ONLY}
            </label>
        </details>
    }
}

/// What the agent's own rules say of a tool.
fn rule_of(permissions: &Permissions, tool: &str) -> Ruling {
    if !permissions.allow_tool(tool) {
        Ruling::Deny
    } else if permissions.tools_ask.iter().any(|name| name == tool) {
        Ruling::Ask
    } else {
        Ruling::Allow
    }
}

fn set_rule(permissions: &mut Permissions, tool: &str, rule: Ruling) {
    permissions.tools_denied.retain(|name| name != tool);
    permissions.tools_ask.retain(|name| name != tool);
    match rule {
        Ruling::Deny => permissions.tools_denied.push(tool.to_owned()),
        Ruling::Ask => {
            // Who wants to be asked takes an earlier “always” back.
            permissions.tools_always.retain(|name| name != tool);
            permissions.tools_ask.push(tool.to_owned());
        }
        Ruling::Allow => {}
    }
    if rule != Ruling::Deny
        && let Some(allowed) = &mut permissions.tools_allowed
        && !allowed.iter().any(|name| name == tool)
    {
        allowed.push(tool.to_owned());
    }
}
