//! Actions for data and the page: open the data settings, undo the last action, reload.
//!
//! Never writes or deletes data itself.

use super::{ActionContext, ActionList, PaletteAction, go};
use crate::ui::hooks::address;
use crate::ui::hooks::address::settings_path;
use nexus_view::shortcuts::ShortcutAction;
use nexus_view::strings::palette as words;

/// What can be done with data.
pub(super) fn put(reach: &ActionContext, shelf: &mut ActionList) {
    let ActionContext { dispatch, notices, .. } = *reach;
    // What was done last that says how it is taken back.
    let last = notices.list().with(|list| list.iter().rev().find(|notice| notice.undo.is_some()).cloned());
    let title = last.as_ref().map_or_else(|| words::UNDO.to_owned(), |last| words::undo(&last.title));
    let why_not = last.is_none().then_some(words::NOTHING_TO_UNDO);
    let undo = move || {
        if let Some(undo) = notices.take_undo() {
            dispatch.send(undo.command());
        }
    };
    shelf.put(PaletteAction::here("undo", title, undo).also("revert restore deleted").unless(why_not));
    for (id, title, also, card) in [
        ("data-export", words::EXPORT, "download backup save all session file", "[data-testid=data-export]"),
        ("data-import", words::IMPORT, "restore backup load dump file", "#data-import"),
        ("data-points", words::POINT, "backup snapshot go back", "[data-testid=data-point-make]"),
        (
            "data-reset",
            words::RESET,
            "delete everything erase clear wipe remove all",
            "[data-testid=data-reset]",
        ),
    ] {
        shelf.put(PaletteAction::here(id, title, move || go(&settings_path(), card)).also(also));
    }
}

/// What concerns the page itself.
pub(super) fn put_page(reach: &ActionContext, shelf: &mut ActionList) {
    let asked = reach.keyboard.0;
    shelf.put(
        PaletteAction::here("palette", words::EVERYTHING, move || asked.set(Some(ShortcutAction::Palette)))
            .also("palette commands actions")
            .by(ShortcutAction::Palette),
    );
    shelf.put(
        PaletteAction::here("keys", words::SHEET, move || asked.set(Some(ShortcutAction::Sheet)))
            .also("keys hotkeys keyboard help")
            .by(ShortcutAction::Sheet),
    );
    shelf.put(PaletteAction::here("reload", words::RELOAD, address::reload).also("refresh restart renew"));
}
