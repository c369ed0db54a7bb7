//! What a component gives to all that is mounted below it, found by its type.
//!
//! Leptos compiles the way up to a context anew for each type. Here one context of Leptos holds the last that was given,
//! which knows those before it; a look costs a comparison for each.

use std::any::{Any, TypeId, type_name};
use std::sync::Arc;

struct Context {
    id: TypeId,
    value: Box<dyn Any + Send + Sync>,
    /// What was given before, here or further up.
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

/// Gives a value to what is mounted below. What has given a context itself does not see those that are given above it
/// later.
pub fn provide_context<T: Send + Sync + 'static>(value: T) {
    put(TypeId::of::<T>(), Box::new(value));
}

/// The value of this type that was given here or above.
pub fn use_context<T: Clone + 'static>() -> Option<T> {
    last()?.find(TypeId::of::<T>())?.downcast_ref::<T>().cloned()
}

/// The same, where it was given for certain.
pub fn expect_context<T: Clone + 'static>() -> T {
    match use_context() {
        Some(value) => value,
        None => missing(type_name::<T>()),
    }
}

#[cold]
#[inline(never)]
fn missing(name: &str) -> ! {
    unreachable!("the context {name} is given before it is asked for")
}
