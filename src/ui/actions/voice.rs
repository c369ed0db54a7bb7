//! Actions for voice: dictate, read aloud, hands-free.

use super::{ActionContext, ActionList, PaletteAction};
use crate::ui::hooks::voice;
use crate::ui::workspace::Workspace;
use crate::ui::workspace::panes::Pane;
use crate::ui::workspace::voice::VoiceRequest;
use nexus_model::settings::schema::{AUTO_READ, HANDS_FREE};
use nexus_view::strings::palette as words;
use nexus_view::voice::listening::VoiceStatus;

pub(super) fn put(reach: &ActionContext, shelf: &mut ActionList) {
    let dispatch = reach.dispatch;
    let desk = Workspace::now().map(|room| room.voice);
    let no_ears = (!voice::can_hear()).then_some(words::NO_EARS);
    let no_mouth = (!voice::can_speak()).then_some(words::NO_MOUTH);
    let listens = desk.is_some_and(|desk| match desk.standing.get() {
        VoiceStatus::Listening | VoiceStatus::HandsFree | VoiceStatus::Resting => true,
        VoiceStatus::Idle | VoiceStatus::Reading | VoiceStatus::Error => false,
    });
    let title = if listens { words::TALK_END } else { words::TALK };
    shelf.put(
        PaletteAction::in_room("voice-talk", title, move |room| {
            room.place.set(Pane::Timeline);
            room.voice.wish(if listens { VoiceRequest::TalkEnd } else { VoiceRequest::Talk });
        })
        .also("microphone speak dictate listen")
        .unless(no_ears)
        .unless(reach.read_only()),
    );
    let reads = desk.is_some_and(|desk| desk.reading.get().is_some());
    shelf.put(
        PaletteAction::in_room("voice-hush", words::HUSH, |room| room.voice.wish(VoiceRequest::Hush))
            .also("silence quiet mute voice")
            .unless(no_mouth)
            .unless((!reads).then_some(words::NOT_READING)),
    );
    let aloud = reach.settings.get(AUTO_READ).get();
    shelf.put(
        PaletteAction::here("voice-auto-read", words::read_answers(aloud), move || {
            dispatch.set_setting(AUTO_READ, !aloud);
        })
        .also("speech speak voice")
        .unless(no_mouth),
    );
    let free = reach.settings.get(HANDS_FREE).get();
    shelf.put(
        PaletteAction::here("voice-hands-free", words::hands_free(free), move || {
            dispatch.set_setting(HANDS_FREE, !free);
        })
        .also("voice speech")
        .unless(no_ears),
    );
}
