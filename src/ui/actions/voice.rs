//! Never listens by itself.
//!
//! Owns what can be asked of voice.

use leptos::prelude::*;

use super::{Action, Reach, Shelf};
use crate::domain::voice::listening::Standing;
use crate::domain::voice::{AUTO_READ_SETTING, HANDS_FREE_SETTING};
use crate::ui::hooks::voice;
use crate::ui::panes::Place;
use crate::ui::room::Room;
use crate::ui::voice::desk::Wish;
use crate::ui::words::palette as words;

/// The actions.
pub(super) fn put(reach: &Reach, shelf: &mut Shelf) {
    let dispatch = reach.dispatch;
    let desk = Room::now().map(|room| room.voice);
    let no_ears = (!voice::can_hear()).then_some(words::NO_EARS);
    let no_mouth = (!voice::can_speak()).then_some(words::NO_MOUTH);
    let listens = desk.is_some_and(|desk| match desk.standing.get() {
        Standing::Listening | Standing::HandsFree | Standing::Resting => true,
        Standing::Idle | Standing::Reading | Standing::Error => false,
    });
    let title = if listens { words::TALK_END } else { words::TALK };
    shelf.put(
        Action::in_room("voice-talk", title, move |room| {
            room.place.set(Place::Timeline);
            room.voice.wish(if listens { Wish::TalkEnd } else { Wish::Talk });
        })
        .also("microphone speak dictate listen")
        .unless(no_ears)
        .unless(reach.read_only()),
    );
    let reads = desk.is_some_and(|desk| desk.reading.get().is_some());
    shelf.put(
        Action::in_room("voice-hush", words::HUSH, |room| room.voice.wish(Wish::Hush))
            .also("silence quiet mute voice")
            .unless(no_mouth)
            .unless((!reads).then_some(words::NOT_READING)),
    );
    let aloud = reach.settings.is_on(AUTO_READ_SETTING).get();
    shelf.put(
        Action::here("voice-auto-read", words::read_answers(aloud), move || {
            dispatch.set_setting(AUTO_READ_SETTING, !aloud);
        })
        .also("speech speak voice")
        .unless(no_mouth),
    );
    let free = reach.settings.is_on(HANDS_FREE_SETTING).get();
    shelf.put(
        Action::here("voice-hands-free", words::hands_free(free), move || {
            dispatch.set_setting(HANDS_FREE_SETTING, !free);
        })
        .also("voice speech")
        .unless(no_ears),
    );
}
