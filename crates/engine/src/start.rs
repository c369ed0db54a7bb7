//! Starts the engine: loads what the screen needs first, then the code that changes the world ([`Services`]).
//!
//! First come agents, providers, settings, sessions, the handle and the bus. Commands sent before [`Services`] is loaded
//! wait for it.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::mpsc::unbounded;

use crate::bus::Bus;
use crate::client::{EngineClient, EngineContext, KeyRing};
use crate::demo::Rehearsal;
use crate::lazy::loader::ChunkLoader;
use crate::lazy::until_loaded;
use crate::port::{Batch, Ports, StoreError, Table};
use crate::services::{FlushOnExit, Services};
use crate::store::ledger::WorldRef;
use crate::store::loading::{LoadedRows, StoredRows};
use nexus_model::id::SessionId;
use nexus_model::mind::Mind;

/// A running engine, as the screen and the browser see it.
#[derive(Clone)]
pub struct RunningEngine {
    pub handle: EngineClient,
    pub world: WorldRef,
    /// Events and passing signals out.
    pub bus: Rc<Bus>,
    leaving: FlushOnExit,
}

impl RunningEngine {
    /// What is only in memory, as one write: drafts, and answers that are being written. The browser puts it down
    /// synchronously when the page goes away.
    pub fn unsaved(&self) -> Batch {
        self.leaving.get().map(|unsaved| unsaved()).unwrap_or_default()
    }
}

pub struct EngineConfig {
    pub ports: Ports,
    pub keys: KeyRing,
    /// The id of the device's first session, for a device that holds none.
    pub first_session: SessionId,
    pub first_mind: Mind,
    /// The parts of the engine that may come later.
    pub parts: Rc<dyn ChunkLoader>,
    pub rehearsal: Rehearsal,
    /// Whether nothing is to be done by itself.
    pub safe: bool,
}

impl EngineConfig {
    /// Starts the engine. It works until its handles are gone.
    pub async fn run(self) -> Result<RunningEngine, StoreError> {
        let Self { ports, keys, first_session, first_mind, parts, rehearsal, safe } = self;
        let stored = StoredRows::of(&*ports.store).await?;
        let loaded = match stored.is_empty() {
            true => LoadedRows::default(),
            false => until_loaded(&*ports.clock, || parts.rows()).await(stored),
        };
        if loaded.rows.sessions.is_empty() {
            // A store that takes nothing is better known before anything relies on it.
            let nothing = (Table::Drafts, "-".to_owned());
            ports.store.write(Batch { removes: vec![nothing], strict: true, ..Batch::default() }).await?;
        }
        let (inbox, inputs) = unbounded();
        let (desk_asks, asks) = unbounded();
        let running = RunningEngine {
            handle: EngineClient::new(inbox, desk_asks, keys),
            world: Rc::new(RefCell::new(loaded.rows)),
            bus: Rc::new(Bus::default()),
            leaving: FlushOnExit::default(),
        };
        let engine = EngineContext {
            ports: ports.clone(),
            parts: Rc::clone(&parts),
            handle: running.handle.clone(),
            world: Rc::clone(&running.world),
            bus: Rc::clone(&running.bus),
        };
        let work = Services {
            engine,
            leaving: Rc::clone(&running.leaving),
            inputs,
            asks,
            damaged: loaded.damaged,
            first_session,
            first_mind,
            rehearsal,
            safe,
        };
        ports.spawn.spawn(Box::pin(async move { until_loaded(&*ports.clock, || parts.work()).await(work) }));
        Ok(running)
    }
}
