//! Stores critical errors for the next start. On a panic: stops all writes, records the crash and shows boot.js's
//! recovery screen.
//!
//! After a panic memory cannot be trusted, so nothing more is stored. Reports never contain contents or keys.

use std::cell::Cell;
use std::panic::PanicHookInfo;

use futures_util::StreamExt;
use serde::{Deserialize, Serialize};

use crate::browser::js;
use crate::browser::lifecycle::now_ms;
use nexus_engine::bus::Bus;
use nexus_model::event::{Event, EventKind, Topic};
use nexus_model::limits::CRITICAL_ERRORS;
use nexus_text::redact::scrub;

/// localStorage key of the list of recent crashes.
pub const STORED_CRASHES: &str = "nexus_critical_errors";

pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A crash or another critical error, reported at the next start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CrashReport {
    /// Milliseconds since 1970.
    pub at: u64,
    /// `panic`, `critical`, `storage`, or a kind that boot.js reports (`trap`, `start`, `load`).
    pub kind: String,
    /// The error message, with anything that looks like a key redacted.
    pub message: String,
    pub location: String,
    pub version: String,
    pub last_action: String,
}

impl CrashReport {
    fn new(kind: &str, message: &str) -> Self {
        Self {
            at: now_ms(),
            kind: kind.to_owned(),
            message: scrub(message),
            version: VERSION.to_owned(),
            last_action: LAST_ACTION.get().to_owned(),
            ..Self::default()
        }
    }

    /// True if the error ended the program.
    pub fn is_crash(&self) -> bool {
        !matches!(self.kind.as_str(), "critical" | "storage")
    }
}

thread_local! {
    static POISONED: Cell<bool> = const { Cell::new(false) };
    static LAST_ACTION: Cell<&'static str> = const { Cell::new("start") };
}

/// True after a crash: nothing may be stored any more.
pub fn poisoned() -> bool {
    POISONED.get()
}

/// Blocks all further writes, because all data is being deleted.
pub(super) fn seal() {
    POISONED.set(true);
}

/// Records the current action: a fixed word, never contents.
pub fn note(action: &'static str) {
    LAST_ACTION.set(action);
}

/// Records every event of the bus; `reported` are the errors that this start shows.
pub fn note_all(bus: &Bus, reported: &[CrashReport]) {
    let mut events = bus.subscribe(&Topic::ALL);
    let reported = reported.to_vec();
    wasm_bindgen_futures::spawn_local(async move {
        while let Some(event) = events.next().await {
            note_event(&event, &reported);
        }
    });
}

/// Records the topic of an event, and stores a critical error for the next start unless it was already `reported`.
pub fn note_event(event: &Event, reported: &[CrashReport]) {
    note(event.topic().map_or("unknown", Topic::name));
    if let Some(EventKind::CriticalError { text }) = event.known_kind()
        && reported.iter().all(|error| error.message != *text)
    {
        record(&CrashReport::new("critical", text));
    }
}

/// Ends the program without a panic, with this message.
pub fn stop(message: &str) {
    POISONED.set(true);
    let error = CrashReport::new("start", message);
    record(&error);
    show(&error);
}

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
    let message = info.payload_as_str().unwrap_or("the program crashed without a message");
    let place =
        |place: &std::panic::Location<'_>| format!("{}:{}:{}", place.file(), place.line(), place.column());
    CrashReport {
        location: info.location().map(place).unwrap_or_default(),
        ..CrashReport::new("panic", message)
    }
}

/// Appends a crash for the next start; drops the oldest over the limit or if there is no room.
fn record(error: &CrashReport) {
    let Some(storage) = js::local_storage() else { return };
    let stored = storage.get_item(STORED_CRASHES).ok().flatten();
    let mut errors: Vec<CrashReport> =
        stored.and_then(|text| nexus_text::json::read(&text).ok()).unwrap_or_default();
    errors.push(error.clone());
    let mut newest = errors.split_off(errors.len().saturating_sub(CRITICAL_ERRORS));
    while !newest.is_empty() {
        let written = nexus_text::json::write(&newest)
            .is_ok_and(|text| storage.set_item(STORED_CRASHES, &text).is_ok());
        if written {
            return;
        }
        newest.remove(0);
    }
}

/// Passes the crash to boot.js, which shows the recovery screen without WASM.
fn show(error: &CrashReport) {
    let Some(window) = web_sys::window() else { return };
    let report = js::object(&[
        ("message", error.message.as_str().into()),
        ("location", error.location.as_str().into()),
        ("version", error.version.as_str().into()),
        ("lastAction", error.last_action.as_str().into()),
    ]);
    // If the recovery screen fails as well, nothing is left to try.
    drop(js::call(window.as_ref(), "__nexusCrash", &[&report]));
}
