//! A reference to an element of the page, which `node_ref=` fills when the element is created.
//!
//! Leptos compiles its own for each kind of element. Here there is one; the element is cast when it is read.

use std::marker::PhantomData;

use leptos::html::ElementType;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::Element;
use send_wrapper::SendWrapper;

use crate::ui::kit::selector::copy_handle;
use crate::ui::kit::signal::RwSignal;

/// A reference to an element of kind `E`, such as `leptos::html::Input`.
pub struct NodeRef<E>(RwSignal<Option<SendWrapper<Element>>>, PhantomData<fn() -> E>);

copy_handle!(NodeRef<E>);

impl<E> Default for NodeRef<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> NodeRef<E> {
    pub fn new() -> Self {
        Self(RwSignal::new(None), PhantomData)
    }

    /// Fills the reference.
    pub fn load(self, element: &Element) {
        self.0.set(Some(SendWrapper::new(element.clone())));
    }
}

impl<E: ElementType<Output: JsCast>> NodeRef<E> {
    /// The element, if it was created; subscribes.
    pub fn get(self) -> Option<E::Output> {
        let element = self.0.get()?;
        Some(element.take().unchecked_into())
    }

    /// Reads without subscribing. `None` also after the reference was disposed.
    pub fn get_untracked(self) -> Option<E::Output> {
        let element = self.0.try_with_untracked(Clone::clone)??;
        Some(element.take().unchecked_into())
    }
}
