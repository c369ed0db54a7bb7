//! The device's tool rules, which apply to all agents.

use serde_json::Value;

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::{Notices, Settings};
use nexus_engine::tools;
use nexus_model::agent::permission::{
    PermissionDecision, ToolRule, device_ruling, rules_in, with_device_ruling,
};
use nexus_model::command::Command;
use nexus_model::settings::schema::TOOL_RULES;
use nexus_text::json;
pub use nexus_view::strings::settings::limits as words;
use nexus_view::strings::settings::ruling as ruling_name;

/// The rules of the device.
#[component]
pub fn ToolRuleFields() -> impl IntoMarkup {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let kept = settings.value(TOOL_RULES);
    let rules = select(move || kept.with(|kept| rules_in(kept.as_deref())));
    let send = move |rules: &[ToolRule]| {
        // Names and words can always be written.
        if let Ok(value) = json::to_tree(rules) {
            dispatch.set_setting(TOOL_RULES, value);
        }
    };
    let notices = expect_context::<Notices>();
    let reset = move |_| {
        let set = |value| Command::ChangeSetting { name: TOOL_RULES.name().to_owned(), value };
        let before = kept.get_untracked();
        dispatch.send_then(set(Value::Null), move |outcome| {
            if let (Ok(()), Some(before)) = (outcome, before) {
                notices.tell_undo(words::RULES_RESET, move || set(Value::clone(&before)));
            }
        });
    };
    let names: Vec<String> = tools::all().map(|(tool, _)| tool).collect();
    let listed = names.clone();
    let has_others = select(move || {
        rules.with(|rules| rules.iter().any(|rule| rule.agent.is_some() || !listed.contains(&rule.tool)))
    });
    let row = move |tool: String| {
        let id = format!("rule-{tool}");
        let name = StoredValue::new(tool.clone());
        let now = select(move || rules.with(|rules| name.with_value(|tool| device_ruling(rules, tool))));
        let choose = move |wanted| {
            send(&with_device_ruling(rules.get_untracked(), &name.get_value(), wanted));
        };
        let shown = view! { <code>{tool.clone()}</code> };
        rule_row(id, "rule-tool", tool, shown, Some(words::AS_AGENT.get()), move || now.get(), choose)
    };
    view! {
        <div class="settings-card">
            <p class="hint">{words::RULES_ORDER}</p>
            <ul class="rules">{names.into_iter().map(row)}</ul>
            <Show when=move || has_others.get()>
                <div class="callout">
                    <p>{words::RULES_OTHER}</p>
                    {button(words::RULES_FORGET).test("rule-forget").on_click(reset)}
                </div>
            </Show>
        </div>
    }
}

/// A tool or a group with the choice of what it may. Where nothing else is decided, `usual` is so.
pub fn rule_row(
    id: String,
    test: &'static str,
    tool: String,
    shown: impl IntoMarkup,
    usual: Option<&'static str>,
    now: impl Fn() -> Option<PermissionDecision> + Send + Sync + 'static,
    choose: impl Fn(Option<PermissionDecision>) + 'static,
) -> Markup {
    let usual = usual.map(|usual| (String::new(), usual.to_owned()));
    let rulings = PermissionDecision::ALL.map(|one| (one.name().to_owned(), ruling_name(one).to_owned()));
    let now = select(move || now().map_or("", PermissionDecision::name).to_owned());
    let options = options(usual.into_iter().chain(rulings).collect(), now);
    let choose = move |value: String| {
        choose(PermissionDecision::named(&value));
    };
    view! {
        <li class="rule">
            <label for=id.clone()>{shown}</label>
            {select_box(options, choose).id(id).test(test).with("data-tool", tool)}
        </li>
    }
}
