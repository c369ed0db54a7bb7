//! Actions for the session's files, the board and the Core. Never writes a file's text.

use crate::ui::actions::ActionList;
use crate::ui::board::shared_field::remove;
use crate::ui::prelude::*;
use nexus_model::mind::preview::{first_page, kind_of};
use nexus_view::strings::{checks, palette as words};

pub(super) fn put(page: &'static Page, list: &mut ActionList) {
    let &Page { dispatch, mind, notices, .. } = page;
    let files = mind.files.order.get();
    list.change_in_war_room("file-new", common::NEW_FILE, Text("create add document"), |room| {
        room.show_board(BoardTab::Edit);
        room.files.open.set(false);
        room.file_prompt.set(FilePrompt::NewName);
    })
    .by(ShortcutAction::NewFile);
    list.in_war_room(
        "file-all",
        words::ALL_FILES,
        Text("upload import disk folder zip tree sync link connect"),
        |room| {
            room.show_board(BoardTab::Edit);
            room.files.open.set(true);
            focus::focus_when_ready(".files-place".to_owned());
        },
    )
    .by(ShortcutAction::AllFiles);
    let shown = mind.active.get().filter(|name| files.contains(name)).or_else(|| files.first().cloned());
    let none = shown.is_none().then_some(words::NO_FILE);
    let title =
        |words: fn(&str) -> String, without: &str| shown.as_deref().map_or_else(|| without.to_owned(), words);
    let named = shown.clone();
    list.change_in_war_room(
        "file-rename",
        title(words::rename_file, words::RENAME.get()),
        Text("name move"),
        move |room| {
            if let Some(name) = named.clone() {
                room.show_board(BoardTab::Edit);
                room.files.open.set(false);
                room.file_prompt.set(FilePrompt::OtherName(name));
            }
        },
    )
    .unless(none);
    let named = shown.clone();
    let delete = move || {
        if let Some(name) = named.clone() {
            remove(dispatch, notices, name);
        }
    };
    list.change("file-delete", title(words::delete_file, words::DELETE.get()), Text("remove"), delete)
        .unless(none);
    if let Some(name) = first_page(&files).cloned() {
        let (title, is_shown) = (words::preview_file(&name), kind_of(&name).is_some());
        list.in_war_room(format!("preview-{name}"), title, Text("run see page"), move |room| {
            room.preview(Some(name.clone()));
        })
        .unless((!is_shown).then_some(words::NO_PREVIEW));
    }
    list.in_war_room("checks-run", checks::RUN, checks::ALSO, |room| room.dialogs.open(OpenDialog::Checks))
        .unless(none);
    let is_read_only = page.sessions.read_only.get();
    for name in files {
        let opened = name.clone();
        list.in_war_room(
            format!("open-{name}"),
            words::open_file(&name),
            Text("file edit switch"),
            move |room| {
                room.show_board(BoardTab::Edit);
                room.files.open.set(false);
                room.open_file(opened.clone(), mind, dispatch, is_read_only);
                focus::focus_when_ready(".file-work .cm-content, .file-work textarea".to_owned());
            },
        );
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
        list.in_war_room(tab.name(), title, also, move |room| show(room, tab, place)).by(tab.act());
    }
    for (id, title, field) in [
        ("edit-objective", words::OBJECTIVE, "[data-part=objective] textarea"),
        ("edit-scratchpad", words::SCRATCHPAD, "[data-part=scratchpad] textarea"),
    ] {
        list.in_war_room(id, title, Text("plan notes goal primary directive todo"), move |room| {
            show(room, BoardTab::Edit, field)
        });
    }
}

pub(super) fn put_core(page: &'static Page, list: &mut ActionList) {
    let dispatch = page.dispatch;
    let (works, change) = page.core.row.with(|row| {
        let works = row.works();
        let change = row.state.change.as_ref().filter(|change| !change.undone);
        (works, change.and_then(|change| change.id))
    });
    let sync = move || dispatch.send(Command::Sync { session: dispatch.session() });
    list.change(
        "core-sync",
        common::EXECUTE_SYNC,
        Text("core supervisor objective scratchpad update sync now"),
        sync,
    )
    .unless(works.then_some(words::SYNC_WORKS));
    let stop = move || dispatch.send(Command::StopSync { session: dispatch.session() });
    list.change("core-stop", words::STOP_SYNC, Text("cancel sync"), stop)
        .unless((!works).then_some(words::NO_SYNC));
    let undo = move || {
        if let Some(sync) = change {
            dispatch.send(Command::UndoSync { session: dispatch.session(), sync });
        }
    };
    list.change("core-undo", words::UNDO_SYNC, Text("revert sync"), undo)
        .unless(change.is_none().then_some(words::NO_CHANGE));
}
