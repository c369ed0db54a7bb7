//! Contexts: values that a component provides to its descendants, found by type.
//!
//! Leptos instantiates its context lookup for each type. Here one Leptos context holds a linked list of all provided
//! values; a lookup costs one comparison per value.

use std::any::{Any, TypeId, type_name};
use std::sync::Arc;

struct Context {
    id: TypeId,
    value: Box<dyn Any + Send + Sync>,
    /// The value provided before, here or further up.
    before: Option<Arc<Self>>,
}

impl Context {
    #[inline(never)]
    fn find(&self, id: TypeId) -> Option<&dyn Any> {
        let mut one = self;
        while one.id != id {
            one = one.before.as_deref()?;
        }
        Some(&*one.value)
    }
}

#[inline(never)]
fn last() -> Option<Arc<Context>> {
    leptos::prelude::use_context()
}

#[inline(never)]
fn put(id: TypeId, value: Box<dyn Any + Send + Sync>) {
    leptos::prelude::provide_context(Arc::new(Context { id, value, before: last() }));
}

/// Provides a value to descendants. A component that provided a value itself does not see values that its ancestors
/// provide later.
pub fn provide_context<T: Send + Sync + 'static>(value: T) {
    put(TypeId::of::<T>(), Box::new(value));
}

/// The value of this type that was provided here or above.
pub fn use_context<T: Clone + 'static>() -> Option<T> {
    last()?.find(TypeId::of::<T>())?.downcast_ref::<T>().cloned()
}

/// Like `use_context`, for values that are always provided.
pub fn expect_context<T: Clone + 'static>() -> T {
    match use_context() {
        Some(value) => value,
        None => missing(type_name::<T>()),
    }
}

#[cold]
#[inline(never)]
fn missing(name: &str) -> ! {
    unreachable!("the context {name} is not provided")
}
