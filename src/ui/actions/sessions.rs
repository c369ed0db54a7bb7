//! Never deletes a session: its list does, where it can be taken back.
//!
//! Owns the ways between sessions.

use leptos::prelude::*;

use super::{Action, Reach, Shelf};
use crate::domain::mind::Mind;
use crate::domain::text::hidden::reveal;
use crate::ui::app::home_path;
use crate::ui::hooks::address;
use crate::ui::keys::Act;
use crate::ui::tree_desk::Opened;
use crate::ui::words::finder as finder_words;
use crate::ui::words::palette as words;

/// The actions.
pub(super) fn put(reach: &Reach, shelf: &mut Shelf) {
    let dispatch = reach.dispatch;
    shelf.put(
        Action::in_room("session-list", words::SESSION_LIST, |room| room.tree.open(Opened::Sessions))
            .also("switch open archive close reopen delete restore rename")
            .by(Act::Sessions),
    );
    shelf.put(
        Action::in_room("thread-find", finder_words::FIND, |room| room.tree.find(String::new()))
            .also("search everything messages memories all sessions")
            .by(Act::FindThread),
    );
    shelf.put(
        Action::in_room("thread-send", finder_words::SEND, |room| room.tree.open(Opened::SendTo))
            .also("route message session agent persona"),
    );
    shelf.put(
        Action::in_room("message-over", words::MESSAGE_OVER, |room| room.over.asks.set(true))
            .also("override model tools permissions deny ask allow turn"),
    );
    let make = move |_| dispatch.create_session(String::new(), Mind::default());
    shelf.put(Action::in_room("session-new", words::SESSION_NEW, make).also("create conversation"));
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
        shelf.put(Action::here(format!("session-{id}"), title, open).also("switch session"));
    }
}
