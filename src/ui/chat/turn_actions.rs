//! Never decides what can be done from a turn: the menu does, and it is a part of its own.
//!
//! Owns the way to it at a message, and what the timeline says of branches: the stepper between siblings, the mark of a
//! fork, the way ahead.

use leptos::prelude::*;

use crate::domain::command::Command;
use crate::domain::id::{SessionId, TurnId};
use crate::domain::message::{Message, Role};
use crate::domain::timeline::Row;
use crate::ui::dispatch::Dispatch;
use crate::ui::later::Later;
use crate::ui::screens;
use crate::ui::tree_desk::{Opened, TreeDesk};
use crate::ui::view_state::RunView;
use crate::ui::words::tree as words;

/// The button that opens what can be done from a message's turn; nothing at notices and at what no turn took.
pub fn turn_actions(message: &Message) -> Option<AnyView> {
    let (id, turn) = (message.id, message.turn?);
    if !matches!(message.role, Role::User | Role::Assistant) {
        return None;
    }
    let desk = expect_context::<TreeDesk>();
    let button = view! { class="n",
        <button
            class="message-inspect turn-actions"
            type="button"
            data-testid="turn-actions"
            title=words::ACTIONS
            aria-label=words::ACTIONS
            aria-haspopup="dialog"
            on:click=move |_| desk.open(Opened::Turn(turn, id))
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
pub fn edited(id: crate::domain::id::MessageId) -> impl Fn() -> Option<AnyView> + Copy + Send + Sync {
    let editing = expect_context::<TreeDesk>().editing();
    let is_edited = Memo::new(move |_| editing.get() == Some(id));
    move || is_edited.get().then(|| view! { class="n", <Later load=|| screens::edit_message() /> }.into_any())
}

fn go(dispatch: Dispatch, to: TurnId) {
    dispatch.send(Command::MoveHead { session: dispatch.session(), to, newest: true });
}

/// A row about branches.
#[component]
pub fn BranchRow(
    /// The row.
    #[prop(into)]
    row: Signal<Row>,
) -> impl IntoView {
    let (dispatch, works) = (expect_context::<Dispatch>(), expect_context::<RunView>().works());
    let first = row.get_untracked();
    if let Row::Siblings { .. } = first {
        return view! { class="n", <Stepper row dispatch works /> }.into_any();
    }
    if let Row::Forked { from, label } = first {
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
    let to = move || row.with(|row| if let Row::Ahead { to } = row { Some(*to) } else { None });
    view! { class="n",
        <div class="branch" data-testid="ahead">
            <span>{words::AHEAD}</span>
            <button
                class="quiet"
                type="button"
                data-testid="go-ahead"
                disabled=move || works.get()
                on:click=move |_| if let Some(to) = to() { go(dispatch, to) }
            >
                {words::GO_ON}
            </button>
        </div>
    }
    .into_any()
}

/// Steps between the turns that stand beside each other.
#[component]
fn Stepper(row: Signal<Row>, dispatch: Dispatch, works: Signal<bool>) -> impl IntoView {
    let standing = Memo::new(move |_| {
        row.with(|row| {
            let Row::Siblings { turn, all } = row else { return (1, 1, None, None) };
            let at = all.iter().position(|other| other == turn).unwrap_or_default();
            let beside = |at: Option<usize>| at.and_then(|at| all.get(at).copied());
            (at.saturating_add(1), all.len(), beside(at.checked_sub(1)), beside(at.checked_add(1)))
        })
    });
    let step = move |to: Option<TurnId>| {
        if let Some(to) = to.filter(|_| !works.get_untracked()) {
            go(dispatch, to);
        }
    };
    let told = move || standing.with(|(at, of, ..)| words::place_told(*at, *of));
    view! { class="n",
        <div
            class="branch"
            role="group"
            aria-label=told
            data-testid="siblings"
            on:keydown=move |event| match event.key().as_str() {
                "ArrowLeft" => step(standing.get_untracked().2),
                "ArrowRight" => step(standing.get_untracked().3),
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
                on:click=move |_| step(standing.get_untracked().2)
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
                on:click=move |_| step(standing.get_untracked().3)
            >
                {"›"}
            </button>
        </div>
    }
}
