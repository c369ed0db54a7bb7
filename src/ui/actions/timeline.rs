//! Actions for the conversation: search, pins, snapshots of earlier turns, and voice.

use crate::ui::actions::{ActionContext, ActionList};
use crate::ui::hooks::js_part;
use crate::ui::view_state::{ViewState, WorldParts};
use crate::ui::workspace::Workspace;
use crate::ui::workspace::dialogs::{OpenDialog, SnapshotTarget};
use crate::ui::workspace::message_actions::{MessageAction, VoiceRequest};
use crate::ui::workspace::panes::Pane;
use nexus_model::id::TurnId;
use nexus_model::settings::schema::{AUTO_READ, HANDS_FREE};
use nexus_view::language::Text;
use nexus_view::strings::{common, palette as words, snapshot};

pub(super) fn put(context: &ActionContext, list: &mut ActionList) {
    put_past(context, list);
    for (id, title, action, also) in [
        ("timeline-find", words::FIND, MessageAction::Find, Text("search look for text ctrl shift f")),
        ("timeline-pins", common::PINNED_MESSAGES, MessageAction::Pins, Text("pinned messages marks")),
    ] {
        let act = move |room: Workspace| {
            room.pane.set(Pane::Timeline);
            room.actions.request(action.clone());
        };
        list.in_war_room(id, title, also, act);
    }
}

fn put_past(context: &ActionContext, list: &mut ActionList) {
    let (dispatch, ViewState { world, .. }) = (context.dispatch, context.view);
    let session = context.view.sessions.focus.get();
    let snapshot_target = Workspace::now().and_then(|room| room.dialogs.snapshot.get());
    let from = snapshot_target.as_ref().map(|snapshot_target| snapshot_target.turn);
    // One turn before the snapshot, or before the head.
    let before: Option<TurnId> = world.with(WorldParts::SESSIONS, |world| {
        let from = from.or(world.session(&session)?.head)?;
        world.turn(&from)?.parent
    });
    let back = move |room: Workspace| {
        if let Some(turn) = before {
            room.dialogs.show_snapshot(Some(SnapshotTarget { session, turn, mind: None }));
        }
    };
    list.in_war_room(
        "past-back",
        snapshot::LOOK_BACK,
        Text("older history time travel previous turn snapshot"),
        back,
    )
    .unless(before.is_none().then_some(snapshot::NO_OLDER));
    let no_snapshot = snapshot_target.is_none().then_some(snapshot::IS_NOW);
    list.in_war_room(
        "past-return",
        snapshot::RETURN,
        Text("present leave snapshot live"),
        |room: Workspace| room.dialogs.show_snapshot(None),
    )
    .unless(no_snapshot);
    let continue_here = move |room: Workspace| {
        let Some(snapshot_target) = snapshot_target.clone() else { return };
        dispatch.continue_from_session(
            snapshot_target.session,
            (snapshot_target.turn, snapshot_target.mind),
            String::new(),
            move |is_created| {
                if is_created {
                    room.dialogs.show_snapshot(None);
                }
            },
        );
    };
    list.in_war_room(
        "past-continue",
        snapshot::CONTINUE_LOOKED,
        Text("fork branch session snapshot continue"),
        continue_here,
    )
    .unless(no_snapshot);
    list.in_war_room(
        "past-heads",
        common::SESSION_HISTORY,
        Text("reflog history former heads moves undo go back"),
        move |room: Workspace| room.dialogs.open(OpenDialog::Heads(session)),
    );
}

pub(super) fn put_voice(context: &ActionContext, list: &mut ActionList) {
    let dispatch = context.dispatch;
    let voice = Workspace::now().map(|room| room.voice);
    let no_recognition = (!js_part::can_hear()).then_some(words::NO_RECOGNITION);
    let no_synthesis = (!js_part::can_speak()).then_some(words::NO_SPEECH_OUTPUT);
    let listens = voice.is_some_and(|voice| voice.status.get().is_listening());
    let title = if listens { common::STOP_LISTENING } else { words::TALK };
    list.in_war_room("voice-talk", title, Text("microphone speak dictate listen"), move |room| {
        room.pane.set(Pane::Timeline);
        room.voice.request(if listens { VoiceRequest::StopTalking } else { VoiceRequest::Talk });
    })
    .unless(no_recognition)
    .unless(context.read_only());
    let reads = voice.is_some_and(|voice| voice.reading.get().is_some());
    list.in_war_room("voice-hush", words::STOP_READING, Text("silence quiet mute voice"), |room| {
        room.voice.request(VoiceRequest::StopReading)
    })
    .unless(no_synthesis)
    .unless((!reads).then_some(words::NOT_READING));
    let auto_read = context.view.settings.get(AUTO_READ).get();
    list.on_any_screen(
        "voice-auto-read",
        words::read_answers(auto_read),
        Text("speech speak voice"),
        move || {
            dispatch.set_setting(AUTO_READ, !auto_read);
        },
    )
    .unless(no_synthesis);
    let free = context.view.settings.get(HANDS_FREE).get();
    list.on_any_screen("voice-hands-free", words::hands_free(free), Text("voice speech"), move || {
        dispatch.set_setting(HANDS_FREE, !free);
    })
    .unless(no_recognition);
}
