//! State of the page after the first start: recorded once, restored for each flow that begins in the war room.
//!
//! It saves two page loads and a round of three agents. The recorded provider address is replaced by the current one.
//! `first-start` and similar flows still perform the first start.

use std::cell::RefCell;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::page::Page;

/// The recorded state as JSON, written by a script in the page.
#[derive(Debug, Default)]
pub(crate) struct Seed(RefCell<Option<Recording>>);

#[derive(Debug, Clone)]
struct Recording {
    address: String,
    text: String,
}

/// Shared by both scripts: promises for requests, and binary data in JSON.
const TOOLS: &str = r#"
    const result = request => new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = request.onblocked = () => reject(request.error ?? "blocked");
    });
    const isBytes = value => value instanceof ArrayBuffer || ArrayBuffer.isView(value);
    const packed = value => isBytes(value)
        ? { __bytes: btoa(Array.from(new Uint8Array(value.buffer ?? value, value.byteOffset ?? 0, value.byteLength),
                byte => String.fromCharCode(byte)).join("")), __view: !(value instanceof ArrayBuffer) }
        : Array.isArray(value) ? value.map(packed)
        : value !== null && typeof value === "object"
            ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, packed(each)]))
        : value;
    const unpacked = value => {
        if (Array.isArray(value)) return value.map(unpacked);
        if (value === null || typeof value !== "object") return value;
        if ("__bytes" in value) {
            const bytes = Uint8Array.from(atob(value.__bytes), sign => sign.charCodeAt(0));
            return value.__view ? bytes : bytes.buffer;
        }
        return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, unpacked(each)]));
    };
"#;

const RECORD: &str = r#"
    const databases = [];
    for (const { name, version } of await indexedDB.databases()) {
        const database = await result(indexedDB.open(name, version));
        const stores = [];
        for (const each of database.objectStoreNames) {
            const store = database.transaction(each).objectStore(each);
            const indexes = [...store.indexNames].map(name => store.index(name))
                .map(({ name, keyPath, unique, multiEntry }) => ({ name, keyPath, unique, multiEntry }));
            const [keys, rows] = await Promise.all([result(store.getAllKeys()), result(store.getAll())]);
            const { keyPath, autoIncrement } = store;
            stores.push({ name: each, keyPath, autoIncrement, indexes, keys: packed(keys), rows: packed(rows) });
        }
        database.close();
        databases.push({ name, version, stores });
    }
    return JSON.stringify({ databases, local: Object.entries(localStorage) });
"#;

const RESTORE: &str = r#"
    const { databases, local } = JSON.parse(arguments[0]);
    localStorage.clear();
    for (const [name, value] of local) localStorage.setItem(name, value);
    for (const { name, version, stores } of databases) {
        await result(indexedDB.deleteDatabase(name));
        const opening = indexedDB.open(name, version);
        opening.onupgradeneeded = () => {
            for (const { name, keyPath, autoIncrement, indexes, keys, rows } of stores) {
                const store = opening.result.createObjectStore(name, { keyPath, autoIncrement });
                for (const each of indexes) store.createIndex(each.name, each.keyPath, each);
                const ownKeys = unpacked(keys);
                unpacked(rows).forEach((row, at) => keyPath === null ? store.put(row, ownKeys[at]) : store.put(row));
            }
        };
        (await result(opening)).close();
    }
"#;

impl Seed {
    /// True if there is a recording.
    pub(crate) fn is_recorded(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// Records the storage of the current document's origin. `address` is the provider's.
    pub(crate) async fn record(&self, page: &Page, address: &str) -> Result<()> {
        let recorded = page.eval_async(&format!("{TOOLS}{RECORD}"), &[]).await?;
        let text = recorded.as_str().context("nothing was recorded")?.to_owned();
        *self.0.borrow_mut() = Some(Recording { address: address.to_owned(), text });
        Ok(())
    }

    /// Restores it with this address, replacing the storage of the current document's origin.
    pub(crate) async fn restore(&self, page: &Page, address: &str) -> Result<()> {
        let Recording { address: recorded, text } =
            self.0.borrow().clone().context("nothing was recorded")?;
        let text: Value = json!(text.replace(&recorded, address));
        page.eval_async(&format!("{TOOLS}{RESTORE}"), &[text]).await.map(drop)
    }
}
