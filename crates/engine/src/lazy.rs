//! Port for lazily loaded code: the command loop, provider codecs, the Core, the Archivist, data tools and the demo.
//!
//! Native builds contain all of it from the start ([`BuiltInChunks`]). One vtable or function pointer that `main.rs`
//! reaches is enough to pull code into the first file of the page: never name `BuiltInChunks`, `ToolRegistry::default`
//! or `codec::of` there.

pub mod service;

use std::fmt;

use futures_util::future::LocalBoxFuture;

use crate::backup::{BackupModule, BackupService};
use crate::core::Core;
use crate::demo::{Rehearsal, Script};
use crate::maintenance::MaintenanceService;
use crate::services::Services;
use nexus_model::provider::Protocol;
use nexus_providers::codec::Codec;
use nexus_providers::http::HttpRequest;

/// A part of the program did not come. Asked for again, it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkLoadError;

impl fmt::Display for ChunkLoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("A part of the program could not be loaded.")
    }
}

/// Whatever kept it from coming: the network, or the browser.
impl<E: std::error::Error> From<E> for ChunkLoadError {
    fn from(_: E) -> Self {
        Self
    }
}

/// A part on its way.
pub type LazyFuture<T> = LocalBoxFuture<'static, Result<T, ChunkLoadError>>;

/// Gets the parts of the engine. What has come once is there at once.
pub trait ChunkLoader {
    /// What lets the work begin.
    fn work(&self) -> LazyFuture<fn(Services)>;
    fn codec(&self, protocol: Protocol) -> LazyFuture<&'static Codec>;
    fn core(&self) -> LazyFuture<fn(Core)>;
    fn archivist(&self) -> LazyFuture<fn(MaintenanceService)>;
    /// The stand-in model.
    fn rehearsal(&self) -> LazyFuture<fn(Rehearsal, &HttpRequest) -> Script>;
    /// What exports, imports and keeps restore points.
    fn data(&self) -> LazyFuture<BackupModule>;
}

/// All parts in one program, as tests and tools have them. Naming this puts every part into the first load of a page.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltInChunks;

impl ChunkLoader for BuiltInChunks {
    fn work(&self) -> LazyFuture<fn(Services)> {
        Box::pin(std::future::ready(Ok(Services::begin as fn(Services))))
    }

    fn codec(&self, protocol: Protocol) -> LazyFuture<&'static Codec> {
        Box::pin(std::future::ready(Ok(nexus_providers::codec::of(protocol))))
    }

    fn core(&self) -> LazyFuture<fn(Core)> {
        Box::pin(std::future::ready(Ok(Core::begin as fn(Core))))
    }

    fn archivist(&self) -> LazyFuture<fn(MaintenanceService)> {
        Box::pin(std::future::ready(Ok(MaintenanceService::begin as fn(MaintenanceService))))
    }

    fn rehearsal(&self) -> LazyFuture<fn(Rehearsal, &HttpRequest) -> Script> {
        Box::pin(std::future::ready(Ok(Rehearsal::answer_to as fn(Rehearsal, &HttpRequest) -> Script)))
    }

    fn data(&self) -> LazyFuture<BackupModule> {
        let part = BackupModule { device: crate::backup::in_memory::device, keep: BackupService::keep };
        Box::pin(std::future::ready(Ok(part)))
    }
}
