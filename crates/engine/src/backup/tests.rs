use nexus_model::dump::check::Sums;
use nexus_model::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;

use futures_util::{FutureExt as _, StreamExt as _};
use proptest::prelude::*;
use serde_json::json;

use super::ImportError;
use crate::backup::export::dump;
use crate::backup::import::{ImportResult, ImportedData, Importer, roll_back_unfinished};
use crate::backup::plan::{ImportAction, ImportPlan, plan_import};
use crate::port::{Batch, DeviceStorage as _, EventRow, Store as _, StoreError, Table};
use crate::store;
use crate::store::in_memory::{InMemoryBytes, InMemoryDeviceStorage, InMemoryStore};
use crate::store::partials::row_key;
use crate::tests::{calls, says, tab, trickles};
use nexus_model::command::{MessageOverrides, NewMessage};
use nexus_model::dump::DumpError;
use nexus_model::fold::fold;
use nexus_model::session::{Draft, DraftField};
use nexus_model::turn::Thread;
use nexus_text::json;

pub(super) fn now<T>(work: impl Future<Output = T>) -> T {
    work.now_or_never().expect("a store in memory is never waited for")
}

pub(super) fn exported(store: &InMemoryStore, only: Option<SessionId>) -> InMemoryBytes {
    now(InMemoryBytes::of(dump(Rc::new(store.clone()), Millis(9), "0.0.0", only))).unwrap()
}

fn plan_of(store: &InMemoryStore, source: &InMemoryBytes) -> Result<ImportPlan, ImportError> {
    now(plan_import(store, &Rc::new(RefCell::new(World::default())), source))
}

fn imported(
    store: &InMemoryStore,
    device: &InMemoryDeviceStorage,
    source: &InMemoryBytes,
) -> Result<ImportResult, ImportError> {
    let plan = plan_of(store, source)?;
    let world = Rc::new(RefCell::new(World::default()));
    now(Importer {
        store,
        device,
        world: &world,
        plan: &plan,
        mark: "(copy)",
        on_progress: &|_| (),
        written: ImportedData::default(),
    }
    .import(source))
}

/// The tables that an import must restore byte for byte.
fn contents(store: &InMemoryStore) -> Vec<(Table, Vec<(String, String)>)> {
    let tables = Table::ALL
        .into_iter()
        .filter(|table| !matches!(table, Table::Agents | Table::Providers | Table::Settings));
    tables.map(|table| (table, now(store.scan(table, String::new())).unwrap())).collect()
}

fn events(store: &InMemoryStore, stream: StreamId) -> Vec<String> {
    now(store.events(stream, 1, usize::MAX)).unwrap()
}

pub(super) fn fates(plan: &ImportPlan) -> Vec<ImportAction> {
    plan.sessions.iter().map(|planned| planned.action).collect()
}

fn id(number: u128) -> String {
    // A time that is not zero, so that ids look like those of a device.
    MessageId::from((1u128 << 100) | number).to_string()
}

/// Builds a store from steps: the session and what happens next. A turn can follow a turn of any session.
fn ledger(steps: &[(u8, u8, String)]) -> InMemoryStore {
    let store = InMemoryStore::default();
    let mut next = 1_000u128;
    let mut fresh = || {
        next += 1;
        id(next)
    };
    let mut turns: Vec<String> = Vec::new();
    let empty = ContentHash::of_text("").to_string();
    let mut world = World::default();
    let deltas = crate::store::delta::DeltaStore::default();
    // How many events each session has.
    let mut lengths: VecMap<String, usize> = VecMap::new();
    let mut put = |session: &str, mut event: Value| {
        let place = lengths.get(session).copied().unwrap_or_default();
        lengths.insert(session.to_owned(), place + 1);
        event["v"] = json!(1);
        event["stream"] = json!(session);
        event["seq"] = json!(place + 1);
        event["at"] = json!(10 + place);
        let read: Event = nexus_text::json::from_tree(&event).unwrap();
        assert_eq!(read.known_kind().is_none(), event["kind"] == "OfTomorrow", "{event}");
        let row = EventRow { json: event.to_string(), ..EventRow::of(&read).unwrap() };
        let read = [read];
        let rows = fold(&world, &read);
        let crate::store::delta::PackedRows { rows: put_if_absent, links } =
            deltas.rows(&world, &rows, &read);
        let (events, puts) = (vec![row], store::to_store(&rows));
        now(store.write(Batch { events, puts, put_if_absent, ..Batch::default() })).unwrap();
        deltas.stored(links);
        world.absorb(rows);
    };
    let mut seen: VecMap<String, usize> = VecMap::new();
    for (session, kind, text) in steps {
        let session = id(u128::from(*session));
        if !seen.contains_key(&session) {
            let row = json!({
                "id": session, "label": text, "status": "open", "origin": "user", "kind": "user",
                "mind": empty, "last_sequence": 0, "created_at": 1,
            });
            let change = json!({"created": {"session": row, "mind": []}});
            put(&session, json!({"kind": "SessionChanged", "data": {"change": change}}));
        }
        let seq = seen.get(&session).copied().unwrap_or_default() + 1;
        seen.insert(session.clone(), seq);
        let event = match kind % 6 {
            0 => {
                let message = json!({
                    "id": fresh(), "session": session, "sequence": seq, "role": "user", "source": "human",
                    "parts": [{"body": {"text": {"text": text}}}], "status": "completed",
                    "created_at": 2, "updated_at": 2,
                });
                json!({"kind": "MessageCommitted", "data": {"message": message}})
            }
            1 | 2 => {
                let turn = fresh();
                let parent = turns.get(usize::from(*kind) % (turns.len() + 1));
                let mut opened = json!({
                    "id": turn, "session": session, "kind": "normal", "round": 1, "agent": "architect",
                    "config": {"provider": "gemini", "model": "m", "thinking": "auto"}, "query": [],
                    "answers": [], "messages": [], "tool_runs": [], "phase": "PENDING", "mind_before": empty,
                    "mind_shown": empty, "calls": [], "usage": {}, "opened_at": 1,
                });
                if let Some(parent) = parent {
                    opened["parent"] = json!(parent);
                }
                turns.push(turn.clone());
                json!({"kind": "TurnOpened", "turn": turn, "data": {"turn": opened}})
            }
            3 => json!({"kind": "ContentsKept", "data": {"contents": [text]}}),
            4 => json!({"kind": "SessionChanged", "data": {"change": {"labelled": text}}}),
            _ => json!({"kind": "OfTomorrow", "data": {"$plain": {"$int": text}, "id": id(1_001)}}),
        };
        put(&session, event);
    }
    for session in seen.keys() {
        let draft =
            json!({"session": session, "field": "composer", "text": "half", "base": empty, "clashed": false});
        let draft = draft.to_string();
        let puts = vec![(Table::Drafts, (format!("{session}/composer\n"), draft))];
        now(store.write(Batch { puts, ..Batch::default() })).unwrap();
    }
    store
}

fn steps() -> impl Strategy<Value = Vec<(u8, u8, String)>> {
    prop::collection::vec((0u8..4, any::<u8>(), "[a-zé\"\\\\$]{0,6}"), 1..24)
}

/// Steps that leave nothing out.
fn some_steps() -> Vec<(u8, u8, String)> {
    (0u8..24).map(|step| (step % 3, step, format!("text {step}"))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn export_and_import_round_trip(steps in steps()) {
        let (here, there) = (ledger(&steps), InMemoryStore::default());
        let file = exported(&here, None);
        let plan = plan_of(&there, &file).unwrap();
        prop_assert!(plan.sessions.iter().all(|planned| planned.action == ImportAction::New));
        let imported = imported(&there, &InMemoryDeviceStorage::default(), &file).unwrap();
        for session in &imported.sessions {
            let stream = StreamId::Session(*session);
            prop_assert_eq!(events(&here, stream), events(&there, stream));
        }
        prop_assert_eq!(contents(&here), contents(&there));
        // The hashes match the plan, and a second import adds nothing.
        let again = plan_of(&there, &file).unwrap();
        prop_assert!(again.sessions.iter().all(|planned| planned.action == ImportAction::Present));
    }

    #[test]
    fn failed_import_leaves_the_store_unchanged(steps in steps(), fails in 0usize..12) {
        let file = exported(&ledger(&steps), None);
        // The store already has some of the sessions.
        let there = ledger(&steps[..steps.len() / 2]);
        let (before, device) = (there.image(), InMemoryDeviceStorage::default());
        there.fail_after(fails, StoreError::Full);
        match imported(&there, &device, &file) {
            Err(error) => {
                prop_assert_eq!(error, ImportError::Store(StoreError::Full));
                prop_assert_eq!(there.image(), before);
                prop_assert_eq!(now(device.read_note()).unwrap(), None);
            }
            Ok(_) => prop_assert!(there.image() == before || fails > 0),
        }
    }

    #[test]
    fn damaged_file_is_rejected_completely(steps in steps(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let file = exported(&ledger(&steps), None);
        let mut damaged = file.0.as_ref().clone();
        let at = at.index(damaged.len());
        damaged[at] = byte;
        let (there, device) = (InMemoryStore::default(), InMemoryDeviceStorage::default());
        let before = there.image();
        if imported(&there, &device, &InMemoryBytes(Rc::new(damaged))).is_err() {
            prop_assert_eq!(there.image(), before);
        }
    }
}

#[test]
fn conversation_is_imported_with_its_minds() {
    let here = tab(|agent, body| {
        let text = body.to_string();
        if agent == "Engineer" && !text.contains("functionResponse") {
            return calls(&[("write_file", json!({"name": "a.txt", "content": "one\n"}))]);
        }
        says("Done.")
    });
    here.say("Build it").unwrap();
    here.settle();
    let there = InMemoryStore::default();
    let file = exported(&here.store, None);
    let world = Rc::new(RefCell::new(World::default()));
    let plan = now(plan_import(&there, &world, &file)).unwrap();
    assert!(plan.found.device.agents.len() >= 3 && !plan.proposals.is_empty());
    let device = InMemoryDeviceStorage::default();
    let import = Importer {
        store: &there,
        device: &device,
        world: &world,
        plan: &plan,
        mark: "",
        on_progress: &|_| (),
        written: ImportedData::default(),
    };
    let imported = now(import.import(&file)).unwrap();
    assert_eq!(imported.sessions, [here.session]);
    for table in [Table::Turns, Table::Messages, Table::ToolRuns, Table::Runs, Table::Minds, Table::Threads] {
        let rows = now(there.scan(table, String::new())).unwrap();
        assert!(!rows.is_empty(), "{table:?}");
        assert_eq!(rows, now(here.store.scan(table, String::new())).unwrap(), "{table:?}");
    }
    assert!(!String::from_utf8_lossy(&file.0).contains("test-key-canary"));
    // The imported conversation is the same.
    let text = now(there.scan(Table::Blobs, String::new())).unwrap();
    assert!(text.iter().any(|(_, blob)| blob.contains("one\\n")), "the file is there");
}

#[test]
fn changed_session_is_imported_once_as_a_copy() {
    let (here, device) = (ledger(&some_steps()), InMemoryDeviceStorage::default());
    let messages = || {
        let rows = now(here.scan(Table::Messages, String::new())).unwrap();
        rows.into_iter().map(|(_, row)| nexus_text::json::read::<Message>(&row).unwrap()).collect::<Vec<_>>()
    };
    for Message { id, session, .. } in messages() {
        let text = Some("another text".to_owned());
        let (field, base) = (DraftField::Edited(id), ContentHash::of_text(""));
        let key = row_key(session, &field);
        let draft = json::write(&Draft { session, field, text, base, in_conflict: false }).unwrap();
        now(here.write(Batch { puts: vec![(Table::Drafts, (key, draft))], ..Batch::default() })).unwrap();
    }
    let file = exported(&here, None);
    let plan = plan_of(&here, &file).unwrap();
    assert!(plan.sessions.iter().all(|planned| planned.action == ImportAction::Present));
    // One session continues.
    let first = plan.sessions[0].session.clone();
    let stream = StreamId::Session(first.id);
    let seq = first.events + 1;
    let what = EventKind::Notice { text: "on".into() };
    let event = Event { v: 1, stream, seq, at: Millis(99), run: None, turn: None, kind: what.into() };
    now(here.write(Batch { events: vec![EventRow::of(&event).unwrap()], ..Batch::default() })).unwrap();

    let before = events(&here, stream);
    let plan = plan_of(&here, &file).unwrap();
    assert_eq!(plan.sessions[0].action, ImportAction::Copy);
    let others = plan.sessions.iter().skip(1).filter(|planned| planned.session.outside.is_empty());
    assert!(others.clone().all(|planned| planned.action == ImportAction::Present));
    let result = imported(&here, &device, &file).unwrap();
    assert_eq!(events(&here, stream), before, "existing data is unchanged");
    let copy = result.sessions[0];
    assert_ne!(copy, first.id);
    let copied = events(&here, StreamId::Session(copy));
    assert_eq!(copied.len() as u64, first.events + 1, "its name says that it is a copy");
    assert!(copied.last().unwrap().contains("(copy)"));
    assert!(!copied.concat().contains(&format!("\"session\":\"{}\"", first.id)), "the old id is left in it");
    let own = messages().into_iter().filter(|message| message.session == copy);
    let own: Vec<String> = own.map(|message| row_key(copy, &DraftField::Edited(message.id))).collect();
    let edited = now(here.scan(Table::Drafts, format!("{copy}/edited"))).unwrap();
    assert!(!own.is_empty() && edited.iter().map(|(key, _)| key).eq(&own), "{edited:?} {own:?}");
    // Content hashes that look like an id are not replaced.
    assert_eq!(fates(&plan_of(&here, &file).unwrap())[0], ImportAction::CopyPresent);
    let image = here.image();
    imported(&here, &device, &file).unwrap();
    assert_eq!(here.image(), image, "a third import adds nothing");
}

#[test]
fn fork_is_exported_with_its_ancestors() {
    let text = String::new;
    let here = ledger(&[(1, 1, text()), (2, 2, text()), (3, 0, text())]);
    let whole = plan_of(&InMemoryStore::default(), &exported(&here, None)).unwrap();
    let fork = whole.sessions.iter().find(|planned| !planned.session.outside.is_empty()).expect("a fork");
    let file = exported(&here, Some(fork.session.id));
    let there = InMemoryStore::default();
    assert_eq!(plan_of(&there, &file).unwrap().sessions.len(), 2, "itself and its past, and no third one");
    imported(&there, &InMemoryDeviceStorage::default(), &file).unwrap();
    // Without its ancestors it is rejected.
    let cut: String = String::from_utf8_lossy(&file.0)
        .lines()
        .filter(|line| line.contains(&format!("[\"{}\"", fork.session.id)) || !line.contains("\"key\":["))
        .map(|line| format!("{line}\n"))
        .collect();
    let cut = InMemoryBytes(Rc::new(cut.into_bytes()));
    let error = plan_of(&InMemoryStore::default(), &cut).unwrap_err();
    assert!(matches!(error, ImportError::Refused(DumpError::NoParent(_))), "{error:?}");
    // If its ancestors exist here, it can be imported alone.
    assert!(plan_of(&there, &cut).is_ok());
}

#[test]
fn sessions_that_continue_each_other_are_imported_with_complete_threads() {
    // The first turn is in the session with the later id; each turn follows the previous one in the other session.
    let steps = [(2, 1), (1, 2), (2, 1), (1, 2)].map(|(session, what)| (session, what, String::new()));
    let (here, there) = (ledger(&steps), InMemoryStore::default());
    imported(&there, &InMemoryDeviceStorage::default(), &exported(&here, None)).unwrap();
    let depths = |store: &InMemoryStore| -> Vec<u64> {
        let rows = now(store.scan(Table::Threads, String::new())).unwrap();
        rows.iter().map(|(_, row)| nexus_text::json::read::<Thread>(row).unwrap().depth).collect()
    };
    assert_eq!(depths(&here), [1, 2, 3, 4]);
    assert_eq!(contents(&here), contents(&there));
}

#[test]
fn what_is_written_during_an_export_leaves_no_turn_without_its_parent() {
    // The second session continues a turn that the first one opens after its events were exported.
    let steps = [(1, 1), (2, 1), (1, 7), (2, 2)].map(|(session, what)| (session, what, String::new()));
    let (here, later) = (ledger(&steps[..2]), ledger(&steps));
    let mut pieces = dump(Rc::new(here.clone()), Millis(9), "0.0.0", None);
    let mut text = String::new();
    for number in 0.. {
        if number == 2 {
            for session in [1, 2] {
                let stream: StreamId = id(session).parse().map(StreamId::Session).unwrap();
                let known = events(&here, stream).len();
                let new = events(&later, stream).split_off(known);
                let read = |json: &String| EventRow::of(&nexus_text::json::read(json).unwrap()).unwrap();
                let new = new.iter().map(read).collect();
                now(here.write(Batch { events: new, ..Batch::default() })).unwrap();
            }
        }
        let Some(piece) = now(pieces.next()) else { break };
        text.push_str(&piece.unwrap());
    }
    let plan = plan_of(&InMemoryStore::default(), &InMemoryBytes(Rc::new(text.into_bytes()))).unwrap();
    assert_eq!(plan.sessions.iter().map(|planned| planned.session.turns).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn allowed_tools_of_runs_and_messages_are_not_imported() {
    let here = tab(|_, _| trickles(&["Slow"]));
    let tools = || Permissions { tools_always: vec!["delete_*".into()], ..Permissions::default() };
    for text in ["begin", "then"] {
        let overrides = MessageOverrides { tools: Some(tools()), ..MessageOverrides::default() };
        let overrides = Some(Box::new(overrides));
        let message = NewMessage { overrides, ..NewMessage::new(here.session, text) };
        here.send(Command::SendMessage(message)).unwrap();
    }
    let there = InMemoryStore::default();
    let file = exported(&here.store, None);
    assert!(String::from_utf8_lossy(&file.0).contains("delete_*"));
    imported(&there, &InMemoryDeviceStorage::default(), &file).unwrap();
    let runs = now(there.scan(Table::Runs, String::new())).unwrap();
    let queue = now(there.scan(Table::Queue, String::new())).unwrap();
    assert_eq!((runs.len(), queue.len()), (1, 1));
    let events = || events(&there, StreamId::Session(here.session)).concat();
    assert!(!format!("{runs:?}{queue:?}{}", events()).contains("delete_*"));
    // A second import finds the session there.
    let before = events();
    imported(&there, &InMemoryDeviceStorage::default(), &file).unwrap();
    assert_eq!((events(), now(there.scan(Table::Sessions, String::new())).unwrap().len()), (before, 1));
}

#[test]
fn draft_before_the_events_is_imported() {
    // The recovery screen writes stores in the order of their names.
    let file = exported(&ledger(&some_steps()), None);
    let text = String::from_utf8_lossy(&file.0).into_owned();
    let (head, rest) = text.split_once("\"events\":").unwrap();
    let (events, rest) = rest.split_once(",\n\"drafts\":").unwrap();
    let (drafts, rest) = rest.split_once(",\n\"partials\":").unwrap();
    let reordered = format!("{head}\"drafts\":{drafts},\n\"events\":{events},\n\"partials\":{rest}");
    let there = InMemoryStore::default();
    imported(&there, &InMemoryDeviceStorage::default(), &InMemoryBytes(Rc::new(reordered.into_bytes())))
        .unwrap();
    assert_eq!(now(there.scan(Table::Drafts, String::new())).unwrap().len(), 3);
}

#[test]
fn next_import_rolls_back_an_unfinished_one() {
    let file = exported(&ledger(&some_steps()), None);
    let (there, device) = (InMemoryStore::default(), InMemoryDeviceStorage::default());
    let before = there.image();
    let plan = plan_of(&there, &file).unwrap();
    let sessions: Vec<_> = plan.sessions.iter().map(|planned| planned.session.id).collect();
    // The browser is killed before the last transaction: events exist, sessions do not.
    for session in &sessions {
        let rows: Vec<_> = {
            let here = ledger(&some_steps());
            events(&here, StreamId::Session(*session))
        };
        for json in rows {
            let event: Event = nexus_text::json::read(&json).unwrap();
            let row = EventRow::of(&event).unwrap();
            now(there.write(Batch { events: vec![row], ..Batch::default() })).unwrap();
        }
    }
    now(device.set_note(Some(json!({"sessions": sessions}).to_string()))).unwrap();
    assert_ne!(there.image(), before);
    now(roll_back_unfinished(&there, &device)).unwrap();
    assert_eq!(there.image(), before);
    assert_eq!(now(device.read_note()).unwrap(), None);
}

#[test]
fn more_than_ten_thousand_sessions_can_be_imported() {
    use std::fmt::Write as _;
    let mut dump = String::from("{\"nexus\":\"dump\",\"version\":1,\"stores\":{\"events\":[");
    for number in 0..10_010u128 {
        let session = id(number);
        let row = json!({
            "id": session, "label": "", "status": "open", "origin": "user", "kind": "user",
            "mind": ContentHash::of_text(""), "last_sequence": 0, "created_at": 1,
        });
        let event = json!({"v": 1, "stream": session, "seq": 1, "at": 1, "kind": "SessionChanged",
            "data": {"change": {"created": {"session": row, "mind": []}}}});
        let comma = if number == 0 { "" } else { "," };
        write!(dump, "{comma}{}", json!({"key": [session, 1], "value": event})).unwrap();
    }
    dump.push_str("]}}");
    // The upper limit is tested in `dump_tests`.
    let found = plan_of(&InMemoryStore::default(), &InMemoryBytes(Rc::new(dump.into_bytes()))).unwrap();
    assert_eq!(found.sessions.len(), 10_010);
}

/// A file with lines changed in a session and in its fork is restored in both, and takes no more space than before.
#[test]
fn deltas_of_a_fork_are_restored() {
    use crate::tests::{says, tab};
    use nexus_model::command::Command;
    use nexus_model::mind::MindWrite;
    let mut tab = tab(|_, _| says("fine"));
    let write = |tab: &crate::tests::Tab, text: &str| {
        let base = tab.session_row().mind;
        let writes = vec![MindWrite::File { name: "a.rs".into(), text: text.into() }];
        tab.send(Command::EditMind { session: tab.session, base, writes }).unwrap();
    };
    let text: String = (0..100).map(|line| format!("line {line} of a long file\n")).collect();
    let changed = |number: usize| text.replacen(&format!("line {number} "), "LINE ", 1);
    write(&tab, &text);
    write(&tab, &changed(1));
    tab.say("@Engineer one").unwrap();
    let (from, turn, session) = (tab.session, tab.session_row().head.unwrap(), SessionId::from(5_001));
    tab.send(Command::ContinueFrom { session, from, turn, mind: None, label: "fork".into() }).unwrap();
    tab.session = session;
    tab.open().unwrap();
    for number in [2, 3, 4] {
        write(&tab, &changed(number));
    }
    let of = |store: &InMemoryStore| {
        let rows = now(store.scan(Table::Blobs, String::new())).unwrap();
        rows.iter().map(|(_, json)| json.len()).sum::<usize>()
    };
    let (file, there) = (exported(&tab.store, None), InMemoryStore::default());
    imported(&there, &InMemoryDeviceStorage::default(), &file).unwrap();
    let mut expected = nexus_text::vec_map::VecSet::default();
    for number in [1, 2, 3, 4] {
        expected.insert(nexus_text::content_hash::ContentHash::of_text(&changed(number)));
    }
    let mut damaged = Vec::new();
    let texts = now(crate::store::delta::texts(&there, &expected, &mut damaged)).unwrap();
    assert_eq!((texts.len(), damaged.len()), (4, 0), "{damaged:?}");
    assert!(of(&there) <= of(&tab.store) + text.len(), "{} and {}", of(&there), of(&tab.store));
    let heavy = now(tab.store.events(StreamId::Session(session), 1, usize::MAX)).unwrap();
    let heaviest = heavy.iter().filter(|event| event.contains("file_lines")).map(String::len).max();
    assert!(heaviest.is_some_and(|bytes| bytes < 600), "{heaviest:?}");
}

#[test]
fn checksums_of_an_export_reveal_changes() {
    let store = ledger(&[(1, 0, "first words".into()), (1, 3, "more".into()), (2, 0, "second words".into())]);
    let here = InMemoryStore::default();
    let whole = exported(&store, None);
    assert_eq!(plan_of(&here, &whole).unwrap().found.sums, Sums::Right);
    let text = String::from_utf8(whole.0.as_ref().clone()).unwrap();
    let sums = |text: String| plan_of(&here, &InMemoryBytes(Rc::new(text.into_bytes()))).unwrap().found.sums;
    // One letter in the text of one session.
    let second = id(2).parse().unwrap();
    assert_eq!(sums(text.replace("second words", "second wards")), Sums::Wrong { sessions: vec![second] });
    // A record removed at the end, and a change outside the events.
    assert_eq!(sums(text.replace("\"typed\":[]", "\"typed\":[ ]")), Sums::Wrong { sessions: vec![] });
    assert_eq!(
        sums(text.replace("\"app\":\"0.0.0\"", "\"app\":\"0.0.1\"")),
        Sums::Wrong { sessions: vec![] }
    );
    // An older version wrote no checksums.
    let at = text.find(",\n\"sums\"").unwrap();
    assert_eq!(sums(format!("{}}}\n", text.get(..at).unwrap_or_default())), Sums::None);
    assert_eq!(plan_of(&here, &exported(&store, Some(second))).unwrap().found.sums, Sums::Right);
}
