//! Scenarios of records from a newer version, in each table: reported, skipped, and kept byte for byte.

use serde_json::json;

use nexus_engine::port::{Batch, EventRow, Store as _, Table};
use nexus_engine::tests::{Scripted, Tab, calls, says, tab};
use nexus_model::command::{Command, Rejection};
use nexus_model::event::{Event, EventKind};
use nexus_model::id::{SessionId, StreamId};
use nexus_model::memory::Memory;
use nexus_model::mind::{Mind, MindWrite};
use nexus_model::session::trigger::triggers;
use nexus_model::turn::TurnKind;
use nexus_text::content_hash::ContentHash;

fn get(tab: &Tab, table: Table, key: &str) -> Option<String> {
    let (store, key) = (tab.store.clone(), key.to_owned());
    tab.wait_for(async move { store.get(table, vec![key]).await.unwrap() }).remove(0)
}

fn put(tab: &Tab, table: Table, key: &str, json: String) {
    let (store, key) = (tab.store.clone(), key.to_owned());
    let batch = Batch { puts: vec![(table, (key, json))], ..Batch::default() };
    tab.wait_for(async move { store.write(batch).await.unwrap() });
}

fn notices(tab: &Tab) -> Vec<String> {
    let notices_shown = tab.app_events();
    let notices_shown = notices_shown.iter().filter_map(|event| match event.known_kind() {
        Some(EventKind::Notice { text }) => Some(text.clone()),
        _ => None,
    });
    notices_shown.collect()
}

fn file(tab: &Tab, name: &str, text: &str) -> Result<(), Rejection> {
    let base = tab.session_row().mind;
    let writes = vec![MindWrite::File { name: name.into(), text: text.into() }];
    tab.send(Command::EditMind { session: tab.session, base, writes })
}

fn script(_: &str, body: &serde_json::Value) -> Scripted {
    let content = body["contents"].as_array().unwrap().last().unwrap().to_string();
    if content.contains("write it") && !content.contains("functionResponse") {
        return calls(&[("write_file", json!({"name": "b.txt", "content": format!("{}\n", content.len())}))]);
    }
    says("fine")
}

/// A device with rows in each table: turns with tools, a compaction, a fork, memories.
fn lived() -> Tab {
    let tab = tab(script);
    for name in ["summary_auto", "memory_auto", "core_auto"] {
        tab.send(Command::ChangeSetting { name: name.into(), value: false.into() }).unwrap();
    }
    file(&tab, "a.txt", "one\ntwo\nthree\n").unwrap();
    for number in 0..5 {
        tab.say(&format!("@Engineer write it {number}")).unwrap();
    }
    tab.archivist.borrow_mut().script = Some(Box::new(|_| says("THE SUMMARY")));
    let (session, agent, focus) = (tab.session, "engineer".into(), String::new());
    tab.send(Command::Compact { session, agent, focus }).unwrap();
    tab.settle();
    tab.say("@Engineer write it again").unwrap();
    let other = Command::CreateSession {
        session: SessionId::from(9_000),
        label: "other".into(),
        mind: Mind::default(),
    };
    tab.send(other).unwrap();
    tab
}

/// This record as a later version would write it.
fn newer(tab: &Tab, table: Table, key: &str) -> String {
    let row = get(tab, table, key).expect("it is there");
    let json = format!("{{\"version\":2,\"of_a_later_version\":{row}}}");
    put(tab, table, key, json.clone());
    json
}

/// Checks that a newer record is unchanged after a reload and two more turns.
fn continues(tab: Tab, table: Table, key: &str) -> Tab {
    let json = newer(&tab, table, key);
    tab.kill();
    let again = tab.again(script);
    let reports = notices(&again);
    assert!(
        reports.iter().any(|text| text.contains(table.name()) && text.contains("newer version")),
        "{table:?}: {reports:?}"
    );
    assert!(reports.len() == 1, "reported once: {reports:?}");
    again.say("@Engineer write it once more").unwrap();
    again.say("@Critic and you?").unwrap();
    file(&again, "a.txt", "one\ntwo\nTHREE\n").unwrap();
    again.say("@Engineer write it for the last time").unwrap();
    let world = again.world();
    let head = world.turn(&again.session_row().head.unwrap()).unwrap();
    assert_eq!(head.end, Some(nexus_model::turn::TurnEnd::Completed), "{table:?}: {:?}", head.failure);
    assert_eq!(world.working_mind(&again.session_row()).unwrap().file("a.txt"), Some("one\ntwo\nTHREE\n"));
    drop(world);
    assert_eq!(get(&again, table, key), Some(json), "{table:?}: what was there is written over");
    again
}

#[test]
fn newer_record_in_any_table_is_reported_skipped_and_kept() {
    let tab = lived();
    let (first, kept, mark) = {
        let world = tab.world();
        let mut way: Vec<_> = world.ancestry(tab.session_row().head).cloned().collect();
        way.reverse();
        let mark = way.iter().find(|turn| turn.kind == TurnKind::Compaction).unwrap().id;
        (way[0].clone(), way[4].clone(), mark)
    };
    tab.kill();
    let cases = [
        (Table::Sessions, SessionId::from(9_000).to_string()),
        (Table::Turns, first.id.to_string()),
        (Table::Threads, kept.id.to_string()),
        (Table::Compactions, mark.to_string()),
        (Table::Messages, kept.messages[0].to_string()),
        (Table::ToolRuns, kept.tool_runs[0].to_string()),
        (Table::Runs, kept.run.unwrap().to_string()),
        (Table::Minds, kept.mind_before.to_string()),
        (Table::Blobs, kept.calls[0].recipe.query.to_string()),
    ];
    for (table, key) in cases {
        let fresh = lived();
        continues(fresh, table, &key);
    }
}

#[test]
fn second_session_is_created_if_the_only_one_is_newer() {
    let tab = tab(script);
    tab.say("@Engineer write it").unwrap();
    let (key, stream) = (tab.session.to_string(), StreamId::Session(tab.session));
    let json = newer(&tab, Table::Sessions, &key);
    let events = |tab: &Tab| {
        let store = tab.store.clone();
        tab.wait_for(async move { store.events(stream, 1, usize::MAX).await.unwrap() })
    };
    let before = events(&tab);
    tab.kill();
    let mut again = tab.again(script);
    assert!(notices(&again)[0].contains("sessions"), "{:?}", notices(&again));
    let beside = again.world().sessions.keys().copied().find(|id| *id != tab.session).unwrap();
    again.session = beside;
    again.open().unwrap();
    again.say("@Engineer write it").unwrap();
    assert_eq!(again.world().turns.len(), 1);
    assert_eq!((get(&again, Table::Sessions, &key), events(&again)), (Some(json), before));
}

#[test]
fn newer_run_or_thread_does_not_block_the_session() {
    let tab = lived();
    let (run, head) = (tab.run_id(), tab.session_row().head.unwrap());
    let again = continues(tab, Table::Runs, &run.to_string());
    drop(again);
    let again = continues(lived(), Table::Threads, &head.to_string());
    // The cache of new threads is built from what exists.
    assert!(again.world().threads.len() > 2);
}

#[test]
fn unreadable_file_is_never_stored_as_empty() {
    let tab = lived();
    let hash = ContentHash::of_text("one\ntwo\nthree\n");
    let json = newer(&tab, Table::Blobs, &hash.to_string());
    tab.kill();
    let again = tab.again(script);
    assert!(notices(&again)[0].contains("blobs"), "{:?}", notices(&again));
    // Another file is written: the unreadable one keeps its hash.
    again.say("@Engineer write it once more").unwrap();
    assert_eq!(again.mind().files["a.txt"].hash, hash);
    assert_eq!(get(&again, Table::Blobs, &hash.to_string()), Some(json.clone()));
    assert!(again.world().blob(&hash).is_none(), "nothing is passed off as its text");
    // The newer version can read all of it again.
    let row: serde_json::Value = serde_json::from_str(&json).unwrap();
    put(&again, Table::Blobs, &hash.to_string(), row["of_a_later_version"].to_string());
    again.kill();
    let later = again.again(script);
    assert_eq!(later.mind().file("a.txt"), Some("one\ntwo\nthree\n"));
}

#[test]
fn session_with_an_unreadable_mind_accepts_no_edits() {
    let tab = lived();
    let (mind, head) = (tab.session_row().mind, tab.session_row().head.unwrap());
    let before = tab.world().turn(&head).unwrap().parent.unwrap();
    let json = newer(&tab, Table::Minds, &mind.to_string());
    tab.kill();
    let again = tab.again(script);
    assert!(notices(&again)[0].contains("minds"), "{:?}", notices(&again));
    assert_eq!(again.say("@Engineer write it"), Err(Rejection::HistoryBroken));
    assert_eq!(file(&again, "c.txt", "new\n"), Err(Rejection::HistoryBroken));
    assert_eq!(again.session_row().mind, mind, "the session still points to it");
    assert_eq!(get(&again, Table::Minds, &mind.to_string()), Some(json));
    // It can be continued from the turn before in another session.
    let (session, from, label) = (SessionId::from(9_500), again.session, String::new());
    again.send(Command::ContinueFrom { session, from, turn: before, mind: None, label }).unwrap();
    again.kill();
    let mut fork = again.again(script);
    fork.session = session;
    fork.open().unwrap();
    fork.say("@Engineer write it").unwrap();
    assert_eq!(fork.mind().file("a.txt"), Some("one\ntwo\nthree\n"));
}

#[test]
fn newer_memory_and_trigger_are_reported_and_kept() {
    let tab = lived();
    for (number, table, key) in [
        (0, Table::Memories, "0000000000000000000000MEM0"),
        (1, Table::Settings, "trigger/0000000000000000000000TR00"),
    ] {
        let json = format!("{{\"version\":2,\"number\":{number},\"says\":\"what nobody here can read\"}}");
        put(&tab, table, key, json);
    }
    tab.kill();
    let again = tab.again(script);
    let reports = notices(&again).join("\n");
    assert!(
        reports.contains("memories") && reports.contains("trigger/0000000000000000000000TR00"),
        "{reports}"
    );
    assert!(triggers(&again.world()).is_empty() && again.world().memories.is_empty());
    // New memories are added beside it.
    again.archivist.borrow_mut().script = Some(Box::new(|_| {
        says(&json!({"memories": [{"content": "The operator likes tests.", "importance": 3}]}).to_string())
    }));
    again.send(Command::ChangeSetting { name: "memory_auto".into(), value: true.into() }).unwrap();
    again.say("@Critic I like tests").unwrap();
    again.pass(20_000);
    let store = again.store.clone();
    let rows = again.wait_for(async move { store.scan(Table::Memories, String::new()).await.unwrap() });
    let readable = rows.iter().filter(|(_, json)| serde_json::from_str::<Memory>(json).is_ok()).count();
    assert_eq!((rows.len(), readable), (2, 1));
    assert!(rows.iter().any(|(_, json)| json.contains("what nobody here can read")));
    assert!(
        get(&again, Table::Settings, "trigger/0000000000000000000000TR00").unwrap().contains("nobody here")
    );
}

#[test]
fn newer_event_is_kept_verbatim() {
    let tab = lived();
    let stream = StreamId::Session(tab.session);
    let all = |tab: &Tab| {
        let store = tab.store.clone();
        tab.wait_for(async move { store.events(stream, 1, usize::MAX).await.unwrap() })
    };
    let seq = all(&tab).len() as u64 + 1;
    let json = format!(
        "{{\"v\":99,\"stream\":\"{}\",\"seq\":{seq},\"at\":5,\"kind\":\"FromTheFuture\",\"data\":{{\"x\":[1, 2]}}}}",
        tab.session
    );
    let event: nexus_model::event::Event = serde_json::from_str(&json).unwrap();
    let row = nexus_engine::port::EventRow {
        json: json.clone(),
        ..nexus_engine::port::EventRow::of(&event).unwrap()
    };
    let store = tab.store.clone();
    tab.wait_for(async move {
        store.write(Batch { events: vec![row], ..Batch::default() }).await.unwrap();
    });
    tab.kill();
    let again = tab.again(script);
    again.say("@Engineer write it once more").unwrap();
    let events = all(&again);
    assert_eq!(events[usize::try_from(seq).unwrap() - 1], json);
    assert!(events.len() > usize::try_from(seq).unwrap());
}

#[test]
fn unreadable_events_are_reported_once_by_kind() {
    let first = tab(|_, _| says("fine"));
    first.say("@Architect hello").unwrap();
    let last = first.events().last().unwrap().seq;
    let stored = [("FromTheFuture", "{}"), ("RunEnded", r#"{"status":"no status"}"#), ("FromTheFuture", "3")];
    let events = stored.iter().zip(last + 1..).map(|((kind, data), seq)| {
        let stream = first.session;
        let json =
            format!(r#"{{"v":1,"stream":"{stream}","seq":{seq},"at":5,"kind":"{kind}","data":{data}}}"#);
        EventRow::of(&serde_json::from_str::<Event>(&json).unwrap()).unwrap()
    });
    let write = first.store.write(Batch { events: events.collect(), ..Batch::default() });
    futures_util::FutureExt::now_or_never(write).unwrap().unwrap();
    first.kill();
    let told = |tab: &Tab| -> Vec<EventKind> {
        tab.pass(10_000);
        let events = tab.events();
        let kinds = events.iter().filter_map(Event::known_kind);
        kinds.filter(|kind| matches!(kind, EventKind::EventsUnreadable { .. })).cloned().collect()
    };
    let again = first.again(|_, _| says("fine"));
    let expected = EventKind::EventsUnreadable {
        through: last + 3,
        unknown: vec!["FromTheFuture".into(); 2],
        damaged: vec!["RunEnded".into()],
    };
    assert_eq!(told(&again), std::slice::from_ref(&expected));
    again.kill();
    let third = again.again(|_, _| says("fine"));
    third.say("@Architect still there?").unwrap();
    assert_eq!(told(&third), [expected], "it is reported once");
}
