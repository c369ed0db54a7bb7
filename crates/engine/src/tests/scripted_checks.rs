//! The engine's chunks with a scripted sandbox and with terminals.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::checks;
use crate::checks::RunChecks;
use crate::lazy::loader::{BeginServices, BuiltInEngine, ChunkLoader, ReadRows};
use crate::lazy::{ChunkLoadError, CodecLoader, LazyFuture};
use crate::port::lazy::{CheckScript, InMemoryCheckRunner, Terminals};
use crate::services::LazyEngine;
use nexus_model::provider::Protocol;
use nexus_providers::codec::Codec;

/// All chunks with a scripted sandbox and terminals, each absent if `None`; then the rest of the engine, and whether
/// lazy chunks fail to load.
#[derive(Clone)]
pub struct ScriptedChecks(
    pub Rc<RefCell<Option<CheckScript>>>,
    pub Rc<RefCell<Option<Rc<dyn Terminals>>>>,
    pub BuiltInEngine,
    pub Rc<Cell<bool>>,
);

impl ScriptedChecks {
    fn unless_failing<T: 'static>(&self, chunk: LazyFuture<T>) -> LazyFuture<T> {
        if self.3.get() { Box::pin(std::future::ready(Err(ChunkLoadError))) } else { chunk }
    }
}

impl CodecLoader for ScriptedChecks {
    fn codec(&self, protocol: Protocol) -> LazyFuture<&'static Codec> {
        self.2.codec(protocol)
    }

    fn checks(&self) -> LazyFuture<RunChecks> {
        let runner = InMemoryCheckRunner(self.0.borrow().clone());
        Box::pin(std::future::ready(Ok(checks::by(Rc::new(runner)))))
    }

    fn terminals(&self) -> LazyFuture<Rc<dyn Terminals>> {
        Box::pin(std::future::ready(self.1.borrow().clone().ok_or(ChunkLoadError)))
    }
}

impl ChunkLoader for ScriptedChecks {
    fn rows(&self) -> LazyFuture<ReadRows> {
        self.2.rows()
    }

    fn services(&self) -> LazyFuture<BeginServices> {
        self.2.services()
    }

    fn lazy_engine(&self) -> LazyFuture<LazyEngine> {
        self.unless_failing(self.2.lazy_engine())
    }
}
