//! Port for the engine's lazy chunks: reading of stored rows, the command loop with its services, the services for
//! turns, jobs, and the lazy commands.
//!
//! Native builds link all of it ([`BuiltInEngine`], and [`BuiltInChunks`] without the services). One vtable or function
//! pointer reachable from `main.rs` pulls code into the page's first file: never name these two, a function of `tools`
//! or `codec::of` there.

use std::future::ready;
use std::rc::Rc;

use crate::backup::{BackupModule, BackupService};
use crate::calls::CallServices;
use crate::calls::context::{MeasureFn, measure};
use crate::checks::{self, RunChecks};
use crate::command_loop::lazy_commands::LazyCommands;
use crate::demo::{Rehearsal, Script};
use crate::jobs::JobService;
use crate::lazy::{ChunkLoadError, CodecLoader, LazyFuture};
use crate::port::ProviderPorts;
use crate::port::checks::InMemoryCheckRunner;
use crate::port::terminal::Terminals;
use crate::services::Services;
use crate::store::loading::{LoadedRows, StoredRows};
use nexus_model::provider::Protocol;
use nexus_providers::codec::Codec;
use nexus_providers::http::HttpRequest;

/// Starts the services with the ports that only they need.
pub type BeginServices = Box<dyn FnOnce(Services)>;

/// Reads the rows that the engine starts with.
pub type ReadRows = fn(StoredRows) -> LoadedRows;

/// Loads the engine's chunks. Loaded chunks are returned at once.
pub trait ChunkLoader: CodecLoader {
    /// Needed only if the device has stored rows.
    fn rows(&self) -> LazyFuture<ReadRows>;
    fn work(&self) -> LazyFuture<BeginServices>;
    /// The services for turns: build contexts, call models, run tools.
    fn calls(&self) -> LazyFuture<fn(CallServices)>;
    fn measure(&self) -> LazyFuture<MeasureFn>;
    fn jobs(&self) -> LazyFuture<fn(JobService)>;
    fn lazy_commands(&self) -> LazyFuture<LazyCommands>;
}

/// All chunks linked statically, for tests and tools. Naming this links them into the page's first file.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltInChunks;

impl CodecLoader for BuiltInChunks {
    fn codec(&self, protocol: Protocol) -> LazyFuture<&'static Codec> {
        Box::pin(ready(Ok(nexus_providers::codec::of(protocol))))
    }

    fn rehearsal(&self) -> LazyFuture<fn(Rehearsal, &HttpRequest) -> Script> {
        Box::pin(ready(Ok(Rehearsal::answer_to as fn(Rehearsal, &HttpRequest) -> Script)))
    }

    fn checks(&self) -> LazyFuture<RunChecks> {
        Box::pin(ready(Ok(checks::by(Rc::new(InMemoryCheckRunner::default())))))
    }

    /// Only a page has WebSockets.
    fn terminals(&self) -> LazyFuture<Rc<dyn Terminals>> {
        Box::pin(ready(Err(ChunkLoadError)))
    }
}

impl BuiltInChunks {
    pub fn data(&self) -> LazyFuture<BackupModule> {
        let module = BackupModule { device: crate::backup::in_memory::device, keep: BackupService::keep };
        Box::pin(ready(Ok(module)))
    }
}

/// The engine linked statically, with its codecs, on these ports.
#[derive(Clone)]
pub struct BuiltInEngine(pub ProviderPorts);

impl CodecLoader for BuiltInEngine {
    fn codec(&self, protocol: Protocol) -> LazyFuture<&'static Codec> {
        BuiltInChunks.codec(protocol)
    }

    fn rehearsal(&self) -> LazyFuture<fn(Rehearsal, &HttpRequest) -> Script> {
        BuiltInChunks.rehearsal()
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

    fn work(&self) -> LazyFuture<BeginServices> {
        let provider = self.0.clone();
        let begin: BeginServices = Box::new(move |services| services.begin(provider));
        Box::pin(ready(Ok(begin)))
    }

    fn measure(&self) -> LazyFuture<MeasureFn> {
        Box::pin(ready(Ok(measure as MeasureFn)))
    }

    fn jobs(&self) -> LazyFuture<fn(JobService)> {
        Box::pin(ready(Ok(JobService::begin as fn(JobService))))
    }

    fn calls(&self) -> LazyFuture<fn(CallServices)> {
        Box::pin(ready(Ok(CallServices::begin as fn(CallServices))))
    }

    fn lazy_commands(&self) -> LazyFuture<LazyCommands> {
        Box::pin(ready(Ok(LazyCommands::built_in())))
    }
}
