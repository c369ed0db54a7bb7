//! Tests of localStorage, ids and the clock.

use nexus::browser::clock::{BrowserClock, BrowserIds};
use nexus::browser::crash::CrashReport;
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
fn ids_grow() {
    let mut ids = BrowserIds::default();
    let made: Vec<_> = (0..1_000).map(|_| ids.next_ulid()).collect();
    assert!(made.is_sorted_by(|one, next| one < next));
    let mut elsewhere = BrowserIds::default();
    assert!(!made.contains(&elsewhere.next_ulid()));
}

#[wasm_bindgen_test]
async fn a_sleep_takes_its_time() {
    let before = BrowserClock.now();
    BrowserClock.sleep(30).await;
    let Millis(waited) = Millis(BrowserClock.now().0 - before.0);
    assert!((25..2_000).contains(&waited), "{waited}");
}

#[wasm_bindgen_test]
fn a_sleep_that_is_dropped_clears_its_timer() {
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

fn emptied() -> (LocalStore, futures_channel::mpsc::UnboundedReceiver<LocalStorageError>) {
    script("localStorage.clear()");
    LocalStore::probe()
}

#[wasm_bindgen_test]
fn the_first_documents_shape_is_written_and_read() {
    let (local, mut troubles) = emptied();
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
    assert!(troubles.try_recv().is_err());
}

#[wasm_bindgen_test]
fn rubbish_is_set_aside_and_told() {
    let huge = format!("{{\"objective\":\"{}\"}}", "x".repeat(2_100_000));
    for rubbish in ["not json", "[]", "[\"a\",\"b\",\"c\",\"d\"]", "\"text\"", "{\"objective\":7}", "", &huge]
    {
        let (local, mut troubles) = emptied();
        local.write_text(local_storage::CONTEXT_STATE, rubbish);
        assert_eq!(local.read::<ContextNodeState>(local_storage::CONTEXT_STATE), None);
        let kept_as = "nexus_context_state_quarantine".to_owned();
        assert_eq!(script(&format!("localStorage.{kept_as}")).as_string().unwrap(), rubbish);
        let told =
            LocalStorageError::Unreadable { key: local_storage::CONTEXT_STATE, kept_as: Some(kept_as) };
        assert_eq!(troubles.try_recv().unwrap(), told);
        assert_eq!(local.text(local_storage::CONTEXT_STATE), None);
        assert!(local.write(local_storage::CONTEXT_STATE, &ContextNodeState::default()));
    }
}

#[wasm_bindgen_test]
fn an_earlier_quarantine_is_not_written_over() {
    let (local, _troubles) = emptied();
    for rubbish in ["one", "two"] {
        local.write_text(local_storage::CONTEXT_STATE, rubbish);
        assert_eq!(local.read::<ContextNodeState>(local_storage::CONTEXT_STATE), None);
    }
    let kept = script(
        "[localStorage.nexus_context_state_quarantine, localStorage.nexus_context_state_quarantine_2].join()",
    );
    assert_eq!(kept.as_string().unwrap(), "one,two");
}

#[wasm_bindgen_test]
fn what_does_not_fit_leaves_the_last_copy_and_is_told_once() {
    let (local, mut troubles) = emptied();
    let state = |text: &str| ContextNodeState { objective: text.to_owned(), ..ContextNodeState::default() };
    assert!(local.write(local_storage::CONTEXT_STATE, &state("fits")));
    let large = state(&"x".repeat(6_000_000));
    assert!(!local.write(local_storage::CONTEXT_STATE, &large));
    assert!(!local.write(local_storage::CONTEXT_STATE, &large));
    assert_eq!(local.read(local_storage::CONTEXT_STATE), Some(state("fits")));
    assert_eq!(troubles.try_recv().unwrap(), LocalStorageError::Full { key: local_storage::CONTEXT_STATE });
    assert!(troubles.try_recv().is_err());
}

#[wasm_bindgen_test]
async fn a_denied_storage_is_empty_and_takes_nothing() {
    denied("localStorage", async {
        let (local, _troubles) = LocalStore::probe();
        assert!(!local.write_text(local_storage::USER_NAME, "Anna"));
        assert_eq!(local.text(local_storage::USER_NAME), None);
        assert_eq!(local.read::<ContextNodeState>(local_storage::CONTEXT_STATE), None);
        local.remove(local_storage::USER_NAME);
    })
    .await;
}

#[wasm_bindgen_test]
fn critical_errors_of_every_kind_are_kept_for_the_next_start_but_not_told_again() {
    let (local, _troubles) = emptied();
    let told = [CrashReport { message: "an old one".into(), ..CrashReport::default() }];
    for number in 0..8 {
        let text = if number == 7 { "an old one".to_owned() } else { format!("error {number}") };
        let (at, kind) = (Millis(1), EventKind::CriticalError { text }.into());
        let event = Event { v: 1, stream: StreamId::App, seq: number, at, run: None, turn: None, kind };
        crash::note_event(&event, &told);
    }
    let kept: Vec<_> = local.take_crashes().into_iter().map(|error| error.message).collect();
    assert_eq!(kept, ["error 2", "error 3", "error 4", "error 5", "error 6"]);
}

#[wasm_bindgen_test]
fn crashes_are_told_once() {
    let (local, _troubles) = emptied();
    let stored = r#"[{"at":1,"kind":"trap","message":"RuntimeError: unreachable","version":"0.1.0"}]"#;
    local.write_text(crash::KEPT_CRASHES, stored);
    let told = local.take_crashes();
    assert_eq!(told.len(), 1);
    assert_eq!((told[0].kind.as_str(), told[0].message.as_str()), ("trap", "RuntimeError: unreachable"));
    assert_eq!(local.take_crashes(), []);
}

#[wasm_bindgen_test]
async fn what_is_packed_is_small_and_comes_back_and_what_expands_too_far_does_not() {
    let text = "word ".repeat(20_000).into_bytes();
    let noise: Vec<u8> = (0..=255u8).collect();
    let archive = packed(&[("a/b.txt".into(), text.clone()), ("noise".into(), noise.clone())]).await.unwrap();
    assert!(archive.len() < 2_000, "{}", archive.len());
    let found = entry(&archive, "a/b.txt").unwrap();
    assert!(found.is_deflated);
    assert_eq!(inflated(found.bytes, text.len()).await, Some(text.clone()));
    assert_eq!(inflated(found.bytes, text.len() - 1).await, None);
    assert_eq!(inflated(b"not compressed", 1_000).await, None);
    assert_eq!(entry(&archive, "noise").map(|found| found.bytes), Some(noise.as_slice()));
}
