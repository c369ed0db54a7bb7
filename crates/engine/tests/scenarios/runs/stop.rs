//! Scenarios of Stop, and of queued messages that are being edited.

use serde_json::json;

use nexus_engine::port::Clock as _;
use nexus_engine::scheduler::next_step;
use nexus_engine::tests::{Tab, calls, says, tab, trickles};
use nexus_model::command::{Command, NewMessage};
use nexus_model::id::{Millis, QueueItemId, TriggerId};
use nexus_model::limits::MAINTENANCE_DELAY_MS;
use nexus_model::mind::MindWrite;
use nexus_model::run::RunStatus;
use nexus_model::session::trigger::{Recipient, Schedule, Trigger};
use nexus_model::session::{Draft, DraftField, KeepGoing, QueueMode};

const LONG: u64 = 3_600_000;

fn stop(tab: &Tab) {
    tab.send(Command::Stop { session: tab.session }).unwrap();
}

fn waiting(tab: &Tab) -> Vec<QueueItemId> {
    tab.world().waiting(tab.session).iter().map(|item| item.id).collect()
}

fn requests(tab: &Tab) -> usize {
    tab.requests.borrow().len()
}

fn lines(count: usize) -> String {
    (0..count).map(|n| format!("line {n}\n")).collect()
}

fn edit(tab: &Tab, text: &str) {
    let (session, base) = (tab.session, tab.session_row().mind);
    let writes = vec![MindWrite::File { name: "a.txt".into(), text: text.into() }];
    tab.send(Command::EditMind { session, base, writes }).unwrap();
    tab.settle();
}

#[test]
fn stop_holds_the_queue_also_over_a_reload() {
    let first = tab(|_, _| trickles(&["slow"]));
    first.say("@Engineer at work").unwrap();
    first.say("for everyone").unwrap();
    first.pass(500);
    stop(&first);
    first.pass(LONG);
    assert_eq!((requests(&first), waiting(&first).len()), (1, 1));
    first.kill();
    let again = first.again(|agent, _| says(&format!("{agent} here")));
    again.pass(LONG);
    edit(&again, "typed by hand\n");
    again.pass(LONG);
    assert_eq!(requests(&again), 0, "nothing runs without a request");
    assert!(again.world().waiting(again.session)[0].held);
    // A new message is sent alone, without the held ones.
    again.say("@Critic something else").unwrap();
    again.pass(LONG);
    assert_eq!(again.speakers(), ["Critic"]);
    assert!(!again.question(0).contains("for everyone"));
    again.send(Command::SendAllHeld { session: again.session }).unwrap();
    assert_eq!(again.speakers(), ["Critic", "Architect", "Engineer", "Critic"]);
    assert!(again.question(1).contains("for everyone"));
    assert!(waiting(&again).is_empty());
}

#[test]
fn discarded_messages_are_never_sent() {
    let tab = tab(|_, _| trickles(&["slow"]));
    tab.say("@Engineer at work").unwrap();
    tab.say("for everyone").unwrap();
    stop(&tab);
    tab.send(Command::DiscardAllHeld { session: tab.session }).unwrap();
    tab.pass(LONG);
    assert_eq!((requests(&tab), waiting(&tab).len()), (1, 0));
}

#[test]
fn no_round_sync_or_summary_starts_after_stop() {
    let tab = tab(|_, body| {
        let results = body["contents"].as_array().unwrap().last().unwrap().to_string();
        if results.contains("functionResponse") {
            trickles(&["and"])
        } else {
            calls(&[("write_file", json!({"name": "a.txt", "content": lines(30)}))])
        }
    });
    let keep = KeepGoing { rounds: 5, definition_of_done: "done".into() };
    tab.say_with("@Engineer work", QueueMode::FollowUp, Some(keep)).unwrap();
    tab.pass(500);
    assert!(tab.mind().file("a.txt").is_some());
    let before = requests(&tab);
    stop(&tab);
    tab.pass(LONG);
    assert_eq!(requests(&tab), before);
    assert_eq!(tab.core.borrow().requests.len(), 0, "the Core was asked because of Stop");
    assert_eq!(tab.archivist.borrow().requests.len(), 0);
    let run = tab.world().run(&tab.run_id()).unwrap().clone();
    assert_eq!((run.status, run.rounds.current), (RunStatus::Cancelled, 1));
    // Later actions of the operator count as usual.
    edit(&tab, &lines(40));
    tab.pass(LONG);
    assert_eq!(tab.core.borrow().requests.len(), 1);
}

#[test]
fn trigger_after_stop_is_held_and_fires_once() {
    let tab = tab(|_, _| trickles(&["slow"]));
    let trigger = Trigger {
        id: TriggerId::from(7),
        name: "Often".into(),
        when: Schedule::Every { ms: 60_000, from: tab.clock.now() },
        to: Recipient::Session(tab.session),
        text: "look again".into(),
        pause_reason: None,
        since: Millis(0),
        last: None,
        recent: Vec::new(),
    };
    tab.say("@Engineer at work").unwrap();
    tab.pass(500);
    stop(&tab);
    tab.send(Command::ChangeTrigger(trigger)).unwrap();
    tab.pass(5 * 60_000);
    assert_eq!(requests(&tab), 1, "a trigger started a run after Stop");
    let item = waiting(&tab);
    assert_eq!(item.len(), 1, "it waits once, however often it was due");
    assert!(tab.world().queue_item(&item[0]).unwrap().held);
    tab.send(Command::SendHeld { item: item[0] }).unwrap();
    assert!(tab.question(1).contains("look again"));
}

#[test]
fn messages_for_a_stopped_worker_are_held_and_its_end_reported() {
    let is_worker =
        |body: &serde_json::Value| body["contents"].to_string().contains("by hand in its session");
    let tab = tab(move |agent, body| match agent {
        "Architect" if body["contents"].to_string().contains("functionResponse") => trickles(&["I wait"]),
        "Architect" => calls(&[("delegate", json!({"task": "see to it", "agent": "Engineer"}))]),
        _ if is_worker(body) => says("never"),
        _ => trickles(&["I work"]),
    });
    tab.say("@Architect see to it").unwrap();
    tab.pass(500);
    let worker = tab.session_row().workers[0].session;
    let command = Command::SendMessage(NewMessage::new(worker, "by hand in its session"));
    tab.send(command).unwrap();
    let before = requests(&tab);
    stop(&tab);
    tab.pass(LONG);
    assert_eq!(requests(&tab), before, "the queue of a worker went on after Stop");
    assert!(tab.session_row().workers.is_empty());
    assert!(tab.world().waiting(worker)[0].held);
    for session in [tab.session, worker] {
        assert_eq!(next_step(&tab.world(), session), None);
    }
}

#[test]
fn queued_message_is_not_sent_while_it_is_edited_also_over_a_reload() {
    let first = tab(|_, _| trickles(&["slow"]));
    first.say("@Engineer at work").unwrap();
    first.say("@Critic old words").unwrap();
    let item = waiting(&first)[0];
    first.send(Command::BeginQueuedEdit { item }).unwrap();
    let (session, base) = (first.session, first.session_row().mind);
    let field = DraftField::Queued(item);
    let draft =
        Draft { session, field: field.clone(), text: Some("@Critic new".into()), base, in_conflict: false };
    first.running.handle.draft(draft);
    first.pass(1_000);
    first.kill();
    let again = first.again(|agent, _| says(&format!("{agent} here")));
    assert!(again.world().queue_item(&item).unwrap().editing);
    // The run ends, and the message still waits.
    again.send(Command::EndRun { run: again.run_id() }).unwrap();
    again.pass(LONG);
    assert_eq!((requests(&again), waiting(&again)), (0, vec![item]));
    again.send(Command::EditQueued { item, text: "@Critic new words".into() }).unwrap();
    again.settle();
    assert_eq!(again.speakers(), ["Critic"]);
    assert!(again.question(0).contains("new words") && !again.question(0).contains("old words"));
}

#[test]
fn cancelled_edit_sends_the_message_unchanged() {
    let mut asked_before = false;
    let tab = tab(move |_, _| match std::mem::replace(&mut asked_before, true) {
        false => says("quick"),
        true => says("fine"),
    });
    tab.send(Command::ChangeSetting { name: "cap_calls".into(), value: json!(1) }).unwrap();
    tab.say("at work").unwrap();
    assert_eq!(tab.world().run(&tab.run_id()).unwrap().status, RunStatus::Paused);
    tab.say("@Critic as it was").unwrap();
    let item = waiting(&tab)[0];
    tab.send(Command::BeginQueuedEdit { item }).unwrap();
    tab.send(Command::EndRun { run: tab.run_id() }).unwrap();
    tab.pass(LONG);
    assert_eq!(requests(&tab), 1);
    tab.send(Command::EndQueuedEdit { item }).unwrap();
    assert_eq!(requests(&tab), 2);
    assert!(tab.question(1).contains("as it was"));
}

#[test]
fn no_job_starts_after_stop_while_only_a_job_ran() {
    let tab = tab(|_, _| says("Built."));
    tab.archivist.borrow_mut().script = Some(Box::new(|_| trickles(&["slow"])));
    tab.say("@Engineer one").unwrap();
    tab.say("@Engineer two").unwrap();
    tab.pass(MAINTENANCE_DELAY_MS + 500);
    assert_eq!(tab.archivist.borrow().requests.len(), 1, "the summary is being written");
    stop(&tab);
    tab.pass(LONG);
    assert_eq!(tab.archivist.borrow().requests.len(), 1, "a job started after Stop");
}
