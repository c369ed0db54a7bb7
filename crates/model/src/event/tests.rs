//! Tests of event JSON: round trips, events of earlier programs, and unknown kinds.

use serde_json::json;

use super::*;
use crate::job::{JobCause, JobEnd, JobKind, JobTask};
use crate::session::Session;

const ID: &str = "00000000000000000000000001";
const OTHER: &str = "00000000000000000000000002";

/// An event as an earlier program wrote it.
fn earlier(kind: &str, turn: Option<&str>, data: &Value) -> EventKind {
    let event = json!({"v": 1, "stream": ID, "seq": 1, "at": 7, "turn": turn, "kind": kind, "data": data});
    let event: Event = serde_json::from_value(event).unwrap();
    event.known_kind().unwrap_or_else(|| panic!("{kind} is not known")).clone()
}

fn hash() -> ContentHash {
    ContentHash::of_text("x")
}

#[test]
fn opened_jobs_of_earlier_programs_are_read() {
    let sync = json!({"sync": ID, "cause": "auto", "base": hash(), "provider": "p", "model": "m"});
    let EventKind::JobOpened(job) = earlier("SyncOpened", None, &sync) else { panic!() };
    assert_eq!(
        (job.kind(), job.cause, job.at, job.model.as_str()),
        (JobKind::Sync, JobCause::Auto, Millis(7), "m")
    );
    assert_eq!((job.id.to_string().as_str(), job.mind()), (ID, Some(&hash())));

    let data = json!({
        "sync": ID, "mind": hash(), "other": OTHER, "clashes": [hash()], "provider": "p", "model": "m",
    });
    let EventKind::JobOpened(job) = earlier("JoinAsked", None, &data) else { panic!() };
    let JobTask::Merge(question) = &job.task else { panic!("{job:?}") };
    assert_eq!((question.other.to_string().as_str(), question.conflicts.len()), (OTHER, 1));
    assert_eq!(job.cause, JobCause::Manual);

    let row = json!({
        "id": ID, "kind": "memory", "messages": [OTHER], "provider": "p", "model": "m", "at": 5,
        "retry": {"attempt": 2, "at": 9},
    });
    let EventKind::JobOpened(job) = earlier("ChoreOpened", None, &row) else { panic!() };
    assert_eq!((job.kind(), job.at, job.attempt(), job.messages().len()), (JobKind::Memory, Millis(5), 2, 1));

    let compaction = json!({
        "turn": OTHER, "session": ID, "reason": "overflow", "through": ID, "turns": 4, "provider": "p",
        "model": "m", "tokens_before": 100, "at": 6,
    });
    let EventKind::JobOpened(job) = earlier("CompactionOpened", Some(OTHER), &compaction) else { panic!() };
    let JobTask::Compaction(row) = &job.task else { panic!("{job:?}") };
    assert_eq!((job.id.bits(), row.turns, job.cause), (row.turn.bits(), 4, JobCause::Auto));
}

#[test]
fn failed_attempts_of_earlier_programs_are_read() {
    let failure = json!({"category": "server", "message": "down"});
    let usage = json!({"input": 3});
    let sync = json!({"sync": ID, "end": "failed", "failure": failure, "attempt": 1, "usage": usage, "retry_in_ms": 5});
    let EventKind::JobRetrying(retry) = earlier("SyncFailed", None, &sync) else { panic!() };
    assert_eq!((retry.kind, retry.attempt, retry.wait_ms, retry.usage.total()), (JobKind::Sync, 1, 5, 3));
    let stopped = json!({"sync": ID, "end": "cancelled", "usage": {}});
    let EventKind::JobFailed(failed) = earlier("SyncFailed", None, &stopped) else { panic!() };
    assert_eq!((failed.end, failed.attempt, failed.failure), (JobEnd::Cancelled, None, None));
    let row = json!({"chore": ID, "kind": "memory", "end": "interrupted", "usage": {}});
    let EventKind::JobFailed(failed) = earlier("ChoreFailed", None, &row) else { panic!() };
    assert_eq!(
        (failed.kind, failed.end, failed.job.to_string().as_str()),
        (JobKind::Memory, JobEnd::Interrupted, ID)
    );

    let compaction = json!({"failure": failure, "attempt": 2, "usage": usage});
    let EventKind::JobFailed(failed) = earlier("CompactionFailed", Some(OTHER), &compaction) else {
        panic!()
    };
    assert_eq!((failed.kind, failed.end, failed.attempt), (JobKind::Compaction, JobEnd::Failed, Some(2)));
    assert_eq!(failed.job.to_string(), OTHER);
    // Without a turn it did not begin.
    let EventKind::CompactionDropped { failure } = earlier("CompactionFailed", None, &compaction) else {
        panic!()
    };
    assert_eq!(failure.message, "down");
}

#[test]
fn results_of_earlier_programs_are_read() {
    let usage = json!({"input": 3});
    let done = |kind: &str, turn: Option<&str>, data: &Value| {
        let EventKind::JobDone(done) = earlier(kind, turn, data) else { panic!("{kind}") };
        done
    };
    let synced = |proposal: Value| {
        json!({
            "base": hash(), "edits": [], "reasoning": "because", "sync": ID, "proposal": proposal,
            "model": "m", "usage": usage, "cost": 9,
        })
    };
    let sync = done("MindSynced", None, &synced(Value::Null));
    assert_eq!((sync.model.as_str(), sync.usage.total(), sync.cost.map(|cost| cost.0)), ("m", 3, Some(9)));
    let JobResult::Sync(result) = sync.result else { panic!() };
    assert_eq!((result.reasoning.as_str(), result.proposed), ("because", None));
    let JobResult::Sync(result) = done("MindSynced", None, &synced(json!({"made": []}))).result else {
        panic!()
    };
    assert_eq!(result.proposed, Some(Vec::new()));
    // Decisions of the operator and changes without a job are no results.
    for data in [synced(json!("applied")), json!({"base": hash(), "edits": [], "reasoning": ""})] {
        assert!(matches!(earlier("MindSynced", None, &data), EventKind::MindSynced { .. }));
    }
    let proposed = json!({"sync": ID, "other": OTHER, "proposals": [], "model": "m", "usage": usage});
    assert!(matches!(done("JoinProposed", None, &proposed).result, JobResult::Merge(_)));
    let made = json!({"summary": "in short", "tokens_after": 5, "usage": usage});
    let made = done("CompactionMade", Some(OTHER), &made);
    assert_eq!(made.result, JobResult::Compaction { summary: "in short".into(), tokens_after: 5 });
    assert_eq!((made.job.to_string().as_str(), made.usage.total()), (OTHER, 3));
    let summary = json!({"chore": ID, "summary": "in short", "keywords": ["x"], "to": OTHER, "usage": usage});
    let result = done("SummaryMade", None, &summary).result;
    assert!(matches!(result, JobResult::Summary { title: None, keywords, .. } if keywords == ["x"]));
    let checked = json!({"chore": ID, "checked": [OTHER], "noted": 1});
    let result = done("MemoriesChecked", None, &checked).result;
    assert!(matches!(result, JobResult::Memory { checked, noted: 1 } if checked.len() == 1));
}

#[test]
fn session_row_of_an_earlier_program_keeps_its_jobs() {
    let mut row = json!({
        "id": ID, "label": "main", "status": "open", "origin": "user", "kind": "user", "mind": hash(),
        "last_sequence": 0, "created_at": 1,
    });
    row["core"] = json!({
        "open": {
            "id": ID, "cause": "merge", "base": hash(), "provider": "p", "model": "m", "at": 5,
            "retry": {"attempt": 2, "at": 9},
        },
        "failed": {"id": OTHER, "end": "cancelled", "provider": "p", "model": "m", "at": 4},
    });
    row["archivist"] = json!({
        "chore": {"id": OTHER, "kind": "summary", "messages": [ID], "provider": "p", "model": "m", "at": 6},
        "failed": [{"kind": "memory", "end": "failed", "to": ID, "at": 3}],
    });
    let session = serde_json::from_value::<Session>(row).unwrap().upcast();
    let open: Vec<_> = session.jobs.open.iter().map(|job| (job.kind(), job.attempt(), job.at)).collect();
    assert_eq!(open, [(JobKind::Sync, 2, Millis(5)), (JobKind::Summary, 1, Millis(6))]);
    assert_eq!(session.jobs.failed(JobKind::Sync).unwrap().end, JobEnd::Cancelled);
    assert!(session.jobs.failed(JobKind::Memory).unwrap().to.is_some());
    assert!(session.core == Default::default() && session.archivist == Default::default());
    let again: Session = serde_json::from_value(serde_json::to_value(&session).unwrap()).unwrap();
    assert_eq!(again.upcast(), session, "a second conversion changes nothing");
}

#[test]
fn unknown_event_kind_is_kept() {
    let json = r#"{"v":9,"stream":"app","seq":3,"at":5,"kind":"FutureThing","data":{"x":[1,2]}}"#;
    let event: Event = serde_json::from_str(json).unwrap();
    assert_eq!(event.known_kind(), None);
    assert_eq!(serde_json::to_string(&event).unwrap(), json);
}

#[test]
fn known_kind_with_unreadable_data_is_damaged() {
    let read = |kind: &str, data: Value| -> Event {
        serde_json::from_value(json!({"v": 1, "stream": ID, "seq": 1, "at": 7, "kind": kind, "data": data}))
            .unwrap()
    };
    for (kind, data) in
        [("RunEnded", json!({"status": 7})), ("ResponseBegan", json!(null)), ("SyncOpened", json!({}))]
    {
        let event = read(kind, data);
        assert!(event.known_kind().is_none() && event.is_damaged(), "{event:?}");
    }
    assert!(!read("FromTheFuture", json!({})).is_damaged());
    assert!(!read("ResponseBegan", json!({"call": 0})).is_damaged());
}

#[test]
fn known_event_survives_json() {
    let event = Event {
        v: EVENT_VERSION,
        stream: StreamId::App,
        seq: 1,
        at: Millis(7),
        run: None,
        turn: None,
        kind: EventKind::SettingChanged { name: "theme".into(), value: "dark".into() }.into(),
    };
    let json = serde_json::to_string(&event).unwrap();
    assert!(json.contains(r#""kind":"SettingChanged""#), "{json}");
    assert_eq!(serde_json::from_str::<Event>(&json).unwrap(), event);
}
