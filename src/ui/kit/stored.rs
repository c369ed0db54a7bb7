//! A value that lives as long as its owner and wakes nobody.
//!
//! Leptos compiles a stored value anew for each type. Here it is one, over an erased value, as signals are.

use std::any::Any;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use leptos::prelude::{Dispose as _, LocalStorage, ReadValue as _, WriteValue as _};

use crate::ui::kit::selector::{another_type, typed};

type Erased = Box<dyn Any>;
type Stored = leptos::prelude::StoredValue<Erased, LocalStorage>;

/// A value that lives as long as its owner and wakes nobody.
pub struct StoredValue<T>(Stored, PhantomData<fn() -> T>);

impl<T> Clone for StoredValue<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for StoredValue<T> {}

#[inline(never)]
fn made(value: Erased) -> Stored {
    Stored::new_local(value)
}

#[inline(never)]
fn reading(stored: Stored) -> impl Deref<Target = Erased> {
    stored.read_value()
}

#[inline(never)]
fn still_reading(stored: Stored) -> Option<impl Deref<Target = Erased>> {
    stored.try_read_value()
}

#[inline(never)]
fn writing(stored: &Stored) -> Option<impl DerefMut<Target = Erased>> {
    stored.try_write_value()
}

impl<T: 'static> StoredValue<T> {
    pub fn new(value: T) -> Self {
        Self(made(Box::new(value)), PhantomData)
    }

    pub fn with_value<U>(&self, read: impl FnOnce(&T) -> U) -> U {
        read(typed(&**reading(self.0)))
    }

    /// The same for what may run after its owner is gone, and the value with it.
    pub fn try_with_value<U>(&self, read: impl FnOnce(&T) -> U) -> Option<U> {
        still_reading(self.0).map(|value| read(typed(&**value)))
    }

    pub fn get_value(&self) -> T
    where
        T: Clone,
    {
        self.with_value(T::clone)
    }

    /// The same for what may run after its owner is gone, and the value with it.
    pub fn try_get_value(&self) -> Option<T>
    where
        T: Clone,
    {
        self.try_with_value(T::clone)
    }

    /// Puts another value in its place. Where its owner is gone, nothing happens.
    pub fn set_value(&self, value: T) {
        self.try_set_value(value);
    }

    /// The same. Whether the value is still there.
    pub fn try_set_value(&self, value: T) -> bool {
        self.try_update_value(|place| *place = value).is_some()
    }

    /// Changes the value. Where its owner is gone, nothing happens.
    pub fn update_value(&self, change: impl FnOnce(&mut T)) {
        self.try_update_value(change);
    }

    /// The same. What the change gives, or `None` where its owner is gone.
    pub fn try_update_value<U>(&self, change: impl FnOnce(&mut T) -> U) -> Option<U> {
        writing(&self.0).map(|mut value| match value.downcast_mut() {
            Some(value) => change(value),
            None => another_type(),
        })
    }

    pub fn dispose(self) {
        self.0.dispose();
    }
}
