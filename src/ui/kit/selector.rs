//! Memoised reactive reads that notify only on a changed value; and effects.
//!
//! Leptos instantiates a memo for each value type and closure. Here there is one memo, over an erased value; a read
//! costs a downcast, and each type a comparison.
//!
//! Effects and memos unsubscribe when their owner is disposed: `reactive_graph` never removes them from subscriber
//! lists, so a selector that lives as long as the page would keep every row that ever read it.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::ui::kit::call::{Call, CallMut};
use leptos::prelude::{on_cleanup, *};
use leptos::reactive::effect::EffectFunction;
use leptos::reactive::graph::{AnySubscriber, Subscriber as _, ToAnySubscriber as _};

type Erased = dyn Any + Send + Sync;
type Compute = Box<dyn for<'a> Call<Option<&'a Erased>, Arc<Erased>> + Send + Sync>;
type IsSame = Box<dyn for<'a> Call<(&'a Erased, &'a Erased), bool> + Send + Sync>;

/// Implements `Copy` for a handle. A derive would also require `Copy` of the handle's parameters.
macro_rules! copy_handle {
    ($handle:ident<$($parameter:ident),+>) => {
        impl<$($parameter),+> Clone for $handle<$($parameter),+> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$($parameter),+> Copy for $handle<$($parameter),+> {}
    };
}
pub(crate) use copy_handle;

/// What is read by `with`, `with_untracked` and `try_with_untracked`: the value itself, values made of it, and of an
/// optional one.
macro_rules! derived_reads {
    ($handle:ident) => {
        impl<T: Clone + Send + Sync + 'static> $handle<T> {
            pub fn get(&self) -> T {
                self.with(T::clone)
            }

            /// Reads without subscribing, for handlers.
            pub fn get_untracked(&self) -> T {
                self.with_untracked(T::clone)
            }

            /// Like `get_untracked`, for code that may run after the value was disposed.
            pub fn try_get_untracked(&self) -> Option<T> {
                self.try_with_untracked(T::clone)
            }
        }

        impl<T: Send + Sync + 'static> $handle<T> {
            /// Memoises what `read` makes of the value.
            pub fn map<U: PartialEq + Send + Sync + 'static>(
                self,
                read: impl Fn(&T) -> U + Send + Sync + 'static,
            ) -> Selector<U> {
                select(move || self.with(&read))
            }
        }

        impl<T: Send + Sync + 'static> $handle<Option<T>> {
            /// What `read` makes of the value; the default without one.
            pub fn with_some<U: Default>(&self, read: impl FnOnce(&T) -> U) -> U {
                self.with(|value| value.as_ref().map(read).unwrap_or_default())
            }

            /// Like `with_some`, without subscribing, for handlers.
            pub fn with_some_untracked<U: Default>(&self, read: impl FnOnce(&T) -> U) -> U {
                self.with_untracked(|value| value.as_ref().map(read).unwrap_or_default())
            }

            /// Memoises what `read` makes of the value; the default without one.
            pub fn map_some<U: Default + PartialEq + Send + Sync + 'static>(
                self,
                read: impl Fn(&T) -> U + Send + Sync + 'static,
            ) -> Selector<U> {
                select(move || self.with_some(&read))
            }
        }
    };
}
pub(crate) use derived_reads;

/// A memoised value, computed from what it reads.
pub struct Selector<T>(Memo<Arc<Erased>>, PhantomData<fn() -> T>);

copy_handle!(Selector<T>);

/// Memoises `read`.
pub fn select<T: PartialEq + Send + Sync + 'static>(
    read: impl Fn() -> T + Send + Sync + 'static,
) -> Selector<T> {
    select_from(move |_| read())
}

/// Like `select`; `read` gets the previous value.
pub fn select_from<T: PartialEq + Send + Sync + 'static>(
    read: impl Fn(Option<&T>) -> T + Send + Sync + 'static,
) -> Selector<T> {
    let read =
        move |before: Option<&Erased>| Arc::new(read(before.map(|before| typed(before)))) as Arc<Erased>;
    Selector(
        memo(Box::new(read), Box::new(|(old, new): (&Erased, &Erased)| typed::<T>(old) == typed(new))),
        PhantomData,
    )
}

/// Memoises `read`; readers are not notified if `is_same` returns true.
pub fn select_by<T: Send + Sync + 'static>(
    read: impl Fn() -> T + Send + Sync + 'static,
    is_same: fn(&T, &T) -> bool,
) -> Selector<T> {
    let is_same = move |(old, new): (&Erased, &Erased)| is_same(typed(old), typed(new));
    Selector(
        memo(Box::new(move |_: Option<&Erased>| Arc::new(read()) as Arc<Erased>), Box::new(is_same)),
        PhantomData,
    )
}

#[inline(never)]
fn memo(compute: Compute, is_same: IsSame) -> Memo<Arc<Erased>> {
    type Step = Box<dyn Fn(Option<Arc<Erased>>) -> (Arc<Erased>, bool) + Send + Sync>;
    let step: Step = Box::new(move |before| {
        let now = compute.run(before.as_deref());
        let changed = before.is_none_or(|before| !is_same.run((&*before, &*now)));
        (now, changed)
    });
    let memo = ArcMemo::new_owning(step);
    unsubscribe_at_cleanup(memo.to_any_subscriber());
    memo.into()
}

#[inline(never)]
fn current(memo: Memo<Arc<Erased>>) -> Arc<Erased> {
    memo.get()
}

#[inline(never)]
fn current_untracked(memo: Memo<Arc<Erased>>) -> Arc<Erased> {
    memo.get_untracked()
}

#[inline(never)]
fn last(memo: Memo<Arc<Erased>>) -> Option<Arc<Erased>> {
    memo.try_get_untracked()
}

/// Downcasts an erased value of selectors, signals and stored values.
pub(super) fn typed<T: 'static>(value: &dyn Any) -> &T {
    match value.downcast_ref() {
        Some(value) => value,
        None => another_type(),
    }
}

pub(super) fn typed_mut<T: 'static>(value: &mut dyn Any) -> &mut T {
    match value.downcast_mut() {
        Some(value) => value,
        None => another_type(),
    }
}

/// A downcast to a wrong type, which no caller does.
#[cold]
#[inline(never)]
pub(super) fn another_type() -> ! {
    unreachable!("an erased value is read as what it was")
}

impl<T: Send + Sync + 'static> Selector<T> {
    pub fn fixed(value: T) -> Self {
        let value: Arc<Erased> = Arc::new(value);
        Self(
            memo(
                Box::new(move |_: Option<&Erased>| Arc::clone(&value)),
                Box::new(|_: (&Erased, &Erased)| false),
            ),
            PhantomData,
        )
    }

    pub fn with<U>(&self, read: impl FnOnce(&T) -> U) -> U {
        read(typed(&*current(self.0)))
    }

    /// Reads without subscribing, for handlers.
    pub fn with_untracked<U>(&self, read: impl FnOnce(&T) -> U) -> U {
        read(typed(&*current_untracked(self.0)))
    }

    /// Like `with_untracked`, for code that may run after the selector was disposed.
    pub fn try_with_untracked<U>(&self, read: impl FnOnce(&T) -> U) -> Option<U> {
        last(self.0).map(|value| read(typed(&*value)))
    }

    pub fn track(&self) {
        drop(current(self.0));
    }
}

derived_reads!(Selector);

impl<T: Default + Send + Sync + 'static> Default for Selector<T> {
    fn default() -> Self {
        Self::fixed(T::default())
    }
}

/// Reruns when a signal that it read changes.
pub struct Effect;

impl Effect {
    /// Runs `run` soon, and after each change of what it reads, until its owner is disposed.
    #[expect(clippy::new_ret_no_self, reason = "called as that of Leptos, whose place it takes")]
    pub fn new<T: 'static, M>(mut run: impl EffectFunction<T, M> + 'static) {
        let mut before = None;
        run_effect(Box::new(move |()| before = Some(run.run(before.take()))));
    }
}

/// Handles each new value of `source`, but not the first.
pub fn on_change<T: PartialEq + 'static>(source: impl Fn() -> T + 'static, handle: impl Fn(&T) + 'static) {
    Effect::new(move |before: Option<T>| {
        let now = source();
        if before.is_some_and(|before| before != now) {
            handle(&now);
        }
        now
    });
}

/// Leptos instantiates an effect for each closure; this is the only one.
#[inline(never)]
fn run_effect(mut run: Box<dyn CallMut<(), ()>>) {
    let run = move || run.run_mut(());
    unsubscribe_at_cleanup(leptos::prelude::Effect::new(run).to_any_subscriber());
}

/// Unsubscribes when the current owner is cleaned up.
#[inline(never)]
pub(super) fn unsubscribe_at_cleanup(subscriber: AnySubscriber) {
    on_cleanup(move || unsubscribe(&subscriber));
}

/// Removes a subscriber from everything that it reads.
pub(super) fn unsubscribe(subscriber: &AnySubscriber) {
    subscriber.clear_sources(subscriber);
}
