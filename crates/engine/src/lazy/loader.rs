//! Port for the engine's lazy chunks: reading of stored rows, the command loop with its services, and what
//! model calls bring along ([`LazyEngine`]).
//!
//! Native builds link all of it ([`BuiltInEngine`]). One vtable or function pointer reachable from `main.rs` pulls code
//! into the page's first file: never name this type, a function of `tools` or `codec::of` there.

use crate::checks;
use crate::checks::RunChecks;
use crate::lazy::{ChunkLoadError, CodecLoader, LazyFuture};
use crate::port::ProviderPorts;
use crate::port::lazy::{InMemoryCheckRunner, Terminals};
use crate::prelude::*;
use crate::services::{LazyEngine, Services};
use crate::store::loading::{LoadedRows, StoredRows};
use nexus_model::provider::Protocol;
use nexus_providers::codec::Codec;
use std::future::ready;

/// Starts the services with the vault that only they need.
pub type BeginServices = Box<dyn FnOnce(Services)>;

pub type ReadRows = fn(StoredRows) -> LoadedRows;

/// Loads the engine's chunks. Loaded chunks are returned at once.
pub trait ChunkLoader: CodecLoader {
    /// Needed only if the device has stored rows.
    fn rows(&self) -> LazyFuture<ReadRows>;
    fn services(&self) -> LazyFuture<BeginServices>;
    fn lazy_engine(&self) -> LazyFuture<LazyEngine>;
}

/// All chunks linked statically, for tests and tools; without ports only those that need none. Naming this links them
/// into the page's first file.
#[derive(Clone, Default)]
pub struct BuiltInEngine(pub Option<ProviderPorts>);

impl CodecLoader for BuiltInEngine {
    fn codec(&self, protocol: Protocol) -> LazyFuture<&'static Codec> {
        Box::pin(ready(Ok(nexus_providers::codec::of(protocol))))
    }

    fn checks(&self) -> LazyFuture<RunChecks> {
        Box::pin(ready(Ok(checks::by(Rc::new(InMemoryCheckRunner::default())))))
    }

    /// Only a page has WebSockets.
    fn terminals(&self) -> LazyFuture<Rc<dyn Terminals>> {
        Box::pin(ready(Err(ChunkLoadError)))
    }
}

impl ChunkLoader for BuiltInEngine {
    fn rows(&self) -> LazyFuture<ReadRows> {
        Box::pin(ready(Ok(StoredRows::read as ReadRows)))
    }

    fn services(&self) -> LazyFuture<BeginServices> {
        let begin =
            |ports: ProviderPorts| -> BeginServices { Box::new(move |services| services.begin(ports.vault)) };
        Box::pin(ready(self.0.clone().map(begin).ok_or(ChunkLoadError)))
    }

    fn lazy_engine(&self) -> LazyFuture<LazyEngine> {
        let engine = self.0.clone().map(|ports| LazyEngine::with_http(ports.http));
        Box::pin(ready(engine.ok_or(ChunkLoadError)))
    }
}
