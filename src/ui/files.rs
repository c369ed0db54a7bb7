//! The file panel: opens, lists and downloads files and syncs them with a folder, in place of the editor.
//!
//! Files are listed by folder, with the actions for each. The folder section links a folder, shows differences, and
//! resolves them. Loaded lazily on first use.

pub mod folder_sync;
pub mod import;

use crate::ui::board::shared_field::{FileNameForm, remove};
use crate::ui::files::folder_sync::{FolderSyncState, FolderSyncStatus};
use crate::ui::files::import::{FileImportList, FileImports};
use crate::ui::hooks::files::compression::packed;
use crate::ui::hooks::files::picks_folders;
use crate::ui::prelude::*;
use nexus_model::mind::blob::disk_bytes;
use nexus_model::mind::file_name::{FileTreeRow, label, matching_rows};
use nexus_model::mind::folder_sync::FileStatus;
use nexus_view::strings::board::files as words;
use nexus_view::strings::size;

lazy_view!(board, lazy_file_panel, FilePanel);

#[component]
pub fn FilePanel() -> impl IntoMarkup {
    let &Page { mind, sessions: Sessions { read_only, .. }, .. } = expect_context();
    let Workspace { files: panel, .. } = expect_context();
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
                    on:change=move |event| panel.take(picked(&event))
                />
                <input
                    node_ref=pick_folder hidden type="file" multiple data-testid="file-pick-folder"
                    on:change=move |event| panel.take(picked(&event))
                />
            </div>
            <FileImportList imports />
            <div class="files-list">
                <Show when=none><p class="file-empty">{common::NO_FILES}</p></Show>
                <FileTree sync=folder_sync />
            </div>
            <FolderSyncPanel sync=folder_sync />
        </section>
    }
}

#[component]
pub fn FolderSyncPanel(sync: FolderSyncState) -> impl IntoMarkup {
    let read_only = expect_context::<&Page>().sessions.read_only;
    let state = sync.state;
    let button = move |test: &'static str, label: Text, about: Text, act: fn(FolderSyncState)| {
        let off = move || read_only.get() || sync.busy.get();
        button(label).test(test).title(about).disabled(off).on_click(move |_| act(sync))
    };
    let part = move || match state.get() {
        FolderSyncStatus::Unknown => Markup::Empty,
        FolderSyncStatus::Unavailable(why) => {
            view! { <p class="hint" data-testid="folder-problem">{words::unavailable(why)}</p> }
        }
        FolderSyncStatus::Free => view! {
            <p class="hint">{words::FREE}</p>
            {button("folder-tie", words::TIE, words::TIE_ABOUT, FolderSyncState::pick)}
        },
        FolderSyncStatus::Lapsed(name) => view! {
            <p class="hint" data-testid="folder-lapsed">{words::lapsed(&name)}</p>
            {move || sync.refused.get().then(|| view! {
                <p class="hint" role="alert" data-testid="folder-error">{words::NOT_ALLOWED}</p>
            })}
            {button("folder-allow", words::ALLOW, words::ALLOW_ABOUT, FolderSyncState::allow)}
            {button("folder-untie", words::UNTIE, words::UNTIE_ABOUT, FolderSyncState::unlink)}
        },
        FolderSyncStatus::Failed(error) => view! {
            <p class="hint" role="alert">{words::failed(&error)}</p>
            {button("folder-tie", words::TIE, words::TIE_ABOUT, FolderSyncState::pick)}
            {button("folder-untie", words::UNTIE, words::UNTIE_ABOUT, FolderSyncState::unlink)}
        },
        FolderSyncStatus::Linked(name) => view! {
            <p class="hint" data-testid="folder-linked">{move || words::linked_with(&name, sync.differences.with(Vec::len))}</p>
            <div class="files-bar">
                <WriteAllButton sync />
                <CompareFolderButton sync />
                {button("folder-look", words::LOOK, words::LOOK_ABOUT, FolderSyncState::check)}
                {button("folder-untie", words::UNTIE, words::UNTIE_ABOUT, FolderSyncState::unlink)}
            </div>
            <FolderDifferences sync />
            <p class="hint">{sync.left_out}</p>
        },
    };
    view! {
        <section class="files-disk" aria-label=words::FOLDER>
            <h3 class="label">{words::FOLDER}</h3>
            {part}
        </section>
    }
}

#[component]
fn WriteAllButton(sync: FolderSyncState) -> impl IntoMarkup {
    let read_only = expect_context::<&Page>().sessions.read_only;
    let count = sync.differences.map(move |all| all.iter().filter(|(_, status)| status.is_written()).count());
    button(move || words::write(count.get()))
        .first()
        .test("folder-write")
        .title(words::WRITE_ABOUT)
        .disabled(move || count.get() == 0 || read_only.get() || sync.busy.get())
        .on_click(move |_| sync.write_all())
}

/// Opens COMPARE against the folder. Also available read-only, since it changes nothing.
#[component]
fn CompareFolderButton(sync: FolderSyncState) -> impl IntoMarkup {
    let room = expect_context::<Workspace>();
    button(common::COMPARE)
        .test("folder-compare")
        .title(words::COMPARE_ABOUT)
        .disabled(move || sync.differences.with(Vec::is_empty) || room.files.on_disk.with(Option::is_none))
        .on_click(move |_| {
            room.files.open.set(false);
            room.compare_with(Some(ComparisonBase::Disk));
        })
}

type FileAction = fn(FolderSyncState, String);

#[component]
fn FolderDifferences(sync: FolderSyncState) -> impl IntoMarkup {
    let read_only = expect_context::<&Page>().sessions.read_only;
    let item = move |(name, status): (String, FileStatus)| {
        let label = name.clone();
        let act = |test: &'static str, (label, action): (Text, FileAction)| {
            let name = name.clone();
            quiet_button(label)
                .test(test)
                .disabled(move || read_only.get() || sync.busy.get())
                .on_click(move |_| action(sync, name.clone()))
        };
        let keep: FileAction = |sync, name| sync.write(vec![name], true);
        let theirs: FileAction = FolderSyncState::import_file;
        let delete: FileAction = |sync, name| remove(sync.page.dispatch, name);
        let (first, second) = match status {
            FileStatus::Same | FileStatus::ChangedInFolder | FileStatus::NewInFolder => {
                (None, Some((words::READ, theirs)))
            }
            FileStatus::ChangedInSession => (None, Some((words::THEIRS, theirs))),
            FileStatus::NewInSession => (None, None),
            FileStatus::DeletedInSession => (None, Some((common::RESTORE, theirs))),
            FileStatus::DeletedInFolder => {
                (Some((words::WRITE_AGAIN, keep)), Some((words::DELETE_HERE, delete)))
            }
            FileStatus::ChangedInBoth => (Some((words::OURS, keep)), Some((words::THEIRS, theirs))),
        };
        // The folder's side needs a text file there; ours needs one here.
        let second = second.filter(|_| status == FileStatus::DeletedInFolder || sync.has_folder_text(&name));
        let first = first.map(|action| act("folder-ours", action));
        let second = second.map(|action| act("folder-theirs", action));
        view! {
            <li class="files-note" data-testid="folder-difference" data-file=label data-kind=json::name(&status)>
                <p>
                    <b>{name}</b>
                    {" "}
                    {words::status_text(status)}
                </p>
                {first}
                {second}
            </li>
        }
    };
    view! { <ul class="files-notes">{keyed_list(move || sync.differences.get(), Clone::clone, item)}</ul> }
}

/// Number of files from which the list can be searched.
const LONG_LIST: usize = 15;

#[component]
pub fn FileTree(sync: FolderSyncState) -> impl IntoMarkup {
    let &Page { mind, .. } = expect_context();
    let folded = RwSignal::new(Vec::<String>::new());
    let renaming = RwSignal::new(None::<String>);
    let search = RwSignal::new(String::new());
    let rows = select(move || {
        let (search, folded) = (search.get(), folded.get());
        mind.files.order.with(|files| matching_rows(files, &search, &folded))
    });
    // A search stays visible, even if files were deleted.
    let is_long =
        select(move || mind.files.order.with(Vec::len) >= LONG_LIST || !search.with(String::is_empty));
    let none = move || rows.with(Vec::is_empty) && !search.with(String::is_empty);
    let item = move |row: FileTreeRow| {
        let depth = row.depth.to_string();
        let content = if row.is_folder {
            view! { <FolderRow row folded /> }
        } else {
            view! { <FileRow row renaming sync /> }
        };
        view! { <li class="files-row" style:--depth=depth>{content}</li> }
    };
    view! {
        <Show when=move || is_long.get()>
            <input
                class="input" type="search" data-testid="file-search" aria-label=words::SEARCH
                placeholder=words::SEARCH prop:value=search
                on:input=move |ev| search.set(event_target_value(&ev))
            />
        </Show>
        <Show when=none><p class="hint" role="status">{common::NO_RESULTS}</p></Show>
        <ul class="files-tree" data-testid="file-tree" aria-label=words::ALL>
            {keyed_list(move || rows.get(), Clone::clone, item)}
        </ul>
    }
}

#[component]
fn FolderRow(row: FileTreeRow, folded: RwSignal<Vec<String>>) -> impl IntoMarkup {
    let path = StoredValue::new(row.name);
    let is_open = move || folded.with(|folded| path.with_value(|path| !folded.contains(path)));
    let toggle = move |_| {
        folded.update(|folded| match folded.iter().position(|other| path.with_value(|path| path == other)) {
            Some(place) => drop(folded.remove(place)),
            None => folded.push(path.get_value()),
        });
    };
    view! {
        <button
            type="button" class="files-folder" data-testid="file-folder" data-folder=path.get_value()
            aria-expanded=move || is_open().to_string() on:click=toggle
        >
            <span class="chevron" aria-hidden="true"></span>
            {format!("{}/", row.label)}
        </button>
    }
}

#[component]
fn FileRow(row: FileTreeRow, renaming: RwSignal<Option<String>>, sync: FolderSyncState) -> impl IntoMarkup {
    let &Page { dispatch, mind, notices, sessions: Sessions { read_only, .. }, .. } = expect_context();
    let Workspace { files: panel, .. } = expect_context();
    let name = StoredValue::new(row.name);
    let file = name.get_value();
    let size_text = mind.files.row(&file).map(|text| move || size(text.with(|text| text.len())));
    let active = mind.active.map(move |active| name.with_value(|name| active.as_ref() == Some(name)));
    let open = move |_| {
        panel.open.set(false);
        if !active.get_untracked() && !read_only.get_untracked() {
            dispatch.write_mind(vec![MindWrite::Activate(name.get_value())]);
        }
    };
    let rename = move |to: String| {
        renaming.set(None);
        // The button of the renamed row. Names contain no backslash.
        let row = to.replace('"', "\\\"");
        focus::focus_when_ready(format!("[data-file=\"{row}\"] [data-testid=file-row-rename]"));
        // The draft moves with the file.
        dispatch.keep_draft(&DraftField::File(name.get_value()));
        dispatch.write_mind(vec![MindWrite::Rename { from: name.get_value(), to }]);
    };
    let is_renamed = move || renaming.with(|file| name.with_value(|name| file.as_ref() == Some(name)));
    let mark = move || sync.status(&name.get_value()).map(words::mark);
    view! {
        <div class="files-file" data-testid="file-row" data-file=file.clone()>
            {plain_button("files-name", row.label).test("file-open")
                .with("aria-current", move || active.get().then_some("true")).title(file.clone())
                .on_click(open)}
            <span class="files-mark">{mark}</span>
            <span class="board-figures">{size_text}</span>
            {icon_button(icon(EDIT)).test("file-row-rename").label(words::rename(&file)).title(common::RENAME)
                .disabled(read_only).on_click(move |_| renaming.set(Some(name.get_value())))}
            {icon_button(icon(icon::DOWN)).test("file-row-download").label(words::download(&file)).title(common::DOWNLOAD)
                .on_click(move |_| download_file(mind, notices, &name.get_value()))}
            {icon_button(icon(icon::CLOSE)).test("file-row-delete").label(words::delete(&file)).title(common::DELETE)
                .disabled(read_only)
                .on_click(move |_| remove(dispatch, name.get_value()))}
        </div>
        <Show when=is_renamed>
            <FileNameForm
                present=name.get_value() suggested=String::new() action=common::RENAME.get() taken=mind.files.order done=rename
                cancel=move || renaming.set(None)
            />
        </Show>
    }
}

/// Downloads a file under the last segment of its name.
fn download_file(mind: MindView, notices: Notices, name: &str) {
    let text = mind.file_untracked(name);
    let short = name.rsplit('/').next().unwrap_or(name);
    if !download_bytes(short, &disk_bytes(&text)) {
        notices.add(NoticeKind::Error, words::NOT_DOWNLOADED, words::NOT_DOWNLOADED_ADVICE);
    }
}

/// Downloads all files as one archive, named after the session.
fn download_all(mind: MindView) {
    let &Page { notices, sessions, .. } = expect_context();
    let names = mind.files.order.get_untracked();
    let with_bytes = |name: &String| (name.clone(), disk_bytes(&mind.file_untracked(name)));
    let files: Vec<_> = names.iter().map(with_bytes).collect();
    let session = sessions.rows.get_untracked(&sessions.focus.get_untracked());
    let label = session.and_then(|row| label(&row.label)).unwrap_or_else(|| "files".to_owned());
    let name = format!("{}.zip", label.replace('/', "-"));
    spawn_local(async move {
        if !packed(&files).await.is_some_and(|bytes| download_bytes(&name, &bytes)) {
            notices.add(NoticeKind::Error, words::NOT_DOWNLOADED, words::NOT_DOWNLOADED_ADVICE);
        }
    });
}
