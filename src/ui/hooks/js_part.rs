//! Loads the bundled JavaScript modules (`xtask/src/parts.rs`).
//!
//! A page built without Node has none, and then nothing is fetched.

use std::cell::RefCell;

use leptos::prelude::window;
use leptos::wasm_bindgen::{JsCast as _, JsValue};
use send_wrapper::SendWrapper;
use wasm_bindgen_futures::JsFuture;

use nexus_engine::lazy::ChunkLoadError;
use nexus_text::vec_map::VecMap;

/// A module that has come.
#[derive(Clone)]
pub struct JsChunk(pub(super) SendWrapper<JsValue>);

thread_local! {
    /// The parts that have come, which are there at once from then on.
    static CAME: RefCell<VecMap<String, JsChunk>> = const { RefCell::new(VecMap::new()) };
}

/// Loads a part by its name. `public/boot.js` has each of its files checked.
pub async fn load(name: &str) -> Result<JsChunk, ChunkLoadError> {
    let name = name.to_owned();
    if let Some(part) = CAME.with_borrow(|came| came.get(&name).cloned()) {
        return Ok(part);
    }
    let promise = asked(&name).ok_or(ChunkLoadError)?;
    let module = JsFuture::from(promise).await.map_err(|_| ChunkLoadError)?;
    let part = JsChunk(SendWrapper::new(module));
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
