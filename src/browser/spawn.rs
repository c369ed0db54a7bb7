//! Never stops work: whoever needs that makes the work stoppable.
//!
//! Owns work in the background.

use futures_util::future::LocalBoxFuture;

use crate::engine::port::Spawn;

/// Runs work on the page's own task queue.
#[derive(Clone, Copy, Debug, Default)]
pub struct BrowserSpawn;

impl Spawn for BrowserSpawn {
    fn spawn(&self, work: LocalBoxFuture<'static, ()>) {
        wasm_bindgen_futures::spawn_local(work);
    }
}
