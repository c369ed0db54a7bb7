//! Never changes what was said.
//!
//! Owns what can be done with the conversation in view: finding, what is pinned, and turns as they were.

use leptos::prelude::*;

use super::{Action, Reach, Shelf};
use crate::domain::id::TurnId;
use crate::ui::care::Wish;
use crate::ui::panes::Place;
use crate::ui::room::Room;
use crate::ui::tree_desk::{Look, Opened};
use crate::ui::words::{palette as words, past};

/// The actions.
pub(super) fn put(reach: &Reach, shelf: &mut Shelf) {
    put_past(reach, shelf);
    for (id, title, wish, also) in [
        ("timeline-find", words::FIND, Wish::Find, "search look for text ctrl shift f"),
        ("timeline-pins", words::PINS, Wish::Pins, "pinned messages marks"),
    ] {
        let act = move |room: Room| {
            room.place.set(Place::Timeline);
            room.care.wish(wish.clone());
        };
        shelf.put(Action::in_room(id, title, act).also(also));
    }
}

/// What can be done with turns as they were.
fn put_past(reach: &Reach, shelf: &mut Shelf) {
    let Reach { dispatch, past, .. } = *reach;
    let session = reach.sessions.focus().get();
    let look = Room::now().and_then(|room| room.tree.look().get());
    let from = look.as_ref().map(|look| look.turn);
    // One turn back from what is looked at, or from the head.
    let before: Option<TurnId> = past.fold(|world| {
        let from = from.or(world.session(&session)?.head)?;
        world.turn(&from)?.parent
    });
    let back = move |room: Room| {
        if let Some(turn) = before {
            room.tree.look_at(Some(Look { session, turn, mind: None }));
        }
    };
    shelf.put(
        Action::in_room("past-back", past::LOOK_BACK, back)
            .also("older history time travel previous turn as it was")
            .unless(before.is_none().then_some(past::NO_OLDER)),
    );
    let looks_at_now = look.is_none().then_some(past::IS_NOW);
    shelf.put(
        Action::in_room("past-return", past::RETURN, |room: Room| room.tree.look_at(None))
            .also("present leave as it was")
            .unless(looks_at_now),
    );
    let go_on = move |room: Room| {
        let Some(look) = look.clone() else { return };
        dispatch.go_on_from(look.session, (look.turn, look.mind), String::new(), move |made| {
            if made {
                room.tree.look_at(None);
            }
        });
    };
    shelf.put(
        Action::in_room("past-continue", past::CONTINUE_LOOKED, go_on)
            .also("fork session as it was")
            .unless(looks_at_now),
    );
    shelf.put(
        Action::in_room("past-heads", past::HEADS, move |room: Room| room.tree.open(Opened::Heads(session)))
            .also("history former heads moves undo go back"),
    );
}
