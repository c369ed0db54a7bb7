//! Writes the run to a folder on the operator's disk, which they picked, and keeps it up to date; exports the run as a
//! ZIP file; and imports an exported run or a graph template.
//!
//! Writes only what changed, and never reads from the folder. Ends with the screen: a click picks a folder again.

use crate::ui::hooks::files::LazyFileSystem;
use crate::ui::hooks::files::compression::{packed, unpacked};
use crate::ui::hooks::files::{on_drop, picks_folders};
use crate::ui::prelude::*;
use crate::ui::run_graph::canvas::{PlaceState, RunPlace};
use crate::ui::run_graph::state::RunScreenState;
use nexus_engine::port::{FileSystem, FileSystemError};
use nexus_view::run_graph::archive::{ARCHIVE_BYTES, ArchiveError, ArchiveFile, archive, read_files};
use nexus_view::strings::{graph, run_graph as words};

/// Debounce of writing, in milliseconds.
const DEBOUNCE_MS: u64 = 1_500;

#[component]
pub(super) fn FolderButton(state: RunScreenState) -> impl IntoMarkup {
    let &Page { dispatch, notices, .. } = expect_context();
    let load = expect_context::<LazyFileSystem>();
    let clock = dispatch.clock();
    let disk = StoredValue::new(None::<Rc<dyn FileSystem>>);
    let folder = RwSignal::new(None::<String>);
    // Hashes of written files, by path.
    let written = StoredValue::new(VecMap::<String, ContentHash>::new());
    // Folders are stored by session; the ids of runs never conflict with those.
    let key: Option<SessionId> = state.run.to_string().parse().ok();
    let (Some(key), false) = (key, state.is_imported()) else { return Markup::default() };
    let failed = move |_: &FileSystemError| {
        folder.set(None);
        notices.add(NoticeKind::Error, words::NOT_KEPT_IN_STEP, words::NOT_KEPT_IN_STEP_ADVICE);
    };
    let write = async move || -> Result<(), FileSystemError> {
        let (Some(disk), Some(files)) = (disk.get_value(), files(state).await) else { return Ok(()) };
        for (path, text) in files {
            let hash = ContentHash::of_text(&text);
            if written.with_value(|written| written.get(&path) != Some(&hash)) {
                disk.write(key, path.clone(), text.into_bytes()).await?;
                written.update_value(|written| written.insert(path, hash));
            }
        }
        Ok(())
    };
    let (sender, mut changes) = unbounded();
    Effect::new(move |_| {
        state.with_replay(|_| ());
        if folder.with(Option::is_some) {
            // The receiver is gone once the screen closes.
            drop(sender.unbounded_send(()));
        }
    });
    spawn_here(async move {
        while changes.next().await.is_some() {
            clock.sleep(DEBOUNCE_MS).await;
            // Further changes are written at once.
            while changes.try_recv().is_ok() {}
            if folder.with_untracked(Option::is_some)
                && let Err(error) = write().await
            {
                failed(&error);
            }
        }
    });
    let on_picked = move |name: String, file_system: Rc<dyn FileSystem>| {
        disk.set_value(Some(file_system));
        folder.set(Some(name));
    };
    let forget = move || {
        if let Some(disk) = disk.try_get_value().flatten() {
            // Nothing is written there any more, even if the browser keeps the handle.
            spawn_local(async move { drop(disk.unlink(key).await) });
        }
    };
    on_cleanup(forget);
    let click = move |_| {
        if folder.with_untracked(Option::is_some) {
            folder.set(None);
            written.set_value(VecMap::new());
            return forget();
        }
        spawn_local(async move {
            let Ok(make) = (load.0)().await else { return failed(&FileSystemError::Gone) };
            let file_system = make();
            if file_system.unavailable().is_some() {
                notices.add(NoticeKind::Error, words::NO_FOLDERS, words::NO_FOLDERS_ADVICE);
                return;
            }
            match file_system.pick(key).await {
                Ok(Some(picked)) => on_picked(picked.name, file_system),
                Ok(None) => {}
                Err(error) => failed(&error),
            }
        });
    };
    let label = move || match folder.get() {
        Some(name) => words::kept_in(&name),
        None => words::KEEP_IN_FOLDER.get().to_owned(),
    };
    quiet_button(label)
        .test("run-folder")
        .title(words::KEEP_IN_FOLDER_ABOUT)
        .with("aria-pressed", move || folder.with(Option::is_some).to_string())
        .on_click(click)
        .into_markup()
}

#[component]
pub(super) fn ExportButton(state: RunScreenState) -> impl IntoMarkup {
    let &Page { notices, .. } = expect_context();
    let works = RwSignal::new(false);
    let none = move || works.get() || state.diagram.with(Option::is_none);
    let export = move |_| {
        works.set(true);
        spawn_local(async move {
            if export(state).await.is_none() {
                notices.add(NoticeKind::Error, words::NOT_EXPORTED, words::NOT_EXPORTED_ADVICE);
            }
            works.set(false);
        });
    };
    quiet_button(common::EXPORT_RUN)
        .test("run-export")
        .title(words::EXPORT_ABOUT)
        .disabled(none)
        .on_click(export)
}

/// Downloads the current run; `None` on failure.
async fn export(state: RunScreenState) -> Option<()> {
    let files = files(state).await?;
    let files: Vec<_> = files.into_iter().map(|(path, text)| (path, text.into_bytes())).collect();
    let bytes = packed(&files).await?;
    download_bytes(&format!("nexus-run-{}.zip", state.run), &bytes).then_some(())
}

/// The files of the current run; `None` if they cannot be read.
pub(super) async fn files(state: RunScreenState) -> Option<Vec<ArchiveFile>> {
    // Exports the whole run, whatever moment is shown.
    let diagram = untrack(move || state.with_replay(|replay| replay.diagram_at(replay.len())))?;
    let artifacts = diagram.nodes.iter().flat_map(|node| &node.artifacts);
    let contents = state.texts(artifacts.filter_map(|diagram| diagram.artifact.hash)).await.ok()?;
    untrack(move || state.with_replay(|replay| archive(replay, &contents)))
}

#[component]
pub(super) fn ImportDialog(places: PlaceState) -> impl IntoMarkup {
    let (node, leave) = dialog::leaving(move || places.imports.set(false));
    let folder = NodeRef::<Input>::new();
    picks_folders(folder);
    let problem = RwSignal::new(None::<String>);
    let is_reading = RwSignal::new(false);
    let import = move |files: Vec<PickedFile>| {
        if files.is_empty() {
            return;
        }
        problem.set(None);
        is_reading.set(true);
        spawn_local(async move {
            let read = read(&files).await;
            // The dialog may be gone by now.
            if !is_reading.try_set(false) {
                return;
            }
            match read {
                Ok(place) => {
                    leave();
                    places.go(place);
                }
                Err(message) => problem.set(Some(message)),
            }
        });
    };
    on_drop(import);
    let field = |id: &'static str, label: Text, accept: Option<&'static str>, node: NodeRef<Input>| {
        view! {
            <div class="field">
                <label class="field-name" for=id>{label}</label>
                <input
                    id=id class="input" type="file" accept=accept node_ref=node data-testid=id disabled=is_reading
                    on:change=move |event| import(picked(&event))
                />
            </div>
        }
    };
    modal("dialog graph-dialog", "run-import-dialog", leave).titled("run-import-title").node(node).with_children(view! {
        <h2 id="run-import-title">{words::IMPORT_TITLE}</h2>
        <p class="hint">{words::IMPORT_ABOUT}</p>
        {field("run-import-file", words::IMPORT_FILE, Some(".zip,.json,application/zip,application/json"), NodeRef::new())}
        {field("run-import-folder", words::IMPORT_FOLDER, None, folder)}
        <p class="field-problem" role="alert" data-testid="run-import-problem">{move || problem.get()}</p>
        <div class="card-actions">
            {quiet_button(common::CANCEL).test("run-import-cancel").on_click(move |_| leave())}
        </div>
    })
}

/// Parses a file or the files of a folder: a run, or a graph for the editor.
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
        // Files of a folder have a path.
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
