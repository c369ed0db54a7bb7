//! Scenarios of compaction: when it starts, what agents see afterwards, and failures.

use crate::change_agent;
use serde_json::{Value, json};

use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, refuses, says, tab};
use nexus_model::command::{Command, Rejection};
use nexus_model::context::compaction::thread_context;
use nexus_model::event::EventKind;
use nexus_model::job::{JobEnd, JobFailure, JobKind};
use nexus_model::run::RunStatus;
use nexus_model::settings::schema::COMPACT_AUTO;
use nexus_model::turn::compaction::{Compaction, CompactionReason};
use nexus_model::turn::{TurnEnd, TurnKind};
use nexus_view::timeline::{TimelineRow, timeline};

/// A tab whose Architect has a small window and gives long answers.
fn small(window: u64) -> Tab {
    let tab = tab(|_, _| says(&format!("answer {}", "word ".repeat(400))));
    change_agent(&tab, "architect", |agent| agent.config.context_tokens = Some(window));
    tab.send(Command::ChangeSetting { name: "summary_auto".into(), value: false.into() }).unwrap();
    tab.send(Command::ChangeSetting { name: "memory_auto".into(), value: false.into() }).unwrap();
    tab
}

fn answers(tab: &Tab, script: impl FnMut(&Value) -> Scripted + 'static) {
    tab.archivist.borrow_mut().script = Some(Box::new(script));
}

fn ask(tab: &Tab, number: usize) {
    tab.say(&format!("@Architect question {number}")).unwrap();
    tab.settle();
}

fn compactions(tab: &Tab) -> Vec<Compaction> {
    tab.world().compactions.values().map(|row| row.as_ref().clone()).collect()
}

fn requests(tab: &Tab) -> Vec<Value> {
    tab.archivist.borrow().requests.clone()
}

fn last_request(tab: &Tab) -> String {
    tab.requests.borrow().last().unwrap().1["contents"].to_string()
}

/// Asks until a compaction happens.
fn until_compacted(tab: &Tab) -> usize {
    for number in 1..40 {
        ask(tab, number);
        if !compactions(tab).is_empty() {
            return number;
        }
    }
    panic!("the window never filled");
}

#[test]
fn older_turns_are_summarised_at_the_threshold_before_the_next_turn() {
    let tab = small(8_000);
    answers(&tab, |_| says("THE SUMMARY"));
    let number = until_compacted(&tab);
    let made = compactions(&tab).pop().unwrap();
    assert_eq!((made.reason, made.summary.as_deref()), (CompactionReason::Threshold, Some("THE SUMMARY")));
    assert!(made.tokens_before > 8_000 * 85 / 100, "{made:?}");
    let after = made.tokens_after.unwrap();
    assert!(after < made.tokens_before && after <= 8_000 * 60 / 100, "{after}");
    // The next request has the summary, the kept turns and the question, but no summarised turn.
    let request = last_request(&tab);
    assert!(request.contains("THE SUMMARY") && request.contains(&format!("question {number}")));
    assert!(!request.contains("question 1<") && !request.contains("question 1\\n"), "{request}");
    assert!(request.contains(&format!("question {}", number - 1)), "the kept turns stay");
    let was_asked = requests(&tab)[0]["contents"].to_string();
    assert!(was_asked.contains("question 1") && !was_asked.contains(&format!("question {number}")));

    // The compaction is a turn in thread and timeline, below the whole history.
    let world = tab.world();
    let head = world.turn(&tab.session_row().head.unwrap()).unwrap().clone();
    let mark = world.turn(&head.parent.unwrap()).unwrap();
    assert_eq!((mark.kind, mark.end, mark.run), (TurnKind::Compaction, Some(TurnEnd::Completed), head.run));
    let rows = timeline(&world, tab.session, None).rows;
    let at = rows.iter().position(|(_, row)| matches!(row, TimelineRow::Compaction { .. })).unwrap();
    let messages = rows[..at].iter().filter(|(_, row)| matches!(row, TimelineRow::Message(_))).count();
    assert_eq!(messages, (number - 1) * 2, "everything is still there");
    // It counts towards the run's limits.
    let run = world.run(&head.run.unwrap()).unwrap();
    assert_eq!((run.used.calls, run.used.tokens, run.status), (2, 220, RunStatus::Completed));
}

#[test]
fn later_compaction_includes_the_earlier_summary_and_survives_a_reload() {
    let tab = small(8_000);
    answers(&tab, {
        let mut count = 0;
        move |_| {
            count += 1;
            says(&format!("SUMMARY {count}"))
        }
    });
    for number in 1..30 {
        ask(&tab, number);
        if compactions(&tab).len() == 2 {
            break;
        }
    }
    let made = compactions(&tab);
    assert_eq!((made.len(), made[1].prior), (2, Some(made[0].turn)));
    let second = requests(&tab)[1]["contents"].to_string();
    assert!(second.contains("SUMMARY 1"), "the summary before is a part of the new one");
    let request = last_request(&tab);
    assert!(request.contains("SUMMARY 2") && !request.contains("SUMMARY 1"));
    tab.kill();
    let again = tab.again(|_, _| says("ok"));
    ask(&again, 99);
    assert!(last_request(&again).contains("SUMMARY 2"), "after a reload, too");
    assert_eq!(
        thread_context(&again.world(), again.session_row().head).compaction.map(|made| made.turn),
        Some(made[1].turn)
    );
}

#[test]
fn manual_compaction_keeps_three_turns_and_uses_the_focus() {
    let tab = small(1_000_000);
    answers(&tab, |_| says("By hand."));
    let agent = nexus_model::id::AgentKey::from("architect");
    let compact = |focus: &str| {
        let sent =
            tab.send(Command::Compact { session: tab.session, agent: agent.clone(), focus: focus.into() });
        tab.settle();
        sent
    };
    for number in 1..=3 {
        ask(&tab, number);
    }
    compact("").unwrap();
    let row = tab.session_row().archivist;
    assert!(row.start_error.is_some() && row.pending.is_none(), "three turns are too few");
    assert!(compactions(&tab).is_empty());
    for number in 4..=6 {
        ask(&tab, number);
    }
    compact(" the storage ").unwrap();
    let made = compactions(&tab).pop().unwrap();
    assert_eq!(
        (made.turns, made.reason, made.focus.as_deref()),
        (3, CompactionReason::Manual, Some("the storage"))
    );
    assert!(requests(&tab)[0]["contents"].to_string().contains("the storage"));
    ask(&tab, 7);
    let request = last_request(&tab);
    assert!(
        request.contains("By hand.") && request.contains("question 4") && !request.contains("question 3")
    );
    // Only one compaction waits or runs at a time.
    answers(&tab, |_| Scripted { status: 200, beats: vec![ScriptedChunk::Wait(60_000)] });
    compact("").unwrap();
    assert_eq!(compact(""), Err(Rejection::CompactionWorks));
    // A message sent meanwhile waits; Stop ends the compaction as a stopped turn.
    tab.send(Command::Stop { session: tab.session }).unwrap();
    tab.settle();
    let row = tab.session_row();
    assert!(row.archivist == Default::default() && row.jobs.open.is_empty());
    assert_eq!(row.jobs.failed(JobKind::Compaction).unwrap().end, JobEnd::Cancelled);
    let world = tab.world();
    let head = world.turn(&tab.session_row().head.unwrap()).unwrap();
    assert_eq!((head.kind, head.end), (TurnKind::Compaction, Some(TurnEnd::Cancelled)));
}

#[test]
fn fork_before_a_compaction_has_full_turns_and_no_summary() {
    let tab = small(1_000_000);
    answers(&tab, |_| says("THE SUMMARY"));
    let mut turns = Vec::new();
    for number in 1..=6 {
        ask(&tab, number);
        turns.push(tab.session_row().head.unwrap());
    }
    let (session, agent, focus) = (tab.session, "architect".into(), String::new());
    tab.send(Command::Compact { session, agent, focus }).unwrap();
    tab.settle();
    let made = compactions(&tab).pop().unwrap();
    assert_eq!((made.through, tab.session_row().head), (turns[2], Some(made.turn)), "it is at the head");
    let mut last = tab;
    // Within the summarised turns, at their end, among the kept ones, and just before the compaction.
    for (number, from) in [(2, turns[1]), (3, turns[2]), (4, turns[3]), (6, turns[5])] {
        let fork = nexus_model::id::SessionId::from(7_000 + number as u128);
        let label = format!("from {number}");
        last.send(Command::ContinueFrom { session: fork, from: session, turn: from, mind: None, label })
            .unwrap();
        last.kill();
        let mut forked = last.again(|_, _| says("ok"));
        forked.session = fork;
        forked.open().unwrap();
        ask(&forked, 99);
        let request = last_request(&forked);
        assert!(!request.contains("THE SUMMARY"), "{number}: {request}");
        for requests in 1..=6 {
            let whole = request.contains(&format!("question {requests}\\n"));
            assert_eq!(whole, requests <= number, "question {requests} of a fork from {number}");
        }
        assert_eq!(request.matches("answer word").count(), number, "with the complete answers");
        let context_is_whole = {
            let world = forked.world();
            let context = thread_context(&world, forked.session_row().head);
            context.compaction.is_none() && context.turns.len() == number + 1
        };
        assert!(context_is_whole);
        last = forked;
    }
    // In the original session it still applies.
    last.kill();
    let mut main = last.again(|_, _| says("ok"));
    main.session = session;
    main.open().unwrap();
    ask(&main, 7);
    assert!(last_request(&main).contains("THE SUMMARY") && !last_request(&main).contains("question 2\\n"));
}

#[test]
fn message_waits_for_a_running_compaction() {
    let tab = small(1_000_000);
    for number in 1..=5 {
        ask(&tab, number);
    }
    answers(&tab, |_| {
        let mut slow = says("Slowly.");
        slow.beats.insert(0, ScriptedChunk::Wait(5_000));
        slow
    });
    let agent = "architect".into();
    tab.send(Command::Compact { session: tab.session, agent, focus: String::new() }).unwrap();
    ask(&tab, 6);
    assert!(!last_request(&tab).contains("question 6"));
    tab.pass(6_000);
    let request = last_request(&tab);
    assert!(request.contains("question 6") && request.contains("Slowly."));
}

/// A tab whose first request with the whole history is rejected as too long.
fn overflowing(tab_script: impl Fn(usize) -> bool + 'static) -> Tab {
    let tab = tab(move |_, body| {
        let long = body["contents"].to_string().matches("question ").count();
        if tab_script(long) {
            let message = "The input token count (9000) exceeds the maximum number of tokens allowed (8000).";
            let body = json!({"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}});
            return Scripted { status: 400, beats: vec![ScriptedChunk::Bytes(body.to_string())] };
        }
        says("fine")
    });
    tab.send(Command::ChangeSetting { name: "summary_auto".into(), value: false.into() }).unwrap();
    tab.send(Command::ChangeSetting { name: "memory_auto".into(), value: false.into() }).unwrap();
    tab
}

#[test]
fn overflow_fails_the_turn_compacts_and_retries_once() {
    let tab = overflowing(|questions| questions > 5);
    answers(&tab, |_| says("SHORT"));
    for number in 1..=6 {
        ask(&tab, number);
    }
    let made = compactions(&tab).pop().unwrap();
    assert_eq!(made.reason, CompactionReason::Overflow);
    let world = tab.world();
    let head = world.turn(&tab.session_row().head.unwrap()).unwrap();
    let mark = world.turn(&head.parent.unwrap()).unwrap();
    let failed = world.turn(&mark.parent.unwrap()).unwrap();
    assert_eq!((head.end, mark.kind), (Some(TurnEnd::Completed), TurnKind::Compaction));
    assert_eq!((failed.end, failed.node.as_ref()), (Some(TurnEnd::Error), head.node.as_ref()));
    assert_eq!(world.run(&head.run.unwrap()).unwrap().status, RunStatus::Completed);
    assert!(last_request(&tab).contains("SHORT") && last_request(&tab).contains("question 6"));
}

#[test]
fn second_overflow_is_reported_without_a_retry() {
    // From the sixth question on, every request is rejected, however short.
    let count = std::cell::Cell::new(0);
    let tab = overflowing(move |_| {
        count.set(count.get() + 1);
        count.get() > 5
    });
    answers(&tab, |_| says("SHORT"));
    for number in 1..=6 {
        ask(&tab, number);
    }
    assert_eq!(compactions(&tab).len(), 1);
    let asked_for_6 =
        tab.requests.borrow().iter().filter(|(_, body)| body.to_string().contains("question 6")).count();
    assert_eq!(asked_for_6, 2);
    assert_eq!(tab.world().run(&tab.run_id()).unwrap().status, RunStatus::Failed);
}

#[test]
fn failed_compaction_is_reported_and_older_turns_are_omitted() {
    let tab = overflowing(|questions| questions > 5);
    answers(&tab, |_| refuses(400, "INVALID_ARGUMENT"));
    for number in 1..=6 {
        ask(&tab, number);
    }
    let made = compactions(&tab).pop().unwrap();
    assert!(made.summary.is_none() && made.failure.is_some());
    let world = tab.world();
    let head = world.turn(&tab.session_row().head.unwrap()).unwrap();
    assert_eq!(head.end, Some(TurnEnd::Completed));
    assert!(!head.calls[0].recipe.omitted_turns.is_empty());
    assert!(last_request(&tab).contains("question 6") && !last_request(&tab).contains("question 1"));
    let is_reported = tab.events().iter().any(|event| {
        matches!(event.known_kind(), Some(EventKind::JobFailed(JobFailure { kind: JobKind::Compaction, .. })))
    });
    assert!(is_reported);
}

#[test]
fn empty_summary_is_an_error_and_transient_errors_are_retried() {
    let tab = small(1_000_000);
    for number in 1..=5 {
        ask(&tab, number);
    }
    let agent = nexus_model::id::AgentKey::from("architect");
    let compact = || {
        let command = Command::Compact { session: tab.session, agent: agent.clone(), focus: String::new() };
        tab.send(command).unwrap();
        tab.pass(120_000);
    };
    answers(&tab, |_| says("  "));
    compact();
    assert!(compactions(&tab)[0].failure.is_some());
    let mut first = true;
    answers(
        &tab,
        move |_| if std::mem::take(&mut first) { refuses(503, "UNAVAILABLE") } else { says("At last.") },
    );
    ask(&tab, 6);
    compact();
    let made = compactions(&tab).pop().unwrap();
    assert_eq!((made.summary.as_deref(), made.retry), (Some("At last."), None));
}

#[test]
fn without_compaction_older_turns_are_omitted() {
    let tab = small(8_000);
    tab.send(Command::ChangeSetting { name: COMPACT_AUTO.name().into(), value: false.into() }).unwrap();
    for number in 1..=14 {
        ask(&tab, number);
    }
    assert!(compactions(&tab).is_empty() && requests(&tab).is_empty());
    let world = tab.world();
    let head = world.turn(&tab.session_row().head.unwrap()).unwrap();
    assert!(!head.calls[0].recipe.omitted_turns.is_empty());
}

#[test]
fn closing_the_page_interrupts_the_compaction() {
    let tab = small(1_000_000);
    for number in 1..=5 {
        ask(&tab, number);
    }
    answers(&tab, |_| Scripted { status: 200, beats: vec![ScriptedChunk::Wait(60_000)] });
    let agent = "architect".into();
    tab.send(Command::Compact { session: tab.session, agent, focus: String::new() }).unwrap();
    tab.settle();
    assert!(tab.session_row().archivist.compacting.is_some());
    tab.kill();
    let again = tab.again(|_, _| says("ok"));
    let row = again.session_row();
    assert!(row.archivist == Default::default() && row.jobs.open.is_empty());
    let end = {
        let world = again.world();
        world.turn(&again.session_row().head.unwrap()).unwrap().end
    };
    assert_eq!(end, Some(TurnEnd::Interrupted));
    ask(&again, 6);
    assert!(last_request(&again).contains("question 1"), "nothing was summarised");
}
