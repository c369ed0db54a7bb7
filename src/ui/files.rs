//! The file panel: opens, lists and downloads files and syncs them with a folder, in place of the editor.
//!
//! Loaded lazily on first use.

pub mod download;
pub mod folder;
pub mod folder_sync;
pub mod import;
pub mod tree;

use std::sync::Arc;

use leptos::html::Input;
use leptos::prelude::*;

use crate::ui::board::file_panel::FilePanelState;
use crate::ui::files::folder::FolderSyncPanel;
use crate::ui::files::folder_sync::FolderSyncState;
use crate::ui::files::import::{FileImportList, FileImports};
use crate::ui::files::tree::FileTree;
use crate::ui::hooks::files::{picked, picks_folders};
use crate::ui::view_state::{MindView, Sessions};
use nexus_engine::folder_sync::SessionFiles;
use nexus_model::mind::MindFile;
use nexus_model::session::draft::DraftField;
pub use nexus_view::strings::board::files as words;

/// The desk.
#[component]
pub fn FilePanel() -> impl IntoView {
    let (desk, mind) = (expect_context::<FilePanelState>(), expect_context::<MindView>());
    let read_only = expect_context::<Sessions>().read_only();
    let arrivals = FileImports::new();
    let ties = FolderSyncState::new();
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
            <FileImportList arrivals />
            <div class="desk-list">
                <Show when=none>
                    <p class="file-empty">{words::NOTHING}</p>
                </Show>
                <FileTree ties />
            </div>
            <FolderSyncPanel ties />
        </section>
    }
}

/// The files of the session as they are now, to be compared with a folder.
fn files_now(mind: MindView) -> SessionFiles {
    let names = mind.files().get_untracked();
    let text = |name: &String| -> Arc<str> { mind.text_untracked(&DraftField::File(name.clone())) };
    names.iter().map(|name| (name.clone(), MindFile::new(&text(name)))).collect()
}
