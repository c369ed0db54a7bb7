//! Parts that are loaded when first needed: bundled JavaScript modules (`xtask/src/parts.rs`), and what runs checks, holds
//! terminals, hears and speaks. And whether the browser can hear and speak.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::ev::KeyboardEvent;
use leptos::prelude::window;
use leptos::wasm_bindgen::{JsCast as _, JsValue};
use send_wrapper::SendWrapper;
use wasm_bindgen_futures::JsFuture;

use nexus_engine::checks::RunChecks;
use nexus_engine::lazy::{ChunkLoadError, LazyFuture};
use nexus_engine::port::VoicePorts;
use nexus_engine::port::terminal::Terminals;
use nexus_text::vec_map::VecMap;

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

pub(super) fn put(object: &js_sys::Object, name: &str, value: &JsValue) {
    // Fails only on objects that are closed against it; ours are fresh.
    drop(js_sys::Reflect::set(object, &JsValue::from_str(name), value));
}

#[derive(Clone, Copy)]
pub(crate) struct LazyChecks(pub(crate) fn() -> LazyFuture<RunChecks>);

pub type LoadTerminals = Rc<dyn Fn() -> LazyFuture<Rc<dyn Terminals>>>;

/// The same for components.
#[derive(Clone)]
pub(crate) struct LazyTerminals(pub(crate) SendWrapper<LoadTerminals>);

/// The way to ears and mouth, for who needs them.
#[derive(Clone, Copy)]
pub(crate) struct LazyVoice(pub(crate) fn() -> LazyFuture<MakeVoice>);

pub type MakeVoice = fn() -> VoicePorts;

/// Whether one of these names stands for something in this browser.
fn has(names: &[&str]) -> bool {
    let window: JsValue = window().into();
    let is_there = |name: &&str| {
        let found = leptos::web_sys::js_sys::Reflect::get(&window, &JsValue::from_str(name));
        found.is_ok_and(|value| value.is_truthy())
    };
    names.iter().any(is_there)
}

pub fn can_hear() -> bool {
    has(&["SpeechRecognition", "webkitSpeechRecognition"])
}

pub fn can_speak() -> bool {
    has(&["speechSynthesis"])
}

/// Whether this is the first press of a key that works a button; it then does so no more by itself.
pub fn presses(event: &KeyboardEvent) -> bool {
    let is_press = matches!(event.key().as_str(), " " | "Enter");
    if is_press {
        event.prevent_default();
    }
    is_press && !event.repeat()
}
