//! Never changes anything by itself: accepting, reverting and sending back are commands.
//!
//! Owns the face COMPARE of the board: what changed in all fields against a base, hunk by hunk, with what the operator
//! can do about each by button and by key.

pub mod bar;
pub mod list;
pub mod row;
pub mod send_back;
pub mod state;

use leptos::prelude::*;

use crate::ui::compare::bar::Bar;
use crate::ui::compare::list::List;
use crate::ui::compare::send_back::SendBack;
use crate::ui::compare::state::State;
use crate::ui::hooks::window::use_window;
use crate::ui::words::compare as words;

/// From which width on old and new have room next to each other, in rem.
const WIDE: f64 = 44.0;

/// The face.
#[component]
pub fn ComparePanel() -> impl IntoView {
    let state = State::open();
    let window = use_window();
    let wants_sides = RwSignal::new(true);
    let has_room = Memo::new(move |_| window.size().0 >= WIDE);
    let side_by_side = Memo::new(move |_| has_room.get() && wants_sides.get());
    let is_there = Memo::new(move |_| state.look.with(Option::is_some));
    view! { class="n",
        <section class="compare" data-testid="compare" aria-label=words::TITLE>
            <Show
                when=move || is_there.get()
                fallback=|| view! { class="n", <p class="compare-none">{words::NOTHING_YET}</p> }
            >
                <Bar state has_room wants_sides />
                <List state window side_by_side />
                <SendBack state />
            </Show>
        </section>
    }
}
