//! Settings of this device: appearance, single-key shortcuts, the operator's name, delivery during a run;
//! notifications, for which the browser's permission is requested only on a click; tool rules, which apply to all
//! agents; and the origins whose pages may embed Nexus and place drafts.
//!
//! The operator types each origin: an embedding page could trick them into clicking a button that offers it.

use crate::ui::chat::queue::default_mode;
use crate::ui::hooks::attention;
use crate::ui::hooks::attention::NotificationAccess;
use crate::ui::prelude::*;
use crate::ui::settings::pending_edit::{PendingEdit, setting_choice, setting_fields};
use nexus_engine::tools;
use nexus_model::agent::permission::{
    PermissionDecision, ToolRule, asks_before_writes, device_decision, rules_in, with_ask_before_writes,
    with_device_decision,
};
use nexus_model::settings::iframe_policy;
use nexus_model::settings::iframe_policy::{AllowedEmbedder, embedders, exact_origin};
use nexus_model::settings::schema::{
    DENSITY, EMBEDDER_ROWS, LANGUAGE, MOTION, NOTIFY, NOTIFY_SOUND, QUEUE_MODE, TEXT_SIZE, THEME, TOOL_RULES,
};
use nexus_view::strings::board::deleted;
use nexus_view::strings::chat::message_actions::settings as notification_words;
use nexus_view::strings::chat::queue as queue_words;
use nexus_view::strings::settings::{
    appearance as words, decision as ruling_name, iframe as iframe_words, limits as limits_words,
    triggers as own,
};

#[component]
pub fn AppearanceForm() -> impl IntoMarkup {
    let &Page { dispatch, settings, .. } = expect_context();
    let (on, stored) = (settings.get(SINGLE_KEYS), settings.value(SINGLE_KEYS));
    let problem = select(move || {
        let stored = stored.get().filter(|stored| !stored.is_null() && !stored.is_boolean());
        stored.map(|_| words::SWITCH_WRONG.to_owned())
    });
    let switch = vec![("on".to_owned(), tr("On").to_owned()), ("off".to_owned(), tr("Off").to_owned())];
    let mut languages = vec![(String::new(), common::BROWSER_LANGUAGE.to_owned())];
    // Languages are listed by their own names, so that their speakers find them.
    languages.extend(page::languages());
    let set_language = move |tag: String| {
        let value = if tag.is_empty() { Value::Null } else { tag.as_str().into() };
        let command = Command::ChangeSetting { name: LANGUAGE.name().to_owned(), value };
        dispatch.send_done(command, move || page::reload_in(tag));
    };
    view! {
        <div class="settings-card">
            {setting_fields(SettingGroup::Appearance)}
        </div>
        <div class="settings-card">
            {setting_choice(info(LANGUAGE), languages, settings.text(LANGUAGE), set_language)}
        </div>
        <div class="settings-card">
            {setting_choice(info(SINGLE_KEYS), switch,
                select(move || (if on.get() { "on" } else { "off" }).to_owned()),
                move |value| dispatch.set_setting(SINGLE_KEYS, value == "on")).problem(problem)}
        </div>
    }
}

/// Applies the appearance to the page, on every screen.
pub fn use_appearance(settings: Settings) {
    for (attribute, choice) in [
        ("data-theme", THEME),
        ("data-density", DENSITY),
        ("data-text-size", TEXT_SIZE),
        ("data-motion", MOTION),
    ] {
        page::root_attribute(attribute, settings.text(choice));
    }
}

#[component]
pub fn OperatorForm() -> impl IntoMarkup {
    let &Page { dispatch, settings, .. } = expect_context();
    let default_mode = default_mode(settings);
    let modes = QueueMode::ALL.map(|mode| (mode.name().to_owned(), queue_words::in_full(mode)));
    view! {
        <div class="settings-card">
            {setting_fields(SettingGroup::You)}
            {setting_choice(info(QUEUE_MODE), modes.to_vec(),
                select(move || default_mode.get().name().to_owned()),
                move |mode| dispatch.set_setting(QUEUE_MODE, mode))}
        </div>
    }
}

#[component]
pub fn NotificationFields() -> impl IntoMarkup {
    let &Page { dispatch, settings, .. } = expect_context();
    let (notify, sound) = (settings.get(NOTIFY), settings.get(NOTIFY_SOUND));
    let problem = RwSignal::new(None::<Text>);
    let silent = RwSignal::new(None::<Text>);
    let problem_of = |permission| match permission {
        NotificationAccess::Granted | NotificationAccess::Open => None,
        NotificationAccess::Denied => Some(notification_words::REFUSED),
        NotificationAccess::None => Some(notification_words::NONE),
    };
    // A revoked permission is shown at its switch.
    if notify.get_untracked() {
        problem.set(problem_of(attention::permission()));
    }
    let switch = NodeRef::<Input>::new();
    // The checkbox shows the stored value until the browser grants the permission.
    let show_stored = move || {
        if let Some(switch) = switch.get_untracked() {
            switch.set_checked(notify.get_untracked());
        }
    };
    let switch_notify = move |event| {
        if !event_target_checked(&event) {
            problem.set(None);
            dispatch.set_setting(NOTIFY, false);
            return;
        }
        spawn_local(async move {
            let permission = attention::request().await;
            let allowed = permission == NotificationAccess::Granted;
            // A dismissed prompt counts as denied.
            let refused = (permission == NotificationAccess::Open).then_some(notification_words::REFUSED);
            problem.set(refused.or_else(|| problem_of(permission)));
            if allowed {
                dispatch.set_setting(NOTIFY, true);
            } else {
                show_stored();
            }
        });
    };
    let play_sample = move || silent.set((!attention::play()).then_some(notification_words::NO_SOUND));
    let sound_name = view! { <span class="field-name">{Text(info(NOTIFY_SOUND).label)}</span> };
    let switch_sound = move |on| {
        dispatch.set_setting(NOTIFY_SOUND, on);
        if on { play_sample() } else { silent.set(None) }
    };
    view! {
        <div class="settings-card">
            <div class="field">
                <label class="check">
                    <input
                        node_ref=switch type="checkbox" id="calls-notify" data-testid="calls-notify"
                        aria-describedby="calls-notify-about" prop:checked=notify on:change=switch_notify
                    />
                    <span class="field-name">{Text(info(NOTIFY).label)}</span>
                </label>
                <p class="hint" id="calls-notify-about">{Text(info(NOTIFY).hint)}</p>
                <p class="field-problem" role="alert" data-testid="calls-problem">{problem}</p>
            </div>
            <div class="field">
                {check(sound_name, sound, switch_sound).test("calls-sound").with("id", "calls-sound")
                    .with("aria-describedby", "calls-sound-about")}
                <p class="hint" id="calls-sound-about">{Text(info(NOTIFY_SOUND).hint)}</p>
                <p class="field-problem" role="alert">{silent}</p>
                <div>{button(notification_words::HEAR).test("calls-hear").on_click(move |_| play_sample())}</div>
            </div>
        </div>
    }
}

#[component]
pub fn ToolRuleFields() -> impl IntoMarkup {
    let &Page { dispatch, settings, .. } = expect_context();
    let stored = settings.value(TOOL_RULES);
    let rules = stored.map(move |stored| rules_in(stored.as_deref()));
    fn set(value: Value) -> Command {
        Command::ChangeSetting { name: TOOL_RULES.name().to_owned(), value }
    }
    let pending = PendingEdit::<Vec<ToolRule>>::of(rules);
    let change = move |edit: &dyn Fn(Vec<ToolRule>) -> Vec<ToolRule>| {
        let edit = |rules: &mut Vec<ToolRule>| *rules = edit(std::mem::take(rules));
        // Serialising rules cannot fail.
        let command = |rules: Vec<ToolRule>| set(json::to_tree(&rules).unwrap_or_default());
        pending.send(dispatch, &edit, command);
    };
    let reset = move |_| {
        pending.forget();
        if let Some(before) = stored.get_untracked() {
            dispatch.send_undoable(set(Value::Null), limits_words::RULES_RESET, move || {
                set(Value::clone(&before))
            });
        }
    };
    let names: Vec<String> = tools::all().map(|(tool, _)| tool).collect();
    let listed = names.clone();
    let has_others =
        rules.map(move |rules| rules.iter().any(|rule| rule.agent.is_some() || !listed.contains(&rule.tool)));
    let asks = rules.map(move |rules| asks_before_writes(rules));
    let row = move |tool: String| {
        let id = format!("rule-{tool}");
        let name = StoredValue::new(tool.clone());
        let now = rules.map(move |rules| name.with_value(|tool| device_decision(rules, tool)));
        let choose = move |decision| {
            change(&|rules| with_device_decision(rules, &name.get_value(), decision));
        };
        let shown = view! { <code>{tool.clone()}</code> };
        rule_row(id, "rule-tool", tool, shown, Some(limits_words::AS_AGENT.get()), move || now.get(), choose)
    };
    view! {
        <div class="settings-card">
            {check(limits_words::ASK_WRITES, asks, move |on| change(&|rules| with_ask_before_writes(rules, on)))
                .id("rule-ask-writes").test("rule-ask-writes")}
            <p class="hint">{limits_words::ASK_WRITES_ABOUT}</p>
            <p class="hint">{limits_words::RULES_ORDER}</p>
            <ul class="rules">{names.into_iter().map(row)}</ul>
            <Show when=move || has_others.get()>
                <div class="callout">
                    <p>{limits_words::RULES_OTHER}</p>
                    {button(limits_words::RULES_FORGET).test("rule-forget").on_click(reset)}
                </div>
            </Show>
            <AlwaysAllowed />
        </div>
    }
}

/// The tools that agents may use because the operator chose “always” in an approval, each with a button to remove it.
#[component]
fn AlwaysAllowed() -> impl IntoMarkup {
    let &Page { dispatch, sessions: Sessions { read_only, .. }, world, .. } = expect_context();
    let allowed = world.select(WorldParts::ROSTER, |world| {
        let mut allowed = Vec::new();
        for agent in world.roster() {
            let tools = agent.permissions.tools_always.iter();
            allowed.extend(tools.map(|tool| (agent.key.clone(), tool.clone())));
        }
        allowed
    });
    let remove = move |key: &AgentKey, tool: &str| {
        let agent = world.with_untracked(|world| world.agent(key).map(|agent| Agent::clone(agent)));
        if let Some(mut agent) = agent {
            agent.permissions.tools_always.retain(|name| name != tool);
            dispatch.send(Command::ChangeAgent { agent });
        }
    };
    let row = move |(agent, tool): (AgentKey, String)| {
        let name = AgentBadge::of(Some(&agent)).name();
        view! {
            <li class="rule" data-testid="rule-always">
                <span>{reveal(&name)} ": " <code>{tool.clone()}</code></span>
                {quiet_button(common::REMOVE).test("rule-always-remove").disabled(read_only)
                    .on_click(move |_| remove(&agent, &tool))}
            </li>
        }
    };
    move || {
        let rows: Vec<_> = allowed.get().into_iter().map(row).collect();
        (!rows.is_empty())
            .then(|| view! { <p class="hint">{limits_words::ALWAYS}</p> <ul class="rules">{rows}</ul> })
    }
}

/// A tool or a group with its permission. `default` labels the option without a decision.
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
    let choose = move |value: String| choose(PermissionDecision::named(&value));
    view! {
        <li class="rule">
            <label for=id.clone()>{shown}</label>
            {select_box(options, choose).id(id).test(test).with("data-tool", tool)}
        </li>
    }
}

const ORIGIN_FIELD: &str = "page-origin";

#[component]
pub fn EmbedderList() -> impl IntoMarkup {
    let &Page { dispatch, world, .. } = expect_context();
    let all = world.select(WorldParts::SETTINGS, embedders);
    let (input, problem) = (RwSignal::new(String::new()), RwSignal::new(None::<String>));
    let allow = move |event: MouseEvent| {
        event.prevent_default();
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
        focus::soon(ORIGIN_FIELD.to_owned());
    };
    view! {
        {move || all.get().into_iter().map(move |page| embedder_card(page, dispatch))}
        <form class="settings-card">
            <div class="field">
                <label class="field-name" for=ORIGIN_FIELD>{Text(info(EMBEDDER_ROWS).label)}</label>
                <input
                    class="input" id=ORIGIN_FIELD data-testid="page-origin" data-face="code" autocomplete="off"
                    spellcheck="false" placeholder="https://docs.example" aria-describedby="page-origin-about"
                    aria-invalid=move || problem.with(Option::is_some).then_some("true") prop:value=input
                    on:input=move |event| input.set(event_target_value(&event))
                />
                <p class="hint" id="page-origin-about">{iframe_words::PAGE_ABOUT}</p>
                <p class="field-problem" role="alert" data-testid="page-problem">{problem}</p>
            </div>
            <div class="settings-actions">
                // Not `submit`: sandboxed iframes submit nothing.
                <button type="submit" class="button" data-testid="page-let-in" on:click=allow>
                    {iframe_words::LET_IN}
                </button>
            </div>
        </form>
    }
}

fn embedder_card(page: AllowedEmbedder, dispatch: Dispatch) -> Markup {
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
