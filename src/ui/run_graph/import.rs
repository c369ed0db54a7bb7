//! The dialog that imports an exported run or a graph template. What is wrong with the file is told; nothing is kept then.

use std::sync::Arc;

use leptos::html::{Dialog, Input};
use leptos::task::spawn_local;

use crate::ui::hooks::dialog;
use crate::ui::hooks::files::compression::unpacked;
use crate::ui::hooks::files::{PickedFile, on_drop, picked, picks_folders};
use crate::ui::kit::prelude::*;
use crate::ui::run_graph::place::{PlaceState, RunPlace};
use nexus_model::run::graph::GraphTemplate;
use nexus_view::run_graph::archive::{ARCHIVE_BYTES, ArchiveError, read_files};
use nexus_view::strings::{graph, run_graph as words};

#[component]
pub(super) fn ImportDialog(desk: PlaceState) -> impl IntoMarkup {
    let (node, folder) = (NodeRef::<Dialog>::new(), NodeRef::<Input>::new());
    picks_folders(folder);
    let problem = RwSignal::new(None::<String>);
    let reads = RwSignal::new(false);
    let leave = move || {
        dialog::close(node);
        desk.imports.set(false);
    };
    let take = move |files: Vec<PickedFile>| {
        if files.is_empty() {
            return;
        }
        problem.set(None);
        reads.set(true);
        spawn_local(async move {
            let read = read(&files).await;
            // The dialog may be gone by now.
            if !reads.try_set(false) {
                return;
            }
            match read {
                Ok(place) => {
                    leave();
                    desk.place.set(place);
                }
                Err(told) => problem.set(Some(told)),
            }
        });
    };
    on_drop(take);
    modal("dialog graph-dialog", "run-import-dialog", leave).titled("run-import-title").node(node).holding(view! {
        <h2 id="run-import-title">{words::IMPORT_TITLE}</h2>
        <p class="hint">{words::IMPORT_ABOUT}</p>
        <div class="field">
            <label class="field-name" for="run-import-file">{words::IMPORT_FILE}</label>
            <input
                id="run-import-file" class="input" type="file" accept=".zip,.json,application/zip,application/json"
                data-testid="run-import-file" disabled=reads on:change=move |event| take(picked(&event))
            />
        </div>
        <div class="field">
            <label class="field-name" for="run-import-folder">{words::IMPORT_FOLDER}</label>
            <input
                id="run-import-folder" class="input" type="file" node_ref=folder
                data-testid="run-import-folder" disabled=reads on:change=move |event| take(picked(&event))
            />
        </div>
        <p class="field-problem" role="alert" data-testid="run-import-problem">{move || problem.get()}</p>
        <div class="card-actions">
            {quiet_button(words::CANCEL).test("run-import-cancel").on_click(move |_| leave())}
        </div>
    })
}

/// What a file or the files of a folder lead to: a run, or a graph in the editor.
async fn read(files: &[PickedFile]) -> Result<RunPlace, String> {
    let failed = |error: ArchiveError| words::archive_error(&error);
    let imported =
        |files| read_files(files).map(|archive| RunPlace::Imported(Arc::new(archive))).map_err(failed);
    let sum = files.iter().map(|file| file.bytes).sum();
    if sum > ARCHIVE_BYTES {
        return Err(failed(ArchiveError::TooManyBytes(sum)));
    }
    let mut read = Vec::new();
    for file in files {
        let bytes = file.bytes().await.ok_or_else(|| failed(ArchiveError::Unreadable))?;
        read.push((file.name.clone(), bytes));
    }
    let bytes = match read.as_slice() {
        // A file of a folder comes with the path to it.
        [(name, bytes)] if !name.contains('/') => bytes,
        _ => return imported(read),
    };
    let template = std::str::from_utf8(bytes).ok().filter(|text| text.trim_start().starts_with('{'));
    match template {
        Some(text) => match GraphTemplate::read(text) {
            Ok(template) => Ok(RunPlace::Edit(Some(Arc::new(template)))),
            Err(error) => Err(format!("{} {}", words::NOT_IMPORTED, graph::error(&error))),
        },
        None => {
            let most = usize::try_from(ARCHIVE_BYTES).unwrap_or(usize::MAX);
            let files = unpacked(bytes, most).await.map_err(|error| failed(ArchiveError::Zip(error)))?;
            imported(files)
        }
    }
}
