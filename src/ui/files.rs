//! The file panel: opens, lists and downloads files and syncs them with a folder, in place of the editor.
//!
//! Loaded lazily on first use.

pub mod folder;
pub mod folder_sync;
pub mod import;

use leptos::html::Input;

use crate::ui::files::folder::{FileTree, FolderSyncPanel, download_all};
use crate::ui::files::folder_sync::FolderSyncState;
use crate::ui::files::import::{FileImportList, FileImports};
use crate::ui::hooks::files::{picked, picks_folders};
use crate::ui::prelude::*;
use crate::ui::workspace::message_actions::FilePanelState;
pub use nexus_view::strings::board::files as words;

lazy_view!(board, lazy_file_panel, FilePanel);

#[component]
pub fn FilePanel() -> impl IntoMarkup {
    let (panel, mind) = (expect_context::<FilePanelState>(), expect_context::<MindView>());
    let read_only = expect_context::<Sessions>().read_only;
    let imports = FileImports::new();
    let folder_sync = FolderSyncState::new();
    Effect::new(move |_| imports.take(panel.chosen()));
    let pick = NodeRef::<Input>::new();
    let pick_folder = NodeRef::<Input>::new();
    picks_folders(pick_folder);
    let click = |input: NodeRef<Input>| {
        if let Some(input) = input.get_untracked() {
            input.click();
        }
    };
    let none = move || mind.files.order.with(Vec::is_empty);
    view! {
        <section class="files-panel" data-testid="files-panel" aria-label=common::ALL_FILES hidden=move || !panel.open.get()>
            <div class="files-bar">
                {button(words::OPEN).title(words::OPEN_ABOUT).disabled(read_only)
                    .on_click(move |_| click(pick))}
                {quiet_button(words::OPEN_FOLDER).title(words::OPEN_FOLDER_ABOUT)
                    .disabled(read_only).on_click(move |_| click(pick_folder))}
                {quiet_button(words::ZIP).test("file-zip").title(words::ZIP_ABOUT).disabled(none)
                    .on_click(move |_| download_all(mind))}
                <input
                    node_ref=pick hidden type="file" multiple data-testid="file-pick"
                    on:change=move |event| panel.add(picked(&event))
                />
                <input
                    node_ref=pick_folder hidden type="file" multiple data-testid="file-pick-folder"
                    on:change=move |event| panel.take(picked(&event))
                />
            </div>
            <FileImportList imports />
            <div class="files-list">
                <Show when=none><p class="file-empty">{words::NOTHING}</p></Show>
                <FileTree sync=folder_sync />
            </div>
            <FolderSyncPanel sync=folder_sync />
        </section>
    }
}
