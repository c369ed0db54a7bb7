//! The few localStorage keys that the page needs before WASM runs.
//!
//! Contains nothing that must not be lost: a killed browser loses the last seconds of localStorage. Never overwrites a
//! value that it could not read.

use std::cell::RefCell;
use std::fmt;

use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use gloo_storage::{LocalStorage, Storage as _};
use serde::Serialize;
use serde::de::DeserializeOwned;
use web_sys::Storage;

use crate::browser::crash::{CrashReport, STORED_CRASHES};
use crate::browser::{crash, js};
use nexus_text::vec_map::VecSet;

/// The working mind of the session in view, as `ContextNodeState`.
pub const CONTEXT_STATE: &str = "nexus_context_state";
pub const USER_NAME: &str = "nexus_user_name";
/// The device's first session, as plain text. Written once.
pub const SESSION_ID: &str = "nexus_session_id";
/// Theme, language and the providers' origins, which boot.js needs before WASM runs.
pub const BOOT: &str = "nexus_boot";
/// Set once the store has held a turn: if the store is empty nevertheless, the browser cleared it.
pub const HAD_TURN: &str = "nexus_kept";

/// Longer texts are not read: the program never writes such.
const MOST_BYTES: usize = 2_000_000;
/// Maximum number of quarantined texts per key.
const MOST_QUARANTINED: u32 = 9;

/// A localStorage error that the operator should see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalStorageError {
    /// The value under `key` could not be read. It was moved to `kept_as`, or, without room, stays where it is and is
    /// not overwritten.
    Unreadable { key: &'static str, moved_to: Option<String> },
    /// No room for a new value; the last saved one stays.
    Full { key: &'static str },
}

impl fmt::Display for LocalStorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { key, moved_to: Some(kept_as) } => {
                write!(f, "The saved {key} could not be read; it is kept as {kept_as}")
            }
            Self::Unreadable { key, moved_to: None } => {
                write!(f, "The saved {key} cannot be read; it is left unchanged")
            }
            Self::Full { key } => {
                write!(f, "There is no space for a new {key} in localStorage; the last saved copy stays")
            }
        }
    }
}

/// localStorage. If access is denied, reads are empty and writes are dropped.
pub struct LocalStore {
    usable: bool,
    /// Keys whose unreadable text could not be moved and must not be overwritten.
    sealed: RefCell<VecSet<&'static str>>,
    /// Keys that did not fit and were reported.
    full: RefCell<VecSet<&'static str>>,
    errors: UnboundedSender<LocalStorageError>,
}

impl LocalStore {
    /// Probes localStorage. The receiver gets each error once per key.
    pub fn probe() -> (Self, UnboundedReceiver<LocalStorageError>) {
        let (errors, receiver) = unbounded();
        let usable = js::local_storage().is_some();
        (Self { usable, sealed: RefCell::default(), full: RefCell::default(), errors }, receiver)
    }

    /// gloo's accessor, guarded by the probe: it throws if access is denied.
    fn raw(&self) -> Option<Storage> {
        self.usable.then(LocalStorage::raw)
    }

    pub fn text(&self, key: &'static str) -> Option<String> {
        self.raw()?.get_item(key).ok()?
    }

    /// The JSON value under a key. Quarantines an unreadable value and returns `None`.
    pub fn read<T: DeserializeOwned>(&self, key: &'static str) -> Option<T> {
        let text = self.text(key)?;
        let fits = text.len() <= MOST_BYTES;
        let value = fits.then(|| nexus_text::json::read(&text).ok()).flatten();
        if value.is_none() {
            let moved_to = self.quarantine(key, &text);
            if moved_to.is_none() {
                self.sealed.borrow_mut().insert(key);
            }
            self.report(LocalStorageError::Unreadable { key, moved_to });
        }
        value
    }

    /// Writes a value as JSON and returns true if it was stored; otherwise the last value stays.
    pub fn write<T: Serialize>(&self, key: &'static str, value: &T) -> bool {
        let Ok(text) = nexus_text::json::write(value) else { return false };
        self.write_text(key, &text)
    }

    /// Writes plain text, like [`write`](Self::write).
    pub fn write_text(&self, key: &'static str, text: &str) -> bool {
        let Some(raw) = self.raw().filter(|_| self.is_writable(key)) else { return false };
        self.report_write(key, raw.set_item(key, text).is_ok())
    }

    pub fn remove(&self, key: &'static str) {
        if self.is_writable(key) {
            LocalStorage::delete(key);
        }
    }

    /// Returns and clears the crashes and critical errors since the last start.
    pub fn take_crashes(&self) -> Vec<CrashReport> {
        let crashes = self.read::<Vec<CrashReport>>(STORED_CRASHES).unwrap_or_default();
        if !crashes.is_empty() {
            self.remove(STORED_CRASHES);
        }
        crashes
    }

    fn is_writable(&self, key: &'static str) -> bool {
        self.usable && !crash::poisoned() && !self.sealed.borrow().contains(key)
    }

    fn report_write(&self, key: &'static str, written: bool) -> bool {
        if written {
            self.full.borrow_mut().remove(key);
        } else if self.full.borrow_mut().insert(key) {
            self.report(LocalStorageError::Full { key });
        }
        written
    }

    /// Moves an unreadable text to a key of its own and returns that key.
    fn quarantine(&self, key: &'static str, text: &str) -> Option<String> {
        let raw = self.raw()?;
        let name = (1..=MOST_QUARANTINED)
            .map(|number| match number {
                1 => format!("{key}_quarantine"),
                _ => format!("{key}_quarantine_{number}"),
            })
            .find(|name| matches!(raw.get_item(name), Ok(None)))?;
        // Removed first: a text of half the quota would not fit twice.
        raw.remove_item(key).ok()?;
        if raw.set_item(&name, text).is_ok() {
            return Some(name);
        }
        // It was there before, so there is room for it.
        drop(raw.set_item(key, text));
        None
    }

    fn report(&self, error: LocalStorageError) {
        // Nobody listens before the screen is mounted; the error was handled anyway.
        drop(self.errors.unbounded_send(error));
    }
}
