//! Never writes or removes data: their cards in the settings do.
//!
//! Owns the ways to what can be done with all data, taking back what was just done, and what concerns the page itself.

use leptos::prelude::*;

use super::{Action, Reach, Shelf, go};
use crate::ui::app::settings_path;
use crate::ui::hooks::address;
use crate::ui::keys::Act;
use crate::ui::words::palette as words;

/// What can be done with data.
pub(super) fn put(reach: &Reach, shelf: &mut Shelf) {
    let Reach { dispatch, notices, .. } = *reach;
    // What was done last that says how it is taken back.
    let last = notices.list().with(|list| list.iter().rev().find(|notice| notice.undo.is_some()).cloned());
    let title = last.as_ref().map_or_else(|| words::UNDO.to_owned(), |last| words::undo(&last.title));
    let why_not = last.is_none().then_some(words::NOTHING_TO_UNDO);
    let undo = move || {
        if let Some(notice) = &last
            && let Some(command) = &notice.undo
        {
            notices.dismiss(notice.id);
            dispatch.send(command.command());
        }
    };
    shelf.put(Action::here("undo", title, undo).also("take back restore deleted").unless(why_not));
    for (id, title, also, card) in [
        ("data-export", words::EXPORT, "download backup save all session file", "[data-testid=data-export]"),
        ("data-import", words::IMPORT, "restore backup load dump file", "#data-import"),
        ("data-points", words::POINT, "backup snapshot go back", "[data-testid=data-point-make]"),
        ("data-reset", words::RESET, "delete everything erase clear", "[data-testid=data-reset]"),
    ] {
        shelf.put(Action::here(id, title, move || go(&settings_path(), card)).also(also));
    }
}

/// What concerns the page itself.
pub(super) fn put_page(reach: &Reach, shelf: &mut Shelf) {
    let asked = reach.keyboard.0;
    shelf.put(
        Action::here("palette", words::EVERYTHING, move || asked.set(Some(Act::Palette)))
            .also("palette commands actions")
            .by(Act::Palette),
    );
    shelf.put(
        Action::here("keys", words::SHEET, move || asked.set(Some(Act::Sheet)))
            .also("shortcuts keyboard help")
            .by(Act::Sheet),
    );
    shelf.put(Action::here("reload", words::RELOAD, address::reload).also("refresh restart renew"));
}
