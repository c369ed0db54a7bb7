//! Snapshot of an earlier turn, in place of the panes: the conversation up to it and the mind of that time.
//!
//! Links to the turn before and after, to a fork from it, and back to the present. Reads from the store; never
//! changes anything.

pub mod mind;
pub mod said;

use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::task::spawn_local;

use crate::ui::agents::badge::AgentBadge;
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::focus;
use crate::ui::kit::prelude::*;
use crate::ui::tree_map::history_links::HistoryContext;
use crate::ui::tree_map::turn_snapshot::mind::SnapshotMind;
use crate::ui::tree_map::turn_snapshot::said::SnapshotTimeline;
use crate::ui::view_state::{Sessions, WorldReader};
use crate::ui::workspace::Workspace;
use crate::ui::workspace::dialogs::{DialogState, SnapshotTarget};
use crate::ui::workspace::voice::VoiceRequest;
use nexus_engine::queries::tree;
use nexus_engine::queries::tree::TurnSnapshot;
use nexus_model::id::{SessionId, TurnId};
use nexus_model::limits::TURNS_LOADED;
use nexus_model::mind::Mind;
use nexus_text::invisible::reveal;
use nexus_view::local_time::LocalTime;
use nexus_view::strings::snapshot as words;
use nexus_view::timeline::timeline;
use nexus_view::voice::listening::VoiceStatus;

lazy_view!(board, lazy_turn_snapshot, SnapshotPanel);

/// The id of what names the turn.
const TITLE: &str = "then-title";

#[derive(Clone)]
enum SnapshotState {
    Reading,
    Gone,
    There(Arc<TurnSnapshot>),
}

/// The turn that is looked at as it was.
#[component]
pub(crate) fn SnapshotPanel() -> impl IntoMarkup {
    let (desk, dispatch) = (expect_context::<DialogState>(), expect_context::<Dispatch>());
    let (past, focus) = (expect_context::<WorldReader>(), expect_context::<Sessions>().focus());
    let look = desk.look();
    let found = RwSignal::new(SnapshotState::Reading);
    let turns = RwSignal::new(TURNS_LOADED);
    let chosen = RwSignal::new(None::<String>);
    let leave = move || desk.look_at(None);
    hush();
    read(look, turns, found);
    // Another session in view is looked at as it is.
    Effect::new(move |before: Option<SessionId>| {
        let now = focus.get();
        let looked_from = look.with_untracked(|look| look.as_ref().map(|look| look.session));
        if before.is_some_and(|before| before != now) && looked_from != Some(now) {
            leave();
        }
        now
    });
    focus::soon(TITLE.to_owned());
    let there = move || match found.get() {
        SnapshotState::There(then) => Some(then),
        SnapshotState::Reading | SnapshotState::Gone => None,
    };
    let go_to = move |turn: Option<TurnId>| {
        let Some((turn, look)) = turn.zip(look.get_untracked()) else { return };
        desk.look_at(Some(SnapshotTarget { session: look.session, turn, mind: None }));
    };
    let older = move || there().and_then(|then| then.turn.parent);
    let newer = move || there().and_then(|then| newer(past, look.get_untracked(), &then));
    let keys = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            event.prevent_default();
            leave();
        }
    };
    let step = move |event: KeyboardEvent| match event.key().as_str() {
        "ArrowLeft" => go_to(untrack(older)),
        "ArrowRight" => go_to(untrack(newer)),
        _ => {}
    };
    let going = RwSignal::new(false);
    let go_on = move |_| {
        let Some(look) = look.get_untracked().filter(|_| !going.get_untracked()) else { return };
        going.set(true);
        dispatch.go_on_from(look.session, (look.turn, look.mind), String::new(), move |made| {
            going.try_set(false);
            if made {
                leave();
            }
        });
    };
    let shown = move || match found.get() {
        SnapshotState::Reading => {
            view! { <p class="then-none" role="status">{words::READING}</p> }
        }
        SnapshotState::Gone => {
            view! { <p class="then-none" role="alert" data-testid="then-gone">{words::GONE}</p> }
        }
        SnapshotState::There(then) => {
            let thread = timeline(&then.world, then.session, None);
            let earlier = thread.earlier.is_some().then(|| {
                let more = move |_| turns.update(|turns| *turns = turns.saturating_add(TURNS_LOADED));
                plain_button("button then-more", words::MORE_SAID).test("then-more").on_click(more)
            });
            let now = past.with_untracked(|world| {
                world.session(&focus.get_untracked()).and_then(|session| world.working_mind(session)).cloned()
            });
            let now: Arc<Mind> = now.unwrap_or_default();
            view! {
                <div class="then-panes">
                    <section class="then-said" aria-label=words::SAID tabindex="0" data-testid="then-said">
                        <div class="then-thread">
                            {earlier}
                            <SnapshotTimeline rows=thread.rows />
                        </div>
                    </section>
                    <section class="then-mind" aria-label=words::MIND tabindex="0" data-testid="then-mind">
                        <SnapshotMind then=Arc::clone(&then.mind) now chosen />
                    </section>
                </div>
            }
        }
    };
    view! {
        <main class="then" data-testid="then" on:keydown=keys>
            <header class="then-bar" data-testid="then-bar" on:keydown=step>
                <div class="then-which">
                    <p class="label">{words::AS_IT_WAS}</p>
                    <h1 id=TITLE tabindex="-1" data-testid="then-title">{move || there().map(|then| title(&then, dispatch))}</h1>
                    <p class="hint">{words::READ_ONLY}</p>
                </div>
                <div class="then-acts" role="group" aria-label=words::AS_IT_WAS>
                    {icon_button(icon(icon::BACK)).test("then-older").title(words::OLDER).label(words::OLDER)
                        .with("aria-keyshortcuts", "ArrowLeft")
                        .with("aria-disabled", move || older().is_none().to_string())
                        .on_click(move |_| go_to(untrack(older)))}
                    {icon_button(icon(icon::FORWARD)).test("then-newer").title(words::NEWER).label(words::NEWER)
                        .with("aria-keyshortcuts", "ArrowRight")
                        .with("aria-disabled", move || newer().is_none().to_string())
                        .on_click(move |_| go_to(untrack(newer)))}
                    {button(words::CONTINUE).test("then-continue")
                        .disabled(move || there().is_none() || going.get()).on_click(go_on)}
                    {button(words::RETURN).first().test("then-return").on_click(move |_| leave())}
                </div>
            </header>
            {shown}
        </main>
    }
}

/// Nobody listens while the message field is out of sight.
fn hush() {
    let Some(room) = Workspace::now() else { return };
    match room.voice.standing.get_untracked() {
        VoiceStatus::Listening | VoiceStatus::HandsFree | VoiceStatus::Resting => {
            room.voice.wish(VoiceRequest::TalkEnd)
        }
        VoiceStatus::Idle | VoiceStatus::Reading | VoiceStatus::Error => {}
    }
}

/// Reads what is looked at. What was read before stays until then.
fn read(look: Selector<Option<SnapshotTarget>>, turns: RwSignal<usize>, found: RwSignal<SnapshotState>) {
    let records = expect_context::<HistoryContext>();
    Effect::new(move |_| {
        let (Some(wanted), turns) = (look.get(), turns.get()) else { return };
        let records = records.records();
        spawn_local(async move {
            let read = tree::as_it_was(&records, wanted.session, wanted.turn, wanted.mind.as_ref(), turns);
            let then = read.await.ok().flatten();
            if look.try_get_untracked().flatten().as_ref() == Some(&wanted) {
                found.try_set(then.map_or(SnapshotState::Gone, |then| SnapshotState::There(Arc::new(then))));
            }
        });
    });
}

/// The turn that goes on from this one: on the way to the head of the session, else the newest.
fn newer(past: WorldReader, look: Option<SnapshotTarget>, then: &TurnSnapshot) -> Option<TurnId> {
    let session = look?.session;
    let on_way = past.with_untracked(|world| {
        let head = world.session(&session)?.head;
        world.ancestry(head).map(|turn| turn.id).find(|turn| then.newer.contains(turn))
    });
    on_way.or(then.newer.last().copied())
}

fn title(then: &TurnSnapshot, dispatch: Dispatch) -> String {
    let (local, turn) = (expect_context::<LocalTime>(), &then.turn);
    let face = AgentBadge::of(Some(&turn.agent));
    let at = turn.closed_at.unwrap_or(turn.opened_at);
    let when = words::at(&local.day(at, dispatch.now()), &local.clock(at));
    format!("{} · {when}", reveal(&face.name()))
}
