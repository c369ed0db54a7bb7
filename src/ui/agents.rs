//! The left pane: the sessions, a card for each agent, and the activity feed: recent events as sentences, newest first.

pub mod badge;
pub mod card;
pub mod gauge;
pub mod model_choice;

use crate::ui::agents::card::AgentCard;
use crate::ui::prelude::*;
use crate::ui::sessions::rail::SessionRail;
use crate::ui::tree_map::history_links::event_path;
use crate::ui::view_state::{Activity, ActivityItem, Actor};
use crate::ui::workspace::panes::PaneLayout;
use nexus_model::event::EventPosition;
use nexus_model::id::StreamId;
use nexus_view::strings::{activity, agents as words, ago, audit};

#[component]
pub fn AgentsPanel() -> impl IntoMarkup {
    let agents = expect_context::<Agents>();
    let activity = expect_context::<Activity>();
    let now = use_now();
    view! {
        <div class="agents">
            <SessionRail />
            <h2 class="label agents-title" aria-hidden="true">{common::AGENTS}</h2>
            <div class="agent-list" role="list" aria-label=common::AGENTS>
                {keyed_list(move || agents.order.get(), Clone::clone,
                    move |key| agents.rows.row(&key).map(|row| view! { <AgentCard row now /> }))}
            </div>
            <ActivityFeed items=activity.items now />
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
pub fn ActivityFeed(items: RwSignal<Vec<ActivityItem>>, now: Selector<Millis>) -> impl IntoMarkup {
    let layout = expect_context::<PaneLayout>();
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
            {move || open.get().then(|| lazy_part(lazy_activity, move |draw| draw(items, now)))}
        </section>
    }
}

lazy_view!(board, lazy_activity, ActivityList { items: RwSignal<Vec<ActivityItem>>, now: Selector<Millis> });

#[component]
fn ActivityList(items: RwSignal<Vec<ActivityItem>>, now: Selector<Millis>) -> impl IntoMarkup {
    let entries = select(move || {
        items.with(|items| {
            let entries = items.iter().filter_map(|ActivityItem { event, actor }| {
                let what = activity(event.known_kind()?)?;
                Some(FeedEntry {
                    stream: event.stream,
                    seq: event.seq,
                    at: event.at,
                    actor: actor.clone(),
                    what,
                })
            });
            entries.take(SHOWN).collect::<Vec<_>>()
        })
    });
    view! {
        <Show
            when=move || entries.with(|entries| !entries.is_empty())
            fallback=|| view! { <p class="activity-empty">{words::NO_ACTIVITY}</p> }
        >
            <ol class="activity-list" tabindex="0" aria-labelledby="activity-title">
                {keyed_list(move || entries.get(), |item| item.seq,
                    move |item| view! { <FeedItem item now /> })}
            </ol>
        </Show>
    }
}
#[component]
fn FeedItem(item: FeedEntry, now: Selector<Millis>) -> impl IntoMarkup {
    let agents = expect_context::<Agents>();
    let FeedEntry { stream, seq, at, actor, what } = item;
    let row = match &actor {
        Actor::Agent(key) => agents.rows.row(key),
        Actor::Operator | Actor::Program => None,
    };
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
