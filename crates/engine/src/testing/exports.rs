//! Exports of a store in memory, and what another device takes in of them.

// Tests are built of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::{FutureExt as _, StreamExt as _};

use crate::backup::export::dump;
use crate::backup::import::{ImportResult, Importer};
use crate::backup::in_memory::{InMemoryBytes, InMemoryDeviceStorage};
use crate::backup::plan::{ImportPlan, look};
use crate::store::in_memory::InMemoryStore;
use nexus_model::id::{Millis, SessionId};
use nexus_model::world::World;

fn now<T>(work: impl Future<Output = T>) -> T {
    work.now_or_never().expect("a store in memory is never waited for")
}

/// What this file brings, and what the store took in of it.
pub fn taken(store: &InMemoryStore, file: Vec<u8>) -> (ImportPlan, ImportResult) {
    let (source, device) = (InMemoryBytes(Rc::new(file)), InMemoryDeviceStorage::default());
    let world = Rc::new(RefCell::new(World::default()));
    let plan = now(look(store, &world, &source)).unwrap();
    let importer =
        Importer { store, device: &device, world: &world, plan: &plan, mark: "(copy)", told: &|_| () };
    let result = now(importer.take(&source)).unwrap();
    (plan, result)
}

/// How many sessions another device takes in of what is exported here: of everything, or of one and what it goes back to.
pub fn taken_elsewhere(store: &InMemoryStore, only: Option<SessionId>) -> usize {
    let pieces = dump(Rc::new(store.clone()), Millis(9), "0.0.0", only);
    let text = now(pieces.map(Result::unwrap).collect::<String>());
    taken(&InMemoryStore::default(), text.into_bytes()).1.sessions.len()
}

/// All that is exported of a device, as one text.
pub fn exported_text(store: &InMemoryStore) -> String {
    let pieces = dump(Rc::new(store.clone()), Millis(9), "0.0.0", None);
    now(pieces.map(Result::unwrap).collect::<String>())
}
