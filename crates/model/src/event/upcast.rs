//! Migrates job events that older versions stored, one kind for each kind of job, to the current ones.

use serde_json::{Map, Value, json};

use crate::id::{Millis, TurnId};

/// The kind and data of an event in the current format; `None` if nothing changes. `turn` is the turn of the event.
pub(super) fn upcast(
    kind: &str,
    data: &Value,
    turn: Option<TurnId>,
    at: Millis,
) -> Option<(&'static str, Value)> {
    let field = |name: &str| data.get(name).cloned().unwrap_or_default();
    let opened = |id: &str, task: Value, cause: Value| {
        let mut job = json!({ "id": field(id), "task": task, "cause": cause, "at": at });
        copy(&mut job, data, &["provider", "model", "at", "retry"]);
        Some(("JobOpened", job))
    };
    // The result's fields are among those of `data`; reading ignores the others.
    let done = |job: Value, name: &str| {
        let mut done = json!({ "job": job, "result": { name: data } });
        copy(&mut done, data, &["model", "usage", "cost"]);
        Some(("JobDone", done))
    };
    let failed = |job: Value, kind: Value| {
        let mut failed = data.clone();
        set(&mut failed, "job", job);
        set(&mut failed, "kind", kind);
        let wait = field("retry_in_ms");
        if wait.is_null() {
            return Some(("JobFailed", failed));
        }
        set(&mut failed, "wait_ms", wait);
        Some(("JobRetrying", failed))
    };
    match kind {
        "SyncOpened" => opened("sync", json!({ "sync": data }), field("cause")),
        "JoinAsked" => opened("sync", json!({ "merge": data }), json!("manual")),
        "CompactionOpened" => {
            let cause = if field("reason") == "manual" { "manual" } else { "auto" };
            opened("turn", json!({ "compaction": data }), json!(cause))
        }
        "ChoreOpened" => opened("id", json!({ field("kind").as_str()?: data }), json!("auto")),
        "SyncFailed" => failed(field("sync"), json!("sync")),
        "ChoreFailed" => failed(field("chore"), field("kind")),
        "CompactionFailed" => match turn {
            Some(turn) => failed(json!(turn), json!("compaction")),
            None => Some(("CompactionDropped", json!({ "failure": field("failure") }))),
        },
        // Changes without a job, and decisions of the operator, still have this kind.
        "MindSynced" => {
            let (proposal, sync) = (field("proposal"), field("sync"));
            if sync.is_null() || proposal.is_string() {
                return None;
            }
            let (kind, mut done) = done(sync, "sync")?;
            if let (Some(writes), Some(result)) = (proposal.get("made"), done.pointer_mut("/result/sync")) {
                set(result, "proposed", writes.clone());
            }
            Some((kind, done))
        }
        "JoinProposed" => done(field("sync"), "merge"),
        "CompactionMade" => done(json!(turn?), "compaction"),
        "SummaryMade" => done(field("chore"), "summary"),
        "MemoriesChecked" => done(field("chore"), "memory"),
        _ => None,
    }
}

/// The stored job of an earlier program, in the current format.
pub(crate) fn job_row(kind: &str, mut row: Value) -> Option<Value> {
    // A job for a merge was stored as a sync that knew only the working mind.
    if row.get("cause").is_some_and(|cause| cause == "merge") {
        set(&mut row, "cause", json!("manual"));
    }
    let id = row.get("id").cloned()?;
    set(&mut row, "sync", id);
    upcast(kind, &row, None, Millis(0)).map(|(_, job)| job)
}

fn copy(into: &mut Value, from: &Value, names: &[&str]) {
    for name in names {
        if let Some(value) = from.get(*name) {
            set(into, name, value.clone());
        }
    }
}

fn set(object: &mut Value, name: &str, value: Value) {
    object.as_object_mut().unwrap_or(&mut Map::new()).insert(name.to_owned(), value);
}
