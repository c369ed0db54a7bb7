//! Fakes for engine tests: scripted HTTP, a virtual clock, sequential ids, and locks shared by tabs. The clock jumps
//! ahead when nothing else can run. Every request to a model is validated.

// Tests are built of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

pub mod exports;
mod pool;
pub mod scripted_checks;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use futures_channel::mpsc::{UnboundedSender, unbounded};
use futures_channel::oneshot;
use futures_util::StreamExt as _;
use futures_util::future::LocalBoxFuture;
use serde_json::json;

use crate::client::KeyRing;
use crate::demo::Demo;
use crate::lazy::loader::BuiltInEngine;
use crate::port::{
    Clock, Http, HttpError, HttpResponse, LockGuard, Locks, Ports, ProviderPorts, Spawn, Store as _,
    VaultUnavailable,
};
use crate::start::{EngineConfig, RunningEngine};
use crate::store::in_memory::{InMemoryStore, TabOnlyVault};
use crate::tests::pool::Pool;
use crate::tests::scripted_checks::ScriptedChecks;
use nexus_model::command::NewMessage;
use nexus_model::id::IdSource;
use nexus_model::prelude::*;
use nexus_model::provider::Protocol;
use nexus_model::session::KeepGoing;
use nexus_model::testing::SeqIds;
use nexus_providers::http::HttpRequest;

/// One piece of a scripted answer.
#[derive(Clone)]
pub enum ScriptedChunk {
    /// Bytes of the body.
    Bytes(String),
    /// A wait, in milliseconds.
    Wait(u64),
    /// The connection breaks.
    Cut,
    /// Bytes that are not UTF-8.
    Raw(Vec<u8>),
    /// A readable header: `content-type`, `retry-after` or `retry-after-ms`.
    Header(&'static str, &'static str),
    /// No response at all: the generic error of `fetch`.
    NoAnswer,
}

/// A scripted answer.
#[derive(Clone)]
pub struct Scripted {
    pub status: u16,
    pub beats: Vec<ScriptedChunk>,
}

pub fn event(value: &Value) -> ScriptedChunk {
    ScriptedChunk::Bytes(format!("data: {value}\r\n\r\n"))
}

/// An event with parts of an answer.
fn chunk(parts: &Value) -> ScriptedChunk {
    event(&json!({"candidates": [{"content": {"role": "model", "parts": parts}}]}))
}

/// The last event of an answer.
fn end(parts: &Value) -> ScriptedChunk {
    event(&json!({
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10},
    }))
}

/// A successful text answer.
pub fn says(text: &str) -> Scripted {
    Scripted { status: 200, beats: vec![chunk(&json!([{"text": text}])), end(&json!([{"text": ""}]))] }
}

/// An answer with tool calls.
pub fn calls(requests: &[(&str, Value)]) -> Scripted {
    let call = |(at, (name, args)): (usize, &(&str, Value))| {
        let id = format!("c{at}");
        json!({"functionCall": {"id": id, "name": name, "args": args}})
    };
    let mut parts: Value = requests.iter().enumerate().map(call).collect();
    parts[0]["thoughtSignature"] = json!("c2ln");
    Scripted { status: 200, beats: vec![end(&parts)] }
}

/// A text in pieces, one second apart, that never ends.
pub fn trickles(pieces: &[&str]) -> Scripted {
    let piece = |text: &&str| [chunk(&json!([{"text": text}])), ScriptedChunk::Wait(1_000)];
    let mut beats: Vec<_> = pieces.iter().flat_map(piece).collect();
    beats.push(ScriptedChunk::Wait(60_000));
    Scripted { status: 200, beats }
}

/// An error answer.
pub fn refuses(status: u16, code: &str) -> Scripted {
    let body = json!({"error": {"code": status, "message": format!("{code} in words"), "status": code}});
    Scripted { status, beats: vec![ScriptedChunk::Bytes(body.to_string())] }
}

pub type AnswerScript = Box<dyn FnMut(&str, &Value) -> Scripted>;

pub type CoreScript = Box<dyn FnMut(&Value) -> Scripted>;

/// The Core's scripted answers and received requests. By default it changes nothing.
#[derive(Default)]
pub struct CoreSide {
    pub script: Option<CoreScript>,
    pub requests: Vec<Value>,
}

impl CoreSide {
    /// Records a request and answers it: with `default` until there is a script.
    fn answer(&mut self, body: &Value, default: &Value) -> Scripted {
        self.requests.push(body.clone());
        match &mut self.script {
            Some(script) => script(body),
            None => says(&default.to_string()),
        }
    }
}

/// HTTP with scripted answers that records the requests.
pub struct ScriptedHttp {
    script: RefCell<AnswerScript>,
    core: Rc<RefCell<CoreSide>>,
    archivist: Rc<RefCell<CoreSide>>,
    requests: Rc<RefCell<Vec<(String, Value)>>>,
    sent: Rc<RefCell<Vec<HttpRequest>>>,
    clock: Rc<FakeClock>,
}

impl Http for ScriptedHttp {
    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'static, Result<HttpResponse, HttpError>> {
        let body: Value = serde_json::from_str(request.body.as_deref().unwrap_or("null")).unwrap();
        let system = system_of(&body);
        let agent =
            system.strip_prefix("You are ").and_then(|rest| rest.split(',').next()).unwrap_or("?").to_owned();
        if body.get("contents").is_some() {
            assert_valid(&body);
        }
        self.sent.borrow_mut().push(request.clone());
        let scripted = if agent == "Archivist" {
            let default = json!({"summary": "What was said.", "memories": []});
            self.archivist.borrow_mut().answer(&body, &default)
        } else if agent == "Core" {
            self.core.borrow_mut().answer(&body, &json!({"reasoning": "Nothing to change."}))
        } else {
            self.requests.borrow_mut().push((agent.clone(), body.clone()));
            (self.script.borrow_mut())(&agent, &body)
        };
        if scripted.beats.iter().any(|beat| matches!(beat, ScriptedChunk::NoAnswer)) {
            let error = HttpError::Unreachable("Failed to fetch".into());
            return Box::pin(std::future::ready(Err(error)));
        }
        let header = |wanted: &str| {
            let named = |beat: &ScriptedChunk| {
                let ScriptedChunk::Header(name, value) = beat else { return None };
                (*name == wanted).then(|| (*value).to_owned())
            };
            scripted.beats.iter().find_map(named)
        };
        let [content_type, retry_after, retry_after_ms] =
            ["content-type", "retry-after", "retry-after-ms"].map(header);
        let clock = Rc::clone(&self.clock);
        let body = futures_util::stream::iter(scripted.beats).filter_map(move |beat| {
            let clock = Rc::clone(&clock);
            async move {
                match beat {
                    ScriptedChunk::Bytes(text) => Some(Ok(text.into_bytes())),
                    ScriptedChunk::Wait(ms) => {
                        clock.sleep(ms).await;
                        None
                    }
                    ScriptedChunk::Cut => Some(Err(HttpError::Broken("cut".into()))),
                    ScriptedChunk::Raw(bytes) => Some(Ok(bytes)),
                    ScriptedChunk::Header(..) | ScriptedChunk::NoAnswer => None,
                }
            }
        });
        let answer = HttpResponse {
            status: scripted.status,
            content_type,
            retry_after,
            retry_after_ms,
            body: body.boxed_local(),
        };
        Box::pin(std::future::ready(Ok(answer)))
    }
}

/// The system prompt of a request, in whichever protocol.
pub fn system_of(body: &Value) -> &str {
    ["/systemInstruction/parts/0/text", "/instructions", "/system/0/text", "/messages/0/content"]
        .into_iter()
        .find_map(|path| body.pointer(path)?.as_str())
        .unwrap_or_default()
}

/// Checks Gemini's rules: each call is followed by its result, and the user speaks first and last.
pub fn assert_valid(body: &Value) {
    let contents = body["contents"].as_array().unwrap();
    for (place, content) in [("first", contents.first()), ("last", contents.last())] {
        let role = content.map(|content| &content["role"]);
        assert_eq!(role, Some(&json!("user")), "the user speaks {place}");
    }
    for (at, content) in contents.iter().enumerate() {
        let parts = content["parts"].as_array().unwrap();
        assert!(!parts.is_empty(), "no empty contents");
        let calls = parts.iter().filter(|part| part.get("functionCall").is_some()).count();
        if calls > 0 {
            let next = contents[at + 1]["parts"].as_array().unwrap();
            let results = next.iter().filter(|part| part.get("functionResponse").is_some()).count();
            assert_eq!(calls, results, "each call has its result");
        }
    }
}

/// A clock that only advances when the test says so.
#[derive(Default)]
pub struct FakeClock {
    now: Cell<u64>,
    sleepers: RefCell<BTreeMap<(u64, u64), oneshot::Sender<()>>>,
    count: Cell<u64>,
}

impl FakeClock {
    /// Sets the clock, as if the page had been closed. Wakes nobody.
    pub fn set(&self, ms: u64) {
        self.now.set(ms);
    }

    /// Wakes the next sleeper due within `until`; false if there is none.
    fn jump(&self, until: u64) -> bool {
        let next = {
            let mut sleepers = self.sleepers.borrow_mut();
            sleepers.retain(|_, sender| !sender.is_canceled());
            sleepers.first_entry().filter(|entry| entry.key().0 <= until).map(|entry| entry.remove_entry())
        };
        let Some(((due, _), sender)) = next else { return false };
        self.now.set(self.now.get().max(due));
        // A cancelled sleeper still counts as a step.
        let _woken = sender.send(()).is_ok();
        true
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Millis {
        Millis(1_700_000_000_000 + self.now.get())
    }

    fn sleep(&self, ms: u64) -> LocalBoxFuture<'static, ()> {
        let (sender, receiver) = oneshot::channel();
        self.count.set(self.count.get() + 1);
        self.sleepers.borrow_mut().insert((self.now.get() + ms, self.count.get()), sender);
        Box::pin(async move { receiver.await.unwrap_or(()) })
    }
}

pub struct Spawner(UnboundedSender<LocalBoxFuture<'static, ()>>);

impl Spawn for Spawner {
    fn spawn(&self, work: LocalBoxFuture<'static, ()>) {
        self.0.unbounded_send(work).unwrap();
    }
}

/// A lock's name and who waits for it.
pub type Waiter = (String, oneshot::Sender<()>);

/// Locks shared by tabs: each is held at most once. While `absent`, every request is granted.
#[derive(Clone, Default)]
pub struct FakeLocks {
    held: Rc<RefCell<BTreeMap<String, ()>>>,
    waiting: Rc<RefCell<Vec<Waiter>>>,
    absent: Rc<Cell<bool>>,
}

impl FakeLocks {
    fn guard(&self, name: String) -> LockGuard {
        let me = self.clone();
        LockGuard::new(move || {
            // The longest waiter gets it, as in a browser; waiters may be gone.
            loop {
                let at = me.waiting.borrow().iter().position(|(other, _)| *other == name);
                let Some(at) = at else {
                    me.held.borrow_mut().remove(&name);
                    return;
                };
                let (_, sender) = me.waiting.borrow_mut().remove(at);
                if sender.send(()).is_ok() {
                    return;
                }
            }
        })
    }
}

impl Locks for FakeLocks {
    fn try_hold(&self, name: &str) -> LocalBoxFuture<'static, Option<LockGuard>> {
        let free = self.held.borrow_mut().insert(name.to_owned(), ()).is_none() || self.absent.get();
        let guard = free.then(|| self.guard(name.to_owned()));
        Box::pin(std::future::ready(guard))
    }

    fn hold(&self, name: &str) -> LocalBoxFuture<'static, LockGuard> {
        let (me, name) = (self.clone(), name.to_owned());
        Box::pin(async move {
            if me.held.borrow_mut().insert(name.clone(), ()).is_some() && !me.absent.get() {
                let (sender, receiver) = oneshot::channel();
                me.waiting.borrow_mut().push((name.clone(), sender));
                receiver.await.unwrap_or(());
            }
            me.guard(name)
        })
    }

    fn are_shared(&self) -> bool {
        !self.absent.get()
    }
}

/// A tab with a running engine.
pub struct Tab {
    pub running: RunningEngine,
    pub session: SessionId,
    pub store: InMemoryStore,
    pub requests: Rc<RefCell<Vec<(String, Value)>>>,
    pub core: Rc<RefCell<CoreSide>>,
    pub archivist: Rc<RefCell<CoreSide>>,
    pub sent: Rc<RefCell<Vec<HttpRequest>>>,
    pool: Pool,
    pub clock: Rc<FakeClock>,
    ids: Rc<RefCell<SeqIds>>,
    locks: FakeLocks,
    pub ports: Ports,
    pub checks: ScriptedChecks,
}

/// Opens a tab on an empty device with every agent on Gemini.
pub fn tab(script: impl FnMut(&str, &Value) -> Scripted + 'static) -> Tab {
    let session = SessionId::new(&mut SeqIds::default());
    let tab = open_tab(InMemoryStore::default(), FakeLocks::default(), Rc::default(), session, script);
    tab.use_model("gemini", "gemini-3.8-flash");
    tab
}

pub fn open_tab(
    store: InMemoryStore,
    locks: FakeLocks,
    ids: Rc<RefCell<SeqIds>>,
    session: SessionId,
    script: impl FnMut(&str, &Value) -> Scripted + 'static,
) -> Tab {
    let tab = start_tab(store, locks, ids, session, script);
    tab.open().unwrap();
    tab
}

fn start_tab(
    store: InMemoryStore,
    locks: FakeLocks,
    ids: Rc<RefCell<SeqIds>>,
    session: SessionId,
    script: impl FnMut(&str, &Value) -> Scripted + 'static,
) -> Tab {
    let clock = Rc::new(FakeClock::default());
    let requests = Rc::new(RefCell::new(Vec::new()));
    let core: Rc<RefCell<CoreSide>> = Rc::default();
    let archivist: Rc<RefCell<CoreSide>> = Rc::default();
    let sent = Rc::new(RefCell::new(Vec::new()));
    let (spawn, inbox) = unbounded();
    let pool = Pool::new(inbox);
    // Session ids must not collide with the ids that the engine counts from 1.
    if ids.borrow_mut().next_ulid() < rusty_ulid::Ulid::from(1_000u128) {
        for _ in 0..1_000 {
            ids.borrow_mut().next_ulid();
        }
    }
    let provider = ProviderPorts {
        http: Rc::new(ScriptedHttp {
            script: RefCell::new(Box::new(script)),
            core: Rc::clone(&core),
            archivist: Rc::clone(&archivist),
            requests: Rc::clone(&requests),
            sent: Rc::clone(&sent),
            clock: Rc::clone(&clock),
        }),
        vault: Rc::new(TabOnlyVault(VaultUnavailable::Insecure)),
    };
    let ports = Ports {
        store: Rc::new(store.clone()),
        clock: Rc::clone(&clock) as Rc<dyn Clock>,
        ids: Rc::clone(&ids) as Rc<RefCell<dyn IdSource>>,
        spawn: Rc::new(Spawner(spawn)),
        locks: Rc::new(locks.clone()),
    };
    let keys = KeyRing::default();
    let checks = ScriptedChecks(Rc::default(), Rc::default(), BuiltInEngine(Some(provider)), Rc::default());
    keys.put(&Provider::gemini(), "test-key-canary");
    let started: Rc<RefCell<Option<RunningEngine>>> = Rc::default();
    let start = EngineConfig {
        ports: ports.clone(),
        keys,
        first_session: session,
        first_mind: Mind::default(),
        parts: Rc::new(checks.clone()),
        demo: Demo { pace_percent: 0 },
        is_safe_mode: false,
    };
    let slot = Rc::clone(&started);
    let work = async move { *slot.borrow_mut() = Some(start.run().await.unwrap()) };
    pool.work.borrow().push(Box::pin(work));
    pool.run();
    let running = started.borrow_mut().take().expect("the engine starts");
    Tab { running, session, store, requests, core, archivist, sent, pool, clock, ids, locks, ports, checks }
}

impl Tab {
    /// The same device in another tab, or after a reload if this one is closed first.
    pub fn again(&self, script: impl FnMut(&str, &Value) -> Scripted + 'static) -> Tab {
        open_tab(self.store.clone(), self.locks.clone(), Rc::clone(&self.ids), self.session, script)
    }

    /// Like [`Self::again`], before it opens its session.
    pub fn restarted(&self, script: impl FnMut(&str, &Value) -> Scripted + 'static) -> Tab {
        start_tab(self.store.clone(), self.locks.clone(), Rc::clone(&self.ids), self.session, script)
    }

    /// Removes the browser's locks from now on.
    pub fn lose_locks(&self) {
        self.locks.absent.set(true);
    }

    /// Kills the tab: nothing runs on, and its locks go to the tabs that wait for them.
    pub fn kill(&self) {
        self.pool.work.borrow_mut().clear();
    }

    /// Switches every agent to this model.
    pub fn use_model(&self, provider: &str, model: &str) {
        let agents: Vec<_> = self.world().agents.values().map(|agent| agent.as_ref().clone()).collect();
        for mut agent in agents {
            agent.config.provider = provider.into();
            agent.config.model = model.into();
            self.send(Command::ChangeAgent { agent }).unwrap();
        }
    }

    /// Switches every agent to a model of another family that needs no key.
    pub fn use_protocol(&self, protocol: Protocol, model: &str) {
        let provider = Provider {
            id: "other".into(),
            label: "Other".into(),
            protocol,
            base_url: "https://models.example/v1".into(),
            needs_key: false,
        };
        self.send(Command::ChangeProvider { provider }).unwrap();
        self.use_model("other", model);
    }

    pub fn world(&self) -> std::cell::Ref<'_, World> {
        self.running.world.borrow()
    }

    pub fn session_row(&self) -> Session {
        self.world().session(&self.session).unwrap().as_ref().clone()
    }

    pub fn mind(&self) -> Mind {
        let world = self.world();
        world.working_mind(world.session(&self.session).unwrap()).unwrap().as_ref().clone()
    }

    /// Runs everything that needs no time to pass.
    pub fn settle(&self) {
        self.pool.run();
    }

    /// Lets time pass.
    pub fn pass(&self, ms: u64) {
        let until = self.clock.now.get() + ms;
        self.pool.run();
        while self.clock.jump(until) {
            self.pool.run();
        }
        self.clock.now.set(until);
        self.pool.run();
    }

    /// Runs a future of the test in this tab.
    pub fn spawn(&self, work: impl Future<Output = ()> + 'static) {
        self.pool.work.borrow().push(Box::pin(work));
        self.pool.run();
    }

    pub fn wait_for<T: 'static>(&self, work: impl Future<Output = T> + 'static) -> T {
        let slot = Rc::new(RefCell::new(None));
        let put = Rc::clone(&slot);
        self.pool.work.borrow().push(Box::pin(async move { *put.borrow_mut() = Some(work.await) }));
        self.pool.run();
        slot.borrow_mut().take().expect("it ends without time passing")
    }

    pub fn open(&self) -> Decision {
        let (handle, session) = (self.running.handle.clone(), self.session);
        self.wait_for(async move { handle.open(session).await })
    }

    pub fn send(&self, command: Command) -> Decision {
        let handle = self.running.handle.clone();
        self.wait_for(async move { handle.send(command).await })
    }

    pub fn say(&self, text: &str) -> Decision {
        self.say_with(text, QueueMode::FollowUp, None)
    }

    pub fn say_with(&self, text: &str, mode: QueueMode, keep_going: Option<KeepGoing>) -> Decision {
        let new = NewMessage::new(self.session, text);
        self.send(Command::SendMessage(NewMessage { mode, keep_going, ..new }))
    }

    pub fn try_again(&self, turn: TurnId) -> Decision {
        self.send(Command::TryAgain { session: self.session, turn, agent: None, config: None, tools: None })
    }

    /// The agents that were called, in order.
    pub fn speakers(&self) -> Vec<String> {
        self.requests.borrow().iter().map(|(agent, _)| agent.clone()).collect()
    }

    /// The text of the last user content in the request number `at`.
    pub fn question(&self, at: usize) -> String {
        let requests = self.requests.borrow();
        let contents = requests[at].1["contents"].as_array().unwrap();
        let parts = contents.last().unwrap()["parts"].as_array().unwrap();
        parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
    }

    pub fn events(&self) -> Vec<Event> {
        let (store, session) = (self.store.clone(), self.session);
        let stored = self
            .wait_for(async move { store.events(StreamId::Session(session), 1, usize::MAX).await.unwrap() });
        read_events(&stored)
    }

    pub fn app_events(&self) -> Vec<Event> {
        let store = self.store.clone();
        let stored = self.wait_for(async move { store.events(StreamId::App, 1, usize::MAX).await.unwrap() });
        read_events(&stored)
    }

    pub fn run_id(&self) -> RunId {
        self.session_row().run.expect("a run")
    }
}

pub fn read_events(stored: &[String]) -> Vec<Event> {
    stored.iter().map(|json| nexus_text::json::read(json).unwrap()).collect()
}
