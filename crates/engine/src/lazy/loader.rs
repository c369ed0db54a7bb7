//! Port for the parts of the engine that are loaded lazily: the command loop with its services, jobs, and data tools.
//!
//! Native builds contain all of it from the start ([`BuiltInChunks`]). One vtable or function pointer that `main.rs`
//! reaches is enough to pull code into the first file of the page: never name `BuiltInChunks`, a function of `tools`
//! or `codec::of` there.

use std::rc::Rc;

use crate::backup::{BackupModule, BackupService};
use crate::checks::{self, RunChecks};
use crate::demo::{Rehearsal, Script};
use crate::jobs::JobService;
use crate::lazy::{ChunkLoadError, CodecLoader, LazyFuture};
use crate::port::checks::InMemoryCheckRunner;
use crate::port::terminal::Terminals;
use crate::services::Services;
use nexus_model::provider::Protocol;
use nexus_providers::codec::Codec;
use nexus_providers::http::HttpRequest;

/// Gets the parts of the engine. What has come once is there at once.
pub trait ChunkLoader: CodecLoader {
    /// What lets the work begin.
    fn work(&self) -> LazyFuture<fn(Services)>;
    fn jobs(&self) -> LazyFuture<fn(JobService)>;
    /// What exports, imports and keeps restore points.
    fn data(&self) -> LazyFuture<BackupModule>;
}

/// All parts in one program, as tests and tools have them. Naming this puts every part into the first load of a page.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltInChunks;

impl CodecLoader for BuiltInChunks {
    fn codec(&self, protocol: Protocol) -> LazyFuture<&'static Codec> {
        Box::pin(std::future::ready(Ok(nexus_providers::codec::of(protocol))))
    }

    fn rehearsal(&self) -> LazyFuture<fn(Rehearsal, &HttpRequest) -> Script> {
        Box::pin(std::future::ready(Ok(Rehearsal::answer_to as fn(Rehearsal, &HttpRequest) -> Script)))
    }

    fn checks(&self) -> LazyFuture<RunChecks> {
        Box::pin(std::future::ready(Ok(checks::by(Rc::new(InMemoryCheckRunner::default())))))
    }

    /// Only a page has WebSockets.
    fn terminals(&self) -> LazyFuture<Rc<dyn Terminals>> {
        Box::pin(std::future::ready(Err(ChunkLoadError)))
    }
}

impl ChunkLoader for BuiltInChunks {
    fn work(&self) -> LazyFuture<fn(Services)> {
        Box::pin(std::future::ready(Ok(Services::begin as fn(Services))))
    }

    fn jobs(&self) -> LazyFuture<fn(JobService)> {
        Box::pin(std::future::ready(Ok(JobService::begin as fn(JobService))))
    }

    fn data(&self) -> LazyFuture<BackupModule> {
        let part = BackupModule { device: crate::backup::in_memory::device, keep: BackupService::keep };
        Box::pin(std::future::ready(Ok(part)))
    }
}
