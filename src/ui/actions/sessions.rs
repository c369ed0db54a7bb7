//! Actions for sessions: create, open, search, and send a message to another one.
//!
//! Deleting is left to the session list, which offers undo.

use leptos::prelude::*;

use super::{ActionContext, ActionList, PaletteAction};
use crate::ui::hooks::address;
use crate::ui::hooks::address::home_path;
use crate::ui::shell::dialogs::OpenDialog;
use nexus_model::mind::Mind;
use nexus_text::invisible::reveal;
use nexus_view::shortcuts::ShortcutAction;
use nexus_view::strings::palette as words;
use nexus_view::strings::search as finder_words;

pub(super) fn put(reach: &ActionContext, shelf: &mut ActionList) {
    let dispatch = reach.dispatch;
    shelf.put(
        PaletteAction::in_room("session-list", words::SESSION_LIST, |room| {
            room.tree.open(OpenDialog::Sessions)
        })
        .also("switch open archive close reopen delete restore rename")
        .by(ShortcutAction::Sessions),
    );
    shelf.put(
        PaletteAction::in_room("thread-find", finder_words::FIND, |room| room.tree.find(String::new()))
            .also("search everything messages memories all sessions")
            .by(ShortcutAction::FindThread),
    );
    shelf.put(
        PaletteAction::in_room("thread-send", finder_words::SEND, |room| room.tree.open(OpenDialog::SendTo))
            .also("route message session agent persona"),
    );
    shelf.put(
        PaletteAction::in_room("message-over", words::MESSAGE_OVER, |room| room.over.asks.set(true))
            .also("override model tools permissions deny ask allow turn"),
    );
    let make = move |_| dispatch.create_session(String::new(), Mind::default());
    shelf.put(PaletteAction::in_room("session-new", words::SESSION_NEW, make).also("create conversation"));
    let focus = reach.sessions.focus().get();
    for id in reach.sessions.order().get() {
        let Some(row) = reach.sessions.row(&id).filter(|_| id != focus) else { continue };
        let title = words::open_session(&reveal(&row.with(|row| row.label.clone())));
        let open = move || {
            dispatch.open(id);
            if address::may_write_history() && address::path() != home_path() {
                address::follow(&home_path());
            }
        };
        shelf.put(PaletteAction::here(format!("session-{id}"), title, open).also("switch session"));
    }
}
