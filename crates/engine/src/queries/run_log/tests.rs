use serde_json::json;

use super::*;
use crate::port::StoreError;
use crate::tests::{Tab, calls, says, tab};
use nexus_model::message::Role;
use nexus_model::message::content::text_of;

fn log(tab: &Tab, run: RunId) -> RunLogPage {
    let records = tab.records();
    tab.wait_for(async move { RunLog::new(records, run).read().await }).unwrap()
}

fn kinds(page: &RunLogPage, wanted: impl Fn(&EventKind) -> bool) -> usize {
    page.events.iter().filter_map(|logged| logged.event.known_kind()).filter(|kind| wanted(kind)).count()
}

#[test]
fn log_has_the_runs_events_and_messages_only() {
    let tab = tab(|agent, _| says(&format!("{agent} is here")));
    tab.say("First").unwrap();
    let first = tab.run_id();
    tab.say("Second").unwrap();
    let page = log(&tab, first);
    assert_eq!(kinds(&page, |kind| matches!(kind, EventKind::RunOpened { .. })), 1);
    assert_eq!(kinds(&page, |kind| matches!(kind, EventKind::TurnClosed { .. })), 3);
    assert_eq!(kinds(&page, |kind| matches!(kind, EventKind::RunEnded { .. })), 1);
    assert!(page.events.iter().all(|logged| logged.event.run == Some(first)));
    let in_log = page.events.iter().filter_map(|logged| {
        if let Some(EventKind::MessageCommitted { message }) = logged.event.known_kind() {
            Some(message)
        } else {
            None
        }
    });
    let texts: Vec<_> = page
        .messages
        .iter()
        .chain(in_log)
        .filter(|message| message.role == Role::User)
        .map(|message| text_of(&message.parts))
        .collect();
    assert_eq!(texts, ["First"], "once, whatever its location");
    assert!(page.events.is_sorted_by_key(|logged| logged.event.seq));
    for logged in &page.events {
        assert_eq!(LoggedEvent::read(&logged.text).unwrap().event, logged.event);
    }
}

#[test]
fn log_includes_events_of_the_runs_subagents() {
    let tab = tab(|agent, body| {
        let is_first = !body.to_string().contains("functionResponse");
        match agent {
            "Architect" if is_first && !body.to_string().contains("Count to three") => {
                calls(&[("delegate", json!({ "task": "Count to three.", "agent": "Engineer" }))])
            }
            _ => says(&format!("{agent} has spoken")),
        }
    });
    tab.say("@Architect delegate it").unwrap();
    let sent = tab.events().into_iter().find_map(|event| match event.known_kind() {
        Some(EventKind::WorkerSent { worker, .. }) => Some((event.run.unwrap(), worker.session)),
        _ => None,
    });
    let (run, worker) = sent.expect("a subagent was sent out");
    let page = log(&tab, run);
    let of_worker = |logged: &&LoggedEvent| logged.event.stream == StreamId::Session(worker);
    assert!(page.events.iter().filter(of_worker).count() > 3);
    assert_eq!(kinds(&page, |kind| matches!(kind, EventKind::WorkerEnded { .. })), 1);
    // Sorted by time; within a stream, by sequence number.
    let seqs: Vec<_> = page.events.iter().filter(of_worker).map(|logged| logged.event.seq).collect();
    assert!(seqs.is_sorted() && seqs[0] == 1);
}

#[test]
fn later_events_are_read_once() {
    let tab = tab(|agent, _| says(&format!("{agent} is here")));
    tab.say("First").unwrap();
    let run = tab.run_id();
    let records = tab.records();
    let (all, rest) = tab
        .wait_for(async move {
            let mut log = RunLog::new(records, run);
            Ok::<_, StoreError>((log.read().await?, log.read().await?))
        })
        .unwrap();
    assert!(!all.events.is_empty());
    assert_eq!(rest, RunLogPage::default());
}

#[test]
fn missing_run_has_an_empty_log() {
    let tab = tab(|agent, _| says(agent));
    assert_eq!(log(&tab, RunId::from(7)), RunLogPage::default());
}
