//! Read access to the world for lazily loaded components. `fold` runs again when a row changes.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use send_wrapper::SendWrapper;

use nexus_model::world::World;

/// The rows that are loaded, to be read.
#[derive(Clone, Copy)]
pub struct WorldReader {
    world: StoredValue<Option<SendWrapper<Rc<RefCell<World>>>>>,
    version: RwSignal<u32>,
}

impl WorldReader {
    pub(super) fn new() -> Self {
        Self { world: StoredValue::new(None), version: RwSignal::new(0) }
    }

    /// Folds something from the rows as they are. Tracks that they change.
    pub fn fold<T: Default>(&self, fold: impl FnOnce(&World) -> T) -> T {
        self.version.track();
        self.fold_untracked(fold)
    }

    /// The same once, for handlers.
    pub fn fold_untracked<T: Default>(&self, fold: impl FnOnce(&World) -> T) -> T {
        let world = self.world.with_value(|world| world.as_deref().cloned());
        world.map(|world| fold(&world.borrow())).unwrap_or_default()
    }

    pub(super) fn read(&self, world: &Rc<RefCell<World>>) {
        self.world.set_value(Some(SendWrapper::new(Rc::clone(world))));
    }

    pub(super) fn changed(&self) {
        self.version.update(|version| *version = version.wrapping_add(1));
    }
}
