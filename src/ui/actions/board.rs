//! Actions for the board and the Core: switch views, go to the fields above the files, start a sync.

use super::{ActionContext, ActionList, PaletteAction};
use crate::ui::hooks::focus;
use crate::ui::workspace::Workspace;
use crate::ui::workspace::board_tabs::BoardTab;
use crate::ui::workspace::panes::Pane;
use nexus_model::command::Command;
use nexus_view::shortcuts::ShortcutAction;
use nexus_view::strings::palette as words;

fn show(room: Workspace, face: BoardTab, selector: &str) {
    room.place.set(Pane::Board);
    room.faces.show(face);
    focus::lead_when_there(selector.to_owned());
}

/// The faces, and the fields above the files.
pub(super) fn put(_: &ActionContext, shelf: &mut ActionList) {
    for (id, title, act, face, place) in [
        ("face-edit", words::EDIT, ShortcutAction::Edit, BoardTab::Edit, ".board-faces [aria-pressed=true]"),
        ("face-compare", words::COMPARE, ShortcutAction::Compare, BoardTab::Compare, ".compare-list"),
        (
            "face-memories",
            words::MEMORIES,
            ShortcutAction::Memories,
            BoardTab::Memories,
            ".board-faces [aria-pressed=true]",
        ),
        (
            "face-preview",
            words::PREVIEW,
            ShortcutAction::Preview,
            BoardTab::Preview,
            ".board-faces [aria-pressed=true]",
        ),
    ] {
        let also = match face {
            BoardTab::Edit => "write files",
            BoardTab::Compare => "differences changes review accept revert",
            BoardTab::Preview => "run see page web",
            BoardTab::Memories => "remember facts summary notes",
        };
        shelf.put(PaletteAction::in_room(id, title, move |room| show(room, face, place)).also(also).by(act));
    }
    for (id, title, field) in [
        ("edit-objective", words::OBJECTIVE, "[data-part=objective] textarea"),
        ("edit-scratchpad", words::SCRATCHPAD, "[data-part=scratchpad] textarea"),
    ] {
        shelf.put(
            PaletteAction::in_room(id, title, move |room| show(room, BoardTab::Edit, field))
                .also("plan notes goal primary directive todo"),
        );
    }
}

/// What can be asked of the Core.
pub(super) fn put_core(reach: &ActionContext, shelf: &mut ActionList) {
    let dispatch = reach.dispatch;
    let read_only = reach.read_only();
    let (works, change) = reach.core.row().with(|row| {
        let works = row.works();
        let change = row.state.change.as_ref().filter(|change| !change.undone);
        (works, change.and_then(|change| change.id))
    });
    let sync = move || dispatch.send(Command::Sync { session: dispatch.session() });
    shelf.put(
        PaletteAction::here("core-sync", words::SYNC, sync)
            .also("core supervisor objective scratchpad update sync now")
            .unless(read_only)
            .unless(works.then_some(words::SYNC_WORKS)),
    );
    let stop = move || dispatch.send(Command::StopSync { session: dispatch.session() });
    shelf.put(
        PaletteAction::here("core-stop", words::STOP_SYNC, stop)
            .also("cancel sync")
            .unless(read_only)
            .unless((!works).then_some(words::NO_SYNC)),
    );
    let undo = move || {
        if let Some(sync) = change {
            dispatch.send(Command::UndoSync { session: dispatch.session(), sync });
        }
    };
    shelf.put(
        PaletteAction::here("core-undo", words::UNDO_SYNC, undo)
            .also("revert sync")
            .unless(read_only)
            .unless(change.is_none().then_some(words::NO_CHANGE)),
    );
}
