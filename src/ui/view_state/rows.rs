//! Keyed list state: key order and rows are separate signals, so a changed row updates only itself.

use leptos::prelude::*;
use nexus_text::vec_map::{VecMap, VecSet};

/// An order of keys, and a row for each.
pub(super) struct KeyedRows<K: Send + Sync + 'static, R: Send + Sync + 'static> {
    order: RwSignal<Vec<K>>,
    rows: StoredValue<VecMap<K, ArcRwSignal<R>>>,
}

impl<K: Send + Sync + 'static, R: Send + Sync + 'static> Clone for KeyedRows<K, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Send + Sync + 'static, R: Send + Sync + 'static> Copy for KeyedRows<K, R> {}

impl<K, R> KeyedRows<K, R>
where
    K: Clone + Ord + Send + Sync + 'static,
    R: Clone + PartialEq + Send + Sync + 'static,
{
    pub(super) fn new() -> Self {
        Self { order: RwSignal::new(Vec::new()), rows: StoredValue::new(VecMap::new()) }
    }

    /// The keys in order, for `<For each=…>`.
    pub(super) fn order(&self) -> Signal<Vec<K>> {
        self.order.into()
    }

    pub(super) fn row(&self, key: &K) -> Option<Signal<R>> {
        self.rows.with_value(|rows| rows.get(key).cloned()).map(Signal::from)
    }

    /// The row of a key as it is now, for handlers.
    pub(super) fn get_untracked(&self, key: &K) -> Option<R> {
        self.rows.with_value(|rows| rows.get(key).map(|row| row.get_untracked()))
    }

    /// Takes over `rows` as all there is. Rows that are equal wake nobody.
    pub(super) fn set(&self, rows: Vec<(K, R)>) {
        let order: Vec<K> = rows.iter().map(|(key, _)| key.clone()).collect();
        for (key, row) in rows {
            self.put(key, row);
        }
        if self.order.with_untracked(|old| *old != order) {
            // Sorted, because a long list is gone through for each of its rows.
            let here: VecSet<&K> = order.iter().collect();
            self.rows.update_value(|all| all.retain(|key, _| here.contains(&key)));
            self.order.set(order);
        }
    }

    /// Changes one row in place, if it is there.
    pub(super) fn change(&self, key: &K, change: impl FnOnce(&mut R)) {
        if let Some(mut row) = self.get_untracked(key) {
            change(&mut row);
            self.put(key.clone(), row);
        }
    }

    fn put(&self, key: K, row: R) {
        match self.rows.with_value(|rows| rows.get(&key).cloned()) {
            Some(signal) => set_if_new(&signal, row),
            None => self.rows.update_value(|rows| {
                rows.insert(key, ArcRwSignal::new(row));
            }),
        }
    }
}

/// Sets a signal, but wakes nobody where the value is the same.
pub(super) fn set_if_new<T, S>(signal: &S, value: T)
where
    T: PartialEq + 'static,
    S: WithUntracked<Value = T> + Set<Value = T>,
{
    if signal.with_untracked(|old| *old != value) {
        signal.set(value);
    }
}
