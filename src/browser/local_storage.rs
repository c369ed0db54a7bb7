//! The few localStorage keys that the page needs before the program runs.
//!
//! Never holds anything that must not be lost, since a killed browser loses the last seconds of localStorage. Never
//! overwrites a value that it could not read.

use std::cell::RefCell;
use std::fmt;

use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use gloo_storage::{LocalStorage, Storage as _};
use serde::Serialize;
use serde::de::DeserializeOwned;
use web_sys::Storage;

use crate::browser::crash::{CrashReport, KEPT_CRASHES};
use crate::browser::{crash, js};
use nexus_text::vec_map::VecSet;

/// The mind of the session in view, as `ContextNodeState`.
pub const CONTEXT_STATE: &str = "nexus_context_state";
/// The operator's name, as plain text.
pub const USER_NAME: &str = "nexus_user_name";
/// The device's first session, as plain text. Made once, never written again.
pub const SESSION_ID: &str = "nexus_session_id";
/// Theme, language and the providers' origins, which must be known before the program runs.
pub const BOOT: &str = "nexus_boot";
/// There once the store has held a turn: a store that is empty in spite of it was cleared by the browser.
pub const KEPT: &str = "nexus_kept";

/// Longer texts are not read: nothing that the program writes here comes near.
const MOST_BYTES: usize = 2_000_000;
/// How many unreadable texts of one key are kept.
const MOST_SET_ASIDE: u32 = 9;

/// Something about the small storage that the operator should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalStorageError {
    /// What stood under `key` could not be read. It was kept under `kept_as`, if there was room; otherwise it still
    /// stands where it stood, and is not written over.
    Unreadable {
        key: &'static str,
        /// Where the text is now.
        kept_as: Option<String>,
    },
    /// There is no room for a new value; the last one that did fit stays.
    Full { key: &'static str },
}

impl fmt::Display for LocalStorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { key, kept_as: Some(kept_as) } => {
                write!(f, "The saved {key} could not be read; it is kept as {kept_as}")
            }
            Self::Unreadable { key, kept_as: None } => {
                write!(f, "The saved {key} cannot be read; it is left unchanged")
            }
            Self::Full { key } => {
                write!(f, "There is no space for a new {key} in localStorage; the last saved copy stays")
            }
        }
    }
}

/// The small storage. Where it is denied, nothing is there and nothing is written.
pub struct LocalStore {
    usable: bool,
    /// Keys whose unreadable text could not be moved, so that it must not be written over.
    sealed: RefCell<VecSet<&'static str>>,
    /// Keys that did not fit and of which that was told.
    full: RefCell<VecSet<&'static str>>,
    troubles: UnboundedSender<LocalStorageError>,
}

impl LocalStore {
    /// Probes the storage. The receiver hears of trouble, each kind once for each key.
    pub fn probe() -> (Self, UnboundedReceiver<LocalStorageError>) {
        let (troubles, told) = unbounded();
        let usable = js::local_storage().is_some();
        (Self { usable, sealed: RefCell::default(), full: RefCell::default(), troubles }, told)
    }

    /// The storage, behind the probe: gloo's own accessor throws where it is denied.
    fn raw(&self) -> Option<Storage> {
        self.usable.then(LocalStorage::raw)
    }

    pub fn text(&self, key: &'static str) -> Option<String> {
        self.raw()?.get_item(key).ok()?
    }

    /// The JSON value under a key. What cannot be read is set aside, and `None` is given.
    pub fn read<T: DeserializeOwned>(&self, key: &'static str) -> Option<T> {
        let text = self.text(key)?;
        let fits = text.len() <= MOST_BYTES;
        let value = fits.then(|| nexus_text::json::read(&text).ok()).flatten();
        if value.is_none() {
            let kept_as = self.set_aside(key, &text);
            if kept_as.is_none() {
                self.sealed.borrow_mut().insert(key);
            }
            self.tell(LocalStorageError::Unreadable { key, kept_as });
        }
        value
    }

    /// Writes a value as JSON. Says whether it is there now; where it does not fit, the last one stays.
    pub fn write<T: Serialize>(&self, key: &'static str, value: &T) -> bool {
        let Ok(text) = nexus_text::json::write(value) else { return false };
        self.write_text(key, &text)
    }

    /// Writes a text as it is, like [`write`](Self::write).
    pub fn write_text(&self, key: &'static str, text: &str) -> bool {
        let Some(raw) = self.raw().filter(|_| self.writable(key)) else { return false };
        self.noted(key, raw.set_item(key, text).is_ok())
    }

    pub fn remove(&self, key: &'static str) {
        if self.writable(key) {
            LocalStorage::delete(key);
        }
    }

    /// The crashes and critical errors since the last start; they are told once.
    pub fn take_crashes(&self) -> Vec<CrashReport> {
        let errors = self.read::<Vec<CrashReport>>(KEPT_CRASHES).unwrap_or_default();
        if !errors.is_empty() {
            self.remove(KEPT_CRASHES);
        }
        errors
    }

    fn writable(&self, key: &'static str) -> bool {
        self.usable && !crash::poisoned() && !self.sealed.borrow().contains(key)
    }

    fn noted(&self, key: &'static str, written: bool) -> bool {
        if written {
            self.full.borrow_mut().remove(key);
        } else if self.full.borrow_mut().insert(key) {
            self.tell(LocalStorageError::Full { key });
        }
        written
    }

    /// Moves an unreadable text to a key of its own, and says which.
    fn set_aside(&self, key: &'static str, text: &str) -> Option<String> {
        let raw = self.raw()?;
        let name = (1..=MOST_SET_ASIDE)
            .map(|number| match number {
                1 => format!("{key}_quarantine"),
                _ => format!("{key}_quarantine_{number}"),
            })
            .find(|name| matches!(raw.get_item(name), Ok(None)))?;
        // Taken away first: a text of half the allowance would not fit twice.
        raw.remove_item(key).ok()?;
        if raw.set_item(&name, text).is_ok() {
            return Some(name);
        }
        // It was there a moment ago, so there is room for it.
        drop(raw.set_item(key, text));
        None
    }

    fn tell(&self, trouble: LocalStorageError) {
        // Nobody listens where no screen stands yet; the trouble itself was dealt with.
        drop(self.troubles.unbounded_send(trouble));
    }
}
