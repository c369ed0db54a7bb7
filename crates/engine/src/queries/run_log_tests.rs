use std::rc::Rc;

use serde_json::json;

use super::*;
use crate::lazy::loader::BuiltInChunks;
use crate::testing::{Tab, calls, says, tab};
use nexus_model::message::Role;
use nexus_model::message::content::text_of;

fn log(tab: &Tab, run: RunId) -> RunLogPage {
    let records =
        EventQueries::new(Rc::new(tab.store.clone()), Rc::new(BuiltInChunks), Rc::clone(&tab.running.bus));
    tab.wait_for(async move { RunLog::new(records, run).read().await }).unwrap()
}

fn kinds(page: &RunLogPage, wanted: impl Fn(&EventKind) -> bool) -> usize {
    page.events.iter().filter_map(|logged| logged.event.happening()).filter(|kind| wanted(kind)).count()
}

#[test]
fn the_log_of_a_run_has_its_events_and_its_question_and_nothing_of_other_runs() {
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
        if let Some(EventKind::MessageCommitted { message }) = logged.event.happening() {
            Some(message)
        } else {
            None
        }
    });
    let said: Vec<_> = page
        .messages
        .iter()
        .chain(in_log)
        .filter(|message| message.role == Role::User)
        .map(|message| text_of(&message.parts))
        .collect();
    assert_eq!(said, ["First"], "once, wherever it is");
    assert!(page.events.is_sorted_by_key(|logged| logged.event.seq));
    for logged in &page.events {
        assert_eq!(LoggedEvent::read(&logged.text).unwrap().event, logged.event);
    }
}

#[test]
fn what_a_subagent_did_is_in_the_log_of_the_run_that_sent_it_out() {
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
    let sent = tab.events().into_iter().find_map(|event| match event.happening() {
        Some(EventKind::WorkerSent { worker, .. }) => Some((event.run.unwrap(), worker.session)),
        _ => None,
    });
    let (run, worker) = sent.expect("a subagent was sent out");
    let page = log(&tab, run);
    let of_worker = |logged: &&LoggedEvent| logged.event.stream == StreamId::Session(worker);
    assert!(page.events.iter().filter(of_worker).count() > 3);
    assert_eq!(kinds(&page, |kind| matches!(kind, EventKind::WorkerEnded { .. })), 1);
    // In the order of time, and in each stream in its own.
    let seqs: Vec<_> = page.events.iter().filter(of_worker).map(|logged| logged.event.seq).collect();
    assert!(seqs.is_sorted() && seqs[0] == 1);
}

#[test]
fn what_comes_later_is_read_once() {
    let tab = tab(|agent, _| says(&format!("{agent} is here")));
    tab.say("First").unwrap();
    let run = tab.run_id();
    let records =
        EventQueries::new(Rc::new(tab.store.clone()), Rc::new(BuiltInChunks), Rc::clone(&tab.running.bus));
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
fn a_run_that_is_not_here_has_an_empty_log() {
    let tab = tab(|agent, _| says(agent));
    assert_eq!(log(&tab, RunId::from(7)), RunLogPage::default());
}
