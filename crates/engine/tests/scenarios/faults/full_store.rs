//! Scenarios of a store that fails: commands are rejected, reports of services wait, and Stop counts at once.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::{FutureExt as _, StreamExt as _};

use nexus_engine::port::StoreError;
use nexus_engine::tests::{Scripted, ScriptedChunk, says, tab, trickles};
use nexus_model::command::{Command, Rejection};
use nexus_model::message::Role;
use nexus_model::message::content::text_of;
use nexus_model::signal::TransientEvent;
use nexus_model::turn::{TurnEnd, TurnPhase};

/// An answer that begins after a second.
fn slowly(text: &str) -> Scripted {
    let Scripted { status, mut beats } = says(text);
    beats.insert(0, ScriptedChunk::Wait(1_000));
    Scripted { status, beats }
}

#[test]
fn full_disk_rejects_commands_and_queues_reports_of_services() {
    let tab = tab(|_, _| slowly("kept"));
    tab.store.fail_next(StoreError::Full);
    assert!(matches!(tab.say("@Architect hello"), Err(Rejection::Store(_))));
    assert!(tab.world().messages.is_empty(), "an unstored message does not exist");
    tab.say("@Architect hello").unwrap();
    tab.store.fail_next(StoreError::Full);
    tab.pass(1_100);
    assert_eq!(
        tab.world().open_turn(&tab.session_row()).map(|turn| turn.phase),
        Some(TurnPhase::AwaitingLlmDecision)
    );
    tab.pass(11_000);
    let world = tab.world();
    let answer = world.messages.values().find(|message| message.role == Role::Assistant).unwrap();
    assert_eq!(text_of(&answer.parts), "kept");
}

#[test]
fn stop_first_stores_the_report_that_waits_for_the_store() {
    let tab = tab(|_, _| slowly("kept"));
    tab.say("hello").unwrap();
    tab.store.fail_next(StoreError::Full);
    tab.pass(1_100);
    tab.send(Command::Stop { session: tab.session }).unwrap();
    let world = tab.world();
    assert_eq!(world.open_run(&tab.session_row()), None);
    let answer = world.messages.values().find(|message| message.role == Role::Assistant).unwrap();
    assert_eq!(text_of(&answer.parts), "kept");
}

/// The signals since the last look that match.
fn heard(
    signals: &mut UnboundedReceiver<TransientEvent>,
    wanted: impl Fn(&TransientEvent) -> bool,
) -> Vec<TransientEvent> {
    let all = std::iter::from_fn(|| signals.next().now_or_never().flatten());
    all.filter(|signal| wanted(signal)).collect()
}

#[test]
fn stop_cancels_the_calls_at_once_even_if_it_cannot_be_stored() {
    let tab = tab(|_, _| trickles(&["one ", "two ", "three ", "four "]));
    tab.say("hello").unwrap();
    tab.pass(1_500);
    let mut signals = tab.running.bus.subscribe_transient();
    tab.store.fail_next(StoreError::Full);
    let (handle, session) = (tab.running.handle.clone(), tab.session);
    let stopped = Rc::new(RefCell::new(None));
    let outcome = Rc::clone(&stopped);
    tab.spawn(async move { *outcome.borrow_mut() = Some(handle.send(Command::Stop { session }).await) });
    assert!(tab.world().open_run(&tab.session_row()).is_some(), "what is not stored did not happen");
    heard(&mut signals, |_| true);
    tab.pass(5_000);
    assert_eq!(heard(&mut signals, |signal| matches!(signal, TransientEvent::Delta { .. })), []);
    tab.pass(6_000);
    assert_eq!(*stopped.borrow(), Some(Ok(())));
    let world = tab.world();
    assert_eq!(world.open_run(&tab.session_row()), None);
    let turn = world.turn(&tab.session_row().head.unwrap()).unwrap();
    assert_eq!(turn.end, Some(TurnEnd::Cancelled));
    let text = text_of(&world.message(&turn.messages[0]).unwrap().parts);
    assert!(text.starts_with("one ") && !text.contains("four"), "{text}");
}

#[test]
fn store_is_reported_as_recovered_by_the_next_stored_command() {
    let tab = tab(|_, _| says("hi"));
    let mut signals = tab.running.bus.subscribe_transient();
    let mut reports = || {
        heard(&mut signals, |signal| {
            matches!(signal, TransientEvent::StoreFailed { .. } | TransientEvent::StoreRecovered)
        })
    };
    tab.store.fail_next(StoreError::Full);
    assert!(matches!(tab.say("@Architect hello"), Err(Rejection::Store(_))));
    assert!(matches!(reports()[..], [TransientEvent::StoreFailed { .. }]));
    // Changes nothing, so that nothing was stored.
    tab.send(Command::Stop { session: tab.session }).unwrap();
    assert_eq!(reports(), []);
    tab.say("@Architect hello").unwrap();
    assert_eq!(reports(), [TransientEvent::StoreRecovered]);
}
