//! Scenarios of faults: failing models, bad arguments, full disks, closed pages and second tabs.

mod full_store;

use crate::write_file;
use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::{FutureExt as _, StreamExt as _};

use serde_json::json;

use nexus_engine::client::EngineClient;
use nexus_engine::port::{Batch, EventRow, Store as _, Table};
use nexus_engine::store::in_memory::InMemoryStore;
use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, calls, read_events, refuses, says, tab, trickles};
use nexus_model::command::{Command, NewMessage, Rejection};
use nexus_model::dump::readable_json;
use nexus_model::event::{Event, EventKind, Topic};
use nexus_model::id::{Millis, StreamId};
use nexus_model::job::{JobDone, JobResult};
use nexus_model::limits::{RELOAD_MS, TOOL_ROUNDS};
use nexus_model::message::content::text_of;
use nexus_model::message::{MessageStatus, Role};
use nexus_model::mind::MindWrite;
use nexus_model::provider::ProviderErrorKind;
use nexus_model::run::{PauseCause, RunStatus};
use nexus_model::session::{Draft, DraftField, QueueMode};
use nexus_model::signal::TransientEvent;
use nexus_model::tool::ToolStatus;
use nexus_model::turn::{TurnEnd, TurnPhase};

#[test]
fn failed_turn_has_its_error_the_run_continues_and_it_can_be_retried() {
    let mut broken = true;
    let tab = tab(move |agent, _| {
        if agent == "Engineer" && std::mem::take(&mut broken) {
            refuses(400, "INVALID_ARGUMENT")
        } else {
            says("ok")
        }
    });
    tab.say("go").unwrap();
    assert_eq!(tab.speakers(), ["Architect", "Engineer", "Critic"]);
    let failed = {
        let world = tab.world();
        let failed = world.turns.values().find(|turn| turn.phase == TurnPhase::Failed).unwrap();
        assert_eq!(failed.failure.as_ref().unwrap().category, ProviderErrorKind::BadRequest);
        let flags = tab.session_row().flags;
        assert!(flags[&failed.agent].failed);
        failed.id
    };
    tab.try_again(failed).unwrap();
    assert_eq!(tab.speakers().last().map(String::as_str), Some("Engineer"));
    assert!(tab.question(3).contains("go"), "the same query");
    let world = tab.world();
    let newest = world.turn(&tab.session_row().head.unwrap()).unwrap();
    assert_eq!((newest.end, newest.answers.len()), (Some(TurnEnd::Completed), 1));
    assert!(!tab.session_row().flags[&newest.agent].failed);
}

#[test]
fn transient_errors_are_retried_after_a_delay() {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        if requests < 3 { refuses(503, "UNAVAILABLE") } else { says("at last") }
    });
    tab.say("@Architect go").unwrap();
    assert_eq!(tab.speakers().len(), 1);
    tab.pass(60_000);
    assert_eq!(tab.speakers().len(), 3);
    let world = tab.world();
    let turn = world.turn(&tab.session_row().head.unwrap()).unwrap();
    assert_eq!(
        (turn.end, turn.calls[0].attempts, turn.calls[0].failures.len()),
        (Some(TurnEnd::Completed), 3, 2)
    );
}

#[test]
fn cut_stream_keeps_its_text_as_incomplete() {
    let tab = tab(|_, _| {
        let Scripted { status, mut beats } = says("half an ans");
        beats.pop();
        Scripted { status, beats }
    });
    tab.say("@Architect go").unwrap();
    let world = tab.world();
    let turn = world.turn(&tab.session_row().head.unwrap()).unwrap();
    assert_eq!(turn.end, Some(TurnEnd::CutOff));
    let message = world.message(&turn.messages[0]).unwrap();
    assert_eq!((text_of(&message.parts).as_str(), message.status), ("half an ans", MessageStatus::Failed));
}

#[test]
fn call_in_a_broken_stream_is_never_run() {
    let tab = tab(|_, _| {
        let Scripted { beats, .. } = calls(&[("write_file", json!({"name": "a", "content": "x"}))]);
        let ScriptedChunk::Bytes(text) = &beats[0] else { panic!("bytes") };
        let unfinished = text.replace(",\"finishReason\":\"STOP\"", "");
        Scripted { status: 200, beats: vec![ScriptedChunk::Bytes(unfinished), ScriptedChunk::Cut] }
    });
    tab.say("@Architect go").unwrap();
    tab.pass(60_000);
    assert!(tab.mind().files.is_empty());
    assert!(tab.world().tool_runs.is_empty());
}

#[test]
fn silent_stream_times_out() {
    let tab = tab(|_, _| Scripted { status: 200, beats: vec![ScriptedChunk::Wait(10_000_000)] });
    tab.say("@Architect go").unwrap();
    tab.pass(119_000);
    assert!(tab.world().open_turn(&tab.session_row()).is_some());
    tab.pass(2_000);
    let world = tab.world();
    assert_eq!(world.turn(&tab.session_row().head.unwrap()).unwrap().end, Some(TurnEnd::TimedOut));
}

#[test]
fn invalid_arguments_are_returned_to_the_model_and_run_nothing() {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        match requests {
            1 => calls(&[("write_file", json!({"name": 7})), ("no_such", json!({}))]),
            _ => says("sorry"),
        }
    });
    tab.say("@Engineer go").unwrap();
    let world = tab.world();
    assert!(world.tool_runs.values().all(|run| run.status == ToolStatus::Failed));
    assert_eq!(world.tool_runs.len(), 2);
    let second = tab.requests.borrow()[1].1.to_string();
    assert!(second.contains("must have `content`") && second.contains("no tool named no_such"));
}

#[test]
fn turn_ends_at_the_limit_of_tool_rounds() {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        calls(&[("write_file", json!({"name": "a", "content": format!("{requests}")}))])
    });
    tab.say("@Engineer go").unwrap();
    let world = tab.world();
    let turn = world.turn(&tab.session_row().head.unwrap()).unwrap();
    assert_eq!(turn.end, Some(TurnEnd::TimedOut));
    assert_eq!(u32::try_from(turn.tool_runs.len()).unwrap(), TOOL_ROUNDS);
    drop(world);
    tab.say("@Engineer again").unwrap();
    assert!(tab.speakers().len() > 9, "the history stays valid after calls that were never run");
}

#[test]
fn three_equal_calls_pause_the_run_which_can_resume() {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        if requests <= 3 { calls(&[("list_files", json!({}))]) } else { says("I see") }
    });
    tab.say("@Engineer go").unwrap();
    {
        let world = tab.world();
        let run = world.run(&tab.run_id()).unwrap();
        assert_eq!(run.status, RunStatus::Paused);
        assert!(matches!(&run.pause, Some(PauseCause::Loop { evidence }) if evidence.contains("list_files")));
    }
    tab.send(Command::ContinueRun { run: tab.run_id() }).unwrap();
    assert_eq!(tab.world().run(&tab.run_id()).unwrap().status, RunStatus::Completed);
}

#[test]
fn reload_during_a_stream_keeps_partial_text_and_runs_nothing() {
    let tab = tab(|_, _| trickles(&["one ", "two ", "three "]));
    tab.say("go").unwrap();
    tab.pass(2_500);
    tab.kill();
    let again = tab.again(|agent, _| says(&format!("{agent} after the reload")));
    again.pass(60_000);
    assert!(again.speakers().is_empty());
    {
        let world = again.world();
        let run = world.run(&again.run_id()).unwrap();
        assert_eq!((run.status, &run.pause), (RunStatus::Paused, &Some(PauseCause::Interrupted)));
        let turn = world.turn(&again.session_row().head.unwrap()).unwrap();
        assert_eq!(turn.end, Some(TurnEnd::Interrupted));
        let partial_text = text_of(&world.message(&turn.messages[0]).unwrap().parts);
        assert!(partial_text.starts_with("one two"), "{partial_text}");
    }
    again.send(Command::ContinueRun { run: again.run_id() }).unwrap();
    assert_eq!(again.speakers(), ["Architect", "Engineer", "Critic"]);
}

#[test]
fn received_text_is_stored_within_a_second() {
    let tab = tab(|_, _| trickles(&["only this"]));
    tab.say("@Architect go").unwrap();
    tab.pass(50);
    let stored = || {
        let store = tab.store.clone();
        store.scan(Table::Partials, String::new()).now_or_never().unwrap().unwrap()
    };
    assert!(stored().is_empty(), "not at once: writing costs more than a token is worth");
    tab.pass(1_000);
    assert!(stored().iter().any(|(_, json)| json.contains("only this")));
}

#[test]
fn flush_on_exit_stores_all_received_text() {
    let tab = tab(|_, _| trickles(&["one ", "two"]));
    tab.say("@Architect go").unwrap();
    tab.pass(10);
    let unsaved = tab.running.unsaved();
    assert!(unsaved.puts.iter().any(|(table, (_, json))| *table == Table::Partials && json.contains("one ")));
}

#[test]
fn second_tab_is_read_only_until_the_first_closes() {
    let first = tab(|_, _| says("first"));
    first.say("@Architect hello").unwrap();
    let second = first.again(|_, _| says("second"));
    assert!(!second.world().messages.is_empty());
    assert_eq!(second.say("@Architect me too"), Err(Rejection::ReadOnly));
    first.kill();
    second.pass(RELOAD_MS);
    assert_eq!(second.say("@Architect now I"), Ok(()));
    assert_eq!(second.speakers(), ["Architect"]);
}

#[test]
fn damaged_record_is_skipped_and_reported() {
    let first = tab(|_, _| says("fine"));
    first.say("@Architect hello").unwrap();
    let message = *first.world().messages.keys().next().unwrap();
    first.kill();
    let row = (message.to_string(), "{\"not\": \"a message\"}".to_owned());
    let write = first.store.write(Batch { puts: vec![(Table::Messages, row)], ..Batch::default() });
    futures_util::FutureExt::now_or_never(write).unwrap().unwrap();
    let again = first.again(|_, _| says("fine"));
    assert!(again.world().message(&message).is_none());
    assert!(!again.world().messages.is_empty());
    assert!(again.app_events().iter().any(
        |event| matches!(event.known_kind(), Some(EventKind::Notice { text }) if text.contains("messages"))
    ));
    assert_eq!(again.say("@Architect still there?"), Ok(()));
}

#[test]
fn event_of_an_unknown_kind_is_kept_and_ignored() {
    let first = tab(|_, _| says("fine"));
    first.say("@Architect hello").unwrap();
    let last = first.events().last().unwrap().seq;
    let json = format!(
        r#"{{"v":99,"stream":"{}","seq":{},"at":5,"kind":"FromTheFuture","data":{{"x":1}}}}"#,
        first.session,
        last + 1
    );
    let event: Event = serde_json::from_str(&json).unwrap();
    let write = first.store.write(Batch { events: vec![EventRow::of(&event).unwrap()], ..Batch::default() });
    futures_util::FutureExt::now_or_never(write).unwrap().unwrap();
    first.kill();
    let again = first.again(|_, _| says("fine"));
    assert_eq!(again.say("@Architect still there?"), Ok(()));
    let events = again.events();
    assert!(events.iter().any(|event| event.known_kind().is_none() && event.at == Millis(5)));
    let seqs: Vec<_> = events.iter().map(|event| event.seq).collect();
    assert_eq!(seqs, (1..=u64::try_from(seqs.len()).unwrap()).collect::<Vec<_>>());
}

/// An additional service that no other file knows.
async fn curfew(handle: EngineClient, mut runs: UnboundedReceiver<Arc<Event>>) {
    while let Some(event) = runs.next().await {
        if let Some(EventKind::TurnOpened { turn }) = event.known_kind()
            && turn.agent.as_str() == "engineer"
        {
            assert_eq!(handle.send(Command::Stop { session: turn.session }).await, Ok(()));
        }
    }
}

#[test]
fn new_service_subscribes_and_acts_by_a_command() {
    let tab = tab(|_, _| says("fine"));
    tab.spawn(curfew(tab.running.handle.clone(), tab.running.bus.subscribe(&[Topic::RunsState])));
    tab.say("all of you").unwrap();
    assert_eq!(tab.world().run(&tab.run_id()).unwrap().status, RunStatus::Cancelled);
    assert!(!tab.speakers().contains(&"Critic".to_owned()));
}

#[test]
fn keys_are_only_in_requests() {
    let tab = tab(|_, _| refuses(401, "UNAUTHENTICATED"));
    tab.say("go").unwrap();
    let mut everything = format!("{:?}{:?}{:?}", tab.world(), tab.events(), tab.app_events());
    everything.push_str(&format!("{:?}", tab.running.handle));
    assert!(!everything.contains("canary"));
    drop(Rc::new(tab));
}

#[test]
fn call_waits_for_the_passphrase_and_fails_without_it() {
    use nexus_engine::keys::KeyStorage;
    use nexus_model::provider::Provider;
    use nexus_model::signal::TransientEvent;

    let tab = tab(|_, _| says("Here I am."));
    let (keys, gemini) = (tab.running.handle.keys.clone(), Provider::gemini());
    let kept = keys.to_store(&gemini.id).unwrap();
    keys.set_storage(&gemini.id, KeyStorage::Passphrase);
    assert!(keys.lock());
    let mut shown = tab.running.bus.subscribe_transient();
    let mut expected = || {
        std::iter::from_fn(|| shown.try_recv().ok())
            .any(|live| matches!(live, TransientEvent::KeyWanted { .. }))
    };
    tab.say("@Engineer are you there?").unwrap();
    assert!(expected() && tab.speakers().is_empty(), "no model is called without a key");
    keys.insert(kept, KeyStorage::Passphrase);
    keys.wake_waiting();
    tab.settle();
    assert_eq!(tab.speakers(), ["Engineer"]);

    keys.lock();
    tab.say("@Engineer and now?").unwrap();
    assert!(expected());
    keys.wake_waiting();
    tab.settle();
    assert_eq!(tab.speakers(), ["Engineer"], "the operator did not want to unlock");
    let world = tab.world();
    let newest = world.turns.values().next_back().unwrap();
    assert_eq!(newest.failure.as_ref().unwrap().category, ProviderErrorKind::NotSetUp);
}

/// S17: whenever the power fails, acknowledged turns, tools, edits, syncs and queued messages are stored, because their
/// writes are strict.
#[test]
fn s17_power_loss_loses_nothing_acknowledged() {
    let tab = tab(|agent, body| {
        let body_text = body.to_string();
        match agent {
            "Engineer" if !body_text.contains("functionResponse") => {
                calls(&[("write_file", json!({"name": "a.txt", "content": "one\ntwo\n"}))])
            }
            _ => {
                let mut slow = says("said and done");
                slow.beats.insert(0, ScriptedChunk::Wait(1_500));
                slow
            }
        }
    });
    tab.core.borrow_mut().script =
        Some(Box::new(|_| says(r#"{"scratchpad": "- [x] a", "reasoning": "it is there"}"#)));
    tab.store.track_power_loss();
    let weighs = |kind: &EventKind| {
        matches!(
            kind,
            EventKind::MessageCommitted { .. }
                | EventKind::MessageQueued { .. }
                | EventKind::ModelAnswered { .. }
                | EventKind::ToolEnded { .. }
                | EventKind::MindEdited { .. }
                | EventKind::JobDone(JobDone { result: JobResult::Sync(_), .. })
                | EventKind::TurnClosed { .. }
                | EventKind::QueueEdited { .. }
                | EventKind::HeadMoved { .. }
        )
    };
    let look = || {
        let (now, after) = (tab.store.clone(), tab.store.after_power_loss());
        let stream = StreamId::Session(tab.session);
        let of = |store: InMemoryStore| {
            let rows = tab.wait_for(async move { store.events(stream, 1, usize::MAX).await.unwrap() });
            let events = read_events(&rows);
            events
                .into_iter()
                .filter(|event| event.known_kind().is_some_and(weighs))
                .map(|event| event.seq)
                .collect::<Vec<_>>()
        };
        let (now, after) = (of(now), of(after));
        assert_eq!(now, after, "the power cut took something");
        now.len()
    };
    tab.say("go").unwrap();
    tab.say_with("and then this", QueueMode::FollowUp, None).unwrap();
    for _ in 0..40 {
        tab.pass(500);
        look();
    }
    write_file(&tab, "a.txt", "mine\n");
    look();
    tab.send(Command::Sync { session: tab.session }).unwrap();
    assert_eq!(tab.mind().scratchpad, "- [x] a");
    assert!(look() > 12);
}

#[test]
fn tab_takes_over_a_session_and_nothing_is_written_twice() {
    let first = tab(|_, _| trickles(&["one ", "two ", "three"]));
    first.say("@Architect go").unwrap();
    first.pass(25);
    let draft = Draft {
        session: first.session,
        field: DraftField::Composer,
        text: Some("half typed".into()),
        base: first.session_row().mind,
        in_conflict: false,
    };
    first.running.handle.draft(draft);
    first.pass(1);
    let second = first.again(|_, _| says("second"));
    let mut signals = second.running.bus.subscribe_transient();
    assert_eq!(second.say("@Architect me too"), Err(Rejection::ReadOnly));
    second.running.handle.request_session(second.session);
    second.pass(1);
    let signals = std::iter::from_fn(|| signals.next().now_or_never().flatten());
    assert!(
        signals.into_iter().any(|live| live == TransientEvent::SessionRequested { session: second.session })
    );
    // The other tab receives the request.
    first.running.handle.release_session(first.session);
    first.pass(1);
    let (store, session) = (first.store.clone(), first.session);
    let events = first.wait_for(async move { store.events(StreamId::Session(session), 1, 10_000).await });
    let written = events.unwrap().len();
    first.pass(60_000);
    let again = first.store.clone();
    let later =
        first.wait_for(async move { again.events(StreamId::Session(session), 1, 10_000).await }).unwrap();
    assert_eq!(later.len(), written, "the first tab goes on writing");
    assert_eq!(first.say("@Architect still here"), Err(Rejection::ReadOnly));
    second.pass(1);
    let world = second.world();
    let cut = world.turns.values().find_map(|turn| turn.end).unwrap();
    assert_eq!(cut, TurnEnd::Interrupted);
    let answer = world.messages.values().find(|message| message.role == Role::Assistant).unwrap();
    assert!(text_of(&answer.parts).starts_with("one"), "the partial answer is there: {answer:?}");
    drop(world);
    let store = second.store.clone();
    let drafts = second.wait_for(async move { store.scan(Table::Drafts, String::new()).await.unwrap() });
    assert!(drafts[0].1.contains("half typed"));
    assert_eq!(second.say("@Architect now I"), Ok(()));
    // And back, after the second tab is closed.
    second.kill();
    first.pass(1);
    let back = first.again(|_, _| says("back"));
    assert_eq!(back.say("@Architect and again"), Ok(()));
}

/// The line in a later prompt for a completed tool run.
const DONE: &str = "used edit_file a.txt: done";

/// One round of a tool whose repetition would be visible, and the answer to its result.
fn doubles(_: &str, body: &serde_json::Value) -> Scripted {
    let request_text = body.to_string();
    // As the result itself, or as text of an aborted turn.
    if request_text.contains("functionResponse") || request_text.contains(DONE) {
        return says("doubled");
    }
    calls(&[("edit_file", json!({"name": "a.txt", "search": "x", "replace": "xx", "all": true}))])
}

/// Kills the tab after each of its writes in turn, also between a tool's result and the next request.
#[test]
fn kill_after_any_write_loses_nothing_and_runs_no_tool_twice() {
    let mut gaps = 0;
    for writes in 0..200 {
        let tab = tab(doubles);
        write_file(&tab, "a.txt", "x");
        let known = tab.events().len();
        tab.store.stop_after(Some(writes));
        let (handle, session) = (tab.running.handle.clone(), tab.session);
        let said = Command::SendMessage(NewMessage::new(session, "@Engineer double it"));
        // When the store stops answering, the command gets no result.
        tab.spawn(async move { drop(handle.send(said).await) });
        tab.pass(5_000);
        let is_through = !tab.store.is_stopped();
        let before = tab.events();
        let asked_before = tab.requests.borrow().len();
        tab.kill();
        tab.store.stop_after(None);
        let ended = |tab: &Tab| {
            tab.world().tool_runs.values().filter(|run| run.status == ToolStatus::Succeeded).count()
        };
        let has = |expected: fn(&EventKind) -> bool| {
            before.iter().filter(|event| event.known_kind().is_some_and(expected)).count()
        };
        let results = has(|what| matches!(what, EventKind::ToolEnded { .. }));
        let requests = has(|what| matches!(what, EventKind::ModelRequested { .. }));
        let is_gap = (results, requests, asked_before) == (1, 1, 1);

        let again = tab.again(doubles);
        again.pass(60_000);
        assert_eq!(
            again.events().get(..before.len()),
            Some(&before[..]),
            "write {writes}: something is lost"
        );
        assert!(again.speakers().is_empty(), "write {writes}: something goes on by itself");
        let run = again.session_row().run.and_then(|run| again.world().run(&run).cloned());
        if let Some(run) = run.filter(|run| run.status != RunStatus::Completed) {
            assert_eq!(
                (run.status, &run.pause),
                (RunStatus::Paused, &Some(PauseCause::Interrupted)),
                "write {writes}"
            );
            again.send(Command::ContinueRun { run: run.id }).unwrap();
            again.pass(60_000);
            let status = again.world().run(&run.id).unwrap().status;
            assert_eq!(status, RunStatus::Completed, "write {writes}: the card's offer goes on");
        }
        let times = ended(&again);
        assert!(times <= 1, "write {writes}: the tool ran {times} times");
        let text = again.mind().file("a.txt").unwrap_or_default().to_owned();
        if is_gap {
            gaps += 1;
            assert_eq!((times, text.as_str()), (1, "xx"));
            assert_eq!(again.speakers(), ["Engineer"]);
            let sent = again.requests.borrow()[0].1.to_string();
            assert!(sent.contains(DONE), "write {writes}: the result is lost: {sent}");
        }
        assert!(["x", "xx"].contains(&text.as_str()), "write {writes}: {text}");
        if is_through {
            assert!(before.len() > known && times == 1 && text == "xx");
            break;
        }
        assert!(writes < 199, "it never got through");
    }
    assert!(gaps > 0, "the gap between the result and the next request was not hit");
}

#[test]
fn data_in_memory_can_be_exported_after_the_store_is_lost() {
    let tab = tab(|_, _| says("an answer to keep"));
    let file = vec![MindWrite::File { name: "a.txt".into(), text: "a file to keep".into() }];
    tab.send(Command::EditMind { session: tab.session, base: tab.session_row().mind, writes: file }).unwrap();
    tab.say("@Architect a question to keep").unwrap();
    let text = readable_json(&tab.world(), Millis(1), "0.0.0");
    for kept in ["a question to keep", "an answer to keep", "a file to keep", "a.txt"] {
        assert!(text.contains(kept), "{kept}");
    }
}
