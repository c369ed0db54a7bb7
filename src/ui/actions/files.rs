//! Actions for the session's files. Never writes a file's text.

use super::{ActionContext, ActionList, PaletteAction};
use crate::ui::board::file_name::remove;
use crate::ui::hooks::focus;
use crate::ui::workspace::board_tabs::BoardTab;
use crate::ui::workspace::dialogs::OpenDialog;
use crate::ui::workspace::file_panel::FilePrompt;
use crate::ui::workspace::panes::Pane;
use crate::ui::workspace::{FilePromptState, Workspace};
use nexus_model::mind::preview::{first_page, kind_of};
use nexus_view::shortcuts::ShortcutAction;
use nexus_view::strings::{checks, palette as words};

/// Brings the files into view.
fn to_files(room: Workspace) {
    room.place.set(Pane::Board);
    room.faces.show(BoardTab::Edit);
}

pub(super) fn put(reach: &ActionContext, shelf: &mut ActionList) {
    let ActionContext { dispatch, mind, notices, .. } = *reach;
    let read_only = reach.read_only();
    let files = mind.files().get();
    shelf.put(
        PaletteAction::in_room("file-new", words::NEW_FILE, |room| {
            to_files(room);
            room.desk.open.set(false);
            room.asked.set(FilePrompt::NewName);
        })
        .also("create add document")
        .by(ShortcutAction::NewFile)
        .unless(read_only),
    );
    shelf.put(
        PaletteAction::in_room("file-all", words::ALL_FILES, |room| {
            to_files(room);
            room.desk.open.set(true);
            focus::lead_when_there(".desk-place".to_owned());
        })
        .also("upload import disk folder zip tree sync link connect")
        .by(ShortcutAction::AllFiles),
    );
    let shown = mind.active().get().filter(|name| files.contains(name)).or_else(|| files.first().cloned());
    let none = shown.is_none().then_some(words::NO_FILE);
    let title =
        |words: fn(&str) -> String, without: &str| shown.as_deref().map_or_else(|| without.to_owned(), words);
    let named = shown.clone();
    shelf.put(
        PaletteAction::in_room("file-rename", title(words::rename_file, words::RENAME.get()), move |room| {
            if let Some(name) = named.clone() {
                to_files(room);
                room.desk.open.set(false);
                room.asked.set(FilePrompt::OtherName(name));
            }
        })
        .also("name move")
        .unless(read_only)
        .unless(none),
    );
    let named = shown.clone();
    let delete = move || {
        if let Some(name) = named.clone() {
            remove(dispatch, notices, name);
        }
    };
    shelf.put(
        PaletteAction::here("file-delete", title(words::delete_file, words::DELETE.get()), delete)
            .also("remove")
            .unless(read_only)
            .unless(none),
    );
    if let Some(page) = first_page(&files).cloned() {
        shelf.put(preview(page));
    }
    shelf.put(
        PaletteAction::in_room("checks-run", checks::RUN, |room| room.tree.open(OpenDialog::Checks))
            .also(checks::ALSO.get())
            .unless(none),
    );
    let reads = reach.reads();
    for name in files {
        let opened = name.clone();
        shelf.put(
            PaletteAction::in_room(format!("open-{name}"), words::open_file(&name), move |room| {
                to_files(room);
                room.desk.open.set(false);
                let care = FilePromptState { asked: room.asked, looked_at: room.looked_at };
                care.open(opened.clone(), mind, dispatch, reads);
                focus::lead_when_there(".file-work .cm-content, .file-work textarea".to_owned());
            })
            .also("file edit switch"),
        );
    }
}

/// Shows a file as it looks when it runs.
fn preview(name: String) -> PaletteAction {
    let title = words::preview_file(&name);
    let shown = name.clone();
    let action = PaletteAction::in_room(format!("preview-{name}"), title, move |room| {
        room.place.set(Pane::Board);
        room.faces.preview().set(Some(shown.clone()));
        room.faces.show(BoardTab::Preview);
    });
    let why_not = kind_of(&name).is_none().then_some(words::NO_PREVIEW);
    action.also("run see page").unless(why_not)
}
