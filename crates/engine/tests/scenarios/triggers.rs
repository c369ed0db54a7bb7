//! Scenarios of triggers and routed messages, on a clock that moves only when the test advances it.

use crate::write_file;
use serde_json::{Value, json};

use nexus_engine::port::Clock as _;
use nexus_engine::tests::{ScriptedChunk, Tab, calls, refuses, says, tab};
use nexus_model::command::{Command, NewMessage, Rejection};
use nexus_model::event::EventKind;
use nexus_model::id::{Millis, SessionId, StreamId, TriggerId};
use nexus_model::limits::{TRIGGER_GAP_MS, TRIGGER_QUIET_MS};
use nexus_model::message::{Message, MessageOrigin, Role, Source};
use nexus_model::mind::Mind;
use nexus_model::session::trigger::{PauseReason, Recipient, Schedule, Trigger, TriggerOutcome, trigger};

const MINUTE: u64 = 60_000;

fn made(number: u128, when: Schedule, to: Recipient, text: &str) -> Trigger {
    Trigger {
        id: TriggerId::from(number),
        name: format!("T{number}"),
        when,
        to,
        text: text.into(),
        pause_reason: None,
        since: Millis(0),
        last: None,
        recent: Vec::new(),
    }
}

fn engineer() -> Recipient {
    Recipient::Persona("engineer".into())
}

fn keep(tab: &Tab, one: &Trigger) {
    tab.send(Command::ChangeTrigger(one.clone())).unwrap();
    tab.settle();
}

fn row(tab: &Tab, number: u128) -> Trigger {
    trigger(&tab.world(), TriggerId::from(number)).unwrap()
}

fn outcome(tab: &Tab, number: u128) -> Option<TriggerOutcome> {
    row(tab, number).last.and_then(|last| last.outcome)
}

/// The messages of triggers in all sessions.
fn said(tab: &Tab) -> Vec<Message> {
    let world = tab.world();
    let all = world.messages.values().filter(|message| message.source == Some(Source::Trigger));
    all.map(|message| message.as_ref().clone()).collect()
}

fn every(tab: &Tab, minutes: u64) -> Schedule {
    Schedule::Every { ms: minutes * MINUTE, from: tab.clock.now() }
}

fn other(tab: &Tab, label: &str) -> SessionId {
    let session = SessionId::from((1 << 100) + tab.world().sessions.len() as u128);
    tab.send(Command::CreateSession { session, label: label.into(), mind: Mind::default() }).unwrap();
    session
}

fn routed(session: SessionId, from: SessionId, text: &str) -> NewMessage {
    let origin = MessageOrigin { session: Some(from), name: "main".into(), ..MessageOrigin::default() };
    NewMessage { origin: Some(origin), ..NewMessage::new(session, text) }
}

fn asked_again(body: &Value) -> bool {
    body["contents"].as_array().unwrap().last().unwrap().to_string().contains("functionResponse")
}

#[test]
fn message_to_another_session_names_its_origin() {
    let tab = tab(|agent, _| says(&format!("{agent} here")));
    let target = other(&tab, "second");
    tab.open().unwrap();
    tab.send(Command::SendMessage(routed(target, tab.session, "@Critic hello there"))).unwrap();
    tab.settle();
    {
        let world = tab.world();
        let message = world.messages.values().find(|message| message.role == Role::User).unwrap();
        assert_eq!((message.session, message.source), (target, Some(Source::Human)));
        assert_eq!(message.metadata.origin.as_ref().unwrap().session, Some(tab.session));
        assert!(world.session(&tab.session).unwrap().head.is_none(), "nothing happened here");
        assert!(world.session(&target).unwrap().head.is_some(), "it was answered there");
    }
    // The open session is still locked by this tab.
    tab.say("@Critic and here").unwrap();
    assert_eq!(tab.speakers(), ["Critic", "Critic"]);
}

#[test]
fn message_to_a_locked_or_deleted_session_is_rejected() {
    let tab = tab(|_, _| says("here"));
    let target = other(&tab, "second");
    let elsewhere = tab.again(|_, _| says("there"));
    let open = elsewhere.running.handle.clone();
    elsewhere.wait_for(async move { open.open(target).await }).unwrap();
    tab.open().unwrap();
    // This tab had the lock when it was created.
    let rejected = tab.send(Command::SendMessage(routed(target, tab.session, "hello")));
    if rejected.is_ok() {
        // This tab still has the lock; the other tab may not write.
        assert_eq!(
            elsewhere.send(Command::SendMessage(routed(target, tab.session, "hello"))),
            Err(Rejection::ReadOnly)
        );
    } else {
        assert_eq!(rejected, Err(Rejection::ReadOnly));
    }
    let nowhere = SessionId::from(3);
    assert_eq!(
        tab.send(Command::SendMessage(routed(nowhere, tab.session, "x"))),
        Err(Rejection::NoSuchSession)
    );
}

#[test]
fn interval_trigger_fires_at_its_times_unless_paused() {
    let tab = tab(|agent, _| says(&format!("{agent} looked")));
    keep(&tab, &made(1, every(&tab, 10), engineer(), "Look around"));
    tab.pass(9 * MINUTE);
    assert!(said(&tab).is_empty());
    tab.pass(MINUTE);
    assert_eq!(tab.speakers(), ["Engineer"]);
    assert!(tab.question(0).contains("<message from=\"the trigger T1 of the operator\">\nLook around"));
    let message = said(&tab).remove(0);
    assert_eq!(message.metadata.origin.unwrap().triggers, [TriggerId::from(1)]);
    assert_eq!(outcome(&tab, 1), Some(TriggerOutcome::Sent { session: tab.session }));
    let rest = |paused| Command::SetTriggerPaused { trigger: TriggerId::from(1), paused };
    tab.send(rest(true)).unwrap();
    tab.pass(60 * MINUTE);
    assert_eq!(tab.speakers().len(), 1, "it is paused");
    tab.send(rest(false)).unwrap();
    tab.settle();
    assert_eq!(outcome(&tab, 1), Some(TriggerOutcome::Sent { session: tab.session }), "nothing was missed");
    tab.pass(10 * MINUTE);
    assert_eq!(tab.speakers().len(), 2);
    tab.send(Command::RemoveTrigger { trigger: TriggerId::from(1) }).unwrap();
    tab.pass(60 * MINUTE);
    assert_eq!(tab.speakers().len(), 2, "it is gone");
    let names: Vec<_> = tab
        .app_events()
        .iter()
        .filter_map(|event| {
            let kinds = ["TriggerChanged", "TriggerFired", "TriggerEnded", "TriggerRemoved"];
            let json = nexus_text::json::to_tree(event).unwrap();
            let kind = json["kind"].as_str().unwrap().to_owned();
            kinds.contains(&kind.as_str()).then(|| kind.replace("Trigger", "").to_lowercase())
        })
        .collect();
    let expected = ["changed", "fired", "ended", "changed", "changed", "fired", "ended", "removed"];
    assert_eq!(names, expected, "the audit says all of it");
}

#[test]
fn missed_time_is_reported_and_not_fired_later() {
    let tab = tab(|_, _| says("yes"));
    keep(&tab, &made(1, Schedule::At(Millis(tab.clock.now().0 + 5 * MINUTE)), engineer(), "once"));
    keep(&tab, &made(2, every(&tab, 10), engineer(), "again"));
    tab.kill();
    let later = tab.again(|_, _| says("yes"));
    // Its clock starts again: half an hour later by the first one's time.
    assert!(said(&later).is_empty());
    later.pass(4 * MINUTE);
    later.settle();
    assert_eq!(outcome(&later, 1), None, "it is not time yet");
    later.kill();
    let late = later.again(|_, _| says("yes"));
    late.clock.set(35 * MINUTE);
    late.pass(1);
    assert_eq!(outcome(&late, 1), Some(TriggerOutcome::Missed { times: 1 }));
    assert_eq!(row(&late, 1).pause_reason, Some(PauseReason::Over));
    assert_eq!(outcome(&late, 2), Some(TriggerOutcome::Missed { times: 3 }));
    assert!(late.speakers().is_empty() && said(&late).is_empty());
    late.pass(5 * MINUTE);
    assert_eq!(late.speakers(), ["Engineer"], "the next time counts again");
}

#[test]
fn two_tabs_fire_once() {
    let first = tab(|_, _| says("one"));
    let second = first.again(|_, _| says("two"));
    keep(&first, &made(1, every(&first, 10), engineer(), "Look"));
    second.running.handle.reload_stream(nexus_model::id::StreamId::App);
    second.settle();
    assert_eq!(row(&second, 1).name, "T1");
    first.pass(10 * MINUTE);
    second.pass(10 * MINUTE);
    first.settle();
    assert_eq!(first.speakers().len() + second.speakers().len(), 1);
    let fired = |tab: &Tab| {
        let events = tab.app_events();
        events.iter().filter(|event| matches!(event.known_kind(), Some(EventKind::TriggerFired(_)))).count()
    };
    assert_eq!(fired(&first), 1);
}

#[test]
fn trigger_fires_in_the_tab_with_the_targets_lock() {
    let first = tab(|_, _| refuses(400, "INVALID_ARGUMENT"));
    let second = first.again(|agent, _| says(&format!("{agent} looked")));
    let target = other(&second, "second");
    for stream in [StreamId::App, StreamId::Session(target)] {
        first.running.handle.reload_stream(stream);
    }
    first.settle();
    keep(&first, &made(1, every(&first, 10), Recipient::Session(target), "@Engineer look"));
    keep(
        &first,
        &made(2, Schedule::RunFailed { session: None }, Recipient::Session(target), "@Critic it failed"),
    );
    second.running.handle.reload_stream(StreamId::App);
    second.settle();
    // The tab that reports missed times has another session open: nothing is lost or rejected.
    first.pass(10 * MINUTE);
    assert_eq!((row(&first, 1).last, row(&first, 1).pause_reason), (None, None));
    second.pass(10 * MINUTE);
    assert_eq!(second.speakers(), ["Engineer"]);
    assert_eq!(outcome(&second, 1), Some(TriggerOutcome::Sent { session: target }));
    first.running.handle.reload_stream(StreamId::App);
    first.settle();
    first.say("@Critic do it").unwrap();
    first.pass(MINUTE);
    assert_eq!(outcome(&first, 2), None, "the event waits for the other tab");
    second.kill();
    first.pass(MINUTE);
    assert_eq!(outcome(&first, 2), Some(TriggerOutcome::Sent { session: target }));
    assert_eq!(said(&first).len(), 2);
}

#[test]
fn file_trigger_fires_once_after_a_quiet_period() {
    let tab = tab(|agent, _| says(&format!("{agent} saw it")));
    let when = Schedule::FileChanged { file: "plan.md".into(), session: None };
    keep(&tab, &made(1, when, engineer(), "The plan changed"));
    let write = |name: &str, text: &str| {
        write_file(&tab, name, text);
    };
    write("other.md", "x");
    tab.pass(TRIGGER_QUIET_MS);
    assert!(said(&tab).is_empty());
    write("plan.md", "a");
    tab.pass(TRIGGER_QUIET_MS - 1);
    write("plan.md", "b");
    tab.pass(TRIGGER_QUIET_MS - 1);
    assert!(said(&tab).is_empty());
    tab.pass(1);
    assert_eq!(said(&tab).len(), 1, "two consecutive changes are reported once");
    write("plan.md", "c");
    tab.pass(TRIGGER_QUIET_MS);
    assert_eq!(said(&tab).len(), 1, "not twice within a minute");
    tab.pass(TRIGGER_GAP_MS);
    assert_eq!(said(&tab).len(), 2, "and not forgotten");
}

#[test]
fn triggers_do_not_fire_themselves_in_a_loop() {
    let tab = tab(|_, body| {
        if asked_again(body) {
            return says("written");
        }
        let name = if body.to_string().contains("write a") { "a.md" } else { "b.md" };
        calls(&[("write_file", json!({"name": name, "content": body.to_string().len().to_string()}))])
    });
    let on = |file: &str| Schedule::FileChanged { file: file.into(), session: None };
    // Each writes what the other waits for, and one waits for itself.
    keep(&tab, &made(1, on("a.md"), engineer(), "write b"));
    keep(&tab, &made(2, on("b.md"), engineer(), "write a"));
    keep(&tab, &made(3, on("*"), engineer(), "write b too"));
    write_file(&tab, "a.md", "begin");
    for _ in 0..120 {
        tab.pass(MINUTE);
    }
    let count = said(&tab).len();
    assert!(count <= 8, "{count} messages in two hours");
    tab.pass(120 * MINUTE);
    assert_eq!(said(&tab).len(), count, "it came to rest");
    for message in said(&tab) {
        let mut chain = message.metadata.origin.unwrap().triggers;
        let all = chain.len();
        chain.sort();
        chain.dedup();
        assert_eq!(chain.len(), all, "no trigger fires itself");
    }
}

#[test]
fn trigger_waits_for_the_answer_to_its_last_message() {
    let mut slow = true;
    let tab = tab(move |_, _| {
        let mut answer = says("late");
        if std::mem::take(&mut slow) {
            answer.beats.insert(0, ScriptedChunk::Wait(90_000));
        }
        answer
    });
    keep(&tab, &made(1, every(&tab, 1), engineer(), "Look"));
    tab.pass(2 * MINUTE);
    assert_eq!(said(&tab).len(), 1);
    assert!(tab.world().open_run(&tab.session_row()).is_some(), "it is not answered yet");
    assert_eq!(outcome(&tab, 1), Some(TriggerOutcome::Busy));
    tab.pass(MINUTE);
    assert_eq!(said(&tab).len(), 2, "once it is answered the next time counts");
}

#[test]
fn failed_run_fires_and_a_trigger_without_target_is_reported() {
    let tab =
        tab(|agent, _| if agent == "Critic" { refuses(400, "INVALID_ARGUMENT") } else { says("I see") });
    keep(&tab, &made(1, Schedule::RunFailed { session: None }, engineer(), "A run failed"));
    let target = other(&tab, "short-lived");
    keep(&tab, &made(2, Schedule::RunFailed { session: None }, Recipient::Session(target), "Also here"));
    tab.send(Command::DeleteSession { session: target }).unwrap();
    tab.open().unwrap();
    tab.say("@Critic do it").unwrap();
    tab.pass(TRIGGER_QUIET_MS);
    assert_eq!(outcome(&tab, 1), Some(TriggerOutcome::Sent { session: tab.session }));
    assert_eq!(outcome(&tab, 2), Some(TriggerOutcome::Refused { reason: "Gone".into() }));
    assert_eq!(tab.speakers().last().unwrap(), "Engineer");
}

#[test]
fn invalid_triggers_are_rejected() {
    let tab = tab(|_, _| says("yes"));
    let wrong = made(1, Schedule::Every { ms: 1, from: Millis(0) }, engineer(), "x");
    let rejected = tab.send(Command::ChangeTrigger(wrong));
    assert!(matches!(rejected, Err(Rejection::BadTrigger(_))));
    let missing = TriggerId::from(9);
    for command in [
        Command::SetTriggerPaused { trigger: missing, paused: true },
        Command::RemoveTrigger { trigger: missing },
    ] {
        assert_eq!(tab.send(command), Err(Rejection::NoSuchTrigger));
    }
}
