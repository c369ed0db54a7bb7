//! Never edits a text: the editor does.
//!
//! Owns the desk, the part of the board where files are opened from disk, ordered, downloaded, and tied to a folder. It
//! is loaded when it is first needed, and stands in the editor's place while it is open.

pub mod arrivals;
pub mod download;
pub mod folder;
pub mod ties;
pub mod tree;

use std::sync::Arc;

use leptos::html::Input;
use leptos::prelude::*;

use crate::domain::draft::DraftField;
use crate::domain::mind::File;
use crate::engine::tie::Files;
use crate::ui::board::desk::FileDesk;
use crate::ui::desk::arrivals::{Arrivals, Open};
use crate::ui::desk::folder::FolderPart;
use crate::ui::desk::ties::Ties;
use crate::ui::desk::tree::Tree;
use crate::ui::hooks::files::{picked, picks_folders};
use crate::ui::view_state::{MindView, Sessions};
use crate::ui::words::desk as words;

/// The desk.
#[component]
pub fn Desk() -> impl IntoView {
    let (desk, mind) = (expect_context::<FileDesk>(), expect_context::<MindView>());
    let read_only = expect_context::<Sessions>().read_only();
    let arrivals = Arrivals::new();
    let ties = Ties::new();
    Effect::new(move |_| arrivals.take(desk.chosen()));
    let pick = NodeRef::<Input>::new();
    let pick_folder = NodeRef::<Input>::new();
    picks_folders(pick_folder);
    let click = |input: NodeRef<Input>| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    let none = move || mind.files().with(Vec::is_empty);
    view! { class="n",
        <section class="desk" data-testid="file-desk" aria-label=words::DESK hidden=move || !desk.open.get()>
            <div class="desk-bar">
                <button
                    type="button"
                    class="button"
                    title=words::OPEN_ABOUT
                    disabled=move || read_only.get()
                    on:click=move |_| click(pick)
                >
                    {words::OPEN}
                </button>
                <button
                    type="button"
                    class="quiet"
                    title=words::OPEN_FOLDER_ABOUT
                    disabled=move || read_only.get()
                    on:click=move |_| click(pick_folder)
                >
                    {words::OPEN_FOLDER}
                </button>
                <button
                    type="button"
                    class="quiet"
                    data-testid="file-zip"
                    title=words::ZIP_ABOUT
                    disabled=none
                    on:click=move |_| download::all(mind)
                >
                    {words::ZIP}
                </button>
                <input
                    node_ref=pick
                    hidden
                    type="file"
                    multiple
                    data-testid="file-pick"
                    on:change=move |event| desk.arrive(picked(&event))
                />
                <input
                    node_ref=pick_folder
                    hidden
                    type="file"
                    multiple
                    data-testid="file-pick-folder"
                    on:change=move |event| desk.take(picked(&event))
                />
            </div>
            <Open arrivals />
            <div class="desk-list">
                <Show when=none>
                    <p class="file-empty">{words::NOTHING}</p>
                </Show>
                <Tree ties />
            </div>
            <FolderPart ties />
        </section>
    }
}

/// The files of the session as they are now, to be compared with a folder.
fn files_now(mind: MindView) -> Files {
    let names = mind.files().get_untracked();
    let text = |name: &String| -> Arc<str> { mind.text_untracked(&DraftField::File(name.clone())) };
    names.iter().map(|name| (name.clone(), File::new(&text(name)))).collect()
}
