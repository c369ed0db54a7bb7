//! Never holds logic: it puts the parts of the engine together.
//!
//! Owns the part of the engine that changes things: the loop that hears the handle, and the services on the bus, none of
//! which knows another. The page loads it when its screen already stands.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_channel::mpsc::{UnboundedReceiver, unbounded};
use futures_util::StreamExt as _;

use crate::domain::command::{Command, Partials};
use crate::domain::decide::NewEvent;
use crate::domain::event::{Happening, Topic};
use crate::domain::id::{SessionId, StreamId};
use crate::domain::live::Live;
use crate::domain::mind::Mind;
use crate::domain::provider::REHEARSAL_URL;
use crate::domain::roster::{first_agents, first_providers};
use crate::domain::sorted::{SortedMap, SortedSet};
use crate::engine::archivist::Archivist;
use crate::engine::bus::Bus;
use crate::engine::caller::Caller;
use crate::engine::context::{ContextBuilder, load_context, measure};
use crate::engine::core::Core;
use crate::engine::drafts::DraftDesk;
use crate::engine::executor::Executor;
use crate::engine::handle::{Handle, Input};
use crate::engine::http::Routed;
use crate::engine::intake::Intake;
use crate::engine::key_desk::{Ask, KeyDesk};
use crate::engine::late;
use crate::engine::ledger::{Ledger, WorldRef};
use crate::engine::limiter::Limiter;
use crate::engine::loading::{Loader, is_damaged, told};
use crate::engine::partials;
use crate::engine::parts::Parts;
use crate::engine::port::{Batch, Http, Ports, StoreError, Table};
use crate::engine::raw::Keeper;
use crate::engine::rehearsal::Rehearsal;
use crate::engine::scheduler::Scheduler;
use crate::engine::start::Leaving;
use crate::engine::tools::Registry;
use crate::engine::tools::read_preview_console::ReadPreviewConsole;
use crate::engine::triggers::Triggers;

/// What the work begins with.
pub struct Work {
    pub(super) ports: Ports,
    pub(super) parts: Rc<dyn Parts>,
    pub(super) handle: Handle,
    pub(super) world: WorldRef,
    pub(super) bus: Rc<Bus>,
    pub(super) leaving: Leaving,
    pub(super) inputs: UnboundedReceiver<Input>,
    pub(super) asks: UnboundedReceiver<Ask>,
    pub(super) damaged: Vec<String>,
    pub(super) first_session: SessionId,
    pub(super) first_mind: Mind,
    pub(super) rehearsal: Rehearsal,
    pub(super) safe: bool,
}

impl Work {
    /// Begins. It ends when nobody holds the handle any more.
    pub fn begin(self) {
        let spawn = Rc::clone(&self.ports.spawn);
        spawn.spawn(Box::pin(self.run()));
    }

    async fn run(self) {
        let partials = Rc::new(RefCell::new(Partials::new()));
        let http: Rc<dyn Http> = Rc::new(self.routed());
        self.listen(&partials, Rc::clone(&http));
        let desk = self.key_desk(http);
        let Self {
            ports,
            parts,
            world,
            bus,
            leaving,
            inputs,
            asks,
            mut damaged,
            first_session,
            first_mind,
            ..
        } = self;
        if let Err(error) = desk.restore().await {
            damaged.push(format!("kept keys: {error:?}"));
        }
        // The screen may stand already.
        bus.show(&Live::KeysChanged);
        ports.spawn.spawn(Box::pin(desk.serve(asks, bus.subscribe(&[Topic::AppChanged]))));
        let ledger =
            Ledger::new(Rc::clone(&world), Rc::clone(&bus), Rc::clone(&ports.store), Rc::clone(&ports.clock));
        if let Err(error) = seed(&ledger, &damaged).await {
            bus.show(&Live::StoreFailed { reason: format!("{error:?}") });
        }
        ports.spawn.spawn(Box::pin(fetch_ahead(Rc::clone(&world), parts)));
        let drafts = Rc::new(DraftDesk::default());
        let unsaved = unsaved(Rc::clone(&drafts), Rc::clone(&partials));
        // The work begins once in the life of an engine, so the place is free.
        drop(leaving.set(Box::new(unsaved)));
        let (inner, own) = unbounded();
        let loader = Loader { store: Rc::clone(&ports.store) };
        let intake = Rc::new(Intake {
            ledger,
            ports,
            loader,
            desk: drafts,
            partials,
            inner,
            locks: RefCell::new(SortedMap::new()),
            waiting_for_lock: RefCell::default(),
            unsaved: RefCell::default(),
            forks: RefCell::default(),
            told: RefCell::new(damaged.iter().cloned().collect()),
        });
        if world.borrow().sessions.is_empty() {
            let label = "main".to_owned();
            let mut session = first_session;
            if is_damaged(&damaged, Table::Sessions) {
                // The row of the first one may be there, and cannot be read: another one begins beside it.
                session = SessionId::new(&mut *intake.ports.ids.borrow_mut());
                intake.forks.borrow_mut().insert(first_session, session);
            }
            let command = Command::CreateSession { session, label, mind: first_mind };
            // A store that fails has shown that by itself.
            drop(intake.execute(&command).await);
        }
        intake.run(inputs, own).await;
    }

    /// The way outside, and to Rehearsal.
    fn routed(&self) -> Routed {
        Routed {
            outside: Rc::clone(&self.ports.http),
            clock: Rc::clone(&self.ports.clock),
            parts: Rc::clone(&self.parts),
            rehearsal: self.rehearsal,
        }
    }

    /// The service for keys and lists of models.
    fn key_desk(&self, http: Rc<dyn Http>) -> KeyDesk {
        KeyDesk {
            world: Rc::clone(&self.world),
            handle: self.handle.clone(),
            bus: Rc::clone(&self.bus),
            http,
            parts: Rc::clone(&self.parts),
            vault: Rc::clone(&self.ports.vault),
            clock: Rc::clone(&self.ports.clock),
            spawn: Rc::clone(&self.ports.spawn),
        }
    }

    /// Lets each service listen to its topics. None knows another.
    fn listen(&self, partials: &Rc<RefCell<Partials>>, http: Rc<dyn Http>) {
        let Self { ports, parts, handle, world, bus, .. } = self;
        let (clock, spawn, registry) = (&ports.clock, &ports.spawn, Registry::default());
        let registry = registry.with(Rc::new(ReadPreviewConsole(handle.previews.clone())));

        let scheduler =
            Scheduler { world: Rc::clone(world), handle: handle.clone(), registry: registry.clone() };
        let topics = [Topic::RunsNew, Topic::RunsState, Topic::TurnsClosed, Topic::ArchivistResults];
        spawn.spawn(Box::pin(scheduler.serve(bus.subscribe(&topics))));

        let builder = ContextBuilder {
            world: Rc::clone(world),
            handle: handle.clone(),
            clock: Rc::clone(clock),
            registry: registry.clone(),
        };
        spawn.spawn(Box::pin(builder.serve(bus.subscribe(&[Topic::ContextRequest]))));

        let keeper = Rc::new(Keeper {
            world: Rc::clone(world),
            store: Rc::clone(&ports.store),
            clock: Rc::clone(clock),
            spawn: Rc::clone(spawn),
            since_look: Cell::default(),
        });
        spawn.spawn(Box::pin(Rc::clone(&keeper).serve(bus.subscribe(&[Topic::AppChanged]))));

        let caller = Caller {
            world: Rc::clone(world),
            handle: handle.clone(),
            bus: Rc::clone(bus),
            http,
            parts: Rc::clone(parts),
            store: Rc::clone(&ports.store),
            clock: Rc::clone(clock),
            spawn: Rc::clone(spawn),
            limiter: Limiter::new(Rc::clone(clock)),
            partials: Rc::clone(partials),
            keeper,
        };
        let ask: Rc<dyn crate::engine::aside::Ask> = Rc::new(caller.clone());
        let topics = [
            Topic::ArchivistRequests,
            Topic::ArchivistResults,
            Topic::RunsNew,
            Topic::RunsState,
            Topic::TurnsClosed,
            Topic::AppChanged,
        ];
        let tools = registry.clone();
        let archivist = Archivist {
            world: Rc::clone(world),
            handle: handle.clone(),
            clock: Rc::clone(clock),
            spawn: Rc::clone(spawn),
            ask: Rc::clone(&ask),
            measure: Rc::new(move |world, session, agent| measure(world, session, agent, &tools)),
            load: {
                let (world, handle) = (Rc::clone(world), handle.clone());
                Rc::new(move |head, most| {
                    let (world, handle) = (Rc::clone(&world), handle.clone());
                    Box::pin(async move { load_context(&world, &handle, head, (most, None)).await })
                })
            },
            events: Box::pin(bus.subscribe(&topics).peekable()),
        };
        let later = Rc::clone(parts);
        spawn.spawn(Box::pin(late::wait_for(archivist, move || later.archivist())));
        spawn.spawn(Box::pin(caller.serve(bus.subscribe(&[Topic::LlmRequests, Topic::TurnsClosed]))));

        let topics = [
            Topic::CoreRequests,
            Topic::CoreResults,
            Topic::MindChanged,
            Topic::RunsState,
            Topic::AppChanged,
        ];
        let core = Core {
            world: Rc::clone(world),
            handle: handle.clone(),
            bus: Rc::clone(bus),
            clock: Rc::clone(clock),
            spawn: Rc::clone(spawn),
            ask,
            store: Rc::clone(&ports.store),
            events: Box::pin(bus.subscribe(&topics).peekable()),
            live: bus.watch(),
        };
        let later = Rc::clone(parts);
        spawn.spawn(Box::pin(late::wait_for(core, move || later.core())));

        let topics = [Topic::AppChanged, Topic::MindChanged, Topic::RunsState, Topic::ToolsResults];
        let triggers = Triggers {
            world: Rc::clone(world),
            handle: handle.clone(),
            clock: Rc::clone(clock),
            locks: Rc::clone(&ports.locks),
        };
        let (events, live) = (bus.subscribe(&topics), bus.watch());
        // In safe mode nothing is done by itself.
        if !self.safe {
            spawn.spawn(Box::pin(triggers.serve(events, live)));
        }

        let executor =
            Executor { world: Rc::clone(world), handle: handle.clone(), clock: Rc::clone(clock), registry };
        spawn.spawn(Box::pin(executor.serve(bus.subscribe(&[Topic::ToolsRequests, Topic::TurnsClosed]))));
    }
}

/// Drafts, and answers that are being written, as one write.
fn unsaved(desk: Rc<DraftDesk>, partials: Rc<RefCell<Partials>>) -> impl Fn() -> Batch {
    move || {
        let mut batch = desk.all_rows();
        let partials = partials.borrow();
        batch.puts.extend(partials.iter().filter_map(|(message, parts)| partials::whole(*message, parts)));
        batch
    }
}

/// Gives a fresh device its agents and providers, and tells what could not be read.
async fn seed(ledger: &Ledger, damaged: &[String]) -> Result<(), StoreError> {
    let mut events = Vec::new();
    let mut note = |what| events.push(NewEvent { stream: StreamId::App, run: None, turn: None, what });
    {
        let world = ledger.world.borrow();
        // What could not be read is not written over.
        if world.providers.is_empty() && !is_damaged(damaged, Table::Providers) {
            first_providers().into_iter().for_each(|provider| note(Happening::ProviderChanged { provider }));
        }
        if world.agents.is_empty() && !is_damaged(damaged, Table::Agents) {
            first_agents().into_iter().for_each(|agent| note(Happening::AgentChanged { agent }));
        }
    }
    if !damaged.is_empty() {
        note(Happening::Notice { text: told(damaged) });
    }
    ledger.append(events).await
}

/// Gets what the agents' first calls will need. What does not come now is asked for again by the call.
async fn fetch_ahead(world: WorldRef, parts: Rc<dyn Parts>) {
    let providers: Vec<_> = {
        let world = world.borrow();
        let used: SortedSet<_> =
            world.roster().into_iter().map(|agent| agent.config.provider.clone()).collect();
        used.iter().filter_map(|id| world.live_provider(id)).cloned().collect()
    };
    for provider in providers {
        let is_rehearsal = provider.base_url.starts_with(REHEARSAL_URL);
        if parts.codec(provider.protocol).await.is_err() || is_rehearsal && parts.rehearsal().await.is_err() {
            return;
        }
    }
}
