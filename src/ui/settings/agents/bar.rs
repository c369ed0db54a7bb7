//! Buttons for an agent as a whole: move, copy, export, delete.

use leptos::ev::KeyboardEvent;

use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::{files, focus};
use crate::ui::kit::prelude::*;
use crate::ui::view_state::{AgentRow, Agents, NoticeKind, Notices, Providers};
use nexus_model::agent::{file, templates};
use nexus_model::command::Command;
use nexus_model::id::AgentKey;
use nexus_view::strings::settings as words;

/// The id of the head of an agent's card.
pub(crate) fn title_id(agent: &AgentKey) -> String {
    format!("agent-{agent}")
}

/// Moves an agent one place in the order; the element of the id `focused` has the focus afterwards.
fn shift(dispatch: Dispatch, agents: Agents, key: &AgentKey, later: bool, focused: String) {
    let mut order = agents.order().get_untracked();
    let Some(at) = order.iter().position(|other| other == key) else { return };
    let to = if later { at.saturating_add(1) } else { at.saturating_sub(1) };
    if to == at || to >= order.len() {
        return;
    }
    order.swap(at, to);
    dispatch.send_then(Command::ArrangeAgents { order }, move |_| focus::soon(focused));
}

/// Alt and an arrow on the head of a card move it.
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
    let place = move || agents.order().with(|order| order.iter().position(|other| *other == key.get_value()));
    let is_first = move || place() == Some(0);
    let is_last = move || place().is_some_and(|at| at.saturating_add(1) == agents.order().with(Vec::len));
    let is_only = move || agents.order().with(Vec::len) == 1;
    let id = move |act: &str| format!("agent-{}-{act}", key.get_value());
    let up = move |_| shift(dispatch, agents, &key.get_value(), false, id("up"));
    let down = move |_| shift(dispatch, agents, &key.get_value(), true, id("down"));
    let duplicate = move |_| {
        let all: Vec<_> = agents.all_untracked().iter().map(|agent| agent.as_ref().clone()).collect();
        let agent = templates::after(&row.with_untracked(|row| (*row.agent).clone()), all.iter());
        let copy = agent.key.clone();
        dispatch.send_then(Command::ChangeAgent { agent }, move |outcome| {
            if outcome.is_ok() {
                focus::soon(title_id(&copy));
            }
        });
    };
    let export = move |_| {
        let agent = row.with_untracked(|row| row.agent.clone());
        let provider = providers.get_untracked(&agent.config.provider).map(|row| row.provider);
        let text = file::write(&agent, provider.as_deref());
        if !files::download(&file::file_name(&agent), &text) {
            notices.tell(NoticeKind::Problem, words::NOT_SAVED, "");
        }
    };
    let delete = move |_| {
        let agent = row.with_untracked(|row| (*row.agent).clone());
        let command = Command::RemoveAgent { agent: agent.key.clone() };
        dispatch.send_then(command, move |outcome| {
            if outcome.is_ok() {
                let title = words::deleted(&agent.identity.name);
                notices.tell_undo(title, move || Command::ChangeAgent { agent: agent.clone() });
            }
        });
    };
    view! {
        <div class="settings-acts">
            <button type="button" class="button" id=id("up") data-testid="agent-up" disabled=is_first on:click=up>
                {icon(icon::UP)}
                {words::UP}
            </button>
            <button type="button" class="button" id=id("down") data-testid="agent-down" disabled=is_last on:click=down>
                {icon(icon::DOWN)}
                {words::DOWN}
            </button>
            {button(words::DUPLICATE).test("agent-duplicate").on_click(duplicate)}
            {button(words::EXPORT).test("agent-export").on_click(export)}
            {button(words::DELETE).danger().test("agent-delete").disabled(is_only).on_click(delete)}
        </div>
    }
}
