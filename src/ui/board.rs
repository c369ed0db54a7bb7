//! Never holds the mind: it shows the slice, and gives what is typed to the drafts.
//!
//! Owns the right pane, the context board: the Core, primary directive, scratchpad, files.

pub mod code_text;
pub mod desk;
pub mod editor;
pub mod faces;
pub mod file_name;
pub mod files;
pub mod long_text;
pub mod removal;
pub mod shared_field;

use leptos::prelude::*;

use crate::domain::draft::DraftField;
use crate::domain::text::merge::merge;
use crate::ui::board::faces::{FaceTabs, Faces, OtherFace};
use crate::ui::board::files::Files;
use crate::ui::board::shared_field::{Face, SharedField};
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::now::use_now;
use crate::ui::later::arriving;
use crate::ui::screens;
use crate::ui::view_state::{Drafts, MindView, Sessions};
use crate::ui::words::board as words;

/// The context board.
#[component]
pub fn Board() -> impl IntoView {
    let now = use_now();
    expect_context::<Drafts>().merge_by(merge);
    // It comes a moment later than the board.
    let core = arriving(screens::core_panel);
    let faces = expect_context::<Faces>();
    let (mind, dispatch) = (expect_context::<MindView>(), expect_context::<Dispatch>());
    let read_only = expect_context::<Sessions>().read_only();
    let part =
        move |name: &'static str, field: DraftField, title: &'static str, hint: &'static str, face: Face| {
            view! { class="n",
                <div class="board-part" data-part=name>
                    <SharedField id=name field title hint face now />
                </div>
            }
        };
    view! { class="n",
        <div class="board">
            <div class="board-core">{move || core.get().map(|draw| draw())}</div>
            <FaceTabs />
            <div class="board-shown" data-face=move || faces.shown().name()>
            <div class="board-grid" hidden=move || matches!(faces.shown(), faces::Face::Compare | faces::Face::Memories)>
                {part("objective", DraftField::Objective, words::OBJECTIVE, words::OBJECTIVE_HINT, Face::Prose)}
                {part("scratchpad", DraftField::Scratchpad, words::SCRATCHPAD, words::SCRATCHPAD_HINT, Face::Code)}
                <div class="board-part" data-part="files">
                    <Files mind dispatch read_only now />
                </div>
            </div>
            <OtherFace />
            </div>
        </div>
    }
}
