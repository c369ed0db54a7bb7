//! Never runs what the build did not bundle, and asks for nothing but files of this page.
//!
//! Owns the way to the parts of the page that are JavaScript (`xtask/src/parts.rs`). A page that was built without Node
//! has none; then nothing is fetched.

use std::cell::RefCell;

use leptos::prelude::window;
use leptos::wasm_bindgen::{JsCast as _, JsValue};
use send_wrapper::SendWrapper;
use wasm_bindgen_futures::JsFuture;

use crate::domain::sorted::SortedMap;
use crate::engine::parts::NotLoaded;

/// A module that has come.
#[derive(Clone)]
pub struct JsPart(pub(super) SendWrapper<JsValue>);

thread_local! {
    /// The parts that have come, which are there at once from then on.
    static CAME: RefCell<SortedMap<String, JsPart>> = const { RefCell::new(SortedMap::new()) };
}

/// Loads a part by its name. `public/boot.js` has each of its files checked.
pub async fn load(name: &str) -> Result<JsPart, NotLoaded> {
    let name = name.to_owned();
    if let Some(part) = CAME.with_borrow(|came| came.get(&name).cloned()) {
        return Ok(part);
    }
    let promise = asked(&name).ok_or(NotLoaded)?;
    let module = JsFuture::from(promise).await.map_err(|_| NotLoaded)?;
    let part = JsPart(SendWrapper::new(module));
    CAME.with_borrow_mut(|came| {
        came.insert(name, part.clone());
    });
    Ok(part)
}

fn asked(name: &str) -> Option<js_sys::Promise> {
    let boot = js_sys::Reflect::get(&window(), &JsValue::from_str("__nexus")).ok()?;
    call(&boot, "part", &[JsValue::from_str(name)])?.dyn_into().ok()
}

/// Calls a function of an object; `None` where it has none or throws.
pub(super) fn call(object: &JsValue, name: &str, arguments: &[JsValue]) -> Option<JsValue> {
    let function = js_sys::Reflect::get(object, &JsValue::from_str(name)).ok()?;
    let list: js_sys::Array = arguments.iter().collect();
    function.dyn_ref::<js_sys::Function>()?.apply(object, &list).ok()
}

/// Gives an object a value by name.
pub(super) fn put(object: &js_sys::Object, name: &str, value: &JsValue) {
    // Fails only on objects that are closed against it; ours are fresh.
    drop(js_sys::Reflect::set(object, &JsValue::from_str(name), value));
}
