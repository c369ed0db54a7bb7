//! The left pane: the sessions, a card for each agent, and the activity feed: recent events as sentences, newest
//! first.
//!
//! A card has the agent's name and look, its current activity, and its buttons for this session. The agent's
//! definition is edited in the settings.

pub mod badge;
pub mod gauge;
pub mod model_choice;

use crate::ui::agents::gauge::lazy_window_gauge;
use crate::ui::kit::icon::{MUTE, SPEAKER};
use crate::ui::prelude::*;
use crate::ui::sessions::SessionRail;
use crate::ui::tree_map::history_links::event_path;
use crate::ui::view_state::{ActivityItem, Actor, AgentState};
use nexus_view::strings::{activity, agents as words, audit, phase, settings};

#[component]
pub fn AgentsPanel() -> impl IntoMarkup {
    let &Page { activity, agents, .. } = expect_context();
    view! {
        <div class="agents">
            <SessionRail />
            <h2 class="label agents-title" aria-hidden="true">{common::AGENTS}</h2>
            <div class="agent-list" role="list" aria-label=common::AGENTS>
                {keyed_list(move || agents.order.get(), Clone::clone,
                    move |key| agents.rows.row(&key).map(|row| view! { <AgentCard row /> }))}
            </div>
            <ActivityFeed items=activity.items />
        </div>
    }
}

const SHOWN: usize = 80;

#[derive(Clone, PartialEq)]
struct FeedEntry {
    stream: StreamId,
    /// Sequence of its event; the list key.
    seq: u64,
    at: Millis,
    actor: Actor,
    /// What happened, as a phrase after the actor's name: “wrote timer.js”.
    what: String,
}

#[component]
pub fn ActivityFeed(items: RwSignal<Vec<ActivityItem>>) -> impl IntoMarkup {
    let Workspace { panes: layout, .. } = expect_context();
    let open = layout.activity;
    let toggle = move |_| {
        open.update(|open| *open = !*open);
        layout.keep();
    };
    view! {
        <section class="activity" aria-labelledby="activity-title" data-open=move || open.get().to_string()>
            <h2 id="activity-title">
                {quiet_button(words::ACTIVITY).test("activity-open")
                    .with("aria-expanded", move || open.get().to_string()).on_click(toggle)}
            </h2>
            {move || open.get().then(|| lazy_part(lazy_activity, move |draw| draw(items)))}
        </section>
    }
}

lazy_view!(board, lazy_activity, ActivityList { items: RwSignal<Vec<ActivityItem>> });

#[component]
fn ActivityList(items: RwSignal<Vec<ActivityItem>>) -> impl IntoMarkup {
    let entries = items.map(move |items| {
        let entries = items.iter().filter_map(|ActivityItem { event, actor }| {
            let what = activity(event.known_kind()?)?;
            Some(FeedEntry { stream: event.stream, seq: event.seq, at: event.at, actor: actor.clone(), what })
        });
        entries.take(SHOWN).collect::<Vec<_>>()
    });
    view! {
        <Show
            when=move || entries.with(|entries| !entries.is_empty())
            fallback=|| view! { <p class="activity-empty">{words::NO_ACTIVITY}</p> }
        >
            <ol class="activity-list" tabindex="0" aria-labelledby="activity-title">
                {keyed_list(move || entries.get(), |item| item.seq,
                    move |item| view! { <FeedItem item /> })}
            </ol>
        </Show>
    }
}
#[component]
fn FeedItem(item: FeedEntry) -> impl IntoMarkup {
    let &Page { agents, now, .. } = expect_context();
    let FeedEntry { stream, seq, at, actor, what } = item;
    let row = if let Actor::Agent(key) = &actor { agents.rows.row(key) } else { None };
    let accent = move || row.map(|row| row.with(|row| row.agent.accent.name()));
    let who = move || match (&actor, row) {
        (_, Some(row)) => row.with(|row| format!("{} ", row.agent.identity.name)),
        (Actor::Agent(key), None) => format!("{key} "),
        (Actor::Operator, None) => format!("{} ", common::YOU),
        (Actor::Program, None) => String::new(),
    };
    view! {
        <li class="activity-item" data-accent=accent>
            <a href=event_path(EventPosition { stream, seq }) data-testid="activity-link" title=audit::SHOW_IN_LOG>
                <b>{who}</b>
                {what}
                <time>{move || ago(at, now.get())}</time>
            </a>
        </li>
    }
}

#[component]
pub fn AgentCard(row: Selector<AgentRow>) -> impl IntoMarkup {
    let &Page { dispatch, now, sessions, .. } = expect_context();
    let name = move || row.with(|row| row.agent.identity.name.clone());
    let key = move || row.with(|row| row.agent.key.clone());
    let key_now = move || row.with_untracked(|row| row.agent.key.clone());
    let muted = move || row.with(|row| row.flags.muted);
    let priority = move || row.with(|row| row.flags.priority);
    let state_name = move || match row.with(|row| row.state) {
        AgentState::Idle | AgentState::Queued => "idle",
        AgentState::Processing(_) | AgentState::WaitingForProvider => "processing",
        AgentState::Asking => "asking",
        AgentState::Error => "error",
    };
    let state = move || match row.with(|row| (row.state, row.flags.last_activity)) {
        (AgentState::Processing(open), _) => phase(open).to_owned(),
        (AgentState::Asking, _) => words::ASKING.to_owned(),
        (AgentState::WaitingForProvider, _) => words::HELD.to_owned(),
        (AgentState::Queued, _) => words::QUEUED.to_owned(),
        (AgentState::Error, _) => words::FAILED.to_owned(),
        (AgentState::Idle, Some(last)) => ago(last, now.get()),
        (AgentState::Idle, None) => words::IDLE.to_owned(),
    };
    let send = move |command: fn(SessionId, AgentRow) -> Command| {
        move |_| dispatch.send(command(dispatch.session(), row.get_untracked()))
    };
    let mute = send(|session, AgentRow { agent, flags, .. }| Command::SetMuted {
        session,
        agent: agent.key.clone(),
        muted: !flags.muted,
    });
    let cycle = send(|session, row| Command::CyclePriority { session, agent: row.agent.key.clone() });
    let mark_read = send(|session, row| Command::MarkRead { session, agent: row.agent.key.clone() });
    let read_only = sessions.read_only;
    // Loaded after the card. Until then, and in a new tab, the model links to its setting.
    let (menu, asks_model) = (loaded(lazy_model_menu), RwSignal::new(false));
    let choose_model = move |event: MouseEvent| {
        if menu.with_untracked(Option::is_some) && !event.ctrl_key() && !event.meta_key() {
            event.prevent_default();
            asks_model.set(true);
        }
    };

    view! {
        <div
            class="agent-card" role="listitem" data-testid="agent-card" data-agent=move || key().0
            data-state=state_name data-muted=move || muted().to_string()
            data-accent=move || row.with(|row| row.agent.accent.name()) aria-label=name
        >
            <span class="avatar" aria-hidden="true">{move || row.with(|row| picture(&row.agent.identity))}</span>
            <h3 class="agent-name" title=move || row.with(|row| translated(&row.agent.description))>
                <span class="agent-name-text">{name}</span>
                <Show when=move || row.with(|row| row.flags.unread)>
                    {plain_button("agent-unread", ()).named(words::UNREAD)
                        .disabled(read_only).on_click(mark_read)}
                </Show>
            </h3>
            <span class="agent-state">{state}</span>
            <a
                class="agent-model" href=move || settings_path_at(&format!("{}-model", key())) data-testid="agent-card-model"
                title=move || row.with(|row| words::model_about(&row.agent.config.model, row.demo))
                aria-haspopup="dialog" on:click=choose_model
            >
                {move || row.with(|row| words::model(&row.agent.config.model, row.demo))}
                <Show when=move || row.with(|row| !row.takes_tools)>
                    <span class="tag" title=words::NO_TOOLS_ABOUT>{words::NO_TOOLS}</span>
                </Show>
            </a>
            <div class="agent-foot">
                <button
                    type="button" class="quiet" data-testid="agent-priority"
                    data-priority=move || priority().name()
                    title=move || words::priority_about(&name(), priority()) disabled=read_only on:click=cycle
                >
                    <span class="priority-bars" aria-hidden="true"><i></i><i></i><i></i></span>
                    <span class="unseen">{move || words::priority_of(&name())}</span>
                    <span class="unseen">{move || words::priority(priority())}</span>
                </button>
                <button
                    type="button" class="quiet" data-testid="agent-mute"
                    aria-pressed=move || muted().to_string() title=move || words::mute_about(&name(), muted())
                    disabled=read_only on:click=mute
                >
                    {move || icon(if muted() { MUTE } else { SPEAKER })}
                    <span class="unseen">{move || words::mute_of(&name(), muted())}</span>
                </button>
            </div>
            <div class="gauge-place">{lazy_slot(lazy_window_gauge, move |draw| draw(key_now()))}</div>
            {move || menu.get().filter(|_| asks_model.get()).map(|draw| draw(key_now(), asks_model))}
        </div>
    }
}

lazy_view!(board, lazy_model_menu, ModelMenu { agent: AgentKey, is_open: RwSignal<bool> });

#[component]
pub fn ModelMenu(agent: AgentKey, is_open: RwSignal<bool>) -> impl IntoMarkup {
    let &Page { agents, dispatch, providers, .. } = expect_context();
    let opener = format!("[data-agent=\"{agent}\"] [data-testid=agent-card-model]");
    let more = settings_path_at(&format!("{agent}-model"));
    let label = words::model_of(
        &agents.rows.get_untracked(&agent).map(|row| row.agent.identity.name.clone()).unwrap_or_default(),
    );
    let agent = StoredValue::new(agent);
    let row = select(move || agent.with_value(|agent| agents.rows.row(agent)).map(|row| row.get()));
    let now = move || row.with_some(|row| value_of(&row.agent.config));
    let edit = move |edit: &dyn Fn(&mut Agent)| {
        let Some(row) = row.get_untracked() else { return };
        let mut agent = row.agent.as_ref().clone();
        edit(&mut agent);
        if agent != *row.agent {
            dispatch.send(Command::ChangeAgent { agent });
        }
    };
    let provider = row.map_some(move |row| Some(row.agent.config.provider.clone()));
    if let Some(provider) = provider.get_untracked() {
        load_models(dispatch, providers, provider);
    }
    let models = move || {
        // Reruns when the list of models arrives.
        drop(provider.get().and_then(|provider| providers.rows.row(&provider)).map(|row| row.get()));
        let all = row.with_some_untracked(|row| Some(choices(&row.agent, agents, providers)));
        options(all.into_iter().flatten().map(|one| (one.value, one.label)).collect(), select(now))
    };
    let choose = move |value: String| {
        edit(&|agent| {
            if let Some(config) = config_of(agent, &value, agents, providers) {
                agent.config = config;
            }
        });
    };
    let thinking = move || row.with_some(|row| Some(row.agent.config.thinking));
    let effort = thinking_box(thinking, move |thinking| edit(&|agent| agent.config.thinking = thinking));
    modal("dialog model-menu", "model-menu", move || is_open.set(false))
        .at(opener)
        .label(label)
        .with_children(view! {
            {labelled("override-model", common::MODEL, select_box(models, choose).test("model-menu-model"))}
            {labelled("override-model", settings::THINKING, effort.test("model-menu-thinking"))}
            <a href=more data-testid="model-menu-settings">{words::MODEL_SETTINGS}</a>
        })
}
