//! Actions for the conversation: search, pins, snapshots of earlier turns, and voice.

use crate::ui::actions::{ActionContext, ActionList};
use crate::ui::hooks::js_part;
use crate::ui::view_state::WorldParts;
use crate::ui::workspace::Workspace;
use crate::ui::workspace::dialogs::{OpenDialog, SnapshotTarget};
use crate::ui::workspace::message_actions::{MessageAction, VoiceRequest};
use crate::ui::workspace::panes::Pane;
use nexus_model::id::TurnId;
use nexus_model::settings::schema::{AUTO_READ, HANDS_FREE};
use nexus_view::strings::{common, palette as words, snapshot};
use nexus_view::voice::listening::VoiceStatus;

pub(super) fn put(reach: &ActionContext, list: &mut ActionList) {
    put_past(reach, list);
    for (id, title, wish, also) in [
        ("timeline-find", words::FIND, MessageAction::Find, "search look for text ctrl shift f"),
        ("timeline-pins", common::PINNED_MESSAGES, MessageAction::Pins, "pinned messages marks"),
    ] {
        let act = move |room: Workspace| {
            room.place.set(Pane::Timeline);
            room.care.wish(wish.clone());
        };
        list.in_room(id, title, also, act);
    }
}

fn put_past(reach: &ActionContext, list: &mut ActionList) {
    let ActionContext { dispatch, past, .. } = *reach;
    let session = reach.sessions.focus.get();
    let look = Workspace::now().and_then(|room| room.tree.look.get());
    let from = look.as_ref().map(|look| look.turn);
    // One turn back from what is looked at, or from the head.
    let before: Option<TurnId> = past.with(WorldParts::SESSIONS, |world| {
        let from = from.or(world.session(&session)?.head)?;
        world.turn(&from)?.parent
    });
    let back = move |room: Workspace| {
        if let Some(turn) = before {
            room.tree.look_at(Some(SnapshotTarget { session, turn, mind: None }));
        }
    };
    list.in_room("past-back", snapshot::LOOK_BACK, "older history time travel previous turn snapshot", back)
        .unless(before.is_none().then_some(snapshot::NO_OLDER));
    let looks_at_now = look.is_none().then_some(snapshot::IS_NOW);
    list.in_room("past-return", snapshot::RETURN, "present leave snapshot live", |room: Workspace| {
        room.tree.look_at(None)
    })
    .unless(looks_at_now);
    let go_on = move |room: Workspace| {
        let Some(look) = look.clone() else { return };
        dispatch.go_on_from(look.session, (look.turn, look.mind), String::new(), move |made| {
            if made {
                room.tree.look_at(None);
            }
        });
    };
    list.in_room("past-continue", snapshot::CONTINUE_LOOKED, "fork branch session snapshot continue", go_on)
        .unless(looks_at_now);
    list.in_room(
        "past-heads",
        common::SESSION_HISTORY,
        "reflog history former heads moves undo go back",
        move |room: Workspace| room.tree.open(OpenDialog::Heads(session)),
    );
}

pub(super) fn put_voice(reach: &ActionContext, list: &mut ActionList) {
    let dispatch = reach.dispatch;
    let desk = Workspace::now().map(|room| room.voice);
    let no_ears = (!js_part::can_hear()).then_some(words::NO_EARS);
    let no_mouth = (!js_part::can_speak()).then_some(words::NO_MOUTH);
    let listens = desk.is_some_and(|desk| match desk.standing.get() {
        VoiceStatus::Listening | VoiceStatus::HandsFree | VoiceStatus::Resting => true,
        VoiceStatus::Idle | VoiceStatus::Reading | VoiceStatus::Error => false,
    });
    let title = if listens { common::STOP_LISTENING } else { words::TALK };
    list.in_room("voice-talk", title, "microphone speak dictate listen", move |room| {
        room.place.set(Pane::Timeline);
        room.voice.wish(if listens { VoiceRequest::TalkEnd } else { VoiceRequest::Talk });
    })
    .unless(no_ears)
    .unless(reach.read_only());
    let reads = desk.is_some_and(|desk| desk.reading.get().is_some());
    list.in_room("voice-hush", words::HUSH, "silence quiet mute voice", |room| {
        room.voice.wish(VoiceRequest::Hush)
    })
    .unless(no_mouth)
    .unless((!reads).then_some(words::NOT_READING));
    let aloud = reach.settings.get(AUTO_READ).get();
    list.here("voice-auto-read", words::read_answers(aloud), "speech speak voice", move || {
        dispatch.set_setting(AUTO_READ, !aloud);
    })
    .unless(no_mouth);
    let free = reach.settings.get(HANDS_FREE).get();
    list.here("voice-hands-free", words::hands_free(free), "voice speech", move || {
        dispatch.set_setting(HANDS_FREE, !free);
    })
    .unless(no_ears);
}
