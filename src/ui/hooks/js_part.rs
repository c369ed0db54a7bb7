//! Lazily loaded parts: bundled JavaScript modules (`xtask/src/parts.rs`), and loaders for checks, terminals and voice.
//! And whether the browser supports voice.

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
    /// Loaded modules, available at once from then on.
    static LOADED: RefCell<VecMap<String, JsChunk>> = const { RefCell::new(VecMap::new()) };
}

/// Loads a module by its name. `public/boot.js` verifies each of its files.
pub async fn load(name: &str) -> Result<JsChunk, ChunkLoadError> {
    let name = name.to_owned();
    if let Some(part) = LOADED.with_borrow(|loaded| loaded.get(&name).cloned()) {
        return Ok(part);
    }
    let promise = request(&name).ok_or(ChunkLoadError)?;
    let module = JsFuture::from(promise).await.map_err(|_| ChunkLoadError)?;
    let part = JsChunk(SendWrapper::new(module));
    LOADED.with_borrow_mut(|loaded| {
        loaded.insert(name, part.clone());
    });
    Ok(part)
}

fn request(name: &str) -> Option<js_sys::Promise> {
    let boot = js_sys::Reflect::get(&window(), &JsValue::from_str("__nexus")).ok()?;
    call(&boot, "part", &[JsValue::from_str(name)])?.dyn_into().ok()
}

/// Calls a function of an object; `None` if it has none or throws.
pub(super) fn call(object: &JsValue, name: &str, arguments: &[JsValue]) -> Option<JsValue> {
    let function = js_sys::Reflect::get(object, &JsValue::from_str(name)).ok()?;
    let list: js_sys::Array = arguments.iter().collect();
    function.dyn_ref::<js_sys::Function>()?.apply(object, &list).ok()
}

pub(super) fn put(object: &js_sys::Object, name: &str, value: &JsValue) {
    // Fails only on frozen objects; ours are fresh.
    drop(js_sys::Reflect::set(object, &JsValue::from_str(name), value));
}

#[derive(Clone, Copy)]
pub(crate) struct LazyChecks(pub(crate) fn() -> LazyFuture<RunChecks>);

pub type LoadTerminals = Rc<dyn Fn() -> LazyFuture<Rc<dyn Terminals>>>;

/// `LoadTerminals` as a context.
#[derive(Clone)]
pub(crate) struct LazyTerminals(pub(crate) SendWrapper<LoadTerminals>);

/// Loads the voice ports.
#[derive(Clone, Copy)]
pub(crate) struct LazyVoice(pub(crate) fn() -> LazyFuture<MakeVoice>);

pub type MakeVoice = fn() -> VoicePorts;

/// True if the browser has one of these globals.
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

/// True for the first key press that activates a button; prevents the browser's own click.
pub fn is_key_press(event: &KeyboardEvent) -> bool {
    let is_press = matches!(event.key().as_str(), " " | "Enter");
    if is_press {
        event.prevent_default();
    }
    is_press && !event.repeat()
}
