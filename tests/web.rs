//! Tests of the browser adapters and of the mounted page in a real browser.
//!
//! `cargo xtask web palette` runs those whose names contain the word.
//!
//! Errors that cannot be provoked (a full disk, a dead connection) are injected into the browser's prototypes and
//! removed afterwards.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

#[path = "web/answers.rs"]
mod answers;
#[path = "web/approvals.rs"]
mod approvals;
#[path = "web/archivist.rs"]
mod archivist;
#[path = "corpus/at_hand.rs"]
mod at_hand;
#[path = "web/audit.rs"]
mod audit;
#[path = "web/backups.rs"]
mod backups;
#[path = "web/branches.rs"]
mod branches;
#[path = "web/checks.rs"]
mod checks;
#[path = "web/code_blocks.rs"]
mod code_blocks;
#[path = "web/compare.rs"]
mod compare;
#[path = "web/comparing_models.rs"]
mod comparing_models;
#[path = "web/core.rs"]
mod core;
#[path = "web/demo.rs"]
mod demo;
#[path = "web/device.rs"]
mod device;
#[path = "web/failures.rs"]
mod failures;
#[path = "web/files.rs"]
mod files;
#[path = "web/filter.rs"]
mod filter;
#[path = "web/graphs.rs"]
mod graphs;
#[path = "web/hostile_text.rs"]
mod hostile_text;
#[path = "web/keyed_lists.rs"]
mod keyed_lists;
#[path = "web/keys.rs"]
mod keys;
#[path = "web/kit.rs"]
mod kit;
#[path = "web/mounted_page.rs"]
mod mounted_page;
#[path = "web/other_sessions.rs"]
mod other_sessions;
#[path = "web/palette.rs"]
mod palette;
#[path = "web/providers.rs"]
mod providers;
#[path = "web/queue.rs"]
mod queue;
#[path = "web/recipients.rs"]
mod recipients;
#[path = "web/replies.rs"]
mod replies;
#[path = "web/rounds.rs"]
mod rounds;
#[path = "web/runs.rs"]
mod runs;
#[path = "web/settings.rs"]
mod settings;
#[path = "web/small.rs"]
mod small;
#[path = "web/start.rs"]
mod start;
#[path = "web/steps.rs"]
mod steps;
#[path = "web/store.rs"]
mod store;
#[path = "web/timeline.rs"]
mod timeline;
#[path = "web/tree_screen.rs"]
mod tree_screen;
#[path = "web/vault.rs"]
mod vault;
#[path = "corpus/vectors.rs"]
mod vectors;
#[path = "web/view_state.rs"]
mod view_state;
#[path = "web/voice.rs"]
mod voice;
#[path = "web/wire.rs"]
mod wire;
#[path = "web/workers.rs"]
mod workers;
#[path = "e2e"]
mod e2e {
    #[allow(dead_code, unused_imports, reason = "most are for the flows")]
    pub(crate) mod selectors;
}

// `view!` refers to the kit by this path.
pub(crate) use nexus::ui;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

/// Runs a script in the page. Only tests do that.
fn script(text: &str) -> JsValue {
    js_sys::eval(text).unwrap()
}

/// Runs a script that returns a promise, and awaits it.
async fn script_promise(text: &str) -> JsValue {
    JsFuture::from(js_sys::Promise::resolve(&script(text))).await.unwrap()
}

/// Runs everything that is ready.
async fn settle() {
    script_promise("new Promise((done) => setTimeout(done, 20))").await;
}

/// Makes the accessor of a store throw while `work` runs, as if site data were blocked.
async fn denied<T>(store: &str, work: impl Future<Output = T>) -> T {
    script(&format!(
        "window.real = Object.getOwnPropertyDescriptor(window, '{store}');
        Object.defineProperty(window, '{store}', {{
            configurable: true, get() {{ throw new DOMException('denied', 'SecurityError'); }},
        }})"
    ));
    let outcome = work.await;
    script(&format!("Object.defineProperty(window, '{store}', window.real)"));
    outcome
}
