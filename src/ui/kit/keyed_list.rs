//! Keyed list component: Leptos's `<For>` behind type-erased rows.
//!
//! `<For>` is instantiated for each item type, at seven kilobytes each.

use std::any::Any;
use std::hash::{Hash, Hasher};

use crate::ui::kit::base::*;
use crate::ui::kit::call::Call;
use crate::ui::kit::markup::{IntoMarkup, Markup};
use crate::ui::kit::selector::another_type;

/// A list with one row per item of `each`, in order; a row is reused for an item of the same key.
pub fn keyed_list<T, K, N>(
    each: impl Fn() -> Vec<T> + Send + Sync + 'static,
    key: impl Fn(&T) -> K + Send + Sync + 'static,
    row: impl Fn(T) -> N + Send + Sync + 'static,
) -> Markup
where
    T: Send + 'static,
    K: Eq + Hash + Send + Sync + 'static,
    N: IntoMarkup + 'static,
{
    let items = move |()| boxed(each());
    let key = move |item: &Item| match item.downcast_ref() {
        Some(item) => ErasedKey(Arc::new(key(item))),
        None => another_type(),
    };
    let row = move |item: BoxedItem| item.downcast().ok().map(|item| row(*item)).into_markup();
    list(Box::new(items), Arc::new(key), Arc::new(row))
}

type Item = dyn Any + Send;
type BoxedItem = Box<Item>;

fn boxed<T: Send + 'static>(items: Vec<T>) -> Vec<BoxedItem> {
    items.into_iter().map(|item| Box::new(item) as BoxedItem).collect()
}

fn list(
    items: Box<dyn Call<(), Vec<BoxedItem>> + Send + Sync>,
    key: Arc<dyn for<'a> Call<&'a Item, ErasedKey> + Send + Sync>,
    row: Arc<dyn Call<BoxedItem, Markup> + Send + Sync>,
) -> Markup {
    let each = move || items.run(());
    let key = move |item: &BoxedItem| key.run(&**item);
    let list = ForProps::builder().each(each).key(key).children(move |item| row.run(item)).build();
    Markup::View(For(list).into_any())
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
