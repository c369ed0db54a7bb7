//! Never holds the mind: it shows the slice, and gives what is typed to the drafts.
//!
//! Owns the right pane, the context board: primary directive, scratchpad, files.

pub mod editor;
pub mod faces;
pub mod file_name;
pub mod files;
pub mod shared_field;

use leptos::prelude::*;

use crate::domain::draft::DraftField;
use crate::ui::board::faces::{FaceTabs, Faces, OtherFace};
use crate::ui::board::files::Files;
use crate::ui::board::shared_field::{Face, SharedField};
use crate::ui::dispatch::Dispatch;
use crate::ui::hooks::now::use_now;
use crate::ui::view_state::{MindView, Sessions};
use crate::ui::words::board as words;

/// The context board.
#[component]
pub fn Board() -> impl IntoView {
    let now = use_now();
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
            <FaceTabs />
            <div class="board-grid" hidden=move || faces.shown() != faces::Face::Edit>
                {part("objective", DraftField::Objective, words::OBJECTIVE, words::OBJECTIVE_HINT, Face::Prose)}
                {part("scratchpad", DraftField::Scratchpad, words::SCRATCHPAD, words::SCRATCHPAD_HINT, Face::Code)}
                <div class="board-part" data-part="files">
                    <Files mind dispatch read_only now />
                </div>
            </div>
            <OtherFace />
        </div>
    }
}
