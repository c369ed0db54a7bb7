//! Never shows two faces at a time.
//!
//! Owns what can be done with the board as a whole, and with the Core that stands on it.

use leptos::prelude::*;

use super::{Action, Reach, Shelf};
use crate::domain::command::Command;
use crate::ui::board::faces::Face;
use crate::ui::hooks::focus;
use crate::ui::keys::Act;
use crate::ui::panes::Place;
use crate::ui::room::Room;
use crate::ui::words::palette as words;

fn show(room: Room, face: Face, selector: &str) {
    room.place.set(Place::Board);
    room.faces.show(face);
    focus::lead_when_there(selector.to_owned());
}

/// The faces, and the fields above the files.
pub(super) fn put(_: &Reach, shelf: &mut Shelf) {
    for (id, title, act, face, place) in [
        ("face-edit", words::EDIT, Act::Edit, Face::Edit, ".board-faces [aria-pressed=true]"),
        ("face-compare", words::COMPARE, Act::Compare, Face::Compare, ".compare-list"),
        ("face-memories", words::MEMORIES, Act::Memories, Face::Memories, ".board-faces [aria-pressed=true]"),
        ("face-preview", words::PREVIEW, Act::Preview, Face::Preview, ".board-faces [aria-pressed=true]"),
    ] {
        let also = match face {
            Face::Edit => "write files",
            Face::Compare => "differences changes review accept revert",
            Face::Preview => "run see page web",
            Face::Memories => "remember facts summary notes",
        };
        shelf.put(Action::in_room(id, title, move |room| show(room, face, place)).also(also).by(act));
    }
    for (id, title, field) in [
        ("edit-objective", words::OBJECTIVE, "[data-part=objective] textarea"),
        ("edit-scratchpad", words::SCRATCHPAD, "[data-part=scratchpad] textarea"),
    ] {
        shelf.put(
            Action::in_room(id, title, move |room| show(room, Face::Edit, field)).also("plan notes goal"),
        );
    }
}

/// What can be asked of the Core.
pub(super) fn put_core(reach: &Reach, shelf: &mut Shelf) {
    let dispatch = reach.dispatch;
    let read_only = reach.read_only();
    let (works, change) = reach.core.row().with(|row| {
        let works = row.state.open.is_some() || row.state.wanted.is_some();
        let change = row.state.change.as_ref().filter(|change| !change.undone);
        (works, change.and_then(|change| change.id))
    });
    let sync = move || dispatch.send(Command::Sync { session: dispatch.session() });
    shelf.put(
        Action::here("core-sync", words::SYNC, sync)
            .also("core objective scratchpad update")
            .unless(read_only)
            .unless(works.then_some(words::SYNC_WORKS)),
    );
    let stop = move || dispatch.send(Command::StopSync { session: dispatch.session() });
    shelf.put(
        Action::here("core-stop", words::STOP_SYNC, stop)
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
        Action::here("core-undo", words::UNDO_SYNC, undo)
            .also("take back revert sync")
            .unless(read_only)
            .unless(change.is_none().then_some(words::NO_CHANGE)),
    );
}
