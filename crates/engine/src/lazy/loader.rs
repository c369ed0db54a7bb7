//! Port for the parts of the engine that are loaded lazily: what reads stored rows, the command loop with its services,
//! and what comes with calls of models.
//!
//! Native builds contain all of it from the start ([`BuiltInEngine`], and [`BuiltInChunks`] without the services). One
//! vtable or function pointer that `main.rs` reaches is enough to pull code into the first file of the page: never name
//! these two, a function of `tools` or `codec::of` there.

use std::future::ready;
use std::rc::Rc;

use crate::backup::{BackupModule, BackupService};
use crate::calls::CallServices;
use crate::calls::context::{MeasureFn, measure};
use crate::calls::http::{HttpFuture, send};
use crate::checks::{self, RunChecks};
use crate::client::EngineContext;
use crate::command_loop::lazy_commands::LazyCommands;
use crate::demo::Rehearsal;
use crate::jobs::JobService;
use crate::keys::ModelQuery;
use crate::keys::models::ModelsFuture;
use crate::keys::service::KeyService;
use crate::lazy::{ChunkLoadError, CodecLoader, LazyFuture};
use crate::port::checks::InMemoryCheckRunner;
use crate::port::terminal::Terminals;
use crate::port::{Http, ProviderPorts};
use crate::services::Services;
use crate::store::loading::{LoadedRows, StoredRows};
use crate::triggers::TriggerService;
use crate::verifier::VerifierService;
use nexus_model::provider::Protocol;
use nexus_providers::codec::Codec;
use nexus_providers::http::HttpRequest;

/// Starts the services, with the vault that only they need.
pub type BeginServices = Box<dyn FnOnce(Services)>;

/// Reads the rows that the engine starts with.
pub type ReadRows = fn(StoredRows) -> LoadedRows;

/// What the engine does not need before a model is asked, a trigger is there or a rare command comes. All of it is loaded
/// at once: it shares most of its code.
#[derive(Clone)]
pub struct LateEngine {
    pub(crate) calls: fn(CallServices),
    pub(crate) jobs: fn(JobService),
    pub(crate) triggers: fn(TriggerService),
    pub(crate) verifier: fn(VerifierService),
    pub(crate) models: fn(KeyService, ModelQuery) -> ModelsFuture,
    pub(crate) measure: MeasureFn,
    pub(crate) commands: LazyCommands,
    pub(crate) send: fn(Rc<dyn Http>, EngineContext, Rehearsal, HttpRequest) -> HttpFuture,
    pub(crate) http: Rc<dyn Http>,
}

impl LateEngine {
    /// All of it, with this way outside. Naming this brings all of it along.
    pub fn over(http: Rc<dyn Http>) -> Self {
        Self {
            calls: CallServices::begin,
            jobs: JobService::begin,
            triggers: TriggerService::begin,
            verifier: VerifierService::begin,
            models: KeyService::list,
            measure,
            commands: LazyCommands::built_in(),
            send,
            http,
        }
    }
}

/// Gets the parts of the engine. What has come once is there at once.
pub trait ChunkLoader: CodecLoader {
    /// Only a device that holds something needs it.
    fn rows(&self) -> LazyFuture<ReadRows>;
    fn work(&self) -> LazyFuture<BeginServices>;
    fn late(&self) -> LazyFuture<LateEngine>;
}

/// All parts in one program, as tests and tools have them. Naming this puts every part into the first load of a page.
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

impl BuiltInChunks {
    pub fn data(&self) -> LazyFuture<BackupModule> {
        let part = BackupModule { device: crate::backup::in_memory::device, keep: BackupService::keep };
        Box::pin(ready(Ok(part)))
    }
}

/// The engine in one program, with its codecs, on these ports.
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

    fn work(&self) -> LazyFuture<BeginServices> {
        let vault = Rc::clone(&self.0.vault);
        let begin: BeginServices = Box::new(move |services| services.begin(vault));
        Box::pin(ready(Ok(begin)))
    }

    fn late(&self) -> LazyFuture<LateEngine> {
        Box::pin(ready(Ok(LateEngine::over(Rc::clone(&self.0.http)))))
    }
}
