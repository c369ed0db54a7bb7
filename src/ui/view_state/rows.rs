//! Rows by key: the order is one selector and each row another, so a changed row updates only itself.

use std::sync::Arc;

use crate::ui::kit::selector::{Selector, select, select_from};
use nexus_text::vec_map::VecMap;

/// Rows and their order.
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

    /// The rows in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &R> {
        self.order.iter().filter_map(|key| self.rows.get(key))
    }
}

/// Rows that are selected together and read one by one.
pub(super) struct KeyedRows<K, R> {
    all: Selector<Arc<OrderedRows<K, R>>>,
    order: Selector<Vec<K>>,
}

impl<K, R> Clone for KeyedRows<K, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, R> Copy for KeyedRows<K, R> {}

impl<K, R> KeyedRows<K, R>
where
    K: Clone + Ord + Send + Sync + 'static,
    R: Clone + PartialEq + Send + Sync + 'static,
{
    pub(super) fn of(all: Selector<Arc<OrderedRows<K, R>>>) -> Self {
        Self { all, order: select(move || all.with(|all| all.order.clone())) }
    }

    /// The keys in order.
    pub(super) fn order(&self) -> Selector<Vec<K>> {
        self.order
    }

    /// All rows. Tracks them.
    pub(super) fn with<U>(&self, read: impl FnOnce(&OrderedRows<K, R>) -> U) -> U {
        self.all.with(|all| read(all))
    }

    /// The row of a key that is there now; its last value once it is gone.
    pub(super) fn row(&self, key: &K) -> Option<Selector<R>> {
        let (all, key, first) = (self.all, key.clone(), self.get_untracked(key)?);
        Some(select_from(move |before: Option<&R>| {
            all.with(|all| all.get(&key).or(before).unwrap_or(&first).clone())
        }))
    }

    /// The row of a key as it is now, for handlers.
    pub(super) fn get_untracked(&self, key: &K) -> Option<R> {
        self.all.with_untracked(|all| all.get(key).cloned())
    }
}
