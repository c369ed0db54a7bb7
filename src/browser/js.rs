//! Helpers for JavaScript values of unknown type (messages of thrown values, properties, methods), and listeners.
//!
//! Never panics on a value of the wrong type.

use js_sys::{Function, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, EventTarget};

/// The message of whatever was thrown.
pub(super) fn words(thrown: &JsValue) -> String {
    let message = match thrown.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => thrown.as_string().unwrap_or_default(),
    };
    if message.is_empty() { name(thrown) } else { message }
}

/// The name of whatever was thrown, such as `QuotaExceededError`.
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
    /// Calls `react` at every `event` of `target`.
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
