//! Actions for the conversation: search, pins and snapshots of earlier turns.

use super::{ActionContext, ActionList, PaletteAction};
use crate::ui::view_state::WorldParts;
use crate::ui::workspace::Workspace;
use crate::ui::workspace::dialogs::{OpenDialog, SnapshotTarget};
use crate::ui::workspace::message_actions::MessageAction;
use crate::ui::workspace::panes::Pane;
use nexus_model::id::TurnId;
use nexus_view::strings::{palette as words, snapshot};

pub(super) fn put(reach: &ActionContext, shelf: &mut ActionList) {
    put_past(reach, shelf);
    for (id, title, wish, also) in [
        ("timeline-find", words::FIND, MessageAction::Find, "search look for text ctrl shift f"),
        ("timeline-pins", words::PINS, MessageAction::Pins, "pinned messages marks"),
    ] {
        let act = move |room: Workspace| {
            room.place.set(Pane::Timeline);
            room.care.wish(wish.clone());
        };
        shelf.put(PaletteAction::in_room(id, title, act).also(also));
    }
}

/// What can be done with turns as they were.
fn put_past(reach: &ActionContext, shelf: &mut ActionList) {
    let ActionContext { dispatch, past, .. } = *reach;
    let session = reach.sessions.focus().get();
    let look = Workspace::now().and_then(|room| room.tree.look().get());
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
    shelf.put(
        PaletteAction::in_room("past-back", snapshot::LOOK_BACK, back)
            .also("older history time travel previous turn snapshot")
            .unless(before.is_none().then_some(snapshot::NO_OLDER)),
    );
    let looks_at_now = look.is_none().then_some(snapshot::IS_NOW);
    shelf.put(
        PaletteAction::in_room("past-return", snapshot::RETURN, |room: Workspace| room.tree.look_at(None))
            .also("present leave snapshot live")
            .unless(looks_at_now),
    );
    let go_on = move |room: Workspace| {
        let Some(look) = look.clone() else { return };
        dispatch.go_on_from(look.session, (look.turn, look.mind), String::new(), move |made| {
            if made {
                room.tree.look_at(None);
            }
        });
    };
    shelf.put(
        PaletteAction::in_room("past-continue", snapshot::CONTINUE_LOOKED, go_on)
            .also("fork branch session snapshot continue")
            .unless(looks_at_now),
    );
    shelf.put(
        PaletteAction::in_room("past-heads", snapshot::HEADS, move |room: Workspace| {
            room.tree.open(OpenDialog::Heads(session))
        })
        .also("reflog history former heads moves undo go back"),
    );
}
