//! Starts the engine: loads what the first screen needs, then the code that changes the world ([`Services`]).
//!
//! First come agents, providers, settings, sessions, the client and the bus. Commands sent before [`Services`] is
//! loaded are queued.

use crate::bus::Bus;
use crate::client::{EngineClient, EngineContext, KeyRing};
use crate::demo::Demo;
use crate::lazy::loader::ChunkLoader;
use crate::lazy::until_loaded;
use crate::prelude::*;
use crate::services::{FlushOnExit, Services};
use crate::store::ledger::WorldRef;
use crate::store::loading::{LoadedRows, StoredRows};
use futures_channel::mpsc::unbounded;

/// A running engine, as the interface and the browser adapters see it.
#[derive(Clone)]
pub struct RunningEngine {
    pub handle: EngineClient,
    pub world: WorldRef,
    pub bus: Rc<Bus>,
    flush_on_exit: FlushOnExit,
}

impl RunningEngine {
    /// What is only in memory, as one write: drafts and partial answers. The browser adapter writes it synchronously
    /// when the page closes.
    pub fn unsaved(&self) -> Batch {
        self.flush_on_exit.get().map(|unsaved| unsaved()).unwrap_or_default()
    }
}

pub struct EngineConfig {
    pub ports: Ports,
    pub keys: KeyRing,
    pub first_session: SessionId,
    pub first_mind: Mind,
    pub parts: Rc<dyn ChunkLoader>,
    pub demo: Demo,
    pub is_safe_mode: bool,
}

impl EngineConfig {
    /// Starts the engine. It runs until its clients are dropped.
    pub async fn run(self) -> StoreResult<RunningEngine> {
        let Self { ports, keys, first_session, first_mind, parts, demo, is_safe_mode } = self;
        let stored = StoredRows::of(&*ports.store).await?;
        let loaded = match stored.is_empty() {
            true => LoadedRows::default(),
            false => until_loaded(&*ports.clock, || parts.rows()).await(stored),
        };
        if loaded.rows.sessions.is_empty() {
            // Tests that the store accepts writes before anything relies on it.
            let nothing = (Table::Drafts, "-".to_owned());
            ports.store.write(Batch { removes: vec![nothing], strict: true, ..Batch::default() }).await?;
        }
        let (inbox, inputs) = unbounded();
        let (keys_tx, key_requests) = unbounded();
        let running = RunningEngine {
            handle: EngineClient::new(inbox, keys_tx, keys),
            world: Rc::new(RefCell::new(loaded.rows)),
            bus: Rc::new(Bus::default()),
            flush_on_exit: FlushOnExit::default(),
        };
        let engine = EngineContext {
            ports: ports.clone(),
            parts: Rc::<dyn ChunkLoader>::clone(&parts),
            handle: running.handle.clone(),
            world: Rc::clone(&running.world),
            bus: Rc::clone(&running.bus),
        };
        let late = Rc::clone(&parts);
        let work = Services {
            engine,
            lazy_engine: Rc::new(move || late.lazy_engine()),
            flush_on_exit: Rc::clone(&running.flush_on_exit),
            inputs,
            key_requests,
            damaged: loaded.damaged,
            first_session,
            first_mind,
            demo,
            is_safe_mode,
        };
        ports
            .spawn
            .spawn(Box::pin(async move { until_loaded(&*ports.clock, || parts.services()).await(work) }));
        Ok(running)
    }
}
