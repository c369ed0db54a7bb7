//! Signals: values that can be read and set, and that notify their readers.
//!
//! Leptos instantiates a signal for each value type. Here there is one, over an erased value; a read or write costs a
//! downcast, a new value an allocation.
//!
//! A signal is disposed with the component that created it, while a handler or a task may still have it. Setting and
//! changing it then does nothing, so most code just sets it; reading it panics. The `try_` functions are for code that
//! may run afterwards and reads the signal, or acts on whether it is still there. Stored values behave alike.

use std::any::Any;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use leptos::prelude::{Read as _, ReadUntracked as _, Set as _, Track as _, Write as _};

use crate::ui::kit::selector::{Selector, copy_handle, derived_reads, select, select_by, typed, typed_mut};

type Erased = Box<dyn Any + Send + Sync>;
type Signal = leptos::prelude::RwSignal<Erased>;

/// A value that can be read and set, and that notifies its readers.
pub struct RwSignal<T>(Signal, PhantomData<fn() -> T>);

copy_handle!(RwSignal<T>);

#[inline(never)]
fn new_signal(value: Erased) -> Signal {
    Signal::new(value)
}

#[inline(never)]
fn borrow(signal: Signal) -> impl Deref<Target = Erased> {
    signal.read()
}

#[inline(never)]
fn read_untracked(signal: Signal) -> impl Deref<Target = Erased> {
    signal.read_untracked()
}

#[inline(never)]
fn try_read_untracked(signal: Signal) -> Option<impl Deref<Target = Erased>> {
    signal.try_read_untracked()
}

#[inline(never)]
fn try_write(signal: &Signal) -> Option<impl DerefMut<Target = Erased>> {
    signal.try_write()
}

#[inline(never)]
fn put(signal: Signal, value: Erased) -> bool {
    signal.try_set(value).is_none()
}

impl<T: Send + Sync + 'static> RwSignal<T> {
    pub fn new(value: T) -> Self {
        Self(new_signal(Box::new(value)), PhantomData)
    }

    /// Reads the value and subscribes.
    pub fn with<U>(&self, read: impl FnOnce(&T) -> U) -> U {
        read(typed(&**borrow(self.0)))
    }

    /// Reads without subscribing, for handlers.
    pub fn with_untracked<U>(&self, read: impl FnOnce(&T) -> U) -> U {
        read(typed(&**read_untracked(self.0)))
    }

    /// Like `with_untracked`; `None` if the signal was disposed.
    pub fn try_with_untracked<U>(&self, read: impl FnOnce(&T) -> U) -> Option<U> {
        try_read_untracked(self.0).map(|value| read(typed(&**value)))
    }

    /// Sets the value and notifies readers.
    pub fn set(&self, value: T) {
        self.try_set(value);
    }

    /// Like `set`; false if the signal was disposed.
    pub fn try_set(&self, value: T) -> bool {
        put(self.0, Box::new(value))
    }

    /// Sets the value if it differs, so that readers are not notified without a change.
    pub fn set_if_changed(&self, value: T)
    where
        T: PartialEq,
    {
        if self.try_with_untracked(|now| *now != value) == Some(true) {
            self.set(value);
        }
    }

    /// Changes the value and notifies readers.
    pub fn update<U>(&self, change: impl FnOnce(&mut T) -> U) {
        self.try_update(change);
    }

    /// Like `update`; returns the change's result, or `None` if the signal was disposed.
    pub fn try_update<U>(&self, change: impl FnOnce(&mut T) -> U) -> Option<U> {
        try_write(&self.0).map(|mut value| change(typed_mut(&mut **value)))
    }

    pub fn track(&self) {
        self.0.track();
    }
}

derived_reads!(RwSignal);

impl<T: Default + Send + Sync + 'static> Default for RwSignal<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

/// Notifies on every set, like the signal itself.
impl<T: Clone + Send + Sync + 'static> From<RwSignal<T>> for Selector<T> {
    fn from(signal: RwSignal<T>) -> Self {
        select_by(move || signal.get(), |_, _| false)
    }
}
