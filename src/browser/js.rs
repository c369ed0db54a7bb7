//! Helpers for JavaScript values of unknown type (messages of thrown values, properties, methods), and listeners; and which
//! of the browser's stores can be used.
//!
//! Never panics on a value of the wrong type. In a sandboxed frame, or where site data is blocked, the mere access to a store
//! throws; no other code accesses them unchecked.

use js_sys::{Function, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, EventTarget, Storage, SubtleCrypto, Window};

/// The message of whatever was thrown.
pub(super) fn words(thrown: &JsValue) -> String {
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

/// A property; `None` where it is absent, empty, or its accessor throws.
pub(super) fn property(of: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(of, &JsValue::from_str(name)).ok().filter(|value| !value.is_undefined() && !value.is_null())
}

/// A method, where there is one.
pub(super) fn method(of: &JsValue, name: &str) -> Option<Function> {
    property(of, name)?.dyn_into().ok()
}

/// Sets a property of a plain object, where nothing can refuse it.
pub(super) fn set(object: &js_sys::Object, name: &str, value: &JsValue) {
    // Only a frozen object or a setter could refuse, and ours have neither.
    drop(Reflect::set(object, &JsValue::from_str(name), value));
}

/// A listener that is taken away when it is dropped.
pub(super) struct Listener {
    target: EventTarget,
    event: &'static str,
    callback: Closure<dyn FnMut(Event)>,
}

impl Listener {
    pub(super) fn on(target: &EventTarget, event: &'static str, react: impl FnMut(Event) + 'static) -> Self {
        let callback = Closure::<dyn FnMut(Event)>::new(react);
        // Adding a listener with a function never throws.
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

/// localStorage, where it can be looked at.
pub(super) fn local_storage() -> Option<Storage> {
    let storage = web_sys::window().as_ref().map(Window::local_storage)?.ok()??;
    // Some browsers hand the object out and throw at the first use.
    storage.length().is_ok().then_some(storage)
}

/// Whether IndexedDB can be looked at. Whether it opens only opening it tells.
pub(super) fn has_database() -> bool {
    web_sys::window().is_some_and(|window| matches!(window.indexed_db(), Ok(Some(_))))
}

/// The browser's encryption; absent outside secure contexts.
pub(super) fn encryption() -> Option<SubtleCrypto> {
    let crypto = property(web_sys::window()?.as_ref(), "crypto")?;
    property(&crypto, "subtle")?.dyn_into().ok()
}

pub(super) fn has_encryption() -> bool {
    encryption().is_some()
}
