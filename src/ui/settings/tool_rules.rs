//! The device's tool rules, which apply to all agents; and the origins whose pages may embed Nexus and place drafts.
//!
//! The operator types each origin: an embedding page could trick them into clicking a button that offers it.

use serde_json::Value;

use crate::ui::prelude::*;
use nexus_engine::tools;
use nexus_model::agent::permission::{
    PermissionDecision, ToolRule, device_decision, rules_in, with_device_decision,
};
use nexus_model::settings::iframe_policy;
use nexus_model::settings::iframe_policy::{AllowedEmbedder, embedders, exact_origin};
use nexus_model::settings::schema::{EMBEDDER_ROWS, TOOL_RULES, info};
use nexus_text::json;
use nexus_view::strings::board::deleted;
use nexus_view::strings::settings::decision as ruling_name;
pub use nexus_view::strings::settings::{iframe as iframe_words, limits as words, triggers as own};

#[component]
pub fn ToolRuleFields() -> impl IntoMarkup {
    let (dispatch, settings) = (expect_context::<Dispatch>(), expect_context::<Settings>());
    let stored = settings.value(TOOL_RULES);
    let rules = select(move || stored.with(|stored| rules_in(stored.as_deref())));
    let send = move |rules: &[ToolRule]| {
        // Serialising rules cannot fail.
        if let Ok(value) = json::to_tree(rules) {
            dispatch.set_setting(TOOL_RULES, value);
        }
    };
    let reset = move |_| {
        let set = |value| Command::ChangeSetting { name: TOOL_RULES.name().to_owned(), value };
        if let Some(before) = stored.get_untracked() {
            dispatch.send_undoable(set(Value::Null), words::RULES_RESET, move || set(Value::clone(&before)));
        }
    };
    let names: Vec<String> = tools::all().map(|(tool, _)| tool).collect();
    let listed = names.clone();
    let has_others = select(move || {
        rules.with(|rules| rules.iter().any(|rule| rule.agent.is_some() || !listed.contains(&rule.tool)))
    });
    let row = move |tool: String| {
        let id = format!("rule-{tool}");
        let name = StoredValue::new(tool.clone());
        let now = select(move || rules.with(|rules| name.with_value(|tool| device_decision(rules, tool))));
        let choose = move |decision| {
            send(&with_device_decision(rules.get_untracked(), &name.get_value(), decision));
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

/// A tool or a group with its permission. `usual` labels the option without a decision.
pub fn rule_row(
    id: String,
    test: &'static str,
    tool: String,
    shown: impl IntoMarkup,
    default: Option<&'static str>,
    now: impl Fn() -> Option<PermissionDecision> + Send + Sync + 'static,
    choose: impl Fn(Option<PermissionDecision>) + 'static,
) -> Markup {
    let default = default.map(|default| (String::new(), default.to_owned()));
    let decisions = PermissionDecision::ALL.map(|one| (one.name().to_owned(), ruling_name(one).to_owned()));
    let now = select(move || now().map_or("", PermissionDecision::name).to_owned());
    let options = options(default.into_iter().chain(decisions).collect(), now);
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

pub(crate) const FIELD: &str = "page-origin";

#[component]
pub fn EmbedderList() -> impl IntoMarkup {
    let (dispatch, world) = (expect_context::<Dispatch>(), expect_context::<WorldReader>());
    let all = world.select(WorldParts::SETTINGS, embedders);
    let (input, problem) = (RwSignal::new(String::new()), RwSignal::new(None::<String>));
    let allow = move || {
        let origin = exact_origin(&input.get_untracked()).and_then(|origin| {
            let row = iframe_policy::row(&origin);
            world.with_untracked(|world| iframe_policy::check(world, &row)).map(|()| row)
        });
        match origin {
            Ok(row) => {
                problem.set(None);
                input.set(String::new());
                dispatch.set_row(&row, true);
            }
            Err(bad) => problem.set(Some(iframe_words::bad_page(bad))),
        }
        focus::soon(FIELD.to_owned());
    };
    view! {
        {move || all.get().into_iter().map(move |page| card(page, dispatch))}
        <form class="settings-card">
            <div class="field">
                <label class="field-name" for=FIELD>{Text(info(EMBEDDER_ROWS).label)}</label>
                <input
                    class="input" id=FIELD data-testid="page-origin" data-face="code" autocomplete="off"
                    spellcheck="false" placeholder="https://docs.example" aria-describedby="page-origin-about"
                    aria-invalid=move || problem.with(Option::is_some).then_some("true") prop:value=input
                    on:input=move |event| input.set(event_target_value(&event))
                />
                <p class="hint" id="page-origin-about">{iframe_words::PAGE_ABOUT}</p>
                <p class="field-problem" role="alert" data-testid="page-problem">{problem}</p>
            </div>
            <div class="settings-actions">
                // Not `submit`: sandboxed iframes submit nothing.
                <button
                    type="submit" class="button" data-testid="page-let-in"
                    on:click=move |event| {
                        event.prevent_default();
                        allow();
                    }
                >
                    {iframe_words::LET_IN}
                </button>
            </div>
        </form>
    }
}

fn card(page: AllowedEmbedder, dispatch: Dispatch) -> Markup {
    let AllowedEmbedder { origin, is_paused } = page;
    let row = iframe_policy::row(&origin);
    let (name, title) = (row.clone(), reveal(&origin));
    let set = move |value: Value| Command::ChangeSetting { name: name.clone(), value };
    let delete = move |_| {
        let set = set.clone();
        dispatch.send_undoable(set(Value::Null), deleted(&title), move || set(Value::Bool(!is_paused)));
    };
    let label = if is_paused { common::RESUME } else { own::PAUSE };
    view! {
        <div class="settings-card" data-testid="page" data-origin=origin.clone() data-rests=is_paused.to_string()>
            <h3 dir="ltr">{reveal(&origin)}</h3>
            <p>
                {iframe_words::MAY}
                {is_paused.then(|| view! { " " <span class="tag" data-testid="page-status">{iframe_words::RESTS}</span> })}
            </p>
            <div class="settings-actions">
                {button(label).test("page-pause").label(format!("{label}: {origin}"))
                    .on_click(move |_| dispatch.set_row(&row, is_paused))}
                {button(common::DELETE).test("page-delete").label(format!("{}: {origin}", common::DELETE))
                    .on_click(delete)}
            </div>
        </div>
    }
}
