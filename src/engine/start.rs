//! Never holds logic: it puts the parts of the engine together.
//!
//! Owns the start: load what the device holds, seed it where it holds nothing, let the services listen.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::mpsc::unbounded;

use crate::domain::command::Partials;
use crate::domain::decide::NewEvent;
use crate::domain::event::Happening;
use crate::domain::id::{SessionId, StreamId};
use crate::domain::limits::PART_RETRY_MS;
use crate::domain::live::Live;
use crate::domain::mind::Mind;
use crate::domain::roster::{first_agents, first_providers};
use crate::domain::sorted::SortedMap;
use crate::domain::world::World;
use crate::engine::bus::Bus;
use crate::engine::drafts::DraftDesk;
use crate::engine::handle::{Handle, KeyRing};
use crate::engine::intake::Intake;
use crate::engine::ledger::{Ledger, WorldRef};
use crate::engine::loading::Loader;
use crate::engine::partials;
use crate::engine::parts::{NotLoaded, Parts};
use crate::engine::port::{Batch, Ports, StoreError};
use crate::engine::rehearsal::Rehearsal;
use crate::engine::services::Services;

/// A running engine, as the screen and the browser see it.
#[derive(Clone)]
pub struct Running {
    /// Commands in.
    pub handle: Handle,
    /// The folded state, to be read.
    pub world: WorldRef,
    /// Events and passing signals out.
    pub bus: Rc<Bus>,
    desk: Rc<DraftDesk>,
    pub(super) partials: Rc<RefCell<Partials>>,
}

impl Running {
    /// What is only in memory, as one write: drafts, and answers that are being written. The browser puts it down
    /// synchronously when the page goes away.
    pub fn unsaved(&self) -> Batch {
        let mut batch = self.desk.all_rows();
        let partials = self.partials.borrow();
        batch.puts.extend(partials.iter().filter_map(|(message, parts)| partials::whole(*message, parts)));
        batch
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
}

impl Start {
    /// Starts the engine. It works until its handles are gone.
    pub async fn run(self) -> Result<Running, StoreError> {
        let Self { ports, keys, first_session, first_mind, parts, rehearsal } = self;
        let loader = Loader { store: Rc::clone(&ports.store) };
        let loaded = loader.app().await?;
        let world: WorldRef = Rc::new(RefCell::new(loaded.rows));
        let bus = Rc::new(Bus::default());
        let (inbox, inputs) = unbounded();
        let (inner, own) = unbounded();
        let handle = Handle::new(inbox, keys);
        let desk = Rc::new(DraftDesk::default());
        let partials = Rc::new(RefCell::new(Partials::new()));
        let ledger =
            Ledger::new(Rc::clone(&world), Rc::clone(&bus), Rc::clone(&ports.store), Rc::clone(&ports.clock));

        let running = Running {
            handle: handle.clone(),
            world: Rc::clone(&world),
            bus: Rc::clone(&bus),
            desk: Rc::clone(&desk),
            partials: Rc::clone(&partials),
        };
        let services = Services::new(&running, &ports, Rc::clone(&parts), rehearsal);
        ports.spawn.spawn(Box::pin(listen(parts, services)));

        seed(&ledger, &loaded.damaged).await?;
        let intake = Rc::new(Intake {
            ledger,
            ports: ports.clone(),
            loader,
            desk,
            partials,
            inner,
            locks: RefCell::new(SortedMap::new()),
            waiting_for_lock: RefCell::default(),
            unsaved: RefCell::default(),
        });
        ports.spawn.spawn(Box::pin(intake.run(inputs, own)));
        if world.borrow().sessions.is_empty() {
            let command = crate::domain::command::Command::CreateSession {
                session: first_session,
                label: "main".to_owned(),
                mind: first_mind,
            };
            handle.send(command).await.map_err(|rejection| StoreError::Lost(format!("{rejection:?}")))?;
        }
        Ok(running)
    }
}

/// Lets the services listen as soon as they have come. What happens until then waits for them.
async fn listen(parts: Rc<dyn Parts>, services: Services) {
    let (bus, clock) = (Rc::clone(&services.bus), Rc::clone(&services.clock));
    let mut is_missed = false;
    loop {
        match parts.services().await {
            Ok(listen) => {
                if is_missed {
                    bus.show(&Live::PartCame);
                }
                return listen(services);
            }
            Err(NotLoaded) => {
                is_missed = true;
                bus.show(&Live::PartMissing);
                clock.sleep(PART_RETRY_MS).await;
            }
        }
    }
}

/// Gives a fresh device its agents and providers, and tells what could not be read.
async fn seed(ledger: &Ledger, damaged: &[String]) -> Result<(), StoreError> {
    let mut events = Vec::new();
    let mut note = |what| events.push(NewEvent { stream: StreamId::App, run: None, turn: None, what });
    {
        let world: std::cell::Ref<'_, World> = ledger.world.borrow();
        if world.providers.is_empty() {
            first_providers().into_iter().for_each(|provider| note(Happening::ProviderChanged { provider }));
        }
        if world.agents.is_empty() {
            first_agents().into_iter().for_each(|agent| note(Happening::AgentChanged { agent }));
        }
    }
    if !damaged.is_empty() {
        let text = format!("{} stored records could not be read: {}", damaged.len(), damaged.join("; "));
        note(Happening::Notice { text });
    }
    ledger.append(events).await
}
