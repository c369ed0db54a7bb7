//! The board's COMPARE view: changes of all fields against a base, hunk by hunk, to accept, revert or send back.

pub mod bar;
pub mod list;
pub mod row;
pub mod send_back;
pub mod state;

use crate::ui::board::compare::bar::CompareBar;
use crate::ui::board::compare::list::CompareList;
use crate::ui::board::compare::send_back::SendBack;
use crate::ui::board::compare::state::CompareState;
use crate::ui::hooks::virtual_list::use_window;
use crate::ui::kit::prelude::*;
use crate::ui::workspace::board_tabs::BoardTabState;
pub use nexus_view::strings::board::compare as words;

lazy_view!(board, lazy_compare, ComparePanel);

/// From which width on old and new have room next to each other, in rem.
const WIDE: f64 = 44.0;

/// The face.
#[component]
pub fn ComparePanel() -> impl IntoMarkup {
    let state = CompareState::open(expect_context::<BoardTabState>().base().into());
    state.read_what_is_needed();
    let window = use_window();
    let wants_sides = RwSignal::new(true);
    let has_room = select(move || window.size().0 >= WIDE);
    let side_by_side = select(move || has_room.get() && wants_sides.get());
    let is_there = select(move || state.look.with(Option::is_some));
    view! {
        <section class="compare" data-testid="compare" aria-label=words::TITLE>
            <Show
                when=move || is_there.get()
                fallback=|| view! { <p class="compare-none">{words::NOTHING_YET}</p> }
            >
                <CompareBar state has_room wants_sides />
                <CompareList state window side_by_side />
                <SendBack state />
            </Show>
        </section>
    }
}
