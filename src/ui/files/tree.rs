//! The list of all files by folder, with the actions for each.

use leptos::prelude::*;

use crate::ui::board::file_name::FileNameForm;
use crate::ui::board::file_panel::FilePanelState;
use crate::ui::board::removal::remove;
use crate::ui::dispatch::Dispatch;
use crate::ui::files::download;
use crate::ui::files::folder_sync::FolderSyncState;
use crate::ui::kit::keyed_list::KeyedList;
use crate::ui::view_state::{MindView, Notices, Sessions};
use nexus_model::mind::MindWrite;
use nexus_model::mind::file_name::{FileTreeRow, is_hidden, tree};
use nexus_model::session::draft::DraftField;
pub use nexus_view::strings::board::files as words;
use nexus_view::strings::size;

/// The files, folder by folder.
#[component]
pub fn FileTree(
    /// How the files stand to the folder on disk.
    ties: FolderSyncState,
) -> impl IntoView {
    let mind = expect_context::<MindView>();
    let folded = RwSignal::new(Vec::<String>::new());
    let renaming = RwSignal::new(None::<String>);
    let rows = Memo::new(move |_| {
        let rows = mind.files().with(|files| tree(files));
        folded.with(|folded| rows.into_iter().filter(|row| !is_hidden(row, folded)).collect::<Vec<_>>())
    });
    let item = move |row: FileTreeRow| {
        let depth = row.depth.to_string();
        let content = if row.is_folder {
            view! { class="n", <FolderRow row folded /> }.into_any()
        } else {
            view! { class="n", <FileRow row renaming ties /> }.into_any()
        };
        view! { class="n", <li class="desk-row" style:--depth=depth>{content}</li> }
    };
    view! { class="n",
        <ul class="desk-tree" data-testid="file-tree" aria-label=words::ALL>
            <KeyedList each=move || rows.get() key=Clone::clone children=item />
        </ul>
    }
}

#[component]
fn FolderRow(row: FileTreeRow, folded: RwSignal<Vec<String>>) -> impl IntoView {
    let path = StoredValue::new(row.name);
    let is_open = move || folded.with(|folded| path.with_value(|path| !folded.contains(path)));
    let toggle = move |_| {
        folded.update(|folded| match folded.iter().position(|other| path.with_value(|path| path == other)) {
            Some(place) => drop(folded.remove(place)),
            None => folded.push(path.get_value()),
        });
    };
    view! { class="n",
        <button
            type="button"
            class="desk-folder"
            data-testid="file-folder"
            data-folder=path.get_value()
            aria-expanded=move || is_open().to_string()
            on:click=toggle
        >
            <span aria-hidden="true">{move || if is_open() { "▾" } else { "▸" }}</span>
            {format!("{}/", row.label)}
        </button>
    }
}

#[component]
fn FileRow(row: FileTreeRow, renaming: RwSignal<Option<String>>, ties: FolderSyncState) -> impl IntoView {
    let (desk, mind) = (expect_context::<FilePanelState>(), expect_context::<MindView>());
    let (dispatch, notices) = (expect_context::<Dispatch>(), expect_context::<Notices>());
    let read_only = expect_context::<Sessions>().read_only();
    let name = StoredValue::new(row.name);
    let file = name.get_value();
    let weight = mind.file_text(&file).map(|text| move || size(text.with(|text| text.len())));
    let active = Memo::new(move |_| {
        mind.active().with(|active| name.with_value(|name| active.as_ref() == Some(name)))
    });
    let open = move |_| {
        desk.open.set(false);
        if !active.get_untracked() && !read_only.get_untracked() {
            dispatch.write_mind(vec![MindWrite::Activate(name.get_value())]);
        }
    };
    let rename = move |to: String| {
        renaming.set(None);
        // What is being typed goes with the file.
        dispatch.keep_draft(&DraftField::File(name.get_value()));
        dispatch.write_mind(vec![MindWrite::Rename { from: name.get_value(), to }]);
    };
    let is_renamed = move || renaming.with(|file| name.with_value(|name| file.as_ref() == Some(name)));
    let mark = move || ties.standing(&name.get_value()).map(words::mark);
    view! { class="n",
        <div class="desk-file" data-testid="file-row" data-file=file.clone()>
            <button
                type="button"
                class="desk-name"
                data-testid="file-open"
                aria-current=move || active.get().then_some("true")
                title=file.clone()
                on:click=open
            >
                {row.label}
            </button>
            <span class="desk-mark">{mark}</span>
            <span class="board-figures">{weight}</span>
            <button
                type="button"
                class="icon"
                data-testid="file-row-rename"
                aria-label=words::rename(&file)
                title=words::RENAME
                disabled=move || read_only.get()
                on:click=move |_| renaming.set(Some(name.get_value()))
            >
                {"✎"}
            </button>
            <button
                type="button"
                class="icon"
                data-testid="file-row-download"
                aria-label=words::download(&file)
                title=words::DOWNLOAD
                on:click=move |_| download::one(mind, notices, &name.get_value())
            >
                {"↓"}
            </button>
            <button
                type="button"
                class="icon"
                data-testid="file-row-delete"
                aria-label=words::delete(&file)
                title=words::DELETE
                disabled=move || read_only.get()
                on:click=move |_| remove(dispatch, notices, name.get_value())
            >
                {"×"}
            </button>
        </div>
        <Show when=is_renamed>
            <FileNameForm
                present=name.get_value()
                action=words::RENAME
                taken=mind.files()
                done=rename
                cancel=move || renaming.set(None)
            />
        </Show>
    }
}
