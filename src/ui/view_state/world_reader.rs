//! Reactive read access to the world: selectors that rerun when a part that they depend on changed.

use crate::ui::kit::base::*;
use crate::ui::kit::selector::copy_handle;
use nexus_model::id::SessionId;
use nexus_model::mind::Mind;
use nexus_model::session::Session;
use nexus_model::world::{World, WorldParts};
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecMap;

#[derive(Clone, Copy)]
pub struct WorldReader {
    world: StoredValue<SendWrapper<Rc<RefCell<World>>>>,
    changes: [(WorldParts, Trigger); 4],
}

impl WorldReader {
    pub(crate) fn new(world: &Rc<RefCell<World>>) -> Self {
        let parts = [WorldParts::SETTINGS, WorldParts::ROSTER, WorldParts::MEMORIES, WorldParts::SESSIONS];
        Self {
            world: StoredValue::new(SendWrapper::new(Rc::clone(world))),
            changes: parts.map(|part| (part, Trigger::new())),
        }
    }

    /// Memoises `read`, which depends on these parts and on the signals that it reads.
    pub fn select<T: PartialEq + Send + Sync + 'static>(
        &self,
        parts: WorldParts,
        read: impl Fn(&World) -> T + Send + Sync + 'static,
    ) -> Selector<T> {
        let this = *self;
        select(move || this.with(parts, &read))
    }

    /// Like `select`, for a session. Keeps the previous value while the session is not loaded.
    pub(super) fn select_of<T: Clone + Default + PartialEq + Send + Sync + 'static>(
        &self,
        session: RwSignal<SessionId>,
        parts: WorldParts,
        read: impl Fn(&World, &Session) -> T + Send + Sync + 'static,
    ) -> Selector<T> {
        let this = *self;
        select_from(move |before| {
            this.with(parts, |world| match world.session(&session.get()) {
                Some(session) => read(world, session),
                None => before.cloned().unwrap_or_default(),
            })
        })
    }

    /// Reads once, and subscribes to these parts.
    pub fn with<U>(&self, parts: WorldParts, read: impl FnOnce(&World) -> U) -> U {
        self.each(parts, |change| change.track());
        self.with_untracked(read)
    }

    pub fn with_untracked<U>(&self, read: impl FnOnce(&World) -> U) -> U {
        let world = self.world.with_value(|world| Rc::clone(world));
        read(&world.borrow())
    }

    /// A session's current mind with its hash, for handlers.
    pub fn mind_untracked(&self, session: SessionId) -> Option<(ContentHash, Arc<Mind>)> {
        self.with_untracked(|world| {
            let mind = world.session(&session)?.mind;
            Some((mind, Arc::clone(world.mind(&mind)?)))
        })
    }

    /// Notifies everything that depends on these parts.
    pub fn changed(&self, parts: WorldParts) {
        self.each(parts, |change| change.notify());
    }

    fn each(&self, parts: WorldParts, act: fn(Trigger)) {
        for (part, change) in self.changes {
            if parts.meets(part) {
                act(change);
            }
        }
    }
}

#[derive(Clone, PartialEq)]
pub(super) struct OrderedRows<K, R> {
    order: Vec<K>,
    rows: VecMap<K, R>,
}

impl<K: Ord, R> Default for OrderedRows<K, R> {
    fn default() -> Self {
        Self { order: Vec::new(), rows: VecMap::new() }
    }
}

impl<K: Clone + Ord, R> FromIterator<(K, R)> for OrderedRows<K, R> {
    fn from_iter<I: IntoIterator<Item = (K, R)>>(rows: I) -> Self {
        let rows: Vec<_> = rows.into_iter().collect();
        Self { order: rows.iter().map(|(key, _)| key.clone()).collect(), rows: rows.into_iter().collect() }
    }
}

impl<K: Ord, R> OrderedRows<K, R> {
    pub(super) fn get(&self, key: &K) -> Option<&R> {
        self.rows.get(key)
    }

    pub(super) fn order(&self) -> &[K] {
        &self.order
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &R> {
        self.order.iter().filter_map(|key| self.rows.get(key))
    }
}

/// Rows that are computed together and read one by one.
pub struct KeyedRows<K, R> {
    all: Selector<Arc<OrderedRows<K, R>>>,
    pub order: Selector<Vec<K>>,
}

copy_handle!(KeyedRows<K, R>);

impl<K: Clone + Ord + Send + Sync + 'static, R: Clone + PartialEq + Send + Sync + 'static> KeyedRows<K, R> {
    pub(super) fn of(all: Selector<Arc<OrderedRows<K, R>>>) -> Self {
        Self { all, order: all.map(move |all| all.order.clone()) }
    }

    /// All rows, in their order. Reactive.
    pub fn all(&self) -> Vec<R> {
        self.with(|rows| rows.iter().cloned().collect())
    }

    /// Reads all rows. Reactive.
    pub(super) fn with<U>(&self, read: impl FnOnce(&OrderedRows<K, R>) -> U) -> U {
        self.all.with(|all| read(all))
    }

    pub(super) fn map<U: PartialEq + Send + Sync + 'static>(
        self,
        read: impl Fn(&OrderedRows<K, R>) -> U + Send + Sync + 'static,
    ) -> Selector<U> {
        self.all.map(move |all| read(all))
    }

    /// The row of a key; keeps its last value once it is removed. While there is none, the caller is run again when keys
    /// are added.
    pub fn row(&self, key: &K) -> Option<Selector<R>> {
        let Some(first) = self.get_untracked(key) else {
            self.order.with(|_| ());
            return None;
        };
        let (all, key) = (self.all, key.clone());
        Some(select_from(move |before: Option<&R>| {
            all.with(|all| all.get(&key).or(before).unwrap_or(&first).clone())
        }))
    }

    pub fn get_untracked(&self, key: &K) -> Option<R> {
        self.all.with_untracked(|all| all.get(key).cloned())
    }
}
