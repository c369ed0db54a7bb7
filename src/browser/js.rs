//! Helpers for JavaScript values of unknown type (error messages, properties, methods), event listeners, and access
//! checks of browser storage.
//!
//! Never panics on a value of the wrong type. In a sandboxed frame, or if site data is blocked, merely accessing
//! storage throws; no other code accesses it unchecked.

use js_sys::{Function, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, EventTarget, Storage, SubtleCrypto, Window};

pub(super) fn message(thrown: &JsValue) -> String {
    let message = match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => thrown.as_string().unwrap_or_default(),
    };
    if message.is_empty() { name(thrown) } else { message }
}

pub(super) fn name(thrown: &JsValue) -> String {
    match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.name()),
        None => "unknown error".to_owned(),
    }
}

/// A property; `None` if it is absent, null, or its accessor throws.
pub(super) fn property(of: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(of, &JsValue::from_str(name)).ok().filter(|value| !value.is_undefined() && !value.is_null())
}

pub(super) fn method(of: &JsValue, name: &str) -> Option<Function> {
    property(of, name)?.dyn_into().ok()
}

pub(super) fn set(object: &js_sys::Object, name: &str, value: &JsValue) {
    // Only a frozen object or a setter could reject it.
    drop(Reflect::set(object, &JsValue::from_str(name), value));
}

/// An event listener, removed on drop.
pub(super) struct Listener {
    target: EventTarget,
    event: &'static str,
    callback: Closure<dyn FnMut(Event)>,
}

impl Listener {
    pub(super) fn on(
        target: &EventTarget,
        event: &'static str,
        callback: impl FnMut(Event) + 'static,
    ) -> Self {
        let callback = Closure::<dyn FnMut(Event)>::new(callback);
        // Adding a function as a listener never throws.
        drop(target.add_event_listener_with_callback(event, callback.as_ref().unchecked_ref()));
        Self { target: target.clone(), event, callback }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let callback = self.callback.as_ref().unchecked_ref();
        drop(self.target.remove_event_listener_with_callback(self.event, callback));
    }
}

/// localStorage, if accessible.
pub(super) fn local_storage() -> Option<Storage> {
    let storage = web_sys::window().as_ref().map(Window::local_storage)?.ok()??;
    // Some browsers return the object and throw at first use.
    storage.length().is_ok().then_some(storage)
}

/// True if IndexedDB is accessible; opening it may still fail.
pub(super) fn has_database() -> bool {
    web_sys::window().is_some_and(|window| matches!(window.indexed_db(), Ok(Some(_))))
}

/// WebCrypto; absent outside secure contexts.
pub(super) fn encryption() -> Option<SubtleCrypto> {
    let crypto = property(web_sys::window()?.as_ref(), "crypto")?;
    property(&crypto, "subtle")?.dyn_into().ok()
}

pub(super) fn has_encryption() -> bool {
    encryption().is_some()
}
