//! Detects speech support in the browser, and held keys.

use leptos::ev::KeyboardEvent;
use leptos::prelude::window;
use leptos::wasm_bindgen::JsValue;

use nexus_engine::lazy::LazyFuture;
use nexus_engine::port::VoicePorts;

/// The way to ears and mouth, for who needs them.
#[derive(Clone, Copy)]
pub(crate) struct LazyVoice(pub(crate) fn() -> LazyFuture<MakeVoice>);

/// Makes the ears and the mouth.
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

/// Whether the browser has a recogniser of speech.
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
