//! Tests of localStorage, ids and the clock.

use nexus::browser::crash::CrashReport;
use nexus::browser::lifecycle::{BrowserClock, BrowserIds};
use nexus::browser::local_storage::{LocalStorageError, LocalStore};
use nexus::browser::{crash, local_storage};
use nexus_engine::port::Clock;
use nexus_model::event::{Event, EventKind};
use nexus_model::id::{IdSource, Millis, StreamId};
use nexus_model::mind::ContextNodeState;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::{denied, script};
use nexus::ui::hooks::files::compression::{inflated, packed};
use nexus_text::zip::entry;

#[wasm_bindgen_test]
fn ids_ascend() {
    let mut ids = BrowserIds::default();
    let ids_made: Vec<_> = (0..1_000).map(|_| ids.next_ulid()).collect();
    assert!(ids_made.is_sorted_by(|one, next| one < next));
    let mut elsewhere = BrowserIds::default();
    assert!(!ids_made.contains(&elsewhere.next_ulid()));
}

#[wasm_bindgen_test]
async fn sleep_waits_as_long_as_requested() {
    let before = BrowserClock.now();
    BrowserClock.sleep(30).await;
    let Millis(waited) = Millis(BrowserClock.now().0 - before.0);
    assert!((25..2_000).contains(&waited), "{waited}");
}

#[wasm_bindgen_test]
fn dropping_a_sleep_clears_its_timer() {
    script(
        "(() => {
            const real = window.clearTimeout;
            window.cleared = 0;
            window.clearTimeout = (id) => { window.clearTimeout = real; window.cleared += 1; real(id); };
        })()",
    );
    drop(BrowserClock.sleep(60_000));
    assert_eq!(script("window.cleared"), 1);
}

fn empty_store() -> (LocalStore, futures_channel::mpsc::UnboundedReceiver<LocalStorageError>) {
    script("localStorage.clear()");
    LocalStore::probe()
}

#[wasm_bindgen_test]
fn context_state_is_written_and_read() {
    let (local, mut errors) = empty_store();
    assert_eq!(local.read::<ContextNodeState>(local_storage::CONTEXT_STATE), None);
    let state = ContextNodeState { objective: "Fly".to_owned(), ..ContextNodeState::default() };
    assert!(local.write(local_storage::CONTEXT_STATE, &state));
    assert_eq!(
        local.text(local_storage::CONTEXT_STATE).unwrap(),
        r#"{"objective":"Fly","scratchpad":"","activeFile":"","activeFileName":""}"#
    );
    assert_eq!(local.read(local_storage::CONTEXT_STATE), Some(state));
    assert!(local.write_text(local_storage::USER_NAME, "Anna"));
    assert_eq!(script("localStorage.nexus_user_name").as_string().unwrap(), "Anna");
    assert!(errors.try_recv().is_err());
}

#[wasm_bindgen_test]
fn garbage_is_quarantined_and_reported() {
    let huge = format!("{{\"objective\":\"{}\"}}", "x".repeat(2_100_000));
    for garbage in ["not json", "[]", "[\"a\",\"b\",\"c\",\"d\"]", "\"text\"", "{\"objective\":7}", "", &huge]
    {
        let (local, mut errors) = empty_store();
        local.write_text(local_storage::CONTEXT_STATE, garbage);
        assert_eq!(local.read::<ContextNodeState>(local_storage::CONTEXT_STATE), None);
        let kept_as = "nexus_context_state_quarantine".to_owned();
        assert_eq!(script(&format!("localStorage.{kept_as}")).as_string().unwrap(), garbage);
        let expected =
            LocalStorageError::Unreadable { key: local_storage::CONTEXT_STATE, moved_to: Some(kept_as) };
        assert_eq!(errors.try_recv().unwrap(), expected);
        assert_eq!(local.text(local_storage::CONTEXT_STATE), None);
        assert!(local.write(local_storage::CONTEXT_STATE, &ContextNodeState::default()));
    }
}

#[wasm_bindgen_test]
fn earlier_quarantine_is_not_overwritten() {
    let (local, _errors) = empty_store();
    for garbage in ["one", "two"] {
        local.write_text(local_storage::CONTEXT_STATE, garbage);
        assert_eq!(local.read::<ContextNodeState>(local_storage::CONTEXT_STATE), None);
    }
    let quarantined = script(
        "[localStorage.nexus_context_state_quarantine, localStorage.nexus_context_state_quarantine_2].join()",
    );
    assert_eq!(quarantined.as_string().unwrap(), "one,two");
}

#[wasm_bindgen_test]
fn value_over_quota_keeps_the_last_copy_and_is_reported_once() {
    let (local, mut errors) = empty_store();
    let state = |text: &str| ContextNodeState { objective: text.to_owned(), ..ContextNodeState::default() };
    assert!(local.write(local_storage::CONTEXT_STATE, &state("fits")));
    let large = state(&"x".repeat(6_000_000));
    assert!(!local.write(local_storage::CONTEXT_STATE, &large));
    assert!(!local.write(local_storage::CONTEXT_STATE, &large));
    assert_eq!(local.read(local_storage::CONTEXT_STATE), Some(state("fits")));
    assert_eq!(errors.try_recv().unwrap(), LocalStorageError::Full { key: local_storage::CONTEXT_STATE });
    assert!(errors.try_recv().is_err());
}

#[wasm_bindgen_test]
async fn denied_storage_is_empty_and_stores_nothing() {
    denied("localStorage", async {
        let (local, _errors) = LocalStore::probe();
        assert!(!local.write_text(local_storage::USER_NAME, "Anna"));
        assert_eq!(local.text(local_storage::USER_NAME), None);
        assert_eq!(local.read::<ContextNodeState>(local_storage::CONTEXT_STATE), None);
        local.remove(local_storage::USER_NAME);
    })
    .await;
}

#[wasm_bindgen_test]
fn new_critical_errors_are_stored_but_reported_ones_are_not() {
    let (local, _errors) = empty_store();
    let reported = [CrashReport { message: "an old one".into(), ..CrashReport::default() }];
    for number in 0..8 {
        let text = if number == 7 { "an old one".to_owned() } else { format!("error {number}") };
        let (at, kind) = (Millis(1), EventKind::CriticalError { text }.into());
        let event = Event { v: 1, stream: StreamId::App, seq: number, at, run: None, turn: None, kind };
        crash::note_event(&event, &reported);
    }
    let messages: Vec<_> = local.take_crashes().into_iter().map(|error| error.message).collect();
    assert_eq!(messages, ["error 2", "error 3", "error 4", "error 5", "error 6"]);
}

#[wasm_bindgen_test]
fn crashes_are_reported_once() {
    let (local, _errors) = empty_store();
    let stored = r#"[{"at":1,"kind":"trap","message":"RuntimeError: unreachable","version":"0.1.0"}]"#;
    local.write_text(crash::STORED_CRASHES, stored);
    let crashes = local.take_crashes();
    assert_eq!(crashes.len(), 1);
    assert_eq!(
        (crashes[0].kind.as_str(), crashes[0].message.as_str()),
        ("trap", "RuntimeError: unreachable")
    );
    assert_eq!(local.take_crashes(), []);
}

#[wasm_bindgen_test]
async fn compressed_entries_round_trip_and_oversized_ones_are_rejected() {
    let text = "word ".repeat(20_000).into_bytes();
    let bytes: Vec<u8> = (0..=255u8).collect();
    let archive = packed(&[("a/b.txt".into(), text.clone()), ("noise".into(), bytes.clone())]).await.unwrap();
    assert!(archive.len() < 2_000, "{}", archive.len());
    let member = entry(&archive, "a/b.txt").unwrap();
    assert!(member.is_deflated);
    assert_eq!(inflated(member.bytes, text.len()).await, Some(text.clone()));
    assert_eq!(inflated(member.bytes, text.len() - 1).await, None);
    assert_eq!(inflated(b"not compressed", 1_000).await, None);
    assert_eq!(entry(&archive, "noise").map(|member| member.bytes), Some(bytes.as_slice()));
}
