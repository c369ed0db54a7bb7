//! Exports of an in-memory store, and their import on another device.

// Tests are built of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::{FutureExt as _, StreamExt as _};

use crate::backup::export::dump;
use crate::backup::import::{ImportResult, ImportedData, Importer};
use crate::backup::plan::{ImportPlan, plan_import};
use crate::lazy::loader::BuiltInEngine;
use crate::queries::EventQueries;
use crate::store::in_memory::{InMemoryBytes, InMemoryDeviceStorage, InMemoryStore};
use crate::tests::Tab;
use nexus_model::id::{Millis, SessionId};
use nexus_model::world::World;

fn now<T>(work: impl Future<Output = T>) -> T {
    work.now_or_never().expect("a store in memory is never waited for")
}

/// Imports a file into the store; returns the plan and the result.
pub fn imported(store: &InMemoryStore, file: Vec<u8>) -> (ImportPlan, ImportResult) {
    let (source, device) = (InMemoryBytes(Rc::new(file)), InMemoryDeviceStorage::default());
    let world = Rc::new(RefCell::new(World::default()));
    let plan = now(plan_import(store, &world, &source)).unwrap();
    let importer = Importer {
        store,
        device: &device,
        world: &world,
        plan: &plan,
        mark: "(copy)",
        on_progress: &|_| (),
        written: ImportedData::default(),
    };
    let result = now(importer.import(&source)).unwrap();
    (plan, result)
}

/// Number of sessions that another device imports from an export of everything, or of one session with its ancestors.
pub fn imported_elsewhere(store: &InMemoryStore, only: Option<SessionId>) -> usize {
    let pieces = dump(Rc::new(store.clone()), Millis(9), "0.0.0", only);
    let text = now(pieces.map(Result::unwrap).collect::<String>());
    imported(&InMemoryStore::default(), text.into_bytes()).1.sessions.len()
}

/// The export of a device as one text.
pub fn exported_text(store: &InMemoryStore) -> String {
    let pieces = dump(Rc::new(store.clone()), Millis(9), "0.0.0", None);
    now(pieces.map(Result::unwrap).collect::<String>())
}

impl Tab {
    /// What the screens ask about what this tab has stored.
    pub fn records(&self) -> EventQueries {
        EventQueries::new(
            Rc::new(self.store.clone()),
            Rc::new(BuiltInEngine::default()),
            Rc::clone(&self.running.bus),
        )
    }
}
