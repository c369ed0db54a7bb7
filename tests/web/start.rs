//! Tests of the start, the localStorage mirror and the page lifecycle.

use std::cell::{Cell, RefCell};
use std::future::ready;
use std::rc::Rc;
use std::sync::Arc;

use nexus::browser::fetch::FetchHttp;
use nexus::browser::idb::Watch;
use nexus::browser::lifecycle::{BrowserClock, BrowserIds, BrowserSpawn};
use nexus::browser::local_storage::{LocalMirror, LocalStore};
use nexus::browser::start::{BootContext, KeyStore};
use nexus::browser::{lifecycle, local_storage, start};
use nexus_engine::bus::Bus;
use nexus_engine::lazy::LazyFuture;
use nexus_engine::lazy::loader::{BuiltInEngine, ChunkLoader};
use nexus_engine::port::{Batch, Clock, ProviderPorts, StorageStatus, Store, Table, VaultUnavailable};
use nexus_engine::store::in_memory::{InMemoryStore, TabOnlyVault};
use nexus_model::command::Command;
use nexus_model::id::SessionId;
use nexus_model::mind::{Mind, MindFile, MindWrite};
use nexus_model::provider::Provider;
use nexus_model::session::Session;
use nexus_model::world::World;
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::{denied, script, script_promise, settle};

/// A loader with the whole engine built in and a vault that stores nothing.
fn built_in(_: KeyStore) -> Rc<dyn ChunkLoader> {
    let vault = Rc::new(TabOnlyVault(VaultUnavailable::NoStorage));
    Rc::new(BuiltInEngine(Some(ProviderPorts { http: Rc::new(FetchHttp), vault })))
}

fn in_memory() -> LazyFuture<Rc<dyn Store>> {
    Box::pin(ready(Ok(Rc::new(InMemoryStore::default()) as Rc<dyn Store>)))
}

/// Starts without a store watcher.
async fn start() -> BootContext {
    start::start(Rc::new(Watch::default()), in_memory).await.unwrap()
}

async fn clear_storage() {
    script("localStorage.clear()");
    script_promise(
        "new Promise((done) => { const r = indexedDB.deleteDatabase('nexus'); r.onsuccess = r.onerror = done; })",
    )
    .await;
}

/// A world with one session in view.
fn world(mind: Mind) -> (World, SessionId) {
    let id = SessionId::new(&mut BrowserIds::default());
    let session: Session = serde_json::from_value(json!({
        "id": id, "label": "s", "status": "open", "origin": "user", "kind": "user",
        "mind": mind.hash(), "last_sequence": 0, "created_at": 0,
    }))
    .unwrap();
    let mut world = World::default();
    world.minds.insert(mind.hash(), Arc::new(mind));
    world.sessions.insert(id, Arc::new(session));
    world.settings.insert("open_session".to_owned(), Arc::new(json!(id)));
    world.settings.insert("operator_name".to_owned(), Arc::new(json!("Anna")));
    world.settings.insert("theme".to_owned(), Arc::new(json!("light")));
    for provider in [Provider::gemini(), Provider::demo()] {
        world.providers.insert(provider.id.clone(), Arc::new(Some(provider)));
    }
    (world, id)
}

#[wasm_bindgen_test]
async fn mirror_contains_the_session_in_view() {
    clear_storage().await;
    let mut mind = Mind { objective: "Fly".to_owned(), scratchpad: "1. wings".to_owned(), ..Mind::default() };
    mind.files.insert("wing.rs".to_owned(), MindFile::new("fn flap() {}"));
    mind.active = Some("wing.rs".to_owned());
    let (world, session) = world(mind);
    let (local, _errors) = LocalStore::probe();
    let local = Rc::new(local);
    let bus = Bus::default();
    let mirror = LocalMirror::start(
        Rc::new(RefCell::new(world)),
        &bus,
        Rc::clone(&local),
        Rc::new(BrowserClock),
        &BrowserSpawn,
    );
    assert_eq!(local.text(local_storage::USER_NAME).as_deref(), Some("Anna"));
    assert_eq!(local.text(local_storage::SESSION_ID), Some(session.to_string()));
    assert_eq!(
        local.read::<Value>(local_storage::BOOT).unwrap(),
        json!({"theme": "light", "is_set_up": false, "origins": ["https://generativelanguage.googleapis.com"]})
    );
    // The page closes before two seconds have passed.
    script("window.dispatchEvent(new Event('pagehide'))");
    assert_eq!(
        local.read::<Value>(local_storage::CONTEXT_STATE).unwrap(),
        json!({"objective": "Fly", "scratchpad": "1. wings", "activeFile": "fn flap() {}", "activeFileName": "wing.rs"})
    );
    drop(mirror);
}

#[wasm_bindgen_test]
async fn first_session_id_is_not_overwritten() {
    clear_storage().await;
    script("localStorage.nexus_session_id = 'of-another-program'");
    let (world, _) = world(Mind::default());
    let (local, _errors) = LocalStore::probe();
    let local = Rc::new(local);
    let world = Rc::new(RefCell::new(world));
    let mirror =
        LocalMirror::start(world, &Bus::default(), Rc::clone(&local), Rc::new(BrowserClock), &BrowserSpawn);
    assert_eq!(local.text(local_storage::SESSION_ID).as_deref(), Some("of-another-program"));
    drop(mirror);
}

#[wasm_bindgen_test]
async fn first_start_imports_the_mind_of_an_earlier_version() {
    clear_storage().await;
    script(
        r#"localStorage.nexus_context_state = '{"objective":"Old","scratchpad":"","activeFile":"x","activeFileName":"a.txt"}'"#,
    );
    let started = start().await;
    assert_eq!(started.storage, StorageStatus::Device);
    assert_eq!(started.imported.map(|state| state.objective), Some("Old".to_owned()));
    assert!(!started.is_safe_mode && started.errors.is_empty());
    let puts = vec![(Table::Settings, ("theme".to_owned(), "\"dark\"".to_owned()))];
    started.ports.store.write(Batch { puts, ..Batch::default() }).await.unwrap();
    let again = start().await;
    let rows = again.ports.store.scan(Table::Settings, String::new()).await.unwrap();
    assert_eq!(rows.len(), 1);
}

#[wasm_bindgen_test]
async fn unreadable_mirror_is_reported_at_start() {
    clear_storage().await;
    script("localStorage.nexus_context_state = '[]'");
    let started = start().await;
    assert_eq!(started.imported, None);
    assert_eq!(started.errors.len(), 1);
    assert!(started.errors[0].message.contains("nexus_context_state_quarantine"));
}

#[wasm_bindgen_test]
async fn engine_restores_from_the_store() {
    clear_storage().await;
    script(r#"localStorage.nexus_context_state = '{"objective":"Old"}'"#);
    let (started, running) = start().await.engine(built_in).await.unwrap();
    let local = Rc::clone(&started.local);
    let world = Rc::clone(&running.world);
    let mirror = LocalMirror::start(
        world,
        &running.bus,
        Rc::clone(&local),
        Rc::clone(&started.ports.clock),
        &BrowserSpawn,
    );
    let session = started.first_session;
    running.handle.open(session).await.unwrap();
    assert_eq!(local.text(local_storage::SESSION_ID), Some(session.to_string()));
    let base = running.world.borrow().session(&session).unwrap().mind;
    let writes = vec![MindWrite::Objective("New".to_owned())];
    running.handle.send(Command::EditMind { session, base, writes }).await.unwrap();
    assert!(local.text(local_storage::CONTEXT_STATE).unwrap().contains("Old"));
    BrowserClock.sleep(2_200).await;
    assert_eq!(local.read::<Value>(local_storage::CONTEXT_STATE).unwrap()["objective"], "New");
    drop((mirror, started, running));

    // The next start reads everything from the store and ignores the mirror.
    script(r#"localStorage.nexus_context_state = '{"objective":"Other"}'"#);
    let (started, running) = start().await.engine(built_in).await.unwrap();
    assert_eq!((started.imported, started.first_session), (None, session));
    running.handle.open(session).await.unwrap();
    let world = running.world.borrow();
    let mind = world.working_mind(world.session(&session).unwrap()).unwrap();
    assert_eq!(mind.objective, "New");
}

#[wasm_bindgen_test]
async fn runs_in_memory_if_storage_is_denied() {
    clear_storage().await;
    let started = denied("indexedDB", start()).await;
    assert_eq!(started.storage, StorageStatus::Denied);
    let puts = vec![(Table::Settings, ("theme".to_owned(), "1".to_owned()))];
    started.ports.store.write(Batch { puts, ..Batch::default() }).await.unwrap();
    assert_eq!(started.ports.store.scan(Table::Settings, String::new()).await.unwrap().len(), 1);
}

/// As in an iframe whose third-party storage is blocked.
#[wasm_bindgen_test]
async fn storage_counts_as_denied_if_only_opening_the_database_fails() {
    clear_storage().await;
    script(
        "(() => {
            const real = IDBFactory.prototype.open;
            IDBFactory.prototype.open = function () {
                IDBFactory.prototype.open = real;
                const message = 'The user denied permission to access the database.';
                const error = new DOMException(message, 'UnknownError');
                return Object.assign(new EventTarget(), { readyState: 'done', error });
            };
        })()",
    );
    let started = denied("localStorage", start()).await;
    assert_eq!(started.storage, StorageStatus::Denied);
}

#[wasm_bindgen_test]
async fn unresponsive_database_times_out() {
    clear_storage().await;
    script(
        "(() => {
            const real = IDBFactory.prototype.open;
            IDBFactory.prototype.open = function () {
                IDBFactory.prototype.open = real;
                return new EventTarget();
            };
        })()",
    );
    let started = start().await;
    assert_eq!(started.storage, StorageStatus::Failed);
}

#[wasm_bindgen_test]
async fn listeners_are_removed_on_drop() {
    let hidden = Rc::new(Cell::new(0));
    let count = Rc::clone(&hidden);
    let listeners = lifecycle::on_hidden(move || count.set(count.get() + 1));
    script("window.dispatchEvent(new Event('pagehide'))");
    assert_eq!(hidden.get(), 1);
    drop(listeners);
    script("window.dispatchEvent(new Event('pagehide'))");
    assert_eq!(hidden.get(), 1);
    settle().await;
}
