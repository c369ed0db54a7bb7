//! Helpers for JavaScript values of unknown type (error messages, properties, methods), event listeners, and access
//! checks of browser storage.
//!
//! Never panics on a value of the wrong type. In a sandboxed frame, or if site data is blocked, merely accessing
//! storage throws; no other code accesses it unchecked.

use js_sys::{Array, Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
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

/// A text property; empty if it is absent.
pub(super) fn text(of: &JsValue, name: &str) -> String {
    property(of, name).and_then(|value| value.as_string()).unwrap_or_default()
}

/// Calls a method; fails if the object has none of this name.
pub(super) fn call(of: &JsValue, name: &str, arguments: &[&JsValue]) -> Result<JsValue, JsValue> {
    let absent = || js_sys::Error::new(&format!("the browser has no {name}"));
    method(of, name).ok_or_else(absent)?.apply(of, &arguments.iter().copied().collect::<Array>())
}

/// Calls a method at once, and waits for the promise that it returns.
pub(super) fn promised(
    of: &JsValue,
    name: &str,
    arguments: &[&JsValue],
) -> impl Future<Output = Result<JsValue, JsValue>> + use<> {
    let promise = call(of, name, arguments).map(|promise| Promise::resolve(&promise));
    async move { JsFuture::from(promise?).await }
}

/// Calls a method of the browser's StorageManager; `None` if unsupported, as outside secure contexts.
pub(super) async fn storage(method: &str) -> Option<JsValue> {
    let storage = property(web_sys::window()?.navigator().as_ref(), "storage")?;
    promised(&storage, method, &[]).await.ok()
}

/// Sets a property. Only a frozen object, or a setter that does not know the value, could reject it.
pub(super) fn set(of: &JsValue, name: &str, value: &JsValue) {
    drop(Reflect::set(of, &JsValue::from_str(name), value));
}

pub(super) fn object(properties: &[(&str, JsValue)]) -> Object {
    let object = Object::new();
    properties.iter().for_each(|(name, value)| set(&object, name, value));
    object
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
