//! Port for the engine's lazy chunks: reading of stored rows, the command loop with its services, and what
//! model calls bring along ([`LazyEngine`]).
//!
//! Native builds link all of it ([`BuiltInEngine`], and [`BuiltInChunks`] without the services). One vtable or function
//! pointer reachable from `main.rs` pulls code into the page's first file: never name these two, a function of `tools`
//! or `codec::of` there.

use std::future::ready;
use std::rc::Rc;

use crate::checks;
use crate::checks::RunChecks;
use crate::lazy::{ChunkLoadError, CodecLoader, LazyFuture};
use crate::lazy_engine::LazyEngine;
use crate::port::ProviderPorts;
use crate::port::lazy::{InMemoryCheckRunner, Terminals};
use crate::services::Services;
use crate::store::loading::{LoadedRows, StoredRows};
use nexus_model::provider::Protocol;
use nexus_providers::codec::Codec;

/// Starts the services with the vault that only they need.
pub type BeginServices = Box<dyn FnOnce(Services)>;

/// Reads the rows that the engine starts with.
pub type ReadRows = fn(StoredRows) -> LoadedRows;

/// Loads the engine's chunks. Loaded chunks are returned at once.
pub trait ChunkLoader: CodecLoader {
    /// Needed only if the device has stored rows.
    fn rows(&self) -> LazyFuture<ReadRows>;
    fn services(&self) -> LazyFuture<BeginServices>;
    fn lazy_engine(&self) -> LazyFuture<LazyEngine>;
}

/// All chunks linked statically, for tests and tools. Naming this links them into the page's first file.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltInChunks;

impl CodecLoader for BuiltInChunks {
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

/// The engine linked statically, with its codecs, on these ports.
#[derive(Clone)]
pub struct BuiltInEngine(pub ProviderPorts);

impl CodecLoader for BuiltInEngine {
    fn codec(&self, protocol: Protocol) -> LazyFuture<&'static Codec> {
        BuiltInChunks.codec(protocol)
    }

    fn checks(&self) -> LazyFuture<RunChecks> {
        BuiltInChunks.checks()
    }

    fn terminals(&self) -> LazyFuture<Rc<dyn Terminals>> {
        BuiltInChunks.terminals()
    }
}

impl ChunkLoader for BuiltInEngine {
    fn rows(&self) -> LazyFuture<ReadRows> {
        Box::pin(ready(Ok(StoredRows::read as ReadRows)))
    }

    fn services(&self) -> LazyFuture<BeginServices> {
        let vault = Rc::clone(&self.0.vault);
        let begin: BeginServices = Box::new(move |services| services.begin(vault));
        Box::pin(ready(Ok(begin)))
    }

    fn lazy_engine(&self) -> LazyFuture<LazyEngine> {
        Box::pin(ready(Ok(LazyEngine::with_http(Rc::clone(&self.0.http)))))
    }
}
