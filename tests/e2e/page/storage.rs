//! Reads and writes the page's storage from outside, without the program's code.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{POLL_INTERVAL, Page, TIMEOUT};

/// Reads the rows of these object stores of the database `nexus`, or of all; empty if there is no database.
const DUMP: &str = r#"
    const dump = async wanted => {
        const known = await indexedDB.databases();
        if (!known.some(each => each.name === "nexus")) return {};
        const result = request => new Promise((resolve, reject) => {
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => reject(request.error);
        });
        const database = await result(indexedDB.open("nexus"));
        try {
            const names = [...database.objectStoreNames].filter(name => wanted?.includes(name) ?? true);
            if (names.length === 0) return {};
            const transaction = database.transaction(names, "readonly");
            const rows = {};
            for (const name of names) {
                rows[name] = await result(transaction.objectStore(name).getAll());
            }
            // What JSON has no word for: buffers become their text.
            return JSON.parse(JSON.stringify(rows, (_, value) =>
                value instanceof ArrayBuffer || ArrayBuffer.isView(value)
                    ? new TextDecoder().decode(value) : value));
        } finally {
            database.close();
        }
    };"#;

impl Page {
    /// An entry of localStorage.
    pub(crate) async fn local(&self, key: &str) -> Result<Option<String>> {
        let value = self.eval("return localStorage.getItem(arguments[0])", &[json!(key)]).await?;
        Ok(value.as_str().map(str::to_owned))
    }

    pub(crate) async fn set_local(&self, key: &str, value: &str) -> Result<()> {
        let script = "localStorage.setItem(arguments[0], arguments[1])";
        self.eval(script, &[json!(key), json!(value)]).await.map(drop)
    }

    /// All of localStorage as text.
    pub(crate) async fn all_local(&self) -> Result<String> {
        let all = self.eval("return JSON.stringify(Object.entries(localStorage))", &[]).await?;
        Ok(all.as_str().unwrap_or_default().to_owned())
    }

    /// Summary of the origin's storage: localStorage, the names of the databases, data loss on opening, and the
    /// number of rows in each object store of `nexus`.
    pub(crate) async fn storage_summary(&self) -> Result<Value> {
        let rows = self.database().await.unwrap_or_default();
        let counts = rows.as_object().into_iter().flatten();
        let counts: Vec<_> =
            counts.map(|(store, rows)| json!([store, rows.as_array().map_or(0, Vec::len)])).collect();
        let script = "return { local: Object.entries(localStorage), databases: await indexedDB.databases(),
            made: window.__flowMade ?? null, estimate: await navigator.storage?.estimate() }";
        let stored = self.eval_async(script, &[]).await?;
        Ok(json!({ "kept": stored, "rows": counts }))
    }

    /// The rows of one object store of the database `nexus`, in key order.
    pub(crate) async fn rows(&self, store: &str) -> Result<Vec<Value>> {
        let mut dump =
            self.eval_async(&format!("{DUMP} return await dump([arguments[0]]);"), &[json!(store)]).await?;
        let rows = dump.get_mut(store).with_context(|| format!("no object store {store}"))?.take();
        Ok(if let Value::Array(rows) = rows { rows } else { Vec::new() })
    }

    /// Waits until a row of this store contains this text.
    pub(crate) async fn stored(&self, store: &str, text: &str) -> Result<()> {
        let until = Instant::now() + TIMEOUT;
        let script = format!(
            "{DUMP} return JSON.stringify((await dump([arguments[0]]))[arguments[0]]).includes(arguments[1])"
        );
        while self.eval_async(&script, &[json!(store), json!(text)]).await? != true {
            ensure!(Instant::now() < until, "{store} does not contain {text:?}");
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        Ok(())
    }

    /// Keys of an object store of the database `nexus`, in order.
    pub(crate) async fn keys(&self, store: &str) -> Result<Vec<String>> {
        let script = r#"
            const result = request => new Promise((resolve, reject) => {
                request.onsuccess = () => resolve(request.result);
                request.onerror = () => reject(request.error);
            });
            const database = await result(indexedDB.open("nexus"));
            try {
                return (await result(database.transaction(arguments[0]).objectStore(arguments[0]).getAllKeys()))
                    .map(String);
            } finally {
                database.close();
            }"#;
        Ok(serde_json::from_value(self.eval_async(script, &[json!(store)]).await?)?)
    }

    /// The rows of each store of the database `nexus`; empty if it does not exist.
    pub(crate) async fn database(&self) -> Result<Value> {
        self.eval_async(&format!("{DUMP} return await dump()"), &[]).await
    }

    /// Writes a row into an object store of `nexus` without the program. `key` is null if the row contains it.
    pub(crate) async fn put_row(&self, store: &str, key: Value, row: Value) -> Result<()> {
        self.put_rows(store, &[(key, row)]).await
    }

    /// As [`Page::put_row`], for many rows at once.
    pub(crate) async fn put_rows(&self, store: &str, rows: &[(Value, Value)]) -> Result<()> {
        let script = r#"
            const [store, rows] = arguments;
            const database = await new Promise((resolve, reject) => {
                const request = indexedDB.open("nexus");
                request.onsuccess = () => resolve(request.result);
                request.onerror = () => reject(request.error);
            });
            const transaction = database.transaction([store], "readwrite");
            for (const [key, row] of rows) {
                transaction.objectStore(store).put(row, key === null ? undefined : key);
            }
            await new Promise((resolve, reject) => {
                transaction.oncomplete = resolve;
                transaction.onabort = () => reject(transaction.error);
            });
            database.close();"#;
        self.eval_async(script, &[json!(store), json!(rows)]).await.map(drop)
    }
}
