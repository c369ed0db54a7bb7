//! Keyed list component: Leptos's `<For>` behind type-erased rows.
//!
//! `<For>` is compiled anew for each item type, at seven kilobytes each.

use std::any::Any;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use leptos::prelude::*;

/// A list of rows, one for each item.
#[component]
pub fn KeyedList<T, K, N>(
    /// The items, in order.
    each: impl Fn() -> Vec<T> + Send + Sync + 'static,
    /// What an item is known by, however often the list is read.
    key: impl Fn(&T) -> K + Send + Sync + 'static,
    /// The row of an item.
    children: impl Fn(T) -> N + Send + Sync + 'static,
) -> impl IntoView
where
    T: Send + 'static,
    K: Eq + Hash + Send + Sync + 'static,
    N: IntoView + 'static,
{
    let item = move |item: T| (ErasedKey(Arc::new(key(&item))), Box::new(item) as BoxedKey);
    let items = move || each().into_iter().map(&item).collect();
    let row = move |item: BoxedKey| item.downcast().ok().map(|item| children(*item)).into_any();
    list(Box::new(items), Arc::new(row))
}

type BoxedKey = Box<dyn Any + Send>;

fn list(
    items: Box<dyn Fn() -> Vec<(ErasedKey, BoxedKey)> + Send + Sync>,
    row: Arc<dyn Fn(BoxedKey) -> AnyView + Send + Sync>,
) -> AnyView {
    let key = |(key, _): &(ErasedKey, BoxedKey)| key.clone();
    view! { class="n", <For each=items key=key children=move |(_, item)| row(item) /> }.into_any()
}

#[derive(Clone)]
struct ErasedKey(Arc<dyn DynKey>);

trait DynKey: Any + Send + Sync {
    fn is(&self, other: &dyn Any) -> bool;
    fn feed(&self, state: &mut dyn Hasher);
}

impl<K: Eq + Hash + Send + Sync + 'static> DynKey for K {
    fn is(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }

    fn feed(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
    }
}

impl PartialEq for ErasedKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.is(&*other.0)
    }
}

impl Eq for ErasedKey {}

impl Hash for ErasedKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.feed(state);
    }
}
