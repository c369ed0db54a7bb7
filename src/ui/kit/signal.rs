//! A value that can be read and set, and that wakes who read it.
//!
//! Leptos compiles a signal anew for each type of value. Here the signal is one, over an erased value; a read or a write
//! costs a downcast, a new value an allocation.

use std::any::Any;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use leptos::prelude::{ArcRwSignal, Read as _, ReadUntracked as _, Set as _, Track as _, Write as _};

use crate::ui::kit::selector::{Selector, another_type, select_by, typed};

type Erased = Box<dyn Any + Send + Sync>;
type Signal = leptos::prelude::RwSignal<Erased>;

/// A value that can be read and set, and that wakes who read it.
pub struct RwSignal<T>(Signal, PhantomData<fn() -> T>);

impl<T> Clone for RwSignal<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for RwSignal<T> {}

#[inline(never)]
fn made(value: Erased) -> Signal {
    Signal::new(value)
}

#[inline(never)]
fn reading(signal: Signal) -> impl Deref<Target = Erased> {
    signal.read()
}

#[inline(never)]
fn reading_untracked(signal: Signal) -> impl Deref<Target = Erased> {
    signal.read_untracked()
}

#[inline(never)]
fn still_reading(signal: Signal) -> Option<impl Deref<Target = Erased>> {
    signal.try_read_untracked()
}

#[inline(never)]
fn writing(signal: &Signal) -> Option<impl DerefMut<Target = Erased>> {
    signal.try_write()
}

#[inline(never)]
fn put(signal: Signal, value: Erased) -> bool {
    signal.try_set(value).is_none()
}

fn typed_mut<T: 'static>(value: &mut Erased) -> &mut T {
    match value.downcast_mut() {
        Some(value) => value,
        None => another_type(),
    }
}

impl<T: Send + Sync + 'static> RwSignal<T> {
    pub fn new(value: T) -> Self {
        Self(made(Box::new(value)), PhantomData)
    }

    /// Reads the value, and wakes whoever runs now with the next one.
    pub fn with<U>(&self, read: impl FnOnce(&T) -> U) -> U {
        read(typed(&**reading(self.0)))
    }

    /// The same for handlers: nobody is woken by later values.
    pub fn with_untracked<U>(&self, read: impl FnOnce(&T) -> U) -> U {
        read(typed(&**reading_untracked(self.0)))
    }

    /// The same for what may run after its component is gone, and the signal with it.
    pub fn try_with_untracked<U>(&self, read: impl FnOnce(&T) -> U) -> Option<U> {
        still_reading(self.0).map(|value| read(typed(&**value)))
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

    /// The same for what may run after its component is gone, and the signal with it.
    pub fn try_get_untracked(&self) -> Option<T>
    where
        T: Clone,
    {
        self.try_with_untracked(T::clone)
    }

    /// Wakes who read it with another value. Where its component is gone, nothing happens.
    pub fn set(&self, value: T) {
        self.try_set(value);
    }

    /// The same. Whether the signal is still there.
    pub fn try_set(&self, value: T) -> bool {
        put(self.0, Box::new(value))
    }

    /// Changes the value and wakes who read it. Where its component is gone, nothing happens.
    pub fn update(&self, change: impl FnOnce(&mut T)) {
        self.try_update(change);
    }

    /// The same. What the change gives, or `None` where its component is gone.
    pub fn try_update<U>(&self, change: impl FnOnce(&mut T) -> U) -> Option<U> {
        writing(&self.0).map(|mut value| change(typed_mut(&mut value)))
    }

    /// Wakes whoever runs now with the next value.
    pub fn track(&self) {
        self.0.track();
    }
}

/// A signal that lives as long as it is held, whatever owner made it.
pub struct HeldSignal<T>(ArcRwSignal<Erased>, PhantomData<fn() -> T>);

impl<T> Clone for HeldSignal<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

impl<T: Send + Sync + 'static> HeldSignal<T> {
    pub fn new(value: T) -> Self {
        Self(ArcRwSignal::new(Box::new(value)), PhantomData)
    }

    pub fn get_untracked(&self) -> T
    where
        T: Clone,
    {
        typed::<T>(&**self.0.read_untracked()).clone()
    }

    /// The same signal for the present owner.
    pub fn here(self) -> RwSignal<T> {
        RwSignal(self.0.into(), PhantomData)
    }
}

impl<T: Default + Send + Sync + 'static> Default for RwSignal<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

/// Wakes whenever the signal is set, like the signal itself.
impl<T: Clone + Send + Sync + 'static> From<RwSignal<T>> for Selector<T> {
    fn from(signal: RwSignal<T>) -> Self {
        select_by(move || signal.get(), |_, _| false)
    }
}
