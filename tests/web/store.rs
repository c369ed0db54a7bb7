//! Tests of the store on IndexedDB.

use std::rc::Rc;

use nexus::browser::idb::IdbStore;
use nexus::browser::lifecycle::BrowserIds;
use nexus_engine::port::{Batch, EventRow, Store, StoreError, Table};
use nexus_model::event::{EVENT_VERSION, Event, EventKind};
use nexus_model::id::{Millis, RunId, SessionId, StreamId};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::{script, script_promise, settle};

async fn empty(name: &str) -> IdbStore {
    script_promise(&format!(
        "new Promise((done) => {{ const r = indexedDB.deleteDatabase('{name}'); r.onsuccess = r.onerror = done; }})"
    ))
    .await;
    IdbStore::open(name, Rc::default()).await.unwrap()
}

fn session() -> SessionId {
    SessionId::new(&mut BrowserIds::default())
}

fn notice(stream: StreamId, seq: u64, text: &str) -> Event {
    Event {
        v: EVENT_VERSION,
        stream,
        seq,
        at: Millis(1_700_000_000_000),
        run: Some(RunId::new(&mut BrowserIds::default())),
        turn: None,
        kind: EventKind::Notice { text: text.to_owned() }.into(),
    }
}

fn put(table: Table, key: &str, json: &str) -> (Table, (String, String)) {
    (table, (key.to_owned(), json.to_owned()))
}

#[wasm_bindgen_test]
async fn every_table_returns_what_was_put() {
    let store = empty("t-tables").await;
    let json = r#"{"text":"häßlich 🦀","list":[1,2.5,null],"__proto__":{"x":true}}"#;
    let puts = Table::ALL.map(|table| put(table, "key", json)).to_vec();
    store.write(Batch { puts, strict: true, ..Batch::default() }).await.unwrap();
    for table in Table::ALL {
        let rows = store.get(table, vec!["none".to_owned(), "key".to_owned()]).await.unwrap();
        assert_eq!(rows, [None, Some(json.to_owned())], "{}", table.name());
        assert_eq!(store.scan(table, String::new()).await.unwrap(), [("key".to_owned(), json.to_owned())]);
    }
}

#[wasm_bindgen_test]
async fn null_row_exists() {
    let store = empty("t-null").await;
    store
        .write(Batch { puts: vec![put(Table::Providers, "gone", "null")], ..Batch::default() })
        .await
        .unwrap();
    let rows = store.get(Table::Providers, vec!["gone".to_owned(), "never".to_owned()]).await.unwrap();
    assert_eq!(rows, [Some("null".to_owned()), None]);
}

fn row_of(event: &Event) -> EventRow {
    EventRow::of(event).unwrap()
}

async fn events_of(store: &IdbStore, stream: StreamId, from: u64, most: usize) -> Vec<Event> {
    let stored = store.events(stream, from, most).await.unwrap();
    stored.iter().map(|json| nexus_text::json::read(json).unwrap()).collect()
}

#[wasm_bindgen_test]
async fn events_are_read_back_whole_and_in_order() {
    let store = empty("t-events").await;
    let (one, other) = (StreamId::Session(session()), StreamId::App);
    let events: Vec<_> = (1..=12).map(|seq| notice(one, seq, &format!("no. {seq}"))).collect();
    let mut all = events.clone();
    all.push(notice(other, 1, "elsewhere"));
    assert_eq!(store.last_seq(one).await.unwrap(), 0);
    store.write(Batch { events: all.iter().map(row_of).collect(), ..Batch::default() }).await.unwrap();
    assert_eq!(store.last_seq(one).await.unwrap(), 12);
    assert_eq!(store.last_seq(other).await.unwrap(), 1);
    assert_eq!(store.last_seq(StreamId::Session(session())).await.unwrap(), 0);
    assert_eq!(events_of(&store, one, 1, 100).await, events);
    assert_eq!(events_of(&store, one, 10, 2).await, events[9..11]);
    assert_eq!(events_of(&store, one, 13, 2).await, []);
    assert_eq!(events_of(&store, one, 1, 0).await, []);
}

#[wasm_bindgen_test]
async fn keeps_do_not_overwrite_and_the_rest_is_written() {
    let store = empty("t-keeps").await;
    let stream = StreamId::Session(session());
    let keep = |text: &str| vec![put(Table::Minds, "m", text), put(Table::Blobs, text, text)];
    for (seq, text) in [(1, "1"), (2, "2")] {
        let batch = Batch {
            events: vec![row_of(&notice(stream, seq, "one"))],
            puts: vec![put(Table::Sessions, "s", text)],
            put_if_absent: keep(text),
            ..Batch::default()
        };
        store.write(batch).await.unwrap();
    }
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(store.get(Table::Minds, vec!["m".into()]).await.unwrap(), [text("1")]);
    assert_eq!(store.get(Table::Sessions, vec!["s".into()]).await.unwrap(), [text("2")]);
    assert_eq!(store.get(Table::Blobs, vec!["1".into(), "2".into()]).await.unwrap(), [text("1"), text("2")]);
    // A taken position fails the whole batch with its own error.
    let conflicting = Batch {
        events: vec![row_of(&notice(stream, 2, "another"))],
        put_if_absent: keep("3"),
        ..Batch::default()
    };
    assert_eq!(store.write(conflicting).await, Err(StoreError::Collision));
    assert_eq!(store.get(Table::Blobs, vec!["3".into()]).await.unwrap(), [None]);
}

#[wasm_bindgen_test]
async fn taken_position_fails_the_whole_batch() {
    let store = empty("t-collision").await;
    let stream = StreamId::Session(session());
    store
        .write(Batch { events: vec![row_of(&notice(stream, 1, "first"))], ..Batch::default() })
        .await
        .unwrap();
    let conflicting = Batch {
        events: vec![row_of(&notice(stream, 2, "new")), row_of(&notice(stream, 1, "second"))],
        puts: vec![put(Table::Blobs, "b", "{}")],
        removes: vec![(Table::Blobs, "b".to_owned())],
        strict: true,
        ..Batch::default()
    };
    assert_eq!(store.write(conflicting).await, Err(StoreError::Collision));
    assert_eq!(store.last_seq(stream).await.unwrap(), 1);
    assert_eq!(store.events(stream, 1, 9).await.unwrap().len(), 1);
    assert_eq!(store.scan(Table::Blobs, String::new()).await.unwrap(), []);
    // The connection stays usable.
    store.write(Batch { events: vec![row_of(&notice(stream, 2, "new"))], ..Batch::default() }).await.unwrap();
}

#[wasm_bindgen_test]
async fn invalid_json_writes_nothing() {
    let store = empty("t-damaged").await;
    let puts = vec![put(Table::Blobs, "good", "{}"), put(Table::Blobs, "bad", "{")];
    let outcome = store.write(Batch { puts, ..Batch::default() }).await;
    assert!(matches!(outcome, Err(StoreError::Damaged(_))), "{outcome:?}");
    assert_eq!(store.scan(Table::Blobs, String::new()).await.unwrap(), []);
}

#[wasm_bindgen_test]
async fn rows_are_scanned_and_removed_by_key_prefix() {
    let store = empty("t-prefix").await;
    let keys = ["a", "a/000001", "a/000002", "a/🦀", "ab/000001", "b/000001"];
    let puts = keys.iter().map(|key| put(Table::Partials, key, "{}")).collect();
    store.write(Batch { puts, ..Batch::default() }).await.unwrap();
    let scan = async |prefix: &str| -> Vec<String> {
        store
            .scan(Table::Partials, prefix.to_owned())
            .await
            .unwrap()
            .into_iter()
            .map(|(key, _)| key)
            .collect()
    };
    assert_eq!(scan("a/").await, ["a/000001", "a/000002", "a/🦀"]);
    assert_eq!(scan("").await, keys);
    store
        .write(Batch { removes: vec![(Table::Partials, "a/".to_owned())], ..Batch::default() })
        .await
        .unwrap();
    assert_eq!(scan("").await, ["a", "ab/000001", "b/000001"]);
    store.write(Batch { removes: vec![(Table::Partials, String::new())], ..Batch::default() }).await.unwrap();
    assert!(scan("").await.is_empty());
}

#[wasm_bindgen_test]
async fn closed_store_reopens_with_its_data() {
    let store = empty("t-reopen").await;
    store.write(Batch { puts: vec![put(Table::Blobs, "b", "1")], ..Batch::default() }).await.unwrap();
    store.close();
    assert_eq!(store.get(Table::Blobs, vec!["b".to_owned()]).await.unwrap(), [Some("1".to_owned())]);
    let other = IdbStore::open("t-reopen", Rc::default()).await.unwrap();
    assert_eq!(other.get(Table::Blobs, vec!["b".to_owned()]).await.unwrap(), [Some("1".to_owned())]);
}

#[wasm_bindgen_test]
async fn put_now_is_visible_to_the_next_transaction() {
    let store = empty("t-now").await;
    let puts = vec![put(Table::Drafts, "s/composer", r#"{"text":"half a sent"}"#)];
    store.put_now(&Batch { puts, ..Batch::default() });
    // A later transaction of the same task sees it: the write request was issued already.
    let rows = store.scan(Table::Drafts, String::new()).await.unwrap();
    assert_eq!(rows, [("s/composer".to_owned(), r#"{"text":"half a sent"}"#.to_owned())]);
}

#[wasm_bindgen_test]
async fn indexes_cover_topic_run_and_place() {
    let store = empty("t-index").await;
    let message = r#"{"session":"S","sequence":7}"#;
    store
        .write(Batch {
            events: vec![row_of(&notice(StreamId::App, 1, "hello"))],
            puts: vec![put(Table::Messages, "m", message)],
            ..Batch::default()
        })
        .await
        .unwrap();
    let counted = script_promise(
        "new Promise((done, fail) => {
            const open = indexedDB.open('t-index');
            open.onerror = fail;
            open.onsuccess = () => {
                const tx = open.result.transaction(['events', 'messages', 'secrets']);
                const topic = tx.objectStore('events').index('topic').count('ui.events');
                const run = tx.objectStore('events').index('run').count();
                const place = tx.objectStore('messages').index('place').count(['S', 7]);
                tx.oncomplete = () => { open.result.close(); done(`${topic.result} ${run.result} ${place.result}`); };
            };
        })",
    )
    .await;
    assert_eq!(counted.as_string().unwrap(), "1 1 1");
}

#[wasm_bindgen_test]
async fn newer_version_can_upgrade_and_its_data_is_read_only() {
    let store = empty("t-newer").await;
    let old = vec![put(Table::Blobs, "old", "7")];
    store.write(Batch { puts: old, ..Batch::default() }).await.unwrap();
    script_promise(
        "new Promise((done, fail) => {
            const open = indexedDB.open('t-newer', 3);
            open.onblocked = () => fail(new Error('blocked'));
            open.onerror = fail;
            open.onsuccess = () => { open.result.close(); done(); };
        })",
    )
    .await;
    let puts = vec![put(Table::Blobs, "b", "1")];
    assert_eq!(store.write(Batch { puts, ..Batch::default() }).await, Err(StoreError::Newer));
    let opened = IdbStore::open("t-newer", Rc::default()).await.unwrap();
    assert!(opened.is_newer());
    assert_eq!(opened.get(Table::Blobs, vec!["old".into()]).await, Ok(vec![Some("7".into())]));
    let puts = vec![put(Table::Blobs, "b", "1")];
    let batch = Batch { puts, ..Batch::default() };
    opened.put_now(&batch);
    assert_eq!(opened.write(batch).await, Err(StoreError::Newer));
    assert_eq!(opened.get(Table::Blobs, vec!["b".into()]).await, Ok(vec![None]));
}

#[wasm_bindgen_test]
async fn lost_connection_is_reopened_once() {
    let store = empty("t-broken").await;
    let fail_times = |times: u32| {
        script(&format!(
            "(() => {{
                const real = IDBDatabase.prototype.transaction;
                let left = {times};
                IDBDatabase.prototype.transaction = function (...given) {{
                    if (left-- > 0) throw new DOMException('gone', 'InvalidStateError');
                    IDBDatabase.prototype.transaction = real;
                    return real.apply(this, given);
                }};
            }})()"
        ))
    };
    let batch = || Batch { puts: vec![put(Table::Blobs, "b", "1")], ..Batch::default() };
    fail_times(1);
    store.write(batch()).await.unwrap();
    fail_times(2);
    let outcome = store.write(batch()).await;
    assert!(matches!(&outcome, Err(StoreError::Lost(why)) if why.contains("gone")), "{outcome:?}");
    store.write(batch()).await.unwrap();
}

#[wasm_bindgen_test]
async fn full_disk_is_reported_from_request_and_transaction() {
    let store = empty("t-full").await;
    let batch = || Batch { puts: vec![put(Table::Blobs, "b", "1")], ..Batch::default() };
    script(
        "(() => {
            const real = IDBObjectStore.prototype.put;
            IDBObjectStore.prototype.put = function () {
                IDBObjectStore.prototype.put = real;
                throw new DOMException('full', 'QuotaExceededError');
            };
        })()",
    );
    assert_eq!(store.write(batch()).await, Err(StoreError::Full));
    // After all requests succeeded: only the transaction knows.
    script(
        "(() => {
            const real = IDBTransaction.prototype.commit;
            IDBTransaction.prototype.commit = function () {
                IDBTransaction.prototype.commit = real;
                Object.defineProperty(this, 'error', { value: new DOMException('full', 'QuotaExceededError') });
                this.abort();
            };
        })()",
    );
    assert_eq!(store.write(batch()).await, Err(StoreError::Full));
    assert_eq!(store.scan(Table::Blobs, String::new()).await.unwrap(), []);
    store.write(batch()).await.unwrap();
    settle().await;
}

#[wasm_bindgen_test]
async fn concurrent_writes_all_succeed() {
    let store = empty("t-many").await;
    store.close();
    let writes = (0..50).map(|number| {
        store.write(Batch { puts: vec![put(Table::Blobs, &format!("{number:03}"), "1")], ..Batch::default() })
    });
    for outcome in futures_util::future::join_all(writes).await {
        outcome.unwrap();
    }
    assert_eq!(store.scan(Table::Blobs, String::new()).await.unwrap().len(), 50);
}
