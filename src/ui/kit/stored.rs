//! What lives as long as the component that created it: a non-reactive value, and a task.
//!
//! Leptos instantiates a stored value for each type. Here there is one, over an erased value, as for signals.

use std::any::Any;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use futures_util::future::{AbortHandle, Abortable, LocalBoxFuture};
use leptos::prelude::{Dispose as _, LocalStorage, ReadValue as _, WriteValue as _, on_cleanup};
use leptos::task::spawn_local;

use crate::ui::kit::selector::{copy_handle, typed, typed_mut};

type Erased = Box<dyn Any>;
type Stored = leptos::prelude::StoredValue<Erased, LocalStorage>;

/// A non-reactive value that lives as long as its owner.
pub struct StoredValue<T>(Stored, PhantomData<fn() -> T>);

copy_handle!(StoredValue<T>);

#[inline(never)]
fn new_stored(value: Erased) -> Stored {
    Stored::new_local(value)
}

#[inline(never)]
fn borrow(stored: Stored) -> impl Deref<Target = Erased> {
    stored.read_value()
}

#[inline(never)]
fn try_read(stored: Stored) -> Option<impl Deref<Target = Erased>> {
    stored.try_read_value()
}

#[inline(never)]
fn try_write(stored: &Stored) -> Option<impl DerefMut<Target = Erased>> {
    stored.try_write_value()
}

impl<T: Default + 'static> Default for StoredValue<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: 'static> StoredValue<T> {
    pub fn new(value: T) -> Self {
        Self(new_stored(Box::new(value)), PhantomData)
    }

    pub fn with_value<U>(&self, read: impl FnOnce(&T) -> U) -> U {
        read(typed(&**borrow(self.0)))
    }

    /// Like `with_value`, for code that may run after the value was disposed.
    pub fn try_with_value<U>(&self, read: impl FnOnce(&T) -> U) -> Option<U> {
        try_read(self.0).map(|value| read(typed(&**value)))
    }

    pub fn get_value(&self) -> T
    where
        T: Clone,
    {
        self.with_value(T::clone)
    }

    /// Like `get_value`, for code that may run after the value was disposed.
    pub fn try_get_value(&self) -> Option<T>
    where
        T: Clone,
    {
        self.try_with_value(T::clone)
    }

    pub fn set_value(&self, value: T) {
        self.try_set_value(value);
    }

    /// Like `set_value`; false if the value was disposed.
    pub fn try_set_value(&self, value: T) -> bool {
        self.try_update_value(|place| *place = value).is_some()
    }

    pub fn update_value<U>(&self, change: impl FnOnce(&mut T) -> U) {
        self.try_update_value(change);
    }

    /// Like `update_value`; returns the change's result, or `None` if the value was disposed.
    pub fn try_update_value<U>(&self, change: impl FnOnce(&mut T) -> U) -> Option<U> {
        try_write(&self.0).map(|mut value| change(typed_mut(&mut **value)))
    }

    pub fn dispose(self) {
        self.0.dispose();
    }
}

/// At most one running task. It ends with the component that created this.
#[derive(Clone, Copy)]
pub struct Task(StoredValue<Option<AbortHandle>>);

impl Task {
    pub fn here() -> Self {
        let this = Self(StoredValue::new(None));
        on_cleanup(move || this.abort());
        this
    }

    /// Runs a task, and aborts the one before.
    pub fn start(self, work: impl Future<Output = ()> + 'static) {
        self.abort();
        let (abort, registration) = AbortHandle::new_pair();
        self.0.set_value(Some(abort));
        let work: LocalBoxFuture<'static, ()> = Box::pin(work);
        spawn_local(async move { Abortable::new(work, registration).await.unwrap_or_default() });
    }

    pub fn abort(self) {
        self.0.try_update_value(Option::take).flatten().into_iter().for_each(|running| running.abort());
    }
}

/// Runs a future until it completes or the current owner is disposed.
pub fn spawn_here(work: impl Future<Output = ()> + 'static) {
    Task::here().start(work);
}
