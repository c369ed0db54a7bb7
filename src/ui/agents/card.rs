//! An agent's card: its name and look, its current activity, and its buttons for this session.
//!
//! The agent's definition is edited in the settings.

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::lazy_view::arriving;
use crate::ui::shell::screens;
use crate::ui::view_state::{AgentRow, AgentState, Sessions};
use nexus_model::command::Command;
use nexus_model::id::Millis;
use nexus_view::strings::{agents as words, ago, phase};

#[component]
pub fn AgentCard(row: Signal<AgentRow>, now: Signal<Millis>) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let sessions = expect_context::<Sessions>();
    let name = move || row.with(|row| row.agent.identity.name.clone());
    let key = move || row.with(|row| row.agent.key.clone());
    let key_now = move || row.with_untracked(|row| row.agent.key.clone());
    let muted = move || row.with(|row| row.flags.muted);
    let priority = move || row.with(|row| row.flags.priority);
    let state_name = move || match row.with(|row| row.state) {
        AgentState::Idle | AgentState::Queued => "idle",
        AgentState::Processing(_) | AgentState::Asking | AgentState::Held => "processing",
        AgentState::Error => "error",
    };
    let state = move || match row.with(|row| (row.state, row.flags.last_activity)) {
        (AgentState::Processing(open), _) => phase(open).to_owned(),
        (AgentState::Asking, _) => words::ASKING.to_owned(),
        (AgentState::Held, _) => words::HELD.to_owned(),
        (AgentState::Queued, _) => words::QUEUED.to_owned(),
        (AgentState::Error, _) => words::FAILED.to_owned(),
        (AgentState::Idle, Some(last)) => ago(last, now.get()),
        (AgentState::Idle, None) => words::IDLE.to_owned(),
    };
    let mute = move |_| {
        let muted = !row.with_untracked(|row| row.flags.muted);
        dispatch.send(Command::SetMuted { session: dispatch.session(), agent: key_now(), muted });
    };
    let cycle =
        move |_| dispatch.send(Command::CyclePriority { session: dispatch.session(), agent: key_now() });
    let mark_read =
        move |_| dispatch.send(Command::MarkRead { session: dispatch.session(), agent: key_now() });
    let read_only = sessions.read_only();
    // It comes a moment later than the card.
    let gauge = arriving(screens::window_gauge);

    view! { class="n",
        <div
            class="agent-card"
            role="listitem"
            data-testid="agent-card"
            data-agent=move || key().0
            data-state=state_name
            data-muted=move || muted().to_string()
            data-accent=move || row.with(|row| row.agent.accent.name())
            aria-label=name
        >
            <span class="avatar" aria-hidden="true">{move || row.with(|row| row.agent.identity.emoji.clone())}</span>
            <h3 class="agent-name">
                <span class="agent-name-text">{name}</span>
                <Show when=move || row.with(|row| row.flags.unread)>
                    <button
                        type="button"
                        class="agent-unread"
                        aria-label=words::UNREAD
                        title=words::UNREAD
                        disabled=move || read_only.get()
                        on:click=mark_read
                    ></button>
                </Show>
            </h3>
            <span class="agent-state">{state}</span>
            <p class="agent-about">{move || row.with(|row| row.agent.description.clone())}</p>
            <p class="agent-model">
                <span class="agent-model-name">{move || row.with(|row| row.agent.config.model.clone())}</span>
                <Show when=move || row.with(|row| row.rehearsal)>
                    <span class="tag" data-kind="rehearsal" title=words::DEMO_ABOUT>
                        {words::DEMO}
                    </span>
                </Show>
            </p>
            <div class="agent-foot">
                <button
                    type="button"
                    class="quiet"
                    data-testid="agent-priority"
                    data-priority=move || priority().name()
                    title=move || words::priority_about(&name(), priority())
                    disabled=move || read_only.get()
                    on:click=cycle
                >
                    <span class="priority-bars" aria-hidden="true"><i></i><i></i><i></i></span>
                    <span class="unseen">{move || words::priority_of(&name())}</span>
                    <span>{move || words::priority(priority())}</span>
                </button>
                <button
                    type="button"
                    class="quiet"
                    data-testid="agent-mute"
                    aria-pressed=move || muted().to_string()
                    title=move || words::mute_about(&name(), muted())
                    disabled=move || read_only.get()
                    on:click=mute
                >
                    {move || if muted() { words::MUTED } else { words::MUTE }}
                    <span class="unseen">{name}</span>
                </button>
            </div>
            <div class="gauge-place">{move || gauge.get().map(|draw| draw(key_now()))}</div>
        </div>
    }
}
