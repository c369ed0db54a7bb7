//! The button for a message's turn actions, and branches in the timeline: sibling stepper, fork marks, next turns.
//!
//! The menu itself is loaded lazily.

use crate::ui::chat::turn_menu::lazy_message_editor;
use crate::ui::dispatch::Dispatch;
use crate::ui::kit::icon::BRANCH;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::RunView;
use crate::ui::workspace::dialogs::{DialogState, OpenDialog};
use nexus_model::id::{SessionId, TurnId};
use nexus_model::message::{Message, Role};
use nexus_view::strings::tree as words;
use nexus_view::timeline::TimelineRow;

/// The button that opens what can be done from a message's turn; nothing at notices and at what no turn took.
pub fn turn_actions(message: &Message) -> Option<Markup> {
    let (id, turn) = (message.id, message.turn?);
    if !matches!(message.role, Role::User | Role::Assistant) && !message.is_note_of_turn() {
        return None;
    }
    let desk = expect_context::<DialogState>();
    let button = view! {
        <button
            class="message-inspect turn-actions" type="button" data-testid="turn-actions" title=words::ACTIONS
            aria-label=words::ACTIONS aria-haspopup="dialog"
            on:click=move |_| desk.open(OpenDialog::Turn(turn, id))
        >
            {icon(BRANCH)}
        </button>
    };
    Some(button.into_markup())
}

/// The place where a message is said in other words; `None` while it is not.
pub fn edited(id: nexus_model::id::MessageId) -> impl Fn() -> Option<Markup> + Copy + Send + Sync {
    let editing = expect_context::<DialogState>().editing();
    let is_edited = select(move || editing.get() == Some(id));
    move || is_edited.get().then(|| view! { <LazyView load=lazy_message_editor /> })
}

/// A row about branches.
#[component]
pub fn BranchRow(row: Selector<TimelineRow>) -> impl IntoMarkup {
    let (dispatch, works) = (expect_context::<Dispatch>(), expect_context::<RunView>().works());
    let first = row.get_untracked();
    if let TimelineRow::Siblings { .. } = first {
        return view! { <SiblingStepper row dispatch works /> };
    }
    if let TimelineRow::Forked { from, label } = first {
        let open = move |session: SessionId| {
            quiet_button(words::fork_mark(&label))
                .test("fork-origin")
                .on_click(move |_| dispatch.open(session))
        };
        let mark = match from {
            Some(session) => open(session).into_markup(),
            None => words::fork_mark("").into_markup(),
        };
        return view! {
            <div class="round" role="separator" data-testid="fork-mark"><div class="round-lines">{mark}</div></div>
        };
    }
    let to = move || row.with(|row| if let TimelineRow::Ahead { to } = row { Some(*to) } else { None });
    view! {
        <div class="branch" data-testid="ahead">
            <span>{words::AHEAD}</span>
            {quiet_button(words::GO_ON).test("go-ahead").disabled(works)
                .on_click(move |_| if let Some(to) = to() { dispatch.step_to(to, words::WENT_AHEAD.to_owned()) })}
        </div>
    }
}

/// Steps between the turns that stand beside each other.
#[component]
fn SiblingStepper(row: Selector<TimelineRow>, dispatch: Dispatch, works: Selector<bool>) -> impl IntoMarkup {
    let standing = select(move || {
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
    view! {
        <div
            class="branch" role="group" aria-label=told data-testid="siblings"
            on:keydown=move |event| match event.key().as_str() {
                "ArrowLeft" => back(),
                "ArrowRight" => on(),
                _ => {}
            }
        >
            // Not disabled at the ends: the focus stays for the way back.
            {icon_button(icon(icon::BACK)).test("sibling-previous").title(words::PREVIOUS).label(words::PREVIOUS)
                .with("aria-disabled", move || standing.with(|standing| standing.2.is_none() || works.get()).to_string())
                .on_click(move |_| back())}
            <span data-testid="sibling-place" aria-live="polite">
                {move || standing.with(|(at, of, ..)| words::place(*at, *of))}
            </span>
            {icon_button(icon(icon::FORWARD)).test("sibling-next").title(words::NEXT).label(words::NEXT)
                .with("aria-disabled", move || standing.with(|standing| standing.3.is_none() || works.get()).to_string())
                .on_click(move |_| on())}
        </div>
    }
}
