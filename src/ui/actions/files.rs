//! Never writes a file's text.
//!
//! Owns what can be done with the files of the session.

use leptos::prelude::*;

use super::{Action, Reach, Shelf};
use crate::domain::preview::{first_page, kind_of};
use crate::ui::board::faces::Face;
use crate::ui::board::files::Asked;
use crate::ui::board::removal::remove;
use crate::ui::hooks::focus;
use crate::ui::keys::Act;
use crate::ui::panes::Place;
use crate::ui::room::{FileCare, Room};
use crate::ui::words::palette as words;

/// Brings the files into view.
fn to_files(room: Room) {
    room.place.set(Place::Board);
    room.faces.show(Face::Edit);
}

/// The actions.
pub(super) fn put(reach: &Reach, shelf: &mut Shelf) {
    let Reach { dispatch, mind, notices, .. } = *reach;
    let read_only = reach.read_only();
    let files = mind.files().get();
    shelf.put(
        Action::in_room("file-new", words::NEW_FILE, |room| {
            to_files(room);
            room.desk.open.set(false);
            room.asked.set(Asked::NewName);
        })
        .also("make create add")
        .by(Act::NewFile)
        .unless(read_only),
    );
    shelf.put(
        Action::in_room("file-all", words::ALL_FILES, |room| {
            to_files(room);
            room.desk.open.set(true);
            focus::lead_when_there(".desk-place".to_owned());
        })
        .also("upload import disk folder zip tree")
        .by(Act::AllFiles),
    );
    let shown = mind.active().get().filter(|name| files.contains(name)).or_else(|| files.first().cloned());
    let none = shown.is_none().then_some(words::NO_FILE);
    let title =
        |words: fn(&str) -> String, without: &str| shown.as_deref().map_or_else(|| without.to_owned(), words);
    let named = shown.clone();
    shelf.put(
        Action::in_room("file-rename", title(words::rename_file, words::RENAME), move |room| {
            if let Some(name) = named.clone() {
                to_files(room);
                room.desk.open.set(false);
                room.asked.set(Asked::OtherName(name));
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
        Action::here("file-delete", title(words::delete_file, words::DELETE), delete)
            .also("remove")
            .unless(read_only)
            .unless(none),
    );
    if let Some(page) = first_page(&files).cloned() {
        shelf.put(preview(page));
    }
    let reads = reach.reads();
    for name in files {
        let opened = name.clone();
        shelf.put(
            Action::in_room(format!("open-{name}"), words::open_file(&name), move |room| {
                to_files(room);
                room.desk.open.set(false);
                let care = FileCare { asked: room.asked, looked_at: room.looked_at };
                care.open(opened.clone(), mind, dispatch, reads);
                focus::lead_when_there(".file-work .cm-content, .file-work textarea".to_owned());
            })
            .also("file edit switch"),
        );
    }
}

/// Shows a file as it looks when it runs.
fn preview(name: String) -> Action {
    let title = words::preview_file(&name);
    let shown = name.clone();
    let action = Action::in_room(format!("preview-{name}"), title, move |room| {
        room.place.set(Place::Board);
        room.faces.preview().set(Some(shown.clone()));
        room.faces.show(Face::Preview);
    });
    let why_not = kind_of(&name).is_none().then_some(words::NO_PREVIEW);
    action.also("run see page").unless(why_not)
}
