//! Tests of the key service with an in-memory vault and a scripted provider.

use std::cell::{Cell, RefCell};

use futures_channel::oneshot;
use futures_util::future::LocalBoxFuture;

use super::*;
use crate::keys::KeyState;
use crate::port::{HttpError, HttpResponse, Ports, Spawn, StoredKey, VaultUnavailable};
use crate::testing::{Tab, says, tab};
use nexus_model::id::Millis;
use nexus_model::provider::{KeyCheck, ModelList, Protocol, Provider};
use nexus_providers::http::HttpRequest;

/// A vault whose passphrase is `open sesame` until it is renewed. Tabs share what it keeps, and open it each for itself.
#[derive(Default)]
struct FakeVault {
    kept: Rc<RefCell<Vec<(StoredKey, KeyStorage)>>>,
    passphrase: Rc<RefCell<Option<Secret>>>,
    open: Cell<bool>,
    /// Whether writing fails.
    full: Cell<bool>,
}

fn ready<T: 'static>(value: T) -> LocalBoxFuture<'static, T> {
    Box::pin(std::future::ready(value))
}

impl FakeVault {
    fn put(&self, kept: StoredKey, keeping: KeyStorage) {
        let mut all = self.kept.borrow_mut();
        all.retain(|(other, _)| other.provider != kept.provider);
        all.push((kept, keeping));
    }
}

impl KeyVault for FakeVault {
    fn hindrance(&self) -> Option<VaultUnavailable> {
        None
    }
    fn list(&self) -> LocalBoxFuture<'static, Result<Vec<StoredKey>, VaultError>> {
        let listed = |(kept, keeping): &(StoredKey, KeyStorage)| {
            let key = (*keeping == KeyStorage::Clear).then(|| kept.key.clone()).flatten();
            StoredKey { key, ..kept.clone() }
        };
        ready(Ok(self.kept.borrow().iter().map(listed).collect()))
    }
    fn open(&self, passphrase: Secret) -> LocalBoxFuture<'static, Result<Vec<StoredKey>, VaultError>> {
        let right = self.passphrase.borrow().clone().unwrap_or_else(|| Secret::new("open sesame"));
        if passphrase != right {
            return ready(Err(VaultError::WrongPassphrase));
        }
        self.open.set(true);
        let sealed = |(_, keeping): &&(StoredKey, KeyStorage)| *keeping == KeyStorage::Passphrase;
        ready(Ok(self.kept.borrow().iter().filter(sealed).map(|(kept, _)| kept.clone()).collect()))
    }
    fn is_open(&self) -> bool {
        self.open.get()
    }
    fn close(&self) {
        self.open.set(false);
    }
    fn seal(&self, kept: StoredKey) -> LocalBoxFuture<'static, Result<(), VaultError>> {
        if !self.open.get() {
            return ready(Err(VaultError::Closed));
        }
        self.put(kept, KeyStorage::Passphrase);
        ready(Ok(()))
    }
    fn renew(
        &self,
        passphrase: Secret,
        kept: Vec<StoredKey>,
    ) -> LocalBoxFuture<'static, Result<(), VaultError>> {
        if self.full.get() {
            return ready(Err(VaultError::Failed("there is no room".to_owned())));
        }
        kept.into_iter().for_each(|kept| self.put(kept, KeyStorage::Passphrase));
        *self.passphrase.borrow_mut() = Some(passphrase);
        self.open.set(true);
        ready(Ok(()))
    }
    fn keep_clear(&self, kept: StoredKey) -> LocalBoxFuture<'static, Result<(), VaultError>> {
        self.put(kept, KeyStorage::Clear);
        ready(Ok(()))
    }
    fn forget(&self, provider: ProviderId) -> LocalBoxFuture<'static, Result<(), VaultError>> {
        self.kept.borrow_mut().retain(|(kept, _)| kept.provider != provider);
        ready(Ok(()))
    }
}

/// Answers a request by its address and whether it carried a key, and notes both.
struct FixedResponse(Box<ScriptedResponse>, Rc<RefCell<Vec<(String, bool)>>>);

type ScriptedResponse = dyn Fn(&str, bool) -> (u16, &'static str);

impl Http for FixedResponse {
    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'static, Result<HttpResponse, HttpError>> {
        let has_key = request.headers.iter().any(|(_, value)| value.reveal().contains("canary"));
        let (status, body) = (self.0)(&request.url, has_key);
        self.1.borrow_mut().push((request.url, has_key));
        let body = stream::iter(vec![Ok(body.as_bytes().to_vec())]).boxed_local();
        ready(Ok(HttpResponse { status, content_type: None, retry_after: None, retry_after_ms: None, body }))
    }
}

struct KeyServiceFixture {
    tab: Tab,
    desk: KeyService,
    vault: Rc<FakeVault>,
    asked: Rc<RefCell<Vec<(String, bool)>>>,
}

fn bench(status: u16, body: &'static str) -> KeyServiceFixture {
    bench_with(move |_, _| (status, body))
}

fn bench_with(answer: impl Fn(&str, bool) -> (u16, &'static str) + 'static) -> KeyServiceFixture {
    let tab = tab(|_, _| says("never asked"));
    let (vault, asked) = (Rc::new(FakeVault::default()), Rc::default());
    let desk = KeyService {
        engine: EngineContext {
            world: Rc::clone(&tab.running.world),
            handle: tab.running.handle.clone(),
            bus: Rc::clone(&tab.running.bus),
            ports: Ports { spawn: Rc::new(NoSpawn), ..tab.ports.clone() },
            parts: Rc::new(tab.checks.clone()),
        },
        http: Rc::new(FixedResponse(Box::new(answer), Rc::clone(&asked))),
        vault: Rc::clone(&vault) as Rc<dyn KeyVault>,
    };
    KeyServiceFixture { tab, desk, vault, asked }
}

/// Runs nothing.
struct NoSpawn;

impl Spawn for NoSpawn {
    fn spawn(&self, _work: LocalBoxFuture<'static, ()>) {}
}

impl KeyServiceFixture {
    fn run<T: 'static>(&self, work: impl AsyncFnOnce(KeyService) -> T + 'static) -> T {
        let slot = Rc::new(RefCell::new(None));
        let (put, desk) = (Rc::clone(&slot), self.desk.clone());
        self.tab.spawn(async move { *put.borrow_mut() = Some(work(desk).await) });
        slot.borrow_mut().take().expect("it ends without time passing")
    }

    fn keep(&self, keeping: KeyStorage, passphrase: Option<&'static str>) -> Result<(), VaultError> {
        self.run(async move |desk| desk.keep("gemini".into(), keeping, passphrase.map(Secret::new)).await)
    }

    /// Another tab of the same device, which has no key of its own.
    fn other_tab(&self) -> KeyServiceFixture {
        let other = bench(200, "{}");
        let vault = Rc::new(FakeVault {
            kept: Rc::clone(&self.vault.kept),
            passphrase: Rc::clone(&self.vault.passphrase),
            ..FakeVault::default()
        });
        let desk = KeyService { vault: Rc::clone(&vault) as Rc<dyn KeyVault>, ..other.desk };
        desk.keys().forget(&"gemini".into());
        KeyServiceFixture { desk, vault, ..other }
    }

    /// What this tab told the others since it was last asked, and whether a key was in it.
    fn told(&self, signals: &mut UnboundedReceiver<TransientEvent>) -> Vec<KeyBroadcast> {
        let all: Vec<_> = std::iter::from_fn(|| signals.try_recv().ok()).collect();
        assert!(!format!("{all:?}").contains("canary"), "a key is told to nobody");
        all.into_iter()
            .filter_map(|live| if let TransientEvent::KeysTold(news) = live { Some(news) } else { None })
            .collect()
    }

    fn hear(&self, news: Vec<KeyBroadcast>) {
        self.run(async move |desk| {
            for one in news {
                desk.hear(one).await;
            }
        });
    }

    fn ask(&self, ask: impl FnOnce(oneshot::Sender<Result<(), VaultError>>) -> KeyRequest + 'static) {
        self.run(async move |desk| {
            let (reply, answer) = oneshot::channel();
            desk.answer(ask(reply)).await;
            assert_eq!(answer.await, Ok(Ok(())));
        });
    }

    fn key(&self) -> Option<String> {
        self.desk.keys().key(&Provider::gemini()).map(|key| key.reveal().to_owned())
    }

    fn state(&self) -> KeyState {
        self.desk.keys().state(&Provider::gemini())
    }
}

#[test]
fn a_key_goes_under_the_passphrase_and_comes_back_by_it() {
    let bench = bench(200, "{}");
    assert_eq!(bench.keep(KeyStorage::Passphrase, None), Err(VaultError::Closed));
    bench.keep(KeyStorage::Passphrase, Some("open sesame")).unwrap();
    assert_eq!(bench.state(), KeyState::Here(KeyStorage::Passphrase));
    bench.desk.lock();
    assert_eq!(bench.state(), KeyState::Locked);
    let wrong = bench.run(async |desk| desk.unlock(Secret::new("guess")).await);
    assert_eq!((wrong, bench.state()), (Err(VaultError::WrongPassphrase), KeyState::Locked));
    bench.run(async |desk| desk.unlock(Secret::new("open sesame")).await).unwrap();
    let key = bench.desk.keys().key(&Provider::gemini());
    assert_eq!(key.map(|key| key.reveal().to_owned()).as_deref(), Some("test-key-canary"));
}

#[test]
fn another_passphrase_takes_the_place_of_the_first() {
    let bench = bench(200, "{}");
    let change = |now: &'static str| {
        bench
            .run(async move |desk| desk.change_passphrase(Secret::new(now), Secret::new("open barley")).await)
    };
    assert_eq!(change("open sesame"), Err(VaultError::WrongPassphrase), "nothing is under it yet");
    assert!(!bench.vault.is_open());
    bench.keep(KeyStorage::Passphrase, Some("open sesame")).unwrap();
    bench.desk.lock();
    assert_eq!((change("guess"), bench.state()), (Err(VaultError::WrongPassphrase), KeyState::Locked));
    bench.vault.full.set(true);
    assert!(matches!(change("open sesame"), Err(VaultError::Failed(_))));
    bench.vault.full.set(false);
    let unlock =
        |passphrase: &'static str| bench.run(async move |desk| desk.unlock(Secret::new(passphrase)).await);
    unlock("open sesame").unwrap();
    change("open sesame").unwrap();
    assert_eq!(bench.state(), KeyState::Here(KeyStorage::Passphrase));
    bench.desk.lock();
    assert_eq!(unlock("open sesame"), Err(VaultError::WrongPassphrase));
    unlock("open barley").unwrap();
    assert_eq!(bench.key().as_deref(), Some("test-key-canary"));
}

#[test]
fn other_tabs_know_what_became_of_a_key_and_are_never_told_it() {
    let here = bench(200, "{}");
    let there = here.other_tab();
    let mut signals = here.tab.running.bus.watch();
    let gemini = || ProviderId::from("gemini");
    let follow = |signals: &mut UnboundedReceiver<TransientEvent>, wanted: &[KeyBroadcast]| {
        let told = here.told(signals);
        assert_eq!(told, wanted);
        there.hear(told);
        there.state()
    };
    assert_eq!(there.state(), KeyState::Missing);
    here.keep(KeyStorage::Passphrase, Some("open sesame")).unwrap();
    assert_eq!(follow(&mut signals, &[KeyBroadcast::Kept(gemini())]), KeyState::Locked);
    there.run(async |desk| desk.unlock(Secret::new("open sesame")).await).unwrap();
    assert_eq!(there.key().as_deref(), Some("test-key-canary"));

    here.ask(KeyRequest::Lock);
    assert_eq!(follow(&mut signals, &[KeyBroadcast::Locked]), KeyState::Locked);
    assert!(!there.vault.is_open());
    there.run(async |desk| desk.unlock(Secret::new("open sesame")).await).unwrap();
    here.ask(|reply| KeyRequest::ChangePassphrase {
        passphrase: Secret::new("open sesame"),
        next: Secret::new("open barley"),
        reply,
    });
    assert_eq!(follow(&mut signals, &[KeyBroadcast::Locked]), KeyState::Locked);

    here.keep(KeyStorage::Clear, None).unwrap();
    assert_eq!(follow(&mut signals, &[KeyBroadcast::Kept(gemini())]), KeyState::Here(KeyStorage::Clear));
    assert_eq!(there.key().as_deref(), Some("test-key-canary"), "it came from the device, not from the tab");
    here.keep(KeyStorage::Tab, None).unwrap();
    assert_eq!(follow(&mut signals, &[KeyBroadcast::Withdrawn(gemini())]), KeyState::Missing);

    there.desk.keys().put(&Provider::gemini(), "own-canary");
    here.keep(KeyStorage::Clear, None).unwrap();
    assert_eq!(follow(&mut signals, &[KeyBroadcast::Kept(gemini())]), KeyState::Here(KeyStorage::Tab));
    assert_eq!(there.key().as_deref(), Some("own-canary"), "what was entered there counts there");
    here.ask(|reply| KeyRequest::Forget("gemini".into(), reply));
    assert_eq!(follow(&mut signals, &[KeyBroadcast::Forgotten(gemini())]), KeyState::Missing);
    there.hear(vec![KeyBroadcast::Kept("nobody".into())]);
    assert_eq!(there.state(), KeyState::Missing);
}

#[test]
fn unlocking_does_not_take_back_a_newer_key_of_this_tab() {
    let bench = bench(200, "{}");
    bench.keep(KeyStorage::Passphrase, Some("open sesame")).unwrap();
    bench.desk.lock();
    bench.desk.keys().put(&Provider::gemini(), "newer-canary");
    bench.run(async |desk| desk.unlock(Secret::new("open sesame")).await).unwrap();
    assert_eq!(bench.key().as_deref(), Some("newer-canary"));
}

#[test]
fn after_a_reload_a_sealed_key_waits_and_a_clear_one_is_there() {
    let bench = bench(200, "{}");
    bench.keep(KeyStorage::Passphrase, Some("open sesame")).unwrap();
    bench.desk.keys().forget(&"gemini".into());
    bench.run(async |desk| desk.restore().await).unwrap();
    assert_eq!(bench.state(), KeyState::Locked);
    bench.run(async |desk| desk.unlock(Secret::new("open sesame")).await).unwrap();
    bench.keep(KeyStorage::Clear, None).unwrap();
    bench.desk.keys().forget(&"gemini".into());
    bench.run(async |desk| desk.restore().await).unwrap();
    assert_eq!(bench.state(), KeyState::Here(KeyStorage::Clear));
    bench.keep(KeyStorage::Tab, None).unwrap();
    assert!(bench.vault.kept.borrow().is_empty(), "a key of this tab only is kept nowhere");
}

#[test]
fn a_provider_that_moves_loses_its_key_everywhere() {
    let bench = bench(200, "{}");
    bench.keep(KeyStorage::Clear, None).unwrap();
    let mut provider = Provider::gemini();
    provider.base_url = "https://generativelanguage.googleapis.com/other/path".into();
    let moved = |provider: Provider| {
        let happening = EventKind::ProviderChanged { provider };
        let event = nexus_model::decide::NewEvent {
            stream: nexus_model::id::StreamId::App,
            run: None,
            turn: None,
            what: happening,
        };
        event.placed(1, Millis(1))
    };
    let same_origin = moved(provider.clone());
    bench.run(async move |desk| desk.look_at(&same_origin).await);
    assert_eq!(bench.state(), KeyState::Here(KeyStorage::Clear), "another path is no other host");
    provider.base_url = "https://evil.example".into();
    let other_origin = moved(provider);
    bench.run(async move |desk| desk.look_at(&other_origin).await);
    assert_eq!(bench.state(), KeyState::Missing);
    assert!(bench.vault.kept.borrow().is_empty());
}

#[test]
fn a_kept_key_of_another_origin_is_forgotten_at_the_start() {
    let bench = bench(200, "{}");
    let kept = StoredKey {
        provider: "gemini".into(),
        origin: "https://elsewhere.example".into(),
        key: Some(Secret::new("old-canary")),
    };
    bench.vault.put(kept, KeyStorage::Clear);
    bench.desk.keys().forget(&"gemini".into());
    bench.run(async |desk| desk.restore().await).unwrap();
    assert_eq!(bench.state(), KeyState::Missing);
    assert!(bench.vault.kept.borrow().is_empty());
}

#[test]
fn keys_are_locked_when_none_was_used_for_a_while() {
    let bench = bench(200, "{}");
    let (desk_asks, asks) = futures_channel::mpsc::unbounded();
    let events = bench.tab.running.bus.subscribe(&[]);
    bench.tab.spawn(bench.desk.clone().serve(asks, events));
    let (reply, _answer) = oneshot::channel();
    let passphrase = Some(Secret::new("open sesame"));
    let keep =
        KeyRequest::Keep { provider: "gemini".into(), keeping: KeyStorage::Passphrase, passphrase, reply };
    desk_asks.unbounded_send(keep).unwrap();
    bench.tab.settle();
    bench.tab.pass(KEY_IDLE_MS - 60_000);
    assert!(bench.desk.keys().key(&Provider::gemini()).is_some(), "and this is a use");
    bench.tab.pass(KEY_IDLE_MS - 60_000);
    assert_eq!(bench.state(), KeyState::Here(KeyStorage::Passphrase));
    bench.tab.pass(120_000);
    assert_eq!(bench.state(), KeyState::Locked);
    assert!(!bench.vault.is_open());
}

#[test]
fn a_list_of_models_is_asked_for_with_the_key_and_kept() {
    let bench = bench(200, r#"{"models":[{"name":"models/gemini-x","inputTokenLimit":1000}]}"#);
    let listed = bench.run(async |desk| desk.models("gemini".into(), true).await).unwrap();
    let models = listed.models;
    assert_eq!(listed.key, KeyCheck::Accepted, "nobody else is given the list");
    assert_eq!(models.first().map(|model| model.id.as_str()), Some("gemini-x"));
    let (url, has_key) = bench.asked.borrow().first().cloned().unwrap();
    assert!(url.starts_with("https://generativelanguage.googleapis.com/") && !url.contains("canary"));
    assert!(has_key);
    bench.tab.settle();
    let name = ModelList::setting(&"gemini".into());
    let kept = bench.tab.world().setting(&name).cloned().unwrap();
    assert_eq!(nexus_text::json::from_tree::<ModelList>(&kept).unwrap().models, models);
    assert!(!format!("{:?}", bench.tab.app_events()).contains("canary"), "no event holds a key");
}

#[test]
fn the_key_is_asked_for_where_everybody_is_given_the_list() {
    let check = |base_url: &str, answer: fn(&str, bool) -> (u16, &'static str)| {
        let bench = bench_with(answer);
        let provider =
            Provider { base_url: base_url.into(), protocol: Protocol::Openai, ..Provider::gemini() };
        bench.tab.send(Command::ChangeProvider { provider: provider.clone() }).unwrap();
        bench.desk.keys().put(&provider, "canary-key");
        bench.run(async |desk| desk.models("gemini".into(), true).await).unwrap().key
    };
    let (router, other) = ("https://openrouter.ai/api/v1", "https://models.example/v1");
    let refused =
        check(router, |url, _| if url.ends_with("/api/v1/key") { (401, "no") } else { (200, "[]") });
    assert!(matches!(refused, KeyCheck::Rejected(_)), "{refused:?}");
    assert_eq!(check(router, |_, _| (200, "[]")), KeyCheck::Accepted);
    assert_eq!(
        check(router, |url, _| if url.ends_with("/key") { (503, "busy") } else { (200, "[]") }),
        KeyCheck::NotChecked
    );
    assert_eq!(check(other, |_, _| (200, "[]")), KeyCheck::NotChecked);
    let proxy = bench(200, r#"{"models":[{"name":"models/gemini-x"}]}"#);
    let provider = Provider { base_url: other.into(), ..Provider::gemini() };
    proxy.tab.send(Command::ChangeProvider { provider: provider.clone() }).unwrap();
    proxy.desk.keys().put(&provider, "canary-key");
    let listed = proxy.run(async |desk| desk.models("gemini".into(), true).await).unwrap();
    assert_eq!(listed.key, KeyCheck::NotChecked, "whoever else speaks Gemini's protocol");
    assert_eq!(proxy.asked.borrow().len(), 2);
    proxy.run(async |desk| desk.models("gemini".into(), false).await).unwrap();
    assert_eq!(proxy.asked.borrow().len(), 3, "only a test of the connection asks twice");
    assert_eq!(
        check(other, |_, has_key| if has_key { (200, "[]") } else { (401, "no") }),
        KeyCheck::Accepted
    );
}

#[test]
fn what_a_provider_says_instead_of_a_list_is_given_on() {
    let refused = r#"{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"API key not valid.",
        "details":[{"reason":"API_KEY_INVALID"}]}}"#;
    let failure = bench(400, refused).run(async |desk| desk.models("gemini".into(), true).await).unwrap_err();
    assert_eq!(failure.category, ProviderErrorKind::Authentication);
    assert!(failure.message.contains("API key not valid"));
    let failure = bench(200, "{}").run(async |desk| desk.models("nobody".into(), true).await).unwrap_err();
    assert_eq!(failure.category, ProviderErrorKind::NotSetUp);
}

#[test]
fn the_prices_of_a_list_are_what_calls_cost_from_then_on() {
    use nexus_model::llm::Usage;
    use nexus_model::provider::cost::cost_of;
    use nexus_model::provider::price::Cost;

    let listed = r#"{"data":[
        {"id":"vendor/model","name":"Model","context_length":65536,
         "pricing":{"prompt":"0.000002","completion":"0.00001","input_cache_read":"0.0000005"}},
        {"id":"vendor/auto","pricing":{"prompt":"-1","completion":"-1"}}]}"#;
    let bench = bench(200, listed);
    let provider = Provider {
        id: "openrouter".into(),
        label: "OpenRouter".into(),
        protocol: Protocol::Openai,
        base_url: "https://openrouter.ai/api/v1".into(),
        needs_key: false,
    };
    let id = provider.id.clone();
    bench.tab.send(Command::ChangeProvider { provider }).unwrap();
    let usage =
        Usage { input: Some(1_000_000), cached: Some(400_000), output: Some(100_000), ..Usage::default() };
    let cost = |model: &str| cost_of(&bench.tab.world(), &id, model, &usage, Millis(1_795_000_000_000));
    assert_eq!(cost("vendor/model"), None, "nobody has told yet");
    let models = bench.run(async |desk| desk.models("openrouter".into(), false).await).unwrap().models;
    assert_eq!((models.len(), models[0].input_limit), (2, Some(65_536)));
    bench.tab.settle();
    // 600,000 at 2, 400,000 at 0.5 and 100,000 at 10 dollars a million.
    assert_eq!(cost("vendor/model"), Some(Cost(1_200_000_000 + 200_000_000 + 1_000_000_000)));
    assert_eq!(cost("vendor/auto"), None, "a price that varies is none");
    assert_eq!(bench.asked.borrow()[0].0, "https://openrouter.ai/api/v1/models");
}
