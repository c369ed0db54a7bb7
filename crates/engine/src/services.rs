//! Starts the command loop and the services on the bus. Loaded after the screen is shown.
//!
//! Holds no logic: no service knows another.

use crate::calls::context::{MeasureFn, load_context, measure};
use crate::calls::model_client::ModelClient;
use crate::calls::retry::CallLimiter;
use crate::calls::{CallServices, LazyHttp, SendRequest, send};
use crate::client::{EngineContext, EngineInput};
use crate::command_loop::CommandLoop;
use crate::command_loop::lazy_commands::LazyCommands;
use crate::demo::Demo;
use crate::jobs::JobService;
use crate::keys::KeyRequest;
use crate::keys::service::{KeyService, ListModels};
use crate::lazy::{CodecLoader, LazyService, Load, wait_for};
use crate::port::KeyVault;
use crate::prelude::*;
use crate::scheduler::Scheduler;
use crate::store::ledger::{Ledger, WorldRef};
use crate::store::loading::{damaged_notice, is_damaged};
use crate::store::partials;
use crate::store::partials::DraftStore;
use crate::store::raw_responses::RawResponseStore;
use crate::triggers::TriggerService;
use crate::verifier::VerifierService;
use futures_channel::mpsc::unbounded;
use futures_util::TryFutureExt as _;
use nexus_model::agent::defaults::{first_agents, first_providers};
use nexus_model::command::PartialMessages;
use nexus_model::context::window;
use nexus_model::decide::NewEvent;
use nexus_model::event::Topic;
use nexus_model::limits::{LOAD_AHEAD_MS, LOAD_AHEAD_TURNS};
use nexus_model::settings::schema::FIRST_START_DONE;
use std::cell::OnceCell;

/// The engine's code that loads with the first model call. One chunk, since its services share most of their code.
#[derive(Clone)]
pub struct LazyEngine {
    pub(crate) calls: fn(CallServices),
    pub(crate) jobs: fn(JobService),
    pub(crate) triggers: fn(TriggerService),
    pub(crate) verifier: fn(VerifierService),
    pub(crate) models: ListModels,
    pub(crate) measure: MeasureFn,
    pub(crate) commands: LazyCommands,
    pub(crate) send: SendRequest,
}

impl LazyEngine {
    /// All of its functions; the caller's chunk contains them.
    pub fn with_http(http: Rc<dyn Http>) -> Self {
        Self {
            calls: CallServices::begin,
            jobs: JobService::begin,
            triggers: TriggerService::begin,
            verifier: VerifierService::begin,
            models: KeyService::list,
            measure,
            commands: LazyCommands::built_in(),
            send: Rc::new(move |engine, demo, request| send(&*http, engine, demo, request)),
        }
    }
}

/// Returns what is only in memory; set once something can be.
pub(super) type FlushOnExit = Rc<OnceCell<Box<dyn Fn() -> Batch>>>;

pub struct Services {
    pub(super) engine: EngineContext,
    pub(super) lazy_engine: Load<LazyEngine>,
    pub(super) flush_on_exit: FlushOnExit,
    pub(super) inputs: UnboundedReceiver<EngineInput>,
    pub(super) key_requests: UnboundedReceiver<KeyRequest>,
    pub(super) damaged: Vec<String>,
    pub(super) first_session: SessionId,
    pub(super) first_mind: Mind,
    pub(super) demo: Demo,
    pub(super) is_safe_mode: bool,
}

impl Services {
    pub fn begin(self, vault: Rc<dyn KeyVault>) {
        let engine = self.engine.clone();
        engine.start(self.run(vault));
    }

    async fn run(self, vault: Rc<dyn KeyVault>) {
        let partials = Rc::new(RefCell::new(PartialMessages::new()));
        let http: Rc<dyn Http> = Rc::new(LazyHttp {
            engine: self.engine.clone(),
            load: self.load(|late| late.send),
            demo: self.demo,
        });
        self.start_services(&partials, Rc::clone(&http));
        let load_models = self.load(|late| late.models);
        let key_service = KeyService { engine: self.engine.clone(), http, vault, load_models };
        let load_lazy = self.load(|late| late.commands);
        let Self {
            engine, flush_on_exit, inputs, key_requests, mut damaged, first_session, first_mind, ..
        } = self;
        let EngineContext { ports, parts, world, bus, .. } = engine;
        if let Err(error) = key_service.restore().await {
            damaged.push(format!("stored API keys: {error}"));
        }
        // Even if that failed in part.
        key_service.keys().note_restored();
        // The interface may be visible already.
        bus.publish_transient(&TransientEvent::KeysChanged);
        ports.spawn.spawn(Box::pin(key_service.serve(key_requests, bus.subscribe(&[Topic::AppChanged]))));
        let ledger =
            Ledger::new(Rc::clone(&world), Rc::clone(&bus), Rc::clone(&ports.store), Rc::clone(&ports.clock));
        let seeded = seed(&ledger, &damaged).await;
        let has_failed = Cell::new(seeded.is_err());
        if let Err(error) = seeded {
            bus.publish_transient(&TransientEvent::StoreFailed { reason: error.to_string() });
        }
        ports.spawn.spawn(Box::pin(fetch_ahead(Rc::clone(&world), Rc::clone(&parts))));
        let drafts = Rc::new(DraftStore::default());
        let unsaved = unsaved(Rc::clone(&drafts), Rc::clone(&partials));
        // The services start once per engine, so the cell is empty.
        drop(flush_on_exit.set(Box::new(unsaved)));
        let (inner, own) = unbounded();
        let command_loop = Rc::new(CommandLoop {
            ledger,
            ports,
            parts,
            load_lazy,
            drafts,
            partials,
            inner,
            locks: RefCell::new(VecMap::new()),
            opened: Cell::default(),
            waiting_for_lock: RefCell::default(),
            unsaved: RefCell::default(),
            has_failed,
            forks: RefCell::default(),
            deferred: RefCell::default(),
            reported: RefCell::new(damaged.iter().cloned().collect()),
        });
        if world.borrow().sessions.is_empty() {
            let label = "main".to_owned();
            let mut session = first_session;
            if is_damaged(&damaged, Table::Sessions) {
                // The first session's row may exist but be unreadable: a second session is created.
                session = SessionId::new(&mut *command_loop.ports.ids.borrow_mut());
                command_loop.forks.borrow_mut().insert(first_session, session);
            }
            let command = Command::CreateSession { session, label, mind: first_mind };
            // A failing store has reported that itself.
            drop(command_loop.execute(&command).await);
        }
        command_loop.run(inputs, own).await;
    }

    fn load<T: 'static>(&self, pick: fn(LazyEngine) -> T) -> Load<T> {
        let late = Rc::clone(&self.lazy_engine);
        Rc::new(move || Box::pin(late().map_ok(pick)))
    }

    /// Loads and starts a service once it must handle an event.
    fn start_lazy<S: LazyService + 'static>(&self, service: S, pick: fn(LazyEngine) -> fn(S)) {
        self.engine.start(wait_for(service, Rc::clone(&self.engine.ports.clock), self.load(pick)));
    }

    /// Subscribes each service to its topics. No service knows another.
    fn start_services(&self, partials: &Rc<RefCell<PartialMessages>>, http: Rc<dyn Http>) {
        let engine = &self.engine;
        let bus = &engine.bus;

        let scheduler = Scheduler { engine: engine.clone(), load_measure: self.load(|late| late.measure) };
        let topics =
            [Topic::RunsNew, Topic::RunsState, Topic::TurnsClosed, Topic::JobResults, Topic::UiEvents];
        engine.start(scheduler.serve(bus.subscribe(&topics)));

        engine.start(load_ahead(engine.clone(), bus.subscribe_transient()));

        let raw_responses =
            Rc::new(RawResponseStore { engine: engine.clone(), since_check: Cell::default() });
        engine.start(Rc::clone(&raw_responses).serve(bus.subscribe(&[Topic::AppChanged])));

        let client = ModelClient {
            engine: engine.clone(),
            http,
            limiter: CallLimiter::new(Rc::clone(&engine.ports.clock)),
            partials: Rc::clone(partials),
            raw_responses,
        };
        let topics = [
            Topic::JobRequests,
            Topic::JobResults,
            Topic::MindChanged,
            Topic::RunsNew,
            Topic::RunsState,
            Topic::TurnsClosed,
            Topic::AppChanged,
        ];
        let jobs = JobService {
            client: client.clone(),
            events: Box::pin(bus.subscribe(&topics).peekable()),
            transient: bus.subscribe_transient(),
        };
        self.start_lazy(jobs, |late| late.jobs);

        let calls = CallServices {
            contexts: Box::pin(bus.subscribe(&[Topic::ContextRequest]).peekable()),
            calls: bus.subscribe(&[Topic::LlmRequests, Topic::TurnsClosed]),
            tools: bus.subscribe(&[Topic::ToolsRequests, Topic::TurnsClosed]),
            client,
        };
        self.start_lazy(calls, |late| late.calls);

        let topics =
            [Topic::AppChanged, Topic::MindChanged, Topic::JobResults, Topic::RunsState, Topic::ToolsResults];
        let triggers = TriggerService {
            engine: engine.clone(),
            events: bus.subscribe(&topics),
            transient: bus.subscribe_transient(),
        };
        // In safe mode nothing starts automatically.
        if !self.is_safe_mode {
            engine.start(triggers.wait(self.load(|late| late.triggers)));
        }

        let events = Box::pin(bus.subscribe(&[Topic::ToolsRequests, Topic::RunsState]).peekable());
        let verifier = VerifierService { engine: engine.clone(), events };
        self.start_lazy(verifier, |late| late.verifier);
    }
}

fn unsaved(drafts: Rc<DraftStore>, partials: Rc<RefCell<PartialMessages>>) -> impl Fn() -> Batch {
    move || {
        let mut batch = drafts.all_rows();
        let partials = partials.borrow();
        batch.puts.extend(partials.iter().filter_map(|(message, parts)| partials::whole(*message, parts)));
        batch
    }
}

/// Adds the default agents and providers to a fresh device, and reports unreadable rows.
async fn seed(ledger: &Ledger, damaged: &[String]) -> StoreResult {
    let mut events = Vec::new();
    let mut add = |what| events.push(NewEvent { stream: StreamId::App, run: None, turn: None, kind: what });
    {
        let world = ledger.world.borrow();
        // Unreadable rows are not overwritten.
        if world.providers.is_empty() && !is_damaged(damaged, Table::Providers) {
            first_providers().into_iter().for_each(|provider| add(EventKind::ProviderChanged { provider }));
        }
        if world.agents.is_empty() && !is_damaged(damaged, Table::Agents) {
            first_agents().into_iter().for_each(|agent| add(EventKind::AgentChanged { agent }));
        }
    }
    if !damaged.is_empty() {
        add(EventKind::Notice { text: damaged_notice(damaged) });
    }
    ledger.append(events).await
}

/// Preloads the context of a session's next request after the page was drawn, so that the first message after opening a
/// long session is not slower than others.
async fn load_ahead(
    EngineContext { world, handle, ports, .. }: EngineContext,
    mut transient: UnboundedReceiver<TransientEvent>,
) {
    let mut done = None;
    while let Some(signal) = transient.next().await {
        let TransientEvent::Loaded { session } = signal else { continue };
        // A session that is opened again after another one may have been released meanwhile.
        if done.replace(session) == Some(session) {
            continue;
        }
        ports.clock.sleep(LOAD_AHEAD_MS).await;
        let wanted = {
            let world = world.borrow();
            let windows = world.roster().into_iter().map(|agent| window(&world, &agent.config));
            windows.max().zip(world.session(&session).and_then(|row| row.head))
        };
        if let Some((window, head)) = wanted {
            load_context(&world, &handle, Some(head), (window, None), LOAD_AHEAD_TURNS).await;
        }
    }
}

/// Prefetches what the agents' first calls will need. What fails now is loaded by the call.
async fn fetch_ahead(world: WorldRef, parts: Rc<dyn CodecLoader>) {
    // A first start needs none of it.
    if !parts.may_fetch_ahead().await || !world.borrow().value(FIRST_START_DONE) {
        return;
    }
    let protocol = {
        let world = world.borrow();
        let agents = world.roster();
        agents.iter().find_map(|agent| world.live_provider(&agent.config.provider)).map(|one| one.protocol)
    };
    if let Some(protocol) = protocol {
        // One codec brings the others along.
        parts.codec(protocol).map(|_| ()).await;
    }
}
