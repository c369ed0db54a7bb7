use proptest::prelude::*;
use serde_json::{Value, json};

use super::{DumpError, SessionHash};
use crate::dump::check::{DumpChecker, read_event};
use crate::dump::reader::{DumpItem, DumpReader, unwrapped, wrapped};
use crate::limits::DUMP_SESSIONS;
use nexus_text::content_hash::ContentHash;

const SESSION: &str = "01JD0000000000000000000001";

fn read(bytes: &[u8], chunk: usize) -> Result<Vec<DumpItem>, DumpError> {
    let mut reader = DumpReader::default();
    let mut pieces = Vec::new();
    for chunk in bytes.chunks(chunk.max(1)) {
        pieces.extend(reader.feed(chunk)?);
    }
    reader.end()?;
    Ok(pieces)
}

fn check(dump: &str) -> Result<crate::dump::check::DumpContents, DumpError> {
    let mut check = DumpChecker::default();
    for piece in read(dump.as_bytes(), 1_000)? {
        check.take(&piece)?;
    }
    check.done()
}

/// The first event of a session.
fn made(session: &str) -> Value {
    let row = json!({
        "id": session, "label": "main", "status": "open", "origin": "user", "kind": "user",
        "mind": ContentHash::of_text(""), "last_sequence": 0, "created_at": 1,
    });
    json!({"v": 1, "stream": session, "seq": 1, "at": 1, "kind": "SessionChanged",
        "data": {"change": {"created": {"session": row, "mind": []}}}})
}

fn dump_of(events: &[Value]) -> String {
    let records: Vec<_> =
        events.iter().map(|event| json!({"key": [event["stream"], event["seq"]], "value": event})).collect();
    json!({"nexus": "dump", "version": 1, "at": 5, "app": "0.1.0", "stores": {"events": records}, "notes": []})
        .to_string()
}

fn notice(session: &str, seq: u64) -> Value {
    json!({"v": 1, "stream": session, "seq": seq, "at": seq, "kind": "Notice", "data": {"text": "hm"}})
}

/// The event that opens a turn.
fn turn(session: &str, seq: u64, id: &str, parent: Option<&str>) -> Value {
    let mind = ContentHash::of_text("");
    let mut turn = json!({
        "id": id, "session": session, "kind": "normal", "round": 1, "agent": "architect",
        "config": {"provider": "gemini", "model": "m", "thinking": "auto"}, "query": [], "answers": [],
        "messages": [], "tool_runs": [], "phase": "PENDING", "mind_before": mind,
        "mind_shown": mind, "calls": [], "usage": {}, "opened_at": 1,
    });
    if let Some(parent) = parent {
        turn["parent"] = json!(parent);
    }
    json!({"v": 1, "stream": session, "seq": seq, "at": seq, "kind": "TurnOpened", "data": {"turn": turn}})
}

#[test]
fn file_of_the_recovery_screen_is_parsed() {
    let text = "{\"nexus\":\"dump\",\"version\":1,\"at\":7,\"app\":\"0.1.0\",\n\"stores\":{\"agents\":[],\"events\":[\n\
        {\"key\":[\"app\",1],\"value\":{\"v\":1,\"stream\":\"app\",\"seq\":1,\"at\":3,\"kind\":\"Notice\",\"data\":{\"text\":\"é ]}\"},\"topic\":\"ui.events\"}}]},\n\
        \"local\":{\"nexus_user_name\":\"Ann\"},\n\"typed\":[{\"field\":\"Message\",\"text\":\"half\"}],\n\"notes\":[\"a\"]}\n";
    for chunk in [1, 2, 3, 7, 1_000] {
        let pieces = read(text.as_bytes(), chunk).unwrap();
        assert_eq!(pieces.len(), 8, "{pieces:?}");
    }
    let contents = check(text).unwrap();
    assert_eq!((contents.at.0, contents.app.as_str(), contents.typed.len()), (7, "0.1.0", 1));
    assert_eq!(contents.notes, ["a"]);
    let DumpItem::Record(_, record) = &read(text.as_bytes(), 9).unwrap()[4] else { panic!("no record") };
    assert_eq!(read_event(record).unwrap().tree.get("topic"), None);
}

#[test]
fn other_files_are_rejected_with_reason() {
    let not_json = |text: &str| assert!(matches!(check(text), Err(DumpError::NotJson(_))), "{text}");
    for text in
        ["{", "{\"nexus\":\"dump\"", "{\"nexus\":\"dump\",}", "{\"a\":1}}", "{\"stores\":{\"events\":[1,]}}"]
    {
        not_json(text);
    }
    for text in ["", "   ", "[]", "hello", "{}", "{\"nexus\":\"agent\",\"version\":1}", "\u{0}\u{1}PK"] {
        assert_eq!(check(text).unwrap_err(), DumpError::NotADump, "{text:?}");
    }
    assert_eq!(check("{\"nexus\":\"dump\",\"version\":2}").unwrap_err(), DumpError::Newer("2".to_owned()));
    let broken = dump_of(&[made(SESSION)]).replace("\"seq\":1", "\"seq\":1e");
    assert!(matches!(check(&broken), Err(DumpError::NotJson(_))));
}

#[test]
fn session_has_its_hash() {
    let events = [made(SESSION), notice(SESSION, 2), turn(SESSION, 3, "01JD0000000000000000000009", None)];
    let contents = check(&dump_of(&events)).unwrap();
    let session = contents.sessions.values().next().unwrap();
    assert_eq!((session.events, session.turns, &*session.name()), (3, 1, "main"));
    assert_eq!(session.hash, ContentHash::of_json(&Value::from(events.to_vec())));
    assert_eq!(SessionHash::default().done(), ContentHash::of_text("[]"));
}

#[test]
fn dumped_session_is_named_by_its_title() {
    let titled = json!({"v": 1, "stream": SESSION, "seq": 2, "at": 2, "kind": "SessionChanged",
        "data": {"change": {"titled": "Birds"}}});
    let contents = check(&dump_of(&[made(SESSION), titled])).unwrap();
    assert_eq!(contents.sessions.values().next().unwrap().name(), "Birds");
}

#[test]
fn event_in_wrong_place_rejects_the_dump() {
    let other = "01JD0000000000000000000002";
    let order = |events: &[Value]| matches!(check(&dump_of(events)), Err(DumpError::Order { .. }));
    assert!(order(&[made(SESSION), made(SESSION)]));
    assert!(order(&[made(SESSION), notice(SESSION, 3)]));
    assert!(order(&[made(SESSION), made(other), notice(SESSION, 2)]));
    assert!(matches!(check(&dump_of(&[notice(SESSION, 1)])), Err(DumpError::NoBeginning(_))));
    let mut elsewhere = turn(SESSION, 2, "01JD0000000000000000000009", None);
    elsewhere["data"]["turn"]["session"] = json!(other);
    assert!(matches!(check(&dump_of(&[made(SESSION), elsewhere])), Err(DumpError::WrongStream { .. })));
    let mut newer = notice(SESSION, 2);
    newer["v"] = json!(2);
    assert!(matches!(check(&dump_of(&[made(SESSION), newer])), Err(DumpError::Newer(_))));
}

#[test]
fn dump_cannot_smuggle_providers_or_keys() {
    let provider = json!({"id": "p", "label": "P", "protocol": "openai", "base_url": "https://p.example", "needs_key": true});
    let event = |stream: &str, seq: u64, provider: &Value| json!({"v": 1, "stream": stream, "seq": seq, "at": 1, "kind": "ProviderChanged", "data": {"provider": provider}});
    assert!(check(&dump_of(&[event("app", 1, &provider)])).is_ok());
    // In a session's stream it would be folded like any other event.
    let smuggled = dump_of(&[made(SESSION), event(SESSION, 2, &provider)]);
    assert!(matches!(check(&smuggled), Err(DumpError::WrongStream { .. })));
    let mut with_key = provider.clone();
    with_key["api_key"] = json!("sk-1");
    assert!(matches!(check(&dump_of(&[event("app", 1, &with_key)])), Err(DumpError::Keys(_))));
    let secrets = r#"{"nexus":"dump","version":1,"stores":{"secrets":[{"key":"gemini","value":{}}]}}"#;
    assert_eq!(check(secrets).unwrap_err(), DumpError::Keys("secrets".to_owned()));
}

#[test]
fn ids_are_unique_and_turns_have_no_cycles() {
    let (a, b) = ("01JD000000000000000000000A", "01JD000000000000000000000B");
    let of = |events: &[Value]| check(&dump_of(&[&[made(SESSION)], events].concat()));
    assert!(of(&[turn(SESSION, 2, a, None), turn(SESSION, 3, b, Some(a))]).is_ok());
    let twice = of(&[turn(SESSION, 2, a, None), turn(SESSION, 3, a, None)]);
    assert_eq!(twice.unwrap_err(), DumpError::SameId(a.to_owned()));
    let cycle = of(&[turn(SESSION, 2, a, Some(b)), turn(SESSION, 3, b, Some(a))]);
    assert!(matches!(cycle, Err(DumpError::Cycle(_))));
    let own = of(&[turn(SESSION, 2, a, Some(a))]);
    assert!(matches!(own, Err(DumpError::Cycle(_))));
    let outside = of(&[turn(SESSION, 2, a, Some(b))]).unwrap();
    assert_eq!(outside.sessions.values().next().unwrap().outside.len(), 1);
}

#[test]
fn too_many_sessions_are_rejected() {
    let session = |number: usize| format!("01JD{number:022}");
    let text = made(&session(0)).to_string();
    let row = |number: usize| {
        let event = text.replace(&session(0), &session(number));
        format!(r#"{{"key":["{}",1],"value":{event}}}"#, session(number))
    };
    let of = |rows: &[String]| {
        let begin = r#"{"nexus":"dump","version":1,"at":5,"app":"0.1.0","stores":{"events":["#;
        check(&format!(r#"{begin}{}]}},"notes":[]}}"#, rows.join(",")))
    };
    let mut rows: Vec<_> = (0..DUMP_SESSIONS).map(row).collect();
    assert_eq!(of(&rows).unwrap().sessions.len(), DUMP_SESSIONS);
    rows.push(row(DUMP_SESSIONS));
    assert_eq!(of(&rows).unwrap_err(), DumpError::ManySessions(DUMP_SESSIONS));
}

#[test]
fn event_of_unknown_kind_is_kept_and_counted() {
    let mut later = notice(SESSION, 2);
    later["kind"] = json!("SomethingOfTomorrow");
    assert_eq!(check(&dump_of(&[made(SESSION), later])).unwrap().unknown, 1);
}

fn any_json() -> impl Strategy<Value = Value> {
    let name = prop_oneof![
        Just("$bytes".to_owned()),
        Just("$plain".to_owned()),
        Just("$none".to_owned()),
        "[a-z$\"\\\\é]{0,4}"
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name.clone(), inner), 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn records_round_trip(values in prop::collection::vec(any_json(), 0..6), chunk in 1usize..40) {
        let records: Vec<_> = values.iter().map(|value| json!({"key": "k", "value": wrapped(value.clone())})).collect();
        let dump = json!({"nexus": "dump", "stores": {"odd": records, "even": []}, "version": 1}).to_string();
        let pieces = read(dump.as_bytes(), chunk).unwrap();
        let read: Vec<_> = pieces.iter().filter_map(|piece| match piece {
            DumpItem::Record(_, text) => {
                let record: Value = serde_json::from_str(text).unwrap();
                Some(unwrapped(record["value"].clone()).unwrap())
            }
            DumpItem::Field(..) => None,
        }).collect();
        prop_assert_eq!(read, values);
    }

    #[test]
    fn garbage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300), cut in 0usize..400) {
        let mut dump = dump_of(&[made(SESSION), notice(SESSION, 2)]).into_bytes();
        dump.truncate(cut);
        dump.extend(bytes);
        // Either an error, or a complete dump.
        if let Ok(pieces) = read(&dump, 17) {
            let mut check = DumpChecker::default();
            let outcome: Result<Vec<()>, _> = pieces.iter().map(|piece| check.take(piece)).collect();
            prop_assert!(outcome.is_err() || check.done().is_ok() || cut < 30);
        }
    }
}
