//! Never changes what was said.
//!
//! Owns what can be done with the conversation in view: finding, what is pinned.

use leptos::prelude::*;

use super::{Action, Reach, Shelf};
use crate::ui::care::Wish;
use crate::ui::panes::Place;
use crate::ui::words::palette as words;

/// The actions.
pub(super) fn put(_: &Reach, shelf: &mut Shelf) {
    for (id, title, wish, also) in [
        ("timeline-find", words::FIND, Wish::Find, "search look for text ctrl shift f"),
        ("timeline-pins", words::PINS, Wish::Pins, "pinned messages marks"),
    ] {
        let act = move |room: crate::ui::room::Room| {
            room.place.set(Place::Timeline);
            room.care.wish(wish.clone());
        };
        shelf.put(Action::in_room(id, title, act).also(also));
    }
}
