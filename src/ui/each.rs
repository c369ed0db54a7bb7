//! Never re-makes a row whose key stays.
//!
//! Owns the keyed list of the screen. It is Leptos's `<For>`, told nothing of what it lists: `<For>` is compiled
//! anew for each list, seven kilobytes every time, and there are many lists.

use std::any::Any;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use leptos::prelude::*;

/// A list of rows, one for each item.
#[component]
pub fn Each<T, K, N>(
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
    let item = move |item: T| (Key(Arc::new(key(&item))), Box::new(item) as Boxed);
    let items = move || each().into_iter().map(&item).collect();
    let row = move |item: Boxed| item.downcast().ok().map(|item| children(*item)).into_any();
    list(Box::new(items), Arc::new(row))
}

type Boxed = Box<dyn Any + Send>;

fn list(
    items: Box<dyn Fn() -> Vec<(Key, Boxed)> + Send + Sync>,
    row: Arc<dyn Fn(Boxed) -> AnyView + Send + Sync>,
) -> AnyView {
    let key = |(key, _): &(Key, Boxed)| key.clone();
    view! { class="n", <For each=items key=key children=move |(_, item)| row(item) /> }.into_any()
}

/// A key of any type.
#[derive(Clone)]
struct Key(Arc<dyn AnyKey>);

trait AnyKey: Any + Send + Sync {
    fn is(&self, other: &dyn Any) -> bool;
    fn feed(&self, state: &mut dyn Hasher);
}

impl<K: Eq + Hash + Send + Sync + 'static> AnyKey for K {
    fn is(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }

    fn feed(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.0.is(&*other.0)
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.feed(state);
    }
}
