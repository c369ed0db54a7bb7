//! The button for a message's turn actions, and branches in the timeline: sibling stepper, fork marks, next turns.
//!
//! The menu itself is loaded lazily.

use leptos::prelude::*;

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::lazy_view::LazyView;
use crate::ui::shell::dialogs::{DialogState, OpenDialog};
use crate::ui::shell::screens;
use crate::ui::view_state::RunView;
use nexus_model::id::{SessionId, TurnId};
use nexus_model::message::{Message, Role};
use nexus_view::strings::tree as words;
use nexus_view::timeline::TimelineRow;

/// The button that opens what can be done from a message's turn; nothing at notices and at what no turn took.
pub fn turn_actions(message: &Message) -> Option<AnyView> {
    let (id, turn) = (message.id, message.turn?);
    if !matches!(message.role, Role::User | Role::Assistant) && !message.is_note_of_turn() {
        return None;
    }
    let desk = expect_context::<DialogState>();
    let button = view! { class="n",
        <button
            class="message-inspect turn-actions"
            type="button"
            data-testid="turn-actions"
            title=words::ACTIONS
            aria-label=words::ACTIONS
            aria-haspopup="dialog"
            on:click=move |_| desk.open(OpenDialog::Turn(turn, id))
        >
            <svg viewBox="0 0 16 16" width="12" height="12" fill="none" stroke="currentColor" stroke-width="1.5" aria-hidden="true">
                <path d="M4 14V2M4 11c0-4 8-2 8-7" stroke-linecap="round" />
                <circle cx="12" cy="3" r="1.5" />
            </svg>
        </button>
    };
    Some(button.into_any())
}

/// The place where a message is said in other words; `None` while it is not.
pub fn edited(id: nexus_model::id::MessageId) -> impl Fn() -> Option<AnyView> + Copy + Send + Sync {
    let editing = expect_context::<DialogState>().editing();
    let is_edited = Memo::new(move |_| editing.get() == Some(id));
    move || {
        is_edited.get().then(|| view! { class="n", <LazyView load=|| screens::edit_message() /> }.into_any())
    }
}

/// A row about branches.
#[component]
pub fn BranchRow(#[prop(into)] row: Signal<TimelineRow>) -> impl IntoView {
    let (dispatch, works) = (expect_context::<Dispatch>(), expect_context::<RunView>().works());
    let first = row.get_untracked();
    if let TimelineRow::Siblings { .. } = first {
        return view! { class="n", <SiblingStepper row dispatch works /> }.into_any();
    }
    if let TimelineRow::Forked { from, label } = first {
        let open = move |session: SessionId| {
            view! { class="n",
                <button class="quiet" type="button" data-testid="fork-origin" on:click=move |_| dispatch.open(session)>
                    {words::fork_mark(&label)}
                </button>
            }
            .into_any()
        };
        let mark = match from {
            Some(session) => open(session),
            None => words::fork_mark("").into_any(),
        };
        return view! { class="n",
            <div class="round" role="separator" data-testid="fork-mark"><div class="round-lines">{mark}</div></div>
        }
        .into_any();
    }
    let to = move || row.with(|row| if let TimelineRow::Ahead { to } = row { Some(*to) } else { None });
    view! { class="n",
        <div class="branch" data-testid="ahead">
            <span>{words::AHEAD}</span>
            <button
                class="quiet"
                type="button"
                data-testid="go-ahead"
                disabled=move || works.get()
                on:click=move |_| if let Some(to) = to() { dispatch.step_to(to, words::WENT_AHEAD.to_owned()) }
            >
                {words::GO_ON}
            </button>
        </div>
    }
    .into_any()
}

/// Steps between the turns that stand beside each other.
#[component]
fn SiblingStepper(row: Signal<TimelineRow>, dispatch: Dispatch, works: Signal<bool>) -> impl IntoView {
    let standing = Memo::new(move |_| {
        row.with(|row| {
            let TimelineRow::Siblings { turn, all } = row else { return (1, 1, None, None) };
            let at = all.iter().position(|other| other == turn).unwrap_or_default();
            let beside = |at: Option<usize>| at.and_then(|at| all.get(at).copied());
            (at.saturating_add(1), all.len(), beside(at.checked_sub(1)), beside(at.checked_add(1)))
        })
    });
    let go = move |to: Option<TurnId>, at: usize, of: usize| {
        if let Some(to) = to.filter(|_| !works.get_untracked()) {
            dispatch.step_to(to, words::stepped(at, of));
        }
    };
    let back = move || {
        let (at, of, to, _) = standing.get_untracked();
        go(to, at.saturating_sub(1), of);
    };
    let on = move || {
        let (at, of, _, to) = standing.get_untracked();
        go(to, at.saturating_add(1), of);
    };
    let told = move || standing.with(|(at, of, ..)| words::place_told(*at, *of));
    view! { class="n",
        <div
            class="branch"
            role="group"
            aria-label=told
            data-testid="siblings"
            on:keydown=move |event| match event.key().as_str() {
                "ArrowLeft" => back(),
                "ArrowRight" => on(),
                _ => {}
            }
        >
            // Not disabled at the ends: the focus stays for the way back.
            <button
                class="icon"
                type="button"
                data-testid="sibling-previous"
                title=words::PREVIOUS
                aria-label=words::PREVIOUS
                aria-disabled=move || standing.with(|standing| standing.2.is_none() || works.get()).to_string()
                on:click=move |_| back()
            >
                {"‹"}
            </button>
            <span data-testid="sibling-place" aria-live="polite">
                {move || standing.with(|(at, of, ..)| words::place(*at, *of))}
            </span>
            <button
                class="icon"
                type="button"
                data-testid="sibling-next"
                title=words::NEXT
                aria-label=words::NEXT
                aria-disabled=move || standing.with(|standing| standing.3.is_none() || works.get()).to_string()
                on:click=move |_| on()
            >
                {"›"}
            </button>
        </div>
    }
}
