//! The form of an agent's definition and permissions, with buttons for the agent as a whole: move, copy, export,
//! delete. Session-specific state is edited on its card in the war room.

use crate::ui::agents::badge::picture;
use crate::ui::hooks::files;
use crate::ui::prelude::*;
use crate::ui::settings::agents::model::ModelFields;
use crate::ui::settings::pending_edit::AgentEditor;
use crate::ui::settings::tool_rules::rule_row;
use nexus_engine::tools;
use nexus_model::agent::permission::{decision, set_agent_rule};
use nexus_model::agent::{Accent, Agent, AgentRole, Priority, defaults, file};
use nexus_view::language::translated;
use nexus_view::strings::chat::workers as worker_words;
use nexus_view::strings::{agents as card_words, settings as words};

#[component]
pub fn AgentForm(row: Selector<AgentRow>, agents: Agents, providers: Providers) -> impl IntoMarkup {
    let dispatch = expect_context::<Dispatch>();
    let change = AgentEditor::new(dispatch, row);
    let read = move |get: fn(&Agent) -> String| select(move || row.with(|row| get(&row.agent)));
    let agent_key = row.with_untracked(|row| row.agent.key.clone());
    let key = agent_key.0.clone();
    let id = |field: &str| format!("{key}-{field}");
    let is_name_taken = move |name: &str| {
        let own = row.with_untracked(|row| row.agent.key.clone());
        let same = |row: AgentRow| row.agent.identity.name.to_lowercase() == name.to_lowercase();
        let others = agents.order.get_untracked().into_iter().filter(|key| *key != own);
        others.filter_map(|key| agents.rows.get_untracked(&key)).any(same)
    };
    let set_name = move |name: &str| {
        if name.is_empty() {
            return Err(words::EMPTY);
        }
        if is_name_taken(name) {
            return Err(words::NAME_TAKEN);
        }
        change.agent(&|agent| name.clone_into(&mut agent.identity.name));
        Ok(())
    };
    let text_setter =
        move |edit: fn(&mut Agent, &str)| move |text: &str| change.agent(&|agent| edit(agent, text));
    let swatches = Accent::ALL.map(|accent| {
        view! {
            <label class="swatch" data-accent=accent.name() title=words::accent(accent)>
                <input
                    type="radio" name=id("accent") aria-label=words::accent(accent)
                    prop:checked=move || row.with(|row| row.agent.accent == accent)
                    on:change=move |_| change.agent(&|agent| agent.accent = accent)
                />
            </label>
        }
    });
    let head = title_id(&agent_key);

    view! {
        <details
            class="settings-card" open data-testid="agent-settings" data-agent=key.clone()
            data-accent=move || row.with(|row| row.agent.accent.name())
        >
            <summary id=head on:keydown=move |ev| shift_by_key(dispatch, agents, &agent_key, &ev)>
                <span class="avatar" aria-hidden="true">{move || row.with(|row| picture(&row.agent.identity))}</span>
                <span class="settings-card-words">
                    <b>{read(|agent| agent.identity.name.clone())}</b>
                    <span class="hint">{read(|agent| translated(&agent.description))}</span>
                </span>
                <Show when=move || row.with(|row| row.demo)>
                    <span class="tag" data-kind="rehearsal">{common::DEMO}</span>
                </Show>
            </summary>
            <div class="settings-form">
                <div class="settings-row">
                    {text_field(id("name"), common::NAME, read(|agent| agent.identity.name.clone()),
                        set_name)
                        .test("agent-name").hint(words::AGENT_NAME_ABOUT)}
                    {free_field(id("emoji"), words::EMOJI, read(|agent| agent.identity.emoji.clone()),
                        text_setter(|agent, text| text.clone_into(&mut agent.identity.emoji)))
                        .hint(words::EMOJI_ABOUT)}
                    <fieldset class="field">
                        <legend class="field-name">{words::COLOUR}</legend>
                        <div class="swatches">{swatches}</div>
                    </fieldset>
                </div>
                {free_field(id("description"), common::DESCRIPTION, read(|agent| agent.description.clone()),
                    text_setter(|agent, text| text.clone_into(&mut agent.description)))
                    .hint(words::DESCRIPTION_ABOUT)}
                {free_field(id("persona"), words::PERSONA, read(|agent| agent.identity.soul.clone()),
                    text_setter(|agent, text| text.clone_into(&mut agent.identity.soul)))
                    .hint(words::PERSONA_ABOUT).lines()}
                <ModelFields row change providers />
                <div class="settings-row">
                    {enum_field(id("role"), words::ROLE, &AgentRole::ALL, (AgentRole::name, words::role),
                        move || row.with(|row| Some(row.agent.role)),
                        move |role| change.agent(&|agent| agent.role = role)).hint(worker_words::ROLE_ABOUT)}
                    {enum_field(id("priority"), words::PRIORITY, &Priority::ALL, (Priority::name, card_words::priority),
                        move || row.with(|row| Some(row.agent.priority)),
                        move |priority| change.agent(&|agent| agent.priority = priority))
                        .hint(words::PRIORITY_ABOUT)}
                </div>
                <RuleFields row change />
                <AgentBar row agents providers />
            </div>
        </details>
    }
}

#[component]
pub fn RuleFields(row: Selector<AgentRow>, change: AgentEditor) -> impl IntoMarkup {
    let key = row.with_untracked(|row| row.agent.key.0.clone());
    let tools = tools::all().map(|(tool, class)| {
        let id = format!("{key}-may-{tool}");
        let name = StoredValue::new(tool.clone());
        let now = move || row.with(|row| name.with_value(|tool| decision(&[], &row.agent, tool, class)));
        let choose = move |decision| {
            let Some(decision) = decision else { return };
            change.agent(&|agent| {
                name.with_value(|tool| set_agent_rule(&mut agent.permissions, tool, class, decision));
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
    let set_files = move |text: &str| {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let names: Vec<_> = names.map(str::to_owned).collect();
        change.agent(&|agent| agent.permissions.sandbox = (!names.is_empty()).then(|| names.clone()));
    };
    let own_only = move || row.with(|row| row.agent.permissions.credentials.is_some());
    let set_own_only = move |own: bool| {
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
            {free_field(format!("{key}-files"), common::FILES, files, set_files)
                .test("agent-files").hint(words::FILES_ABOUT).example(common::ALL_FILES).code()}
            {check(words::OWN_KEY_ONLY, own_only, set_own_only).test("agent-own-key")}
            <p class="hint">{words::OWN_KEY_ONLY_ABOUT}</p>
        </details>
    }
}

pub(crate) fn title_id(agent: &AgentKey) -> String {
    format!("agent-{agent}")
}

/// Moves an agent one place in the order, then focuses the element with the id `focused`.
fn shift(dispatch: Dispatch, agents: Agents, key: &AgentKey, later: bool, focused: String) {
    let mut order = agents.order.get_untracked();
    let Some(at) = order.iter().position(|other| other == key) else { return };
    let to = if later { at.saturating_add(1) } else { at.saturating_sub(1) };
    if to == at || to >= order.len() {
        return;
    }
    order.swap(at, to);
    dispatch.send_then(Command::ArrangeAgents { order }, move |_| focus::soon(focused));
}

/// Alt and an arrow key on a card's heading move the card.
pub(crate) fn shift_by_key(dispatch: Dispatch, agents: Agents, key: &AgentKey, ev: &KeyboardEvent) {
    let later = match ev.key().as_str() {
        "ArrowUp" if ev.alt_key() => false,
        "ArrowDown" if ev.alt_key() => true,
        _ => return,
    };
    ev.prevent_default();
    shift(dispatch, agents, key, later, title_id(key));
}

#[component]
pub fn AgentBar(row: Selector<AgentRow>, agents: Agents, providers: Providers) -> impl IntoMarkup {
    let (dispatch, notices) = (expect_context::<Dispatch>(), expect_context::<Notices>());
    let key = StoredValue::new(row.with_untracked(|row| row.agent.key.clone()));
    let place = move || agents.order.with(|order| order.iter().position(|other| *other == key.get_value()));
    let is_first = move || place() == Some(0);
    let is_last = move || place().is_some_and(|at| at.saturating_add(1) == agents.order.with(Vec::len));
    let is_only = move || agents.order.with(Vec::len) == 1;
    let id = move |act: &str| format!("agent-{}-{act}", key.get_value());
    let up = move |_| shift(dispatch, agents, &key.get_value(), false, id("up"));
    let down = move |_| shift(dispatch, agents, &key.get_value(), true, id("down"));
    let duplicate = move |_| {
        let all: Vec<_> = agents.all_untracked().iter().map(|agent| agent.as_ref().clone()).collect();
        let agent = defaults::agent_like(&row.with_untracked(|row| (*row.agent).clone()), all.iter());
        let copy = agent.key.clone();
        dispatch.send_and_focus(Command::ChangeAgent { agent }, title_id(&copy));
    };
    let export = move |_| {
        let agent = row.with_untracked(|row| row.agent.clone());
        let provider = providers.rows.get_untracked(&agent.config.provider).map(|row| row.provider);
        let text = file::write(&agent, provider.as_deref());
        if !files::download(&file::file_name(&agent), &text) {
            notices.add(NoticeKind::Error, common::NOT_SAVED, "");
        }
    };
    let delete = move |_| {
        let agent = row.with_untracked(|row| (*row.agent).clone());
        let command = Command::RemoveAgent { agent: agent.key.clone() };
        let title = words::deleted(&agent.identity.name);
        dispatch.send_undoable(command, title, move || Command::ChangeAgent { agent: agent.clone() });
    };
    view! {
        <div class="settings-actions">
            <button type="button" class="button" id=id("up") data-testid="agent-up" disabled=is_first on:click=up>
                {icon(icon::UP)}
                {words::UP}
            </button>
            <button type="button" class="button" id=id("down") data-testid="agent-down" disabled=is_last on:click=down>
                {icon(icon::DOWN)}
                {words::DOWN}
            </button>
            {button(common::DUPLICATE).test("agent-duplicate").on_click(duplicate)}
            {button(common::EXPORT).test("agent-export").on_click(export)}
            {button(common::DELETE).danger().test("agent-delete").disabled(is_only).on_click(delete)}
        </div>
    }
}
