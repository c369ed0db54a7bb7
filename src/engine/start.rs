//! Never holds logic: it puts the parts of the engine together.
//!
//! Owns the start: load what the device holds, seed it where it holds nothing, let the services listen.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::mpsc::unbounded;

use crate::domain::command::Partials;
use crate::domain::decide::NewEvent;
use crate::domain::event::{Happening, Topic};
use crate::domain::id::{SessionId, StreamId};
use crate::domain::mind::Mind;
use crate::domain::roster::{first_agents, first_providers};
use crate::domain::sorted::SortedMap;
use crate::domain::world::World;
use crate::engine::bus::Bus;
use crate::engine::caller::Caller;
use crate::engine::context::ContextBuilder;
use crate::engine::drafts::DraftDesk;
use crate::engine::executor::Executor;
use crate::engine::handle::{Handle, KeyRing};
use crate::engine::http::Routed;
use crate::engine::intake::Intake;
use crate::engine::key_desk::KeyDesk;
use crate::engine::ledger::{Ledger, WorldRef};
use crate::engine::limiter::Limiter;
use crate::engine::loading::Loader;
use crate::engine::partials;
use crate::engine::port::{Batch, Http, Ports, StoreError};
use crate::engine::rehearsal::Rehearsal;
use crate::engine::scheduler::Scheduler;
use crate::engine::tools::Registry;

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
    partials: Rc<RefCell<Partials>>,
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
    /// The tools on offer.
    pub tools: Registry,
    /// The stand-in model.
    pub rehearsal: Rehearsal,
}

impl Start {
    /// Starts the engine. It works until its handles are gone.
    pub async fn run(self) -> Result<Running, StoreError> {
        let Self { ports, keys, first_session, first_mind, tools, rehearsal } = self;
        let loader = Loader { store: Rc::clone(&ports.store) };
        let loaded = loader.app().await?;
        let world: WorldRef = Rc::new(RefCell::new(loaded.rows));
        let bus = Rc::new(Bus::default());
        let (inbox, inputs) = unbounded();
        let (inner, own) = unbounded();
        let (desk_asks, asks) = unbounded();
        let handle = Handle::new(inbox, desk_asks, keys);
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
        let outside = Rc::clone(&ports.http);
        let http: Rc<dyn Http> = Rc::new(Routed { outside, clock: Rc::clone(&ports.clock), rehearsal });
        listen(&running, &ports, Rc::clone(&http), tools);
        let mut damaged = loaded.damaged;
        let key_desk = key_desk(&running, &ports, http);
        if let Err(error) = key_desk.restore().await {
            damaged.push(format!("kept keys: {error:?}"));
        }
        let changes = bus.subscribe(&[Topic::AppChanged]);
        ports.spawn.spawn(Box::pin(key_desk.serve(asks, changes)));

        seed(&ledger, &damaged).await?;
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

/// Lets each service listen to its topics. None knows another.
fn listen(running: &Running, ports: &Ports, http: Rc<dyn Http>, tools: Registry) {
    let bus = &running.bus;
    let scheduler = Scheduler { world: Rc::clone(&running.world), handle: running.handle.clone() };
    let topics = [Topic::RunsNew, Topic::RunsState, Topic::TurnsClosed];
    ports.spawn.spawn(Box::pin(scheduler.serve(bus.subscribe(&topics))));

    let builder = ContextBuilder {
        world: Rc::clone(&running.world),
        handle: running.handle.clone(),
        clock: Rc::clone(&ports.clock),
        registry: tools.clone(),
    };
    ports.spawn.spawn(Box::pin(builder.serve(bus.subscribe(&[Topic::ContextRequest]))));

    let caller = Caller {
        world: Rc::clone(&running.world),
        handle: running.handle.clone(),
        bus: Rc::clone(bus),
        http,
        store: Rc::clone(&ports.store),
        clock: Rc::clone(&ports.clock),
        spawn: Rc::clone(&ports.spawn),
        limiter: Limiter::new(Rc::clone(&ports.clock)),
        partials: Rc::clone(&running.partials),
    };
    ports.spawn.spawn(Box::pin(caller.serve(bus.subscribe(&[Topic::LlmRequests, Topic::TurnsClosed]))));

    let executor = Executor {
        world: Rc::clone(&running.world),
        handle: running.handle.clone(),
        clock: Rc::clone(&ports.clock),
        registry: tools,
    };
    ports.spawn.spawn(Box::pin(executor.serve(bus.subscribe(&[Topic::ToolsRequests, Topic::TurnsClosed]))));
}

/// The service for keys and lists of models.
fn key_desk(running: &Running, ports: &Ports, http: Rc<dyn Http>) -> KeyDesk {
    KeyDesk {
        world: Rc::clone(&running.world),
        handle: running.handle.clone(),
        bus: Rc::clone(&running.bus),
        http,
        vault: Rc::clone(&ports.vault),
        clock: Rc::clone(&ports.clock),
        spawn: Rc::clone(&ports.spawn),
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
