//! Scenarios of single messages: pinned once, kept over a restart, unpinned, and deleted.

use nexus_engine::tests::{Tab, says, tab};
use nexus_model::command::{Command, Rejection};
use nexus_model::event::{EventKind, SessionChange};
use nexus_model::id::MessageId;
use nexus_model::limits::PINS;
use nexus_model::message::Role;

fn pin(tab: &Tab, message: MessageId, pinned: bool) -> Result<(), Rejection> {
    tab.send(Command::PinMessage { session: tab.session, message, pinned })
}

fn messages(tab: &Tab, role: Role) -> Vec<MessageId> {
    tab.world().messages.values().filter(|message| message.role == role).map(|message| message.id).collect()
}

fn pinned(tab: &Tab) -> Vec<MessageId> {
    tab.session_row().pins.iter().map(|pin| pin.message).collect()
}

#[test]
fn pins_are_set_once_and_survive_a_restart() {
    let first = tab(|agent, _| says(&format!("{agent}\n\n**says** so")));
    first.say("@Critic is it so?").unwrap();
    let (question, answer) = (messages(&first, Role::User)[0], messages(&first, Role::Assistant)[0]);
    pin(&first, answer, true).unwrap();
    pin(&first, question, true).unwrap();
    pin(&first, answer, true).unwrap();
    let changes = first.events().into_iter().filter(|event| {
        matches!(event.known_kind(), Some(EventKind::SessionChanged { change: SessionChange::Pinned(_) }))
    });
    assert_eq!(changes.count(), 2, "a pinned message is not pinned again");
    first.kill();
    let again = first.again(|_, _| says("more"));
    again.open().unwrap();
    assert_eq!(pinned(&again), [answer, question]);
    let row = again.session_row();
    assert_eq!((row.pins[0].begins.as_str(), row.pins[0].role), ("Critic **says** so", Role::Assistant));
    pin(&again, answer, false).unwrap();
    pin(&again, answer, false).unwrap();
    assert_eq!(pinned(&again), [question]);
}

#[test]
fn only_existing_messages_can_be_pinned_up_to_a_limit() {
    let tab = tab(|_, _| says("yes"));
    tab.say("@Critic is it so?").unwrap();
    let message = messages(&tab, Role::User)[0];
    let missing: MessageId = "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap();
    assert_eq!(pin(&tab, missing, true), Err(Rejection::NoSuchMessage));
    assert_eq!(pin(&tab, missing, false), Ok(()), "an unpinned message is not unpinned");
    pin(&tab, message, true).unwrap();
    let mut world = tab.world().clone();
    let mut row = tab.session_row();
    row.pins = vec![row.pins[0].clone(); PINS];
    row.pins.iter_mut().for_each(|pin| pin.message = missing);
    world.sessions.insert(row.id, std::sync::Arc::new(row));
    let mut ids = nexus_model::testing::SeqIds::default();
    let partials = nexus_model::command::PartialMessages::default();
    let mut moment = nexus_model::decide::Env {
        now: nexus_model::id::Millis(1),
        ids: &mut ids,
        partials: &partials,
        run_before_turn: None,
    };
    let command = Command::PinMessage { session: tab.session, message, pinned: true };
    assert_eq!(nexus_model::decide::decide(&world, &command, &mut moment), Err(Rejection::TooManyPins));
}

#[test]
fn deleted_message_is_removed_from_timeline_and_context_and_logged() {
    let first = tab(|_, _| says("The secret answer."));
    first.say("@Critic the secret question").unwrap();
    let (question, answer) = (messages(&first, Role::User)[0], messages(&first, Role::Assistant)[0]);
    pin(&first, answer, true).unwrap();
    let delete = |tab: &Tab, message| tab.send(Command::DeleteMessage { session: tab.session, message });
    assert_eq!(delete(&first, MessageId::from(7)), Err(Rejection::NoSuchMessage));
    delete(&first, question).unwrap();
    delete(&first, answer).unwrap();
    delete(&first, answer).unwrap();
    assert!(pinned(&first).is_empty());
    let deleted = |change: &SessionChange| matches!(change, SessionChange::MessageDeleted(_));
    let changes = first.events().into_iter().filter(
        |event| matches!(event.known_kind(), Some(EventKind::SessionChanged { change }) if deleted(change)),
    );
    assert_eq!(changes.count(), 2, "a deleted item is not deleted again");
    first.kill();
    let again = first.again(|_, _| says("more"));
    again.say("@Critic and now?").unwrap();
    let world = again.world();
    for id in [question, answer] {
        let row = world.message(&id).unwrap();
        assert!(row.deleted_at.is_some() && row.parts.is_empty(), "{row:?}");
    }
    drop(world);
    let request = again.requests.borrow()[0].1.to_string();
    assert!(!request.contains("secret") && request.contains("deleted"), "{request}");
}
