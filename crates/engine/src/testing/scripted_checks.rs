//! The parts of the engine with a sandbox that answers by a script.

use std::cell::RefCell;
use std::rc::Rc;

use crate::backup::BackupModule;
use crate::checks::{self, RunChecks};
use crate::demo::{Rehearsal, Script};
use crate::jobs::JobService;
use crate::lazy::loader::{BuiltInChunks, ChunkLoader};
use crate::lazy::{CodecLoader, LazyFuture};
use crate::port::checks::{CheckScript, InMemoryCheckRunner};
use crate::services::Services;
use nexus_model::provider::Protocol;
use nexus_providers::codec::Codec;
use nexus_providers::http::HttpRequest;

/// All parts in one program, and what their sandbox is to answer; without a script it is absent.
#[derive(Clone, Default)]
pub struct ScriptedChecks(pub Rc<RefCell<Option<CheckScript>>>);

impl CodecLoader for ScriptedChecks {
    fn codec(&self, protocol: Protocol) -> LazyFuture<&'static Codec> {
        BuiltInChunks.codec(protocol)
    }

    fn rehearsal(&self) -> LazyFuture<fn(Rehearsal, &HttpRequest) -> Script> {
        BuiltInChunks.rehearsal()
    }

    fn checks(&self) -> LazyFuture<RunChecks> {
        let runner = InMemoryCheckRunner(self.0.borrow().clone());
        Box::pin(std::future::ready(Ok(checks::by(Rc::new(runner)))))
    }
}

impl ChunkLoader for ScriptedChecks {
    fn work(&self) -> LazyFuture<fn(Services)> {
        BuiltInChunks.work()
    }

    fn jobs(&self) -> LazyFuture<fn(JobService)> {
        BuiltInChunks.jobs()
    }

    fn data(&self) -> LazyFuture<BackupModule> {
        BuiltInChunks.data()
    }
}
