//! Scenarios of a page that cannot load the engine's lazy chunks.

use nexus_engine::port::Clock as _;
use nexus_engine::tests::{says, tab, trickles};
use nexus_model::command::{Command, Rejection};
use nexus_model::event::EventKind;
use nexus_model::id::{Millis, TriggerId};
use nexus_model::limits::CHUNK_RETRY_MS;
use nexus_model::message::Source;
use nexus_model::message::content::{MessagePart, PartBody};
use nexus_model::run::RunStatus;
use nexus_model::session::trigger::{Recipient, Schedule, Trigger};
use nexus_model::signal::TransientEvent;
use nexus_model::turn::{TurnEnd, TurnPhase};

#[test]
fn turn_without_its_chunk_fails_and_can_be_retried() {
    let tab = tab(|_, _| says("here"));
    tab.checks.3.set(true);
    tab.say("@Architect go").unwrap();
    assert_eq!(tab.speakers().len(), 0);
    let failed = tab.session_row().head.unwrap();
    {
        let world = tab.world();
        let turn = world.turn(&failed).unwrap();
        assert_eq!(turn.phase, TurnPhase::Failed);
        assert_eq!(turn.failure.as_ref().unwrap().message, "A part of Nexus could not be loaded.");
        assert_ne!(world.run(&turn.run.unwrap()).unwrap().status, RunStatus::Running);
    }
    assert_eq!(tab.try_again(failed), Err(Rejection::PartMissing));
    assert_eq!(tab.session_row().head, Some(failed));

    tab.checks.3.set(false);
    tab.try_again(failed).unwrap();
    tab.pass(CHUNK_RETRY_MS);
    assert_eq!(tab.speakers(), ["Architect"]);
    let world = tab.world();
    let turn = world.turn(&tab.session_row().head.unwrap()).unwrap();
    assert_eq!(turn.end, Some(TurnEnd::Completed));
}

#[test]
fn command_without_its_chunk_is_rejected_and_not_logged() {
    let tab = tab(|_, _| says("here"));
    tab.checks.3.set(true);
    let events = tab.events().len();
    let label = Command::LabelSession { session: tab.session, label: "other".into() };
    assert_eq!(tab.send(label.clone()), Err(Rejection::PartMissing));
    assert_eq!((tab.events().len(), tab.session_row().label.as_str()), (events, "main"));
    tab.checks.3.set(false);
    tab.send(label).unwrap();
    assert_eq!(tab.session_row().label, "other");
}

#[test]
fn command_of_a_service_waits_for_its_chunk() {
    let tab = tab(|_, _| says("here"));
    let trigger = Trigger {
        id: TriggerId::from(1),
        name: "T1".into(),
        when: Schedule::Every { ms: 60_000, from: tab.clock.now() },
        to: Recipient::Persona("engineer".into()),
        text: "look again".into(),
        pause_reason: None,
        since: Millis(0),
        last: None,
        recent: Vec::new(),
    };
    tab.send(Command::ChangeTrigger(trigger)).unwrap();
    tab.settle();
    tab.checks.3.set(true);
    tab.pass(70_000);
    let fired = || {
        let of_app = tab.app_events();
        of_app.iter().filter(|event| matches!(event.known_kind(), Some(EventKind::TriggerFired(_)))).count()
    };
    assert_eq!(fired(), 0);
    tab.checks.3.set(false);
    tab.pass(CHUNK_RETRY_MS + 1_000);
    assert_eq!(fired(), 1);
    let world = tab.world();
    assert!(world.messages.values().any(|message| message.source == Some(Source::Trigger)));
}

#[test]
fn newest_events_are_published_once_the_chunk_is_loaded() {
    let first = tab(|_, _| says("here"));
    first.say("@Architect go").unwrap();
    first.kill();
    let again = first.again(|_, _| says("again"));
    again.checks.3.set(true);
    let mut live = again.running.bus.subscribe_transient();
    again.open().unwrap();
    let mut past = || {
        let mut recent_count = 0;
        while let Ok(signal) = live.try_recv() {
            recent_count += usize::from(matches!(signal, TransientEvent::RecentEvents { .. }));
        }
        recent_count
    };
    assert_eq!(past(), 0);
    again.checks.3.set(false);
    again.pass(CHUNK_RETRY_MS);
    assert_eq!(past(), 1);
}

#[test]
fn interrupted_answer_is_closed_once_the_chunk_is_loaded() {
    let first = tab(|_, _| trickles(&["kept", " lost"]));
    first.say("@Architect go").unwrap();
    first.pass(1_500);
    first.kill();
    let again = first.restarted(|_, _| says("again"));
    again.checks.3.set(true);
    again.open().unwrap();
    let status = || again.world().run(&again.run_id()).unwrap().status;
    assert_eq!(status(), RunStatus::Running);
    assert_eq!(again.say("meanwhile"), Ok(()));
    again.checks.3.set(false);
    again.pass(CHUNK_RETRY_MS);
    assert_eq!(status(), RunStatus::Paused);
    let world = again.world();
    let turn = world.turns.values().next().unwrap();
    assert_eq!(turn.end, Some(TurnEnd::Interrupted));
    let mut texts = world.messages.values().flat_map(|message| &message.parts);
    let is_kept =
        |part: &MessagePart| matches!(&part.body, PartBody::Text { text } if text.starts_with("kept"));
    assert!(texts.any(is_kept), "the text so far is lost");
    assert_eq!(world.waiting(again.session).len(), 1, "the message is lost");
}
