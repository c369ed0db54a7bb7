//! Tests of the key service with an in-memory vault and a scripted provider.

use std::cell::{Cell, RefCell};

use futures_channel::oneshot;
use futures_util::future::LocalBoxFuture;

use super::*;
use crate::keys::KeyState;
use crate::port::{HttpError, HttpResponse, Ports, Spawn, StoredKey, VaultFuture, VaultUnavailable};
use crate::store::in_memory::ready;
use crate::tests::{Tab, says, tab};
use nexus_model::id::Millis;
use nexus_model::provider::{KeyCheck, ModelList, Protocol, Provider};
use nexus_providers::http::HttpRequest;

/// A vault with the passphrase `open sesame` until it is changed. Tabs share its contents; each unlocks it for itself.
#[derive(Default)]
struct FakeVault {
    stored: Rc<RefCell<Vec<(StoredKey, KeyStorage)>>>,
    passphrase: Rc<RefCell<Option<Secret>>>,
    open: Cell<bool>,
    /// True if writes fail.
    full: Cell<bool>,
}

impl FakeVault {
    fn put(&self, stored: StoredKey, keeping: KeyStorage) {
        let mut all = self.stored.borrow_mut();
        all.retain(|(other, _)| other.provider != stored.provider);
        all.push((stored, keeping));
    }
}

impl KeyVault for FakeVault {
    fn unavailable(&self) -> Option<VaultUnavailable> {
        None
    }
    fn list(&self) -> VaultFuture<Vec<StoredKey>> {
        let listed = |(stored, keeping): &(StoredKey, KeyStorage)| {
            let key = (*keeping == KeyStorage::Clear).then(|| stored.key.clone()).flatten();
            StoredKey { key, ..stored.clone() }
        };
        ready(Ok(self.stored.borrow().iter().map(listed).collect()))
    }
    fn open(&self, passphrase: Secret) -> VaultFuture<Vec<StoredKey>> {
        let right = self.passphrase.borrow().clone().unwrap_or_else(|| Secret::new("open sesame"));
        if passphrase != right {
            return ready(Err(VaultError::WrongPassphrase));
        }
        self.open.set(true);
        let sealed = |(_, keeping): &&(StoredKey, KeyStorage)| *keeping == KeyStorage::Passphrase;
        ready(Ok(self.stored.borrow().iter().filter(sealed).map(|(stored, _)| stored.clone()).collect()))
    }
    fn is_open(&self) -> bool {
        self.open.get()
    }
    fn close(&self) {
        self.open.set(false);
    }
    fn seal(&self, stored: StoredKey) -> VaultFuture<()> {
        if !self.open.get() {
            return ready(Err(VaultError::Closed));
        }
        if self.full.get() {
            return ready(Err(VaultError::Failed("there is no room".to_owned())));
        }
        self.put(stored, KeyStorage::Passphrase);
        ready(Ok(()))
    }
    fn change_passphrase(&self, passphrase: Secret, stored: Vec<StoredKey>) -> VaultFuture<()> {
        if self.full.get() {
            return ready(Err(VaultError::Failed("there is no room".to_owned())));
        }
        stored.into_iter().for_each(|stored| self.put(stored, KeyStorage::Passphrase));
        *self.passphrase.borrow_mut() = Some(passphrase);
        self.open.set(true);
        ready(Ok(()))
    }
    fn store_unencrypted(&self, stored: StoredKey) -> VaultFuture<()> {
        self.put(stored, KeyStorage::Clear);
        ready(Ok(()))
    }
    fn delete(&self, provider: ProviderId) -> VaultFuture<()> {
        self.stored.borrow_mut().retain(|(stored, _)| stored.provider != provider);
        ready(Ok(()))
    }
}

/// Answers a request by its URL and whether it had a key, and records both.
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
    service: KeyService,
    vault: Rc<FakeVault>,
    requests: Rc<RefCell<Vec<(String, bool)>>>,
}

fn fixture(status: u16, body: &'static str) -> KeyServiceFixture {
    bench_with(move |_, _| (status, body))
}

fn bench_with(answer: impl Fn(&str, bool) -> (u16, &'static str) + 'static) -> KeyServiceFixture {
    let tab = tab(|_, _| says("never asked"));
    let (vault, requests) = (Rc::new(FakeVault::default()), Rc::default());
    let service = KeyService {
        engine: EngineContext {
            world: Rc::clone(&tab.running.world),
            handle: tab.running.handle.clone(),
            bus: Rc::clone(&tab.running.bus),
            ports: Ports { spawn: Rc::new(NoSpawn), ..tab.ports.clone() },
            parts: Rc::new(tab.checks.clone()),
        },
        http: Rc::new(FixedResponse(Box::new(answer), Rc::clone(&requests))),
        vault: Rc::clone(&vault) as Rc<dyn KeyVault>,
        load_models: Rc::new(|| ready(Ok(KeyService::list as ListModels))),
    };
    KeyServiceFixture { tab, service, vault, requests }
}

/// Runs nothing.
struct NoSpawn;

impl Spawn for NoSpawn {
    fn spawn(&self, _work: LocalBoxFuture<'static, ()>) {}
}

impl KeyServiceFixture {
    fn run<T: 'static>(&self, work: impl AsyncFnOnce(KeyService) -> T + 'static) -> T {
        let slot = Rc::new(RefCell::new(None));
        let (put, service) = (Rc::clone(&slot), self.service.clone());
        self.tab.spawn(async move { *put.borrow_mut() = Some(work(service).await) });
        slot.borrow_mut().take().expect("it ends without time passing")
    }

    fn keep(&self, keeping: KeyStorage, passphrase: Option<&'static str>) -> Result<(), VaultError> {
        self.run(async move |service| {
            service.store_key("gemini".into(), keeping, passphrase.map(Secret::new)).await
        })
    }

    /// Another tab of the same device, without keys of its own.
    fn other_tab(&self) -> KeyServiceFixture {
        let other = fixture(200, "{}");
        let vault = Rc::new(FakeVault {
            stored: Rc::clone(&self.vault.stored),
            passphrase: Rc::clone(&self.vault.passphrase),
            ..FakeVault::default()
        });
        let service = KeyService { vault: Rc::clone(&vault) as Rc<dyn KeyVault>, ..other.service };
        service.keys().remove(&"gemini".into());
        KeyServiceFixture { service, vault, ..other }
    }

    /// What this tab has broadcast since the last call; asserts that it contains no key.
    fn broadcast(&self, signals: &mut UnboundedReceiver<TransientEvent>) -> Vec<KeyBroadcast> {
        let all: Vec<_> = std::iter::from_fn(|| signals.try_recv().ok()).collect();
        assert!(!format!("{all:?}").contains("canary"), "no other tab learns a key");
        all.into_iter()
            .filter_map(
                |event| if let TransientEvent::KeyBroadcast(changes) = event { Some(changes) } else { None },
            )
            .collect()
    }

    fn hear(&self, changes: Vec<KeyBroadcast>) {
        self.run(async move |service| {
            for one in changes {
                service.apply_broadcast(one).await;
            }
        });
    }

    fn ask(&self, request: VaultRequest) {
        self.run(async move |service| {
            let (reply, answer) = oneshot::channel();
            service.handle(KeyRequest::Vault(request, reply)).await;
            assert_eq!(answer.await, Ok(Ok(())));
        });
    }

    fn key(&self) -> Option<String> {
        self.service.keys().key(&Provider::gemini()).map(|key| key.reveal().to_owned())
    }

    fn state(&self) -> KeyState {
        self.service.keys().state(&Provider::gemini())
    }
}

#[test]
fn key_is_encrypted_and_decrypted_with_the_passphrase() {
    let fixture = fixture(200, "{}");
    assert_eq!(fixture.keep(KeyStorage::Passphrase, None), Err(VaultError::Closed));
    fixture.keep(KeyStorage::Passphrase, Some("open sesame")).unwrap();
    assert_eq!(fixture.state(), KeyState::Usable(KeyStorage::Passphrase));
    fixture.service.lock();
    assert_eq!(fixture.state(), KeyState::Locked);
    let wrong = fixture.run(async |service| service.unlock(Secret::new("guess")).await);
    assert_eq!((wrong, fixture.state()), (Err(VaultError::WrongPassphrase), KeyState::Locked));
    fixture.run(async |service| service.unlock(Secret::new("open sesame")).await).unwrap();
    let key = fixture.service.keys().key(&Provider::gemini());
    assert_eq!(key.map(|key| key.reveal().to_owned()).as_deref(), Some("test-key-canary"));
}

#[test]
fn key_that_cannot_be_encrypted_is_not_marked_as_encrypted() {
    let fixture = fixture(200, "{}");
    fixture.vault.full.set(true);
    assert!(matches!(fixture.keep(KeyStorage::Passphrase, Some("open sesame")), Err(VaultError::Failed(_))));
    assert_eq!(fixture.state(), KeyState::Usable(KeyStorage::Tab));
    fixture.service.lock();
    assert_eq!(fixture.key().as_deref(), Some("test-key-canary"), "locking would lose the only copy");
    fixture.vault.full.set(false);
    fixture.keep(KeyStorage::Clear, None).unwrap();
    fixture.vault.full.set(true);
    assert!(fixture.keep(KeyStorage::Passphrase, Some("open sesame")).is_err());
    assert_eq!(fixture.state(), KeyState::Usable(KeyStorage::Clear));
}

#[test]
fn passphrase_can_be_changed() {
    let fixture = fixture(200, "{}");
    let change = |now: &'static str| {
        fixture.run(async move |service| {
            service.change_passphrase(Secret::new(now), Secret::new("open barley")).await
        })
    };
    assert_eq!(change("open sesame"), Err(VaultError::WrongPassphrase), "nothing is under it yet");
    assert!(!fixture.vault.is_open());
    fixture.keep(KeyStorage::Passphrase, Some("open sesame")).unwrap();
    fixture.service.lock();
    assert_eq!((change("guess"), fixture.state()), (Err(VaultError::WrongPassphrase), KeyState::Locked));
    fixture.vault.full.set(true);
    assert!(matches!(change("open sesame"), Err(VaultError::Failed(_))));
    fixture.vault.full.set(false);
    let unlock = |passphrase: &'static str| {
        fixture.run(async move |service| service.unlock(Secret::new(passphrase)).await)
    };
    unlock("open sesame").unwrap();
    change("open sesame").unwrap();
    assert_eq!(fixture.state(), KeyState::Usable(KeyStorage::Passphrase));
    fixture.service.lock();
    assert_eq!(unlock("open sesame"), Err(VaultError::WrongPassphrase));
    unlock("open barley").unwrap();
    assert_eq!(fixture.key().as_deref(), Some("test-key-canary"));
}

#[test]
fn other_tabs_follow_key_changes_without_receiving_keys() {
    let here = fixture(200, "{}");
    let there = here.other_tab();
    let mut signals = here.tab.running.bus.subscribe_transient();
    let gemini = || ProviderId::from("gemini");
    let follow = |signals: &mut UnboundedReceiver<TransientEvent>, expected: &[KeyBroadcast]| {
        let broadcast = here.broadcast(signals);
        assert_eq!(broadcast, expected);
        there.hear(broadcast);
        there.state()
    };
    assert_eq!(there.state(), KeyState::Missing);
    here.keep(KeyStorage::Passphrase, Some("open sesame")).unwrap();
    assert_eq!(follow(&mut signals, &[KeyBroadcast::Stored(gemini())]), KeyState::Locked);
    there.run(async |service| service.unlock(Secret::new("open sesame")).await).unwrap();
    assert_eq!(there.key().as_deref(), Some("test-key-canary"));

    here.ask(VaultRequest::Lock);
    assert_eq!(follow(&mut signals, &[KeyBroadcast::Locked]), KeyState::Locked);
    assert!(!there.vault.is_open());
    there.run(async |service| service.unlock(Secret::new("open sesame")).await).unwrap();
    here.ask(VaultRequest::ChangePassphrase {
        passphrase: Secret::new("open sesame"),
        next: Secret::new("open barley"),
    });
    assert_eq!(follow(&mut signals, &[KeyBroadcast::Locked]), KeyState::Locked);

    here.keep(KeyStorage::Clear, None).unwrap();
    assert_eq!(follow(&mut signals, &[KeyBroadcast::Stored(gemini())]), KeyState::Usable(KeyStorage::Clear));
    assert_eq!(there.key().as_deref(), Some("test-key-canary"), "it came from the device, not from the tab");
    here.keep(KeyStorage::Tab, None).unwrap();
    assert_eq!(follow(&mut signals, &[KeyBroadcast::Removed(gemini())]), KeyState::Missing);

    there.service.keys().put(&Provider::gemini(), "own-canary");
    here.keep(KeyStorage::Clear, None).unwrap();
    assert_eq!(follow(&mut signals, &[KeyBroadcast::Stored(gemini())]), KeyState::Usable(KeyStorage::Tab));
    assert_eq!(there.key().as_deref(), Some("own-canary"), "a tab keeps the key entered in it");
    here.ask(VaultRequest::Delete("gemini".into()));
    assert_eq!(follow(&mut signals, &[KeyBroadcast::Deleted(gemini())]), KeyState::Missing);
    there.hear(vec![KeyBroadcast::Stored("nobody".into())]);
    assert_eq!(there.state(), KeyState::Missing);
}

#[test]
fn unlocking_keeps_a_newer_key_of_this_tab() {
    let fixture = fixture(200, "{}");
    fixture.keep(KeyStorage::Passphrase, Some("open sesame")).unwrap();
    fixture.service.lock();
    fixture.service.keys().put(&Provider::gemini(), "newer-canary");
    fixture.run(async |service| service.unlock(Secret::new("open sesame")).await).unwrap();
    assert_eq!(fixture.key().as_deref(), Some("newer-canary"));
}

#[test]
fn after_a_reload_a_sealed_key_is_locked_and_a_clear_one_is_usable() {
    let fixture = fixture(200, "{}");
    fixture.keep(KeyStorage::Passphrase, Some("open sesame")).unwrap();
    fixture.service.keys().remove(&"gemini".into());
    fixture.run(async |service| service.restore().await).unwrap();
    assert_eq!(fixture.state(), KeyState::Locked);
    fixture.run(async |service| service.unlock(Secret::new("open sesame")).await).unwrap();
    fixture.keep(KeyStorage::Clear, None).unwrap();
    fixture.service.keys().remove(&"gemini".into());
    fixture.run(async |service| service.restore().await).unwrap();
    assert_eq!(fixture.state(), KeyState::Usable(KeyStorage::Clear));
    fixture.keep(KeyStorage::Tab, None).unwrap();
    assert!(fixture.vault.stored.borrow().is_empty(), "a key of this tab only is not stored");
}

#[test]
fn provider_with_a_new_origin_loses_its_key_everywhere() {
    let fixture = fixture(200, "{}");
    fixture.keep(KeyStorage::Clear, None).unwrap();
    let mut provider = Provider::gemini();
    provider.base_url = "https://generativelanguage.googleapis.com/other/path".into();
    let moved = |provider: Provider| {
        let kind = EventKind::ProviderChanged { provider };
        let event = nexus_model::decide::NewEvent {
            stream: nexus_model::id::StreamId::App,
            run: None,
            turn: None,
            kind,
        };
        event.into_event(1, Millis(1))
    };
    let same_origin = moved(provider.clone());
    fixture.run(async move |service| service.handle_event(&same_origin).await);
    assert_eq!(fixture.state(), KeyState::Usable(KeyStorage::Clear), "another path is no other host");
    provider.base_url = "https://evil.example".into();
    let other_origin = moved(provider);
    fixture.run(async move |service| service.handle_event(&other_origin).await);
    assert_eq!(fixture.state(), KeyState::Missing);
    assert!(fixture.vault.stored.borrow().is_empty());
}

#[test]
fn stored_key_of_another_origin_is_deleted_at_the_start() {
    let fixture = fixture(200, "{}");
    let stored = StoredKey {
        provider: "gemini".into(),
        origin: "https://elsewhere.example".into(),
        key: Some(Secret::new("old-canary")),
    };
    fixture.vault.put(stored, KeyStorage::Clear);
    fixture.service.keys().remove(&"gemini".into());
    fixture.run(async |service| service.restore().await).unwrap();
    assert_eq!(fixture.state(), KeyState::Missing);
    assert!(fixture.vault.stored.borrow().is_empty());
}

#[test]
fn key_of_a_provider_that_cannot_be_read_stays() {
    let fixture = fixture(200, "{}");
    fixture.keep(KeyStorage::Clear, None).unwrap();
    fixture.service.keys().remove(&"gemini".into());
    let row = fixture.service.engine.world.borrow_mut().providers.remove(&"gemini".into()).unwrap();
    fixture.run(async |service| service.restore().await).unwrap();
    assert_eq!((fixture.key(), fixture.vault.stored.borrow().len()), (None, 1));
    fixture.service.engine.world.borrow_mut().providers.insert("gemini".into(), row);
    fixture.run(async |service| service.restore().await).unwrap();
    assert_eq!(fixture.state(), KeyState::Usable(KeyStorage::Clear));
}

#[test]
fn keys_are_locked_when_idle() {
    let fixture = fixture(200, "{}");
    let (requests_tx, requests) = futures_channel::mpsc::unbounded();
    let events = fixture.tab.running.bus.subscribe(&[]);
    fixture.tab.spawn(fixture.service.clone().serve(requests, events));
    let (reply, _answer) = oneshot::channel();
    let passphrase = Some(Secret::new("open sesame"));
    let keep = VaultRequest::Store { provider: "gemini".into(), storage: KeyStorage::Passphrase, passphrase };
    requests_tx.unbounded_send(KeyRequest::Vault(keep, reply)).unwrap();
    fixture.tab.settle();
    fixture.tab.pass(KEY_IDLE_MS - 60_000);
    assert!(fixture.service.keys().key(&Provider::gemini()).is_some(), "and this is a use");
    fixture.tab.pass(KEY_IDLE_MS - 60_000);
    assert_eq!(fixture.state(), KeyState::Usable(KeyStorage::Passphrase));
    fixture.tab.pass(120_000);
    assert_eq!(fixture.state(), KeyState::Locked);
    assert!(!fixture.vault.is_open());
}

#[test]
fn model_list_is_requested_with_the_key_and_stored() {
    let fixture = fixture(200, r#"{"models":[{"name":"models/gemini-x","inputTokenLimit":1000}]}"#);
    let listed = fixture.run(async |service| service.models("gemini".into(), true).await).unwrap();
    let models = listed.models;
    assert_eq!(listed.key, KeyCheck::Accepted, "no other provider gets the list");
    assert_eq!(models.first().map(|model| model.id.as_str()), Some("gemini-x"));
    let (url, has_key) = fixture.requests.borrow().first().cloned().unwrap();
    assert!(url.starts_with("https://generativelanguage.googleapis.com/") && !url.contains("canary"));
    assert!(has_key);
    fixture.tab.settle();
    let name = ModelList::setting(&"gemini".into());
    let stored = fixture.tab.world().setting(&name).cloned().unwrap();
    assert_eq!(nexus_text::json::from_tree::<ModelList>(&stored).unwrap().models, models);
    assert!(!format!("{:?}", fixture.tab.app_events()).contains("canary"), "no event holds a key");
}

#[test]
fn key_is_checked_if_the_list_needs_none() {
    let check = |base_url: &str, answer: fn(&str, bool) -> (u16, &'static str)| {
        let fixture = bench_with(answer);
        let provider =
            Provider { base_url: base_url.into(), protocol: Protocol::Openai, ..Provider::gemini() };
        fixture.tab.send(Command::ChangeProvider { provider: provider.clone() }).unwrap();
        fixture.service.keys().put(&provider, "canary-key");
        fixture.run(async |service| service.models("gemini".into(), true).await).unwrap().key
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
    let proxy = fixture(200, r#"{"models":[{"name":"models/gemini-x"}]}"#);
    let provider = Provider { base_url: other.into(), ..Provider::gemini() };
    proxy.tab.send(Command::ChangeProvider { provider: provider.clone() }).unwrap();
    proxy.service.keys().put(&provider, "canary-key");
    let listed = proxy.run(async |service| service.models("gemini".into(), true).await).unwrap();
    assert_eq!(listed.key, KeyCheck::NotChecked, "whoever else speaks Gemini's protocol");
    assert_eq!(proxy.requests.borrow().len(), 2);
    proxy.run(async |service| service.models("gemini".into(), false).await).unwrap();
    assert_eq!(proxy.requests.borrow().len(), 3, "only a test of the connection asks twice");
    assert_eq!(
        check(other, |_, has_key| if has_key { (200, "[]") } else { (401, "no") }),
        KeyCheck::Accepted
    );
}

#[test]
fn providers_error_for_the_model_list_is_returned() {
    let refused = r#"{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"API key not valid.",
        "details":[{"reason":"API_KEY_INVALID"}]}}"#;
    let failure =
        fixture(400, refused).run(async |service| service.models("gemini".into(), true).await).unwrap_err();
    assert_eq!(failure.category, ProviderErrorKind::Authentication);
    assert!(failure.message.contains("API key not valid"));
    let failure =
        fixture(200, "{}").run(async |service| service.models("nobody".into(), true).await).unwrap_err();
    assert_eq!(failure.category, ProviderErrorKind::NotSetUp);
}

#[test]
fn prices_of_the_model_list_determine_later_costs() {
    use nexus_model::context::forecast::cost_of;
    use nexus_model::llm::Usage;
    use nexus_model::provider::price::Cost;

    let listed = r#"{"data":[
        {"id":"vendor/model","name":"Model","context_length":65536,
         "pricing":{"prompt":"0.000002","completion":"0.00001","input_cache_read":"0.0000005"}},
        {"id":"vendor/auto","pricing":{"prompt":"-1","completion":"-1"}}]}"#;
    let fixture = fixture(200, listed);
    let provider = Provider {
        id: "openrouter".into(),
        label: "OpenRouter".into(),
        protocol: Protocol::Openai,
        base_url: "https://openrouter.ai/api/v1".into(),
        needs_key: false,
    };
    let id = provider.id.clone();
    fixture.tab.send(Command::ChangeProvider { provider }).unwrap();
    let usage =
        Usage { input: Some(1_000_000), cached: Some(400_000), output: Some(100_000), ..Usage::default() };
    let cost = |model: &str| cost_of(&fixture.tab.world(), &id, model, &usage, Millis(1_795_000_000_000));
    assert_eq!(cost("vendor/model"), None, "no price is known yet");
    let models =
        fixture.run(async |service| service.models("openrouter".into(), false).await).unwrap().models;
    assert_eq!((models.len(), models[0].input_limit), (2, Some(65_536)));
    fixture.tab.settle();
    // 600,000 at 2, 400,000 at 0.5 and 100,000 at 10 dollars a million.
    assert_eq!(cost("vendor/model"), Some(Cost(1_200_000_000 + 200_000_000 + 1_000_000_000)));
    assert_eq!(cost("vendor/auto"), None, "a varying price counts as unknown");
    assert_eq!(fixture.requests.borrow()[0].0, "https://openrouter.ai/api/v1/models");
}
