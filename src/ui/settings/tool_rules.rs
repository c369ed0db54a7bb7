//! The device's tool rules, which apply to all agents.

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::view_state::Settings;
use nexus_engine::tools::ToolRegistry;
use nexus_model::agent::permission::{
    PermissionDecision, ToolRule, device_ruling, rules_in, with_device_ruling,
};
use nexus_model::settings::schema::TOOL_RULES;
use nexus_text::json;
pub use nexus_view::strings::settings::limits as words;
use nexus_view::strings::settings::ruling as ruling_name;

/// The rules of the device.
#[component]
pub fn ToolRuleFields() -> impl IntoView {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let kept = settings.value(TOOL_RULES);
    let rules = Memo::new(move |_| kept.with(|kept| rules_in(kept.as_deref())));
    let send = move |rules: &[ToolRule]| {
        // Names and words can always be written.
        if let Ok(value) = json::to_tree(rules) {
            dispatch.set_setting(TOOL_RULES, value);
        }
    };
    let names: Vec<String> = ToolRegistry::default().all().map(|(tool, _)| tool).collect();
    let listed = names.clone();
    let has_others = Memo::new(move |_| {
        rules.with(|rules| rules.iter().any(|rule| rule.agent.is_some() || !listed.contains(&rule.tool)))
    });
    let row = move |tool: String| {
        let id = format!("rule-{tool}");
        let name = StoredValue::new(tool.clone());
        let now = Memo::new(move |_| rules.with(|rules| name.with_value(|tool| device_ruling(rules, tool))));
        let choose = move |ev| {
            let value = event_target_value(&ev);
            let wanted = PermissionDecision::ALL.into_iter().find(|ruling| ruling.name() == value);
            send(&with_device_ruling(rules.get_untracked(), &name.get_value(), wanted));
        };
        let option = move |ruling: Option<PermissionDecision>| {
            view! { class="n",
                <option value=ruling.map_or("", PermissionDecision::name) prop:selected=move || now.get() == ruling>
                    {ruling.map_or(words::AS_AGENT, ruling_name)}
                </option>
            }
        };
        let choices = std::iter::once(None).chain(PermissionDecision::ALL.into_iter().map(Some));
        view! { class="n",
            <li class="rule">
                <label for=id.clone()>
                    <code>{tool.clone()}</code>
                </label>
                <select id=id class="select" data-testid="rule-tool" data-tool=tool on:change=choose>
                    {choices.map(option).collect_view()}
                </select>
            </li>
        }
    };
    view! { class="n",
        <div class="settings-card">
            <p class="hint">{words::RULES_ORDER}</p>
            <ul class="rules">{names.into_iter().map(row).collect_view()}</ul>
            <Show when=move || has_others.get()>
                <div class="callout">
                    <p>{words::RULES_OTHER}</p>
                    <button type="button" class="button" data-testid="rule-forget" on:click=move |_| send(&[])>
                        {words::RULES_FORGET}
                    </button>
                </div>
            </Show>
        </div>
    }
}
