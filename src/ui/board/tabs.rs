//! The board's tabs: the buttons, and what is shown instead of the editing view.
//!
//! The editing
//! view stays mounted while another is shown, so that text, caret and scroll position are kept.

use crate::ui::board::compare::lazy_compare;
use crate::ui::board::preview::lazy_preview;
use crate::ui::hooks::keys;
use crate::ui::kit::prelude::*;
use crate::ui::maintenance::memories::lazy_memories;
use crate::ui::workspace::board_tabs::{BoardTab, BoardTabState};
use nexus_view::shortcuts::titled;
use nexus_view::strings::board as words;

/// The buttons that choose the face.
#[component]
pub fn BoardTabBar() -> impl IntoMarkup {
    let faces = expect_context::<BoardTabState>();
    let apple = keys::is_apple();
    let tab = move |face: BoardTab| {
        quiet_button(face.title())
            .with("data-testid", face.name())
            .title(titled(face.title(), face.act(), apple))
            .with("aria-pressed", move || (faces.shown() == face).to_string())
            .on_click(move |_| faces.show(face))
    };
    view! {
        <div class="board-faces" role="group" aria-label=words::FACES>{Vec::from(BoardTab::ALL.map(tab))}</div>
    }
}

/// The face that is shown in the place of the one that is edited in.
#[component]
pub fn BoardTabContent() -> impl IntoMarkup {
    let faces = expect_context::<BoardTabState>();
    move || match faces.shown() {
        BoardTab::Edit => None,
        BoardTab::Compare => Some(view! { <LazyView load=lazy_compare /> }),
        BoardTab::Preview => Some(view! { <LazyView load=lazy_preview /> }),
        BoardTab::Memories => Some(view! { <LazyView load=lazy_memories /> }),
    }
}
