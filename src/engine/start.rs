//! Never changes anything: what changes the world is [`Work`], a part of the program that may come later.
//!
//! Owns the start: what a screen needs before anything happens (the device's agents, providers, settings and sessions; a
//! handle, the bus), and getting the work that hears the handle. What is sent before that has come waits for it.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use futures_channel::mpsc::unbounded;

use crate::domain::id::SessionId;
use crate::domain::limits::PART_RETRY_MS;
use crate::domain::live::Live;
use crate::domain::mind::Mind;
use crate::engine::bus::Bus;
use crate::engine::handle::{Handle, KeyRing};
use crate::engine::ledger::WorldRef;
use crate::engine::loading::Loader;
use crate::engine::parts::{NotLoaded, Parts};
use crate::engine::port::{Batch, Ports, StoreError, Table};
use crate::engine::rehearsal::Rehearsal;
use crate::engine::work::Work;

/// Gives what is only in memory, once there is something that could be.
pub(super) type Leaving = Rc<OnceCell<Box<dyn Fn() -> Batch>>>;

/// A running engine, as the screen and the browser see it.
#[derive(Clone)]
pub struct Running {
    /// Commands in.
    pub handle: Handle,
    /// The folded state, to be read.
    pub world: WorldRef,
    /// Events and passing signals out.
    pub bus: Rc<Bus>,
    leaving: Leaving,
}

impl Running {
    /// What is only in memory, as one write: drafts, and answers that are being written. The browser puts it down
    /// synchronously when the page goes away.
    pub fn unsaved(&self) -> Batch {
        self.leaving.get().map(|unsaved| unsaved()).unwrap_or_default()
    }
}

/// What an engine starts with.
pub struct Start {
    /// The world outside.
    pub ports: Ports,
    /// The keys of this tab.
    pub keys: KeyRing,
    /// The id of the device's first session, for a device that holds none.
    pub first_session: SessionId,
    /// The mind that this session starts with.
    pub first_mind: Mind,
    /// The parts of the engine that may come later.
    pub parts: Rc<dyn Parts>,
    /// The stand-in model.
    pub rehearsal: Rehearsal,
    /// Whether nothing is to be done by itself.
    pub safe: bool,
}

impl Start {
    /// Starts the engine. It works until its handles are gone.
    pub async fn run(self) -> Result<Running, StoreError> {
        let Self { ports, keys, first_session, first_mind, parts, rehearsal, safe } = self;
        let loaded = Loader { store: Rc::clone(&ports.store) }.app().await?;
        if loaded.rows.sessions.is_empty() {
            // A store that takes nothing is better known before anything relies on it.
            let nothing = (Table::Drafts, "-".to_owned());
            ports.store.write(Batch { removes: vec![nothing], strict: true, ..Batch::default() }).await?;
        }
        let (inbox, inputs) = unbounded();
        let (desk_asks, asks) = unbounded();
        let running = Running {
            handle: Handle::new(inbox, desk_asks, keys),
            world: Rc::new(RefCell::new(loaded.rows)),
            bus: Rc::new(Bus::default()),
            leaving: Leaving::default(),
        };
        let work = Work {
            ports: ports.clone(),
            parts: Rc::clone(&parts),
            handle: running.handle.clone(),
            world: Rc::clone(&running.world),
            bus: Rc::clone(&running.bus),
            leaving: Rc::clone(&running.leaving),
            inputs,
            asks,
            damaged: loaded.damaged,
            first_session,
            first_mind,
            rehearsal,
            safe,
        };
        ports.spawn.spawn(Box::pin(begin(parts, work)));
        Ok(running)
    }
}

/// Lets the work begin as soon as it has come.
async fn begin(parts: Rc<dyn Parts>, work: Work) {
    let (bus, clock) = (Rc::clone(&work.bus), Rc::clone(&work.ports.clock));
    let mut is_missed = false;
    loop {
        match parts.work().await {
            Ok(begin) => {
                if is_missed {
                    bus.show(&Live::PartCame);
                }
                return begin(work);
            }
            Err(NotLoaded) => {
                is_missed = true;
                bus.show(&Live::PartMissing);
                clock.sleep(PART_RETRY_MS).await;
            }
        }
    }
}
