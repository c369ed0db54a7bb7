//! Keeps critical errors for the next start. Handles a panic: stops all writes, records the crash for the next start and shows boot.js's recovery screen.
//!
//! After a panic memory cannot be trusted, so nothing more is stored. Reports never contain contents or keys.

use std::cell::Cell;
use std::panic::PanicHookInfo;

use futures_util::StreamExt;
use js_sys::Object;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;

use crate::browser::clock::now_ms;
use crate::browser::js;
use nexus_engine::bus::Bus;
use nexus_model::event::{Event, EventKind, Topic};
use nexus_model::limits::CRITICAL_ERRORS;
use nexus_text::redact::scrub;

/// The key of the last crashes in the small storage, as a list.
pub const KEPT_CRASHES: &str = "nexus_critical_errors";

/// The version that reports name.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A crash or another critical error, as it is told at the next start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CrashReport {
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// What kind: `panic`, `critical`, `storage`, or one of those that boot.js sees (`trap`, `start`, `load`).
    pub kind: String,
    /// What the program said, without anything that looks like a key.
    pub message: String,
    pub location: String,
    pub version: String,
    pub last_action: String,
}

impl CrashReport {
    fn new(kind: &str, words: &str) -> Self {
        Self {
            at: now_ms(),
            kind: kind.to_owned(),
            message: scrub(words),
            version: VERSION.to_owned(),
            last_action: LAST_ACTION.get().to_owned(),
            ..Self::default()
        }
    }

    /// Whether the program ended with it.
    pub fn is_crash(&self) -> bool {
        !matches!(self.kind.as_str(), "critical" | "storage")
    }
}

thread_local! {
    static POISONED: Cell<bool> = const { Cell::new(false) };
    static LAST_ACTION: Cell<&'static str> = const { Cell::new("start") };
}

/// Whether the program has failed, so that nothing may be stored any more.
pub fn poisoned() -> bool {
    POISONED.get()
}

/// Lets nothing be stored any more: everything is being removed.
pub(super) fn seal() {
    POISONED.set(true);
}

/// Notes what the program does: a fixed word, never contents.
pub fn note(action: &'static str) {
    LAST_ACTION.set(action);
}

/// Notes everything that the bus publishes from now on; `told` are the errors that this start tells.
pub fn note_all(bus: &Bus, told: &[CrashReport]) {
    let mut events = bus.subscribe(&Topic::ALL);
    let told = told.to_vec();
    wasm_bindgen_futures::spawn_local(async move {
        while let Some(event) = events.next().await {
            note_event(&event, &told);
        }
    });
}

/// Notes the topic of an event, and keeps a critical error for the next start unless it was `told` already.
pub fn note_event(event: &Event, told: &[CrashReport]) {
    note(event.topic().map_or("unknown", Topic::name));
    if let Some(EventKind::CriticalError { text }) = event.happening()
        && told.iter().all(|error| error.message != *text)
    {
        record(&CrashReport::new("critical", text));
    }
}

/// Ends the program without a panic, where it cannot go on, with these words.
pub fn stop(words: &str) {
    POISONED.set(true);
    let error = CrashReport::new("start", words);
    record(&error);
    show(&error);
}

/// Catches every panic from now on.
pub fn install() {
    std::panic::set_hook(Box::new(|info| {
        POISONED.set(true);
        console_error_panic_hook::hook(info);
        let error = report(info);
        record(&error);
        show(&error);
    }));
}

fn report(info: &PanicHookInfo<'_>) -> CrashReport {
    let said = info.payload_as_str().unwrap_or("the program crashed without a message");
    let place =
        |place: &std::panic::Location<'_>| format!("{}:{}:{}", place.file(), place.line(), place.column());
    CrashReport {
        location: info.location().map(place).unwrap_or_default(),
        ..CrashReport::new("panic", said)
    }
}

/// Adds a crash to those that the next start tells; the oldest give way, also where there is no room.
fn record(error: &CrashReport) {
    let Some(storage) = js::local_storage() else { return };
    let kept = storage.get_item(KEPT_CRASHES).ok().flatten();
    let mut errors: Vec<CrashReport> =
        kept.and_then(|text| nexus_text::json::read(&text).ok()).unwrap_or_default();
    errors.push(error.clone());
    let mut newest = errors.split_off(errors.len().saturating_sub(CRITICAL_ERRORS));
    while !newest.is_empty() {
        let written =
            nexus_text::json::write(&newest).is_ok_and(|text| storage.set_item(KEPT_CRASHES, &text).is_ok());
        if written {
            return;
        }
        newest.remove(0);
    }
}

/// Hands the crash to boot.js, which shows the recovery screen without the program.
fn show(error: &CrashReport) {
    let Some(window) = web_sys::window() else { return };
    let Some(crash) = js::method(window.as_ref(), "__nexusCrash") else { return };
    let report = Object::new();
    for (name, text) in [
        ("message", &error.message),
        ("location", &error.location),
        ("version", &error.version),
        ("lastAction", &error.last_action),
    ] {
        js::set(&report, name, &JsValue::from_str(text));
    }
    // Nothing is left to do where the recovery screen fails as well.
    drop(crash.call1(&JsValue::UNDEFINED, &report));
}
