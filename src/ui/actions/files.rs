//! Actions for the session's files, the board and the Core. Never writes a file's text.

use crate::ui::actions::{ActionList, ActionName};
use crate::ui::board::shared_field::remove;
use crate::ui::prelude::*;
use crate::ui::workspace::EDITED_TEXT;
use nexus_model::mind::preview::{first_page, kind_of};
use nexus_view::strings::{checks, palette as words};

const NEW: ActionName = ("file-new", common::NEW_FILE, Text("create add document"));
const ALL: ActionName =
    ("file-all", words::ALL_FILES, Text("upload import disk folder zip tree sync link connect"));
const CHECKS: ActionName = ("checks-run", checks::RUN, checks::ALSO);
const SYNC: ActionName =
    ("core-sync", common::EXECUTE_SYNC, Text("core supervisor objective scratchpad update sync now"));
const STOP_SYNC: ActionName = ("core-stop", words::STOP_SYNC, Text("cancel sync"));
const UNDO_SYNC: ActionName = ("core-undo", words::UNDO_SYNC, Text("revert sync"));

pub(super) fn put(page: &'static Page, list: &mut ActionList) {
    let &Page { dispatch, mind, .. } = page;
    let files = mind.files.order.get();
    // The editor of the files, with this question, if any.
    let edit = |room: Workspace, prompt: Option<FilePrompt>| {
        room.show_board(BoardTab::Edit);
        room.files.open.set(false);
        prompt.into_iter().for_each(|prompt| room.ask_for_file(prompt));
    };
    list.change_in_war_room(NEW, move |room| edit(room, Some(FilePrompt::NewName)))
        .by(ShortcutAction::NewFile);
    list.in_war_room(ALL, |room| {
        room.show_board(BoardTab::Edit);
        room.files.open.set(true);
        focus::focus_when_ready(".files-place".to_owned());
    })
    .by(ShortcutAction::AllFiles);
    let shown = mind.active.get().filter(|name| files.contains(name)).or_else(|| files.first().cloned());
    let none = shown.is_none().then_some(common::NO_FILES);
    let title =
        |words: fn(&str) -> String, without: &str| shown.as_deref().map_or_else(|| without.to_owned(), words);
    let (renamed, deleted) = (shown.clone(), shown.clone());
    let rename = ("file-rename", title(words::rename_file, words::RENAME.get()), Text("name move"));
    list.change_in_war_room(rename, move |room| {
        renamed.iter().for_each(|name| edit(room, Some(FilePrompt::OtherName(name.clone()))));
    })
    .unless(none);
    let delete = ("file-delete", title(words::delete_file, words::DELETE.get()), Text("remove"));
    list.change(delete, move || deleted.iter().for_each(|name| remove(dispatch, name.clone()))).unless(none);
    if let Some(name) = first_page(&files).cloned() {
        let is_shown = kind_of(&name).is_some();
        let preview = (format!("preview-{name}"), words::preview_file(&name), Text("run see page"));
        list.in_war_room(preview, move |room| room.preview(Some(name.clone())))
            .unless((!is_shown).then_some(words::NO_PREVIEW));
    }
    list.in_war_room(CHECKS, |room| room.dialogs.open(OpenDialog::Checks)).unless(none);
    for name in files {
        let open = (format!("open-{name}"), words::open_file(&name), Text("file edit switch"));
        list.in_war_room(open, move |room| {
            edit(room, None);
            room.open_file(page, name.clone());
            focus::focus_when_ready(EDITED_TEXT.to_owned());
        });
    }
}

fn show(room: Workspace, tab: BoardTab, selector: &str) {
    room.show_board(tab);
    focus::focus_when_ready(selector.to_owned());
}

pub(super) fn put_board(_: &'static Page, list: &mut ActionList) {
    for tab in BoardTab::ALL {
        let (title, also) = match tab {
            BoardTab::Edit => (words::EDIT, Text("write files")),
            BoardTab::Compare => (words::COMPARE, Text("differences changes review accept revert")),
            BoardTab::Preview => (words::PREVIEW, Text("run see page web")),
            BoardTab::Memories => (common::MEMORIES, Text("remember facts summary notes")),
        };
        let place =
            if tab == BoardTab::Compare { ".compare-list" } else { ".board-faces [aria-pressed=true]" };
        list.in_war_room((tab.name(), title, also), move |room| show(room, tab, place)).by(tab.act());
    }
    for (id, title, field) in [
        ("edit-objective", words::OBJECTIVE, "[data-part=objective] textarea"),
        ("edit-scratchpad", words::SCRATCHPAD, "[data-part=scratchpad] textarea"),
    ] {
        let name = (id, title, Text("plan notes goal primary directive todo"));
        list.in_war_room(name, move |room| show(room, BoardTab::Edit, field));
    }
}

pub(super) fn put_core(page: &'static Page, list: &mut ActionList) {
    let dispatch = page.dispatch;
    let (works, change) = page.core.row.with(|row| {
        let works = row.works();
        let change = row.state.change.as_ref().filter(|change| !change.undone);
        (works, change.and_then(|change| change.id))
    });
    list.change(SYNC, move || dispatch.send(Command::Sync { session: dispatch.session() }))
        .unless(works.then_some(words::SYNC_WORKS));
    list.change(STOP_SYNC, move || dispatch.send(Command::StopSync { session: dispatch.session() }))
        .unless((!works).then_some(words::NO_SYNC));
    list.change(UNDO_SYNC, move || {
        if let Some(sync) = change {
            dispatch.send(Command::UndoSync { session: dispatch.session(), sync });
        }
    })
    .unless(change.is_none().then_some(words::NO_CHANGE));
}
