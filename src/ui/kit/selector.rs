//! The one way to read what changes: a memoised computation that wakes its readers only with another value; and effects.
//!
//! Leptos compiles a memo anew for each type of value and each closure. Here the memo is one, over an erased value; a read
//! costs a downcast and each type a comparison.
//!
//! Effects and memos leave what they read when their owner is gone: `reactive_graph` keeps them among the subscribers for
//! ever, and a selector that stands as long as the page would hold and walk through every row that ever read it.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::ui::kit::call::{Call, CallMut};
use futures_util::future::{AbortHandle, Abortable, LocalBoxFuture};
use leptos::prelude::{on_cleanup, *};
use leptos::reactive::effect::EffectFunction;
use leptos::reactive::graph::{AnySubscriber, Subscriber as _, ToAnySubscriber as _};
use leptos::task::spawn_local;

type Erased = dyn Any + Send + Sync;
type Compute = Box<dyn for<'a> Call<Option<&'a Erased>, Arc<Erased>> + Send + Sync>;
type IsSame = Box<dyn for<'a> Call<(&'a Erased, &'a Erased), bool> + Send + Sync>;

/// A value that follows what it was computed from.
pub struct Selector<T>(Memo<Arc<Erased>>, PhantomData<fn() -> T>);

impl<T> Clone for Selector<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Selector<T> {}

/// Follows what `read` gives.
pub fn select<T: PartialEq + Send + Sync + 'static>(
    read: impl Fn() -> T + Send + Sync + 'static,
) -> Selector<T> {
    select_from(move |_| read())
}

/// The same; `read` gets the value before.
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

/// Follows what `read` gives; `is_same` says which values nobody needs to hear of.
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
    leave_at_cleanup(memo.to_any_subscriber());
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

/// What was erased, for selectors, signals and stored values.
pub(super) fn typed<T: 'static>(value: &dyn Any) -> &T {
    match value.downcast_ref() {
        Some(value) => value,
        None => another_type(),
    }
}

/// What was erased is asked for by another type than it has, which no caller of ours does.
#[cold]
#[inline(never)]
pub(super) fn another_type() -> ! {
    unreachable!("an erased value is read as what it was")
}

impl<T: Send + Sync + 'static> Selector<T> {
    /// A value that never changes.
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

    /// The same for handlers: nobody is woken by later values.
    pub fn with_untracked<U>(&self, read: impl FnOnce(&T) -> U) -> U {
        read(typed(&*current_untracked(self.0)))
    }

    pub fn get(&self) -> T
    where
        T: Clone,
    {
        self.with(T::clone)
    }

    /// The same for handlers: nobody is woken by later values.
    pub fn get_untracked(&self) -> T
    where
        T: Clone,
    {
        self.with_untracked(T::clone)
    }

    /// The same for what may run after its component is gone, and the selector with it.
    pub fn try_with_untracked<U>(&self, read: impl FnOnce(&T) -> U) -> Option<U> {
        last(self.0).map(|value| read(typed(&*value)))
    }

    /// The same for what may run after its component is gone, and the selector with it.
    pub fn try_get_untracked(&self) -> Option<T>
    where
        T: Clone,
    {
        self.try_with_untracked(T::clone)
    }

    /// Wakes whoever runs now with the next value.
    pub fn track(&self) {
        drop(current(self.0));
    }
}

impl<T: Default + Send + Sync + 'static> Default for Selector<T> {
    fn default() -> Self {
        Self::fixed(T::default())
    }
}

/// What runs again when something that it reads has changed.
pub struct Effect;

impl Effect {
    /// Runs `run` soon, and after each change of what it reads until its owner is gone.
    #[expect(clippy::new_ret_no_self, reason = "called as that of Leptos, whose place it takes")]
    pub fn new<T: 'static, M>(mut run: impl EffectFunction<T, M> + 'static) {
        let mut before = None;
        begin(Box::new(move |()| before = Some(run.run(before.take()))));
    }
}

/// Leptos compiles an effect anew for each closure; this is the one of all.
#[inline(never)]
fn begin(mut run: Box<dyn CallMut<(), ()>>) {
    let run = move || run.run_mut(());
    leave_at_cleanup(leptos::prelude::Effect::new(run).to_any_subscriber());
}

/// When the present owner is cleaned up, nothing that the subscriber reads holds it any longer.
#[inline(never)]
pub(super) fn leave_at_cleanup(subscriber: AnySubscriber) {
    on_cleanup(move || leave(&subscriber));
}

/// Takes a subscriber from all that it reads.
pub(super) fn leave(subscriber: &AnySubscriber) {
    subscriber.clear_sources(subscriber);
}

/// Works until it is done or the present owner is gone.
pub fn spawn_here(work: impl Future<Output = ()> + 'static) {
    let (abort, registration) = AbortHandle::new_pair();
    let work: LocalBoxFuture<'static, ()> = Box::pin(work);
    spawn_local(async move { Abortable::new(work, registration).await.unwrap_or_default() });
    on_cleanup(move || abort.abort());
}
