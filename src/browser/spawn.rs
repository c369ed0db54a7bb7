//! Runs background tasks on the page's task queue.

use futures_util::future::LocalBoxFuture;

use nexus_engine::port::Spawn;

/// Runs work on the page's own task queue.
#[derive(Clone, Copy, Debug, Default)]
pub struct BrowserSpawn;

impl Spawn for BrowserSpawn {
    fn spawn(&self, work: LocalBoxFuture<'static, ()>) {
        wasm_bindgen_futures::spawn_local(work);
    }
}
