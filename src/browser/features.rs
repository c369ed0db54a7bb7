//! Detects which of the browser's stores can be used.
//!
//! In a sandboxed frame, or where site data is blocked, the mere access to one throws; no other code accesses them
//! unchecked.

use wasm_bindgen::JsCast as _;
use web_sys::{Storage, SubtleCrypto, Window};

use crate::browser::js;

/// Where the truth is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageMode {
    Kept,
    /// On this device, written by a newer version of the program: shown, and left as it is.
    ReadOnly,
    /// In memory only, gone with the tab.
    Memory(InMemoryReason),
}

/// Why nothing can be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InMemoryReason {
    /// The browser denies its database to this page.
    Denied,
    /// The data was written by a newer version of the program, and this one cannot even read it; it is left as it is.
    Newer,
    /// The disk, or what the browser allows, is full.
    Full,
    /// The database failed or did not answer, in the browser's words or ours.
    Failed(String),
}

/// localStorage, where it can be looked at.
pub(super) fn local_storage() -> Option<Storage> {
    let storage = web_sys::window().as_ref().map(Window::local_storage)?.ok()??;
    // Some browsers hand the object out and throw at the first use.
    storage.length().is_ok().then_some(storage)
}

/// Whether IndexedDB can be looked at. Whether it opens only opening it tells.
pub(super) fn has_database() -> bool {
    web_sys::window().is_some_and(|window| matches!(window.indexed_db(), Ok(Some(_))))
}

/// The browser's encryption; absent outside secure contexts.
pub(super) fn encryption() -> Option<SubtleCrypto> {
    let crypto = js::property(web_sys::window()?.as_ref(), "crypto")?;
    js::property(&crypto, "subtle")?.dyn_into().ok()
}

pub(super) fn has_encryption() -> bool {
    encryption().is_some()
}
