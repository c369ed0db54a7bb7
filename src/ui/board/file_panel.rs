//! The place of the file panel, which is loaded when it is first used.

use serde_json::Value;

use crate::ui::files::lazy_file_panel;
use crate::ui::kit::prelude::*;
use crate::ui::kit::selector::select_from;
use crate::ui::view_state::{Sessions, Settings};
use crate::ui::workspace::file_panel::FilePanelState;
use nexus_model::settings::schema::SYNCED_FOLDERS;

/// The place of the desk. It is loaded when it is opened, when a file comes, and where the session is tied to a folder.
#[component]
pub fn FilePanelSlot() -> impl IntoMarkup {
    let desk = expect_context::<FilePanelState>();
    let (focus, tied) =
        (expect_context::<Sessions>().focus(), expect_context::<Settings>().value(SYNCED_FOLDERS));
    let is_tied = move || {
        let session = focus.get().to_string();
        tied.with(|tied| {
            tied.as_ref()
                .and_then(|tied| tied.as_array())
                .is_some_and(|all| all.contains(&Value::from(session)))
        })
    };
    let needed =
        select_from(move |known| known == Some(&true) || desk.open.get() || desk.waiting.get() || is_tied());
    view! {
        <div class="desk-place" hidden=move || !desk.open.get() && !desk.waiting.get()>
            <Show when=move || needed.get()><LazyView load=lazy_file_panel /></Show>
        </div>
    }
}
