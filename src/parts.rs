//! Lists the lazily loaded parts of the engine.
//!
//! Lazy views are declared beside their components (`ui::kit::lazy_view`).
//! `rows` is loaded first if the device has stored data, `work` while the screen is drawn; commands sent earlier wait
//! for it. `codecs` is loaded when the page is idle, or on a slow connection with the first call. All codecs are one
//! chunk with the rest of the engine, because code shared by some of them would become further chunks.

use std::cell::OnceCell;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt as _, TryFutureExt as _};
use nexus::browser::checks::FrameCheckRunner;
use nexus::browser::fetch::BrowserSockets;
use nexus::browser::fetch::FetchHttp;
use nexus::browser::file_system::BrowserFileSystem;
use nexus::browser::lifecycle::{BrowserClock, BrowserSpawn};
use nexus::browser::start::KeyStore;
use nexus::browser::vault::{BrowserVault, SEALING, Sealing};
use nexus::lazy;
use nexus::ui::hooks::page;
use nexus_engine::backup::{BackupModule, BackupService};
use nexus_engine::checks::RunChecks;
use nexus_engine::lazy::loader::{BeginServices, ChunkLoader, ReadRows};
use nexus_engine::lazy::{ChunkLoadError, CodecLoader, LazyFuture};
use nexus_engine::port::lazy::Terminals;
use nexus_engine::port::{FileSystem, KeyVault, Store, VoicePorts};
use nexus_engine::services::LazyEngine;
use nexus_engine::services::Services;
use nexus_engine::store::in_memory::{InMemoryStore, TabOnlyVault};
use nexus_engine::store::loading::StoredRows;
use nexus_engine::terminal::TerminalHub;
use nexus_model::provider::Protocol;
use nexus_providers::codec;
use nexus_providers::codec::Codec;
use nexus_view::strings::part_missing;

#[derive(Clone, Default)]
pub(crate) struct Loaded {
    /// This tab's terminals, once requested.
    terminals: Rc<OnceCell<Rc<dyn Terminals>>>,
    key_store: KeyStore,
}

impl Loaded {
    /// The same loader with a key store.
    pub(crate) fn with_keys(&self, key_store: KeyStore) -> Self {
        Self { key_store, terminals: Rc::clone(&self.terminals) }
    }
}

impl CodecLoader for Loaded {
    fn codec(&self, protocol: Protocol) -> LazyFuture<&'static Codec> {
        Box::pin(codecs().map_ok(move |codec| codec(protocol)))
    }

    fn checks(&self) -> LazyFuture<RunChecks> {
        checks()
    }

    fn terminals(&self) -> LazyFuture<Rc<dyn Terminals>> {
        let terminals = Rc::clone(&self.terminals);
        Box::pin(async move {
            let make = socket_terminals().await?;
            Ok(Rc::clone(terminals.get_or_init(make)))
        })
    }

    fn may_fetch_ahead(&self) -> LocalBoxFuture<'static, bool> {
        Box::pin(page::settled().map(|()| !page::is_frugal()))
    }
}

impl ChunkLoader for Loaded {
    fn rows(&self) -> LazyFuture<ReadRows> {
        let show_error = |_: &ChunkLoadError| {
            let notice = part_missing();
            page::show_status(&format!("{}. {}", notice.title, notice.advice));
        };
        Box::pin(rows().inspect_err(show_error))
    }

    fn services(&self) -> LazyFuture<BeginServices> {
        let key_store = self.key_store.clone();
        let bind = |begin: fn(Services, KeyStore)| {
            Box::new(move |services| begin(services, key_store)) as BeginServices
        };
        Box::pin(work().map_ok(bind))
    }

    fn lazy_engine(&self) -> LazyFuture<LazyEngine> {
        lazy_engine()
    }
}

lazy! {
    /// The File System Access adapter.
    board::disk: fn() -> Rc<dyn FileSystem> = || Rc::new(BrowserFileSystem::default());
    board::frame_checks: fn() -> RunChecks = || nexus_engine::checks::by(Rc::new(FrameCheckRunner));
    run_graph::socket_terminals: fn() -> Rc<dyn Terminals> =
        || Rc::new(TerminalHub::new(Rc::new(BrowserSockets), Rc::new(BrowserClock), Rc::new(BrowserSpawn)));
    /// Speech recognition and synthesis.
    board::voice: fn() -> VoicePorts = nexus::browser::speech::ports;
    rows::rows: ReadRows = StoredRows::read;
    /// For pages without IndexedDB, such as those in a sandboxed iframe.
    reader::in_memory_store: Rc<dyn Store> = Rc::new(InMemoryStore::default());
    work::work: fn(Services, KeyStore) = |services, key_store| {
        let vault: Rc<dyn KeyVault> = match key_store.0 {
            Ok(database) => Rc::new(BrowserVault::new(database, sealing)),
            Err(why) => Rc::new(TabOnlyVault(why)),
        };
        services.begin(vault);
    };
    codecs::sealing: &'static Sealing = &SEALING;
    codecs::lazy_engine: LazyEngine = LazyEngine::with_http(Rc::new(FetchHttp));
    codecs::codecs: fn(Protocol) -> &'static Codec = codec::of;
    /// Backup: export, import and restore points.
    settings::data: BackupModule =
        BackupModule { device: nexus::browser::storage_admin::device, start: BackupService::start };
}

/// Loads the check runner, for agents and for the operator.
pub(crate) fn checks() -> LazyFuture<RunChecks> {
    Box::pin(frame_checks().map_ok(|make| make()))
}
