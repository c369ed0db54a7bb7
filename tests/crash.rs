//! Browser test of a panic: it is reported, recorded, and nothing is stored afterwards.
//!
//! On a page of its own, since nothing can run after a panic. Run like `tests/web.rs`.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

use std::rc::Rc;

use nexus::browser::crash;
use nexus::browser::crash::CrashReport;
use nexus::browser::idb::IdbStore;
use nexus::browser::lifecycle::BrowserClock;
use nexus_engine::port::{Batch, Clock, Store, StoreError, Table};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen_test::wasm_bindgen_test;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
async fn panic_is_shown_and_recorded_and_nothing_is_stored_after_it() {
    js_sys::eval(
        "localStorage.clear();
        localStorage.nexus_critical_errors = JSON.stringify([1, 2, 3, 4, 5].map((at) => ({ at, message: `no. ${at}` })));
        window.__nexusCrash = (report) => { window.told = report; };
        window.addEventListener('error', (event) => event.preventDefault());",
    )
    .unwrap();
    let store = IdbStore::open("t-crash", Rc::default()).await.unwrap();
    let batch = || Batch { puts: vec![(Table::Blobs, ("b".to_owned(), "1".to_owned()))], ..Batch::default() };
    store.write(batch()).await.unwrap();

    crash::install();
    crash::note("llm.requests");
    let panicking = Closure::<dyn FnMut()>::new(|| panic!("lost with AIzaSyCanary0123456789"));
    let window = web_sys::window().unwrap();
    window.set_timeout_with_callback(panicking.as_ref().unchecked_ref()).unwrap();
    BrowserClock.sleep(50).await;

    assert!(crash::poisoned());
    assert!(matches!(store.write(batch()).await, Err(StoreError::Lost(_))));
    let stored = window.local_storage().unwrap().unwrap().get_item("nexus_critical_errors").unwrap().unwrap();
    let errors: Vec<CrashReport> = serde_json::from_str(&stored).unwrap();
    assert_eq!(errors.iter().map(|error| error.at).take(4).collect::<Vec<_>>(), [2, 3, 4, 5]);
    let error = errors.last().unwrap();
    assert_eq!((errors.len(), error.kind.as_str(), error.last_action.as_str()), (5, "panic", "llm.requests"));
    assert!(error.message.starts_with("lost with") && !stored.contains("Canary"), "{stored}");
    assert!(error.location.contains("tests/crash.rs"), "{}", error.location);
    let report = js_sys::eval("Object.entries(window.told).flat().join('|')").unwrap().as_string().unwrap();
    let version = crash::VERSION;
    let location = &error.location;
    assert_eq!(
        report,
        format!("message|lost with … |location|{location}|version|{version}|lastAction|llm.requests")
    );
}
