//! Never decides: each service asks by commands, as the operator does.
//!
//! Owns the services that work on runs, from the moment they are heard of to the one when they listen. None knows
//! another. They are a part of the program that may come after the start: what they are to hear waits for them.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;

use crate::domain::command::Partials;
use crate::domain::event::{Event, Topic};
use crate::domain::provider::REHEARSAL_URL;
use crate::domain::sorted::SortedSet;
use crate::engine::bus::Bus;
use crate::engine::caller::Caller;
use crate::engine::context::ContextBuilder;
use crate::engine::executor::Executor;
use crate::engine::handle::Handle;
use crate::engine::http::Routed;
use crate::engine::ledger::WorldRef;
use crate::engine::parts::Parts;
use crate::engine::port::{Clock, Http, Ports, Spawn, Store};
use crate::engine::rehearsal::Rehearsal;
use crate::engine::scheduler::Scheduler;
use crate::engine::start::Running;
use crate::engine::tools::Registry;

/// What a service hears.
type Events = UnboundedReceiver<Arc<Event>>;

/// The services before they listen, subscribed already.
pub struct Services {
    pub(super) bus: Rc<Bus>,
    pub(super) clock: Rc<dyn Clock>,
    world: WorldRef,
    handle: Handle,
    http: Rc<dyn Http>,
    store: Rc<dyn Store>,
    spawn: Rc<dyn Spawn>,
    parts: Rc<dyn Parts>,
    partials: Rc<RefCell<Partials>>,
    rehearsal: Rehearsal,
    steps: Events,
    contexts: Events,
    calls: Events,
    tools: Events,
}

impl Services {
    /// Subscribes them.
    pub(super) fn new(running: &Running, ports: &Ports, parts: Rc<dyn Parts>, rehearsal: Rehearsal) -> Self {
        let bus = Rc::clone(&running.bus);
        Self {
            steps: bus.subscribe(&[Topic::RunsNew, Topic::RunsState, Topic::TurnsClosed]),
            contexts: bus.subscribe(&[Topic::ContextRequest]),
            calls: bus.subscribe(&[Topic::LlmRequests, Topic::TurnsClosed]),
            tools: bus.subscribe(&[Topic::ToolsRequests, Topic::TurnsClosed]),
            bus,
            clock: Rc::clone(&ports.clock),
            world: Rc::clone(&running.world),
            handle: running.handle.clone(),
            http: Rc::clone(&ports.http),
            store: Rc::clone(&ports.store),
            spawn: Rc::clone(&ports.spawn),
            parts,
            partials: Rc::clone(&running.partials),
            rehearsal,
        }
    }

    /// Lets each listen.
    pub fn listen(self) {
        let Self { bus, clock, world, handle, http, store, spawn, parts, partials, rehearsal, .. } = self;
        let registry = Registry::default();
        spawn.spawn(Box::pin(fetch_ahead(Rc::clone(&world), Rc::clone(&parts))));

        let scheduler = Scheduler { world: Rc::clone(&world), handle: handle.clone() };
        spawn.spawn(Box::pin(scheduler.serve(self.steps)));

        let builder = ContextBuilder {
            world: Rc::clone(&world),
            handle: handle.clone(),
            clock: Rc::clone(&clock),
            registry: registry.clone(),
        };
        spawn.spawn(Box::pin(builder.serve(self.contexts)));

        let routed = Routed { outside: http, clock: Rc::clone(&clock), parts: Rc::clone(&parts), rehearsal };
        let caller = Caller {
            world: Rc::clone(&world),
            handle: handle.clone(),
            bus,
            http: Rc::new(routed),
            parts,
            store,
            clock: Rc::clone(&clock),
            spawn: Rc::clone(&spawn),
            partials,
        };
        spawn.spawn(Box::pin(caller.serve(self.calls)));

        let executor = Executor { world, handle, clock, registry };
        spawn.spawn(Box::pin(executor.serve(self.tools)));
    }
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
