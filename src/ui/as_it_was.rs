//! Never changes anything, and never shows what is now: it reads from the store.
//!
//! Owns what stands in the place of the panes while a turn is looked at as it was: which turn, what had been said up to
//! it, the mind of that time, and the ways from there: a turn back or on, another session from it, back to now.

pub mod mind;
pub mod said;

use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::domain::id::{SessionId, TurnId};
use crate::domain::limits::TURNS_LOADED;
use crate::domain::mind::Mind;
use crate::domain::text::hidden::reveal;
use crate::domain::voice::listening::Standing;
use crate::engine::head_reader::{self, AsItWas};
use crate::ui::as_it_was::mind::ThenMind;
use crate::ui::as_it_was::said::Said;
use crate::ui::dispatch::Dispatch;
use crate::ui::face::Face;
use crate::ui::hooks::focus;
use crate::ui::local_time::LocalTime;
use crate::ui::look_back::LookBack;
use crate::ui::room::Room;
use crate::ui::tree_desk::{Look, TreeDesk};
use crate::ui::view_state::{Past, Sessions};
use crate::ui::voice::desk::Wish;
use crate::ui::words::past as words;

/// The id of what names the turn.
const TITLE: &str = "then-title";

/// What was read.
#[derive(Clone)]
enum Found {
    Reading,
    Gone,
    There(Arc<AsItWas>),
}

/// The turn that is looked at as it was.
#[component]
pub(in crate::ui) fn AsItWasPanel() -> impl IntoView {
    let (desk, dispatch) = (expect_context::<TreeDesk>(), expect_context::<Dispatch>());
    let (past, focus) = (expect_context::<Past>(), expect_context::<Sessions>().focus());
    let look = desk.look();
    let found = RwSignal::new(Found::Reading);
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
        Found::There(then) => Some(then),
        Found::Reading | Found::Gone => None,
    };
    let go_to = move |turn: Option<TurnId>| {
        let Some((turn, look)) = turn.zip(look.get_untracked()) else { return };
        desk.look_at(Some(Look { session: look.session, turn, mind: None }));
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
        Found::Reading => {
            view! { class="n", <p class="then-none" role="status">{words::READING}</p> }.into_any()
        }
        Found::Gone => {
            view! { class="n", <p class="then-none" role="alert" data-testid="then-gone">{words::GONE}</p> }
                .into_any()
        }
        Found::There(then) => {
            let earlier = then.has_older.then(|| {
                let more = move |_| turns.update(|turns| *turns = turns.saturating_add(TURNS_LOADED));
                view! { class="n",
                    <button type="button" class="button then-more" data-testid="then-more" on:click=more>{words::MORE_SAID}</button>
                }
            });
            let now = past.fold_untracked(|world| {
                world.session(&focus.get_untracked()).and_then(|session| world.working_mind(session)).cloned()
            });
            let now: Arc<Mind> = now.unwrap_or_default();
            view! { class="n",
                <div class="then-panes">
                    <section class="then-said" aria-label=words::SAID tabindex="0" data-testid="then-said">
                        <div class="then-thread">
                            {earlier}
                            <Said rows=then.rows.clone() />
                        </div>
                    </section>
                    <section class="then-mind" aria-label=words::MIND tabindex="0" data-testid="then-mind">
                        <ThenMind then=Arc::clone(&then.mind) now chosen />
                    </section>
                </div>
            }
            .into_any()
        }
    };
    view! { class="n",
        <main class="then" data-testid="then" on:keydown=keys>
            <header class="then-bar" data-testid="then-bar" on:keydown=step>
                <div class="then-which">
                    <p class="label">{words::AS_IT_WAS}</p>
                    <h1 id=TITLE tabindex="-1" data-testid="then-title">{move || there().map(|then| title(&then, dispatch))}</h1>
                    <p class="hint">{words::READ_ONLY}</p>
                </div>
                <div class="then-acts" role="group" aria-label=words::AS_IT_WAS>
                    <button
                        type="button" class="icon" data-testid="then-older"
                        title=words::OLDER aria-label=words::OLDER aria-keyshortcuts="ArrowLeft"
                        aria-disabled=move || older().is_none().to_string()
                        on:click=move |_| go_to(untrack(older))
                    >
                        {"‹"}
                    </button>
                    <button
                        type="button" class="icon" data-testid="then-newer"
                        title=words::NEWER aria-label=words::NEWER aria-keyshortcuts="ArrowRight"
                        aria-disabled=move || newer().is_none().to_string()
                        on:click=move |_| go_to(untrack(newer))
                    >
                        {"›"}
                    </button>
                    <button
                        type="button" class="button" data-testid="then-continue"
                        disabled=move || there().is_none() || going.get()
                        on:click=go_on
                    >
                        {words::CONTINUE}
                    </button>
                    <button type="button" class="button" data-weight="first" data-testid="then-return" on:click=move |_| leave()>
                        {words::RETURN}
                    </button>
                </div>
            </header>
            {shown}
        </main>
    }
}

/// Nobody listens while the message field is out of sight.
fn hush() {
    let Some(room) = Room::now() else { return };
    match room.voice.standing.get_untracked() {
        Standing::Listening | Standing::HandsFree | Standing::Resting => room.voice.wish(Wish::TalkEnd),
        Standing::Idle | Standing::Reading | Standing::Error => {}
    }
}

/// Reads what is looked at. What was read before stays until then.
fn read(look: Signal<Option<Look>>, turns: RwSignal<usize>, found: RwSignal<Found>) {
    let records = expect_context::<LookBack>();
    Effect::new(move |_| {
        let (Some(wanted), turns) = (look.get(), turns.get()) else { return };
        let records = records.records();
        spawn_local(async move {
            let read =
                head_reader::as_it_was(&records, wanted.session, wanted.turn, wanted.mind.as_ref(), turns);
            let then = read.await.ok().flatten();
            if look.try_get_untracked().flatten().as_ref() == Some(&wanted) {
                found.try_set(then.map_or(Found::Gone, |then| Found::There(Arc::new(then))));
            }
        });
    });
}

/// The turn that goes on from this one: on the way to the head of the session, else the newest.
fn newer(past: Past, look: Option<Look>, then: &AsItWas) -> Option<TurnId> {
    let session = look?.session;
    let on_way = past.fold_untracked(|world| {
        let head = world.session(&session)?.head;
        world.ancestry(head).map(|turn| turn.id).find(|turn| then.newer.contains(turn))
    });
    on_way.or(then.newer.last().copied())
}

fn title(then: &AsItWas, dispatch: Dispatch) -> String {
    let (local, turn) = (expect_context::<LocalTime>(), &then.turn);
    let face = Face::of(Some(&turn.agent));
    let at = turn.closed_at.unwrap_or(turn.opened_at);
    let when = words::at(&local.day(at, dispatch.now()), &local.clock(at));
    format!("{} {} · {when}", face.emoji(), reveal(&face.name()))
}
