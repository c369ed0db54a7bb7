//! Pointer capture and element sizes, for dragging; and the time since the page started.

use leptos::ev::PointerEvent;
use leptos::prelude::{window, *};
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::{Element, HtmlElement};

/// Captures the pointer for the listening element; false on failure.
pub fn capture(ev: &PointerEvent) -> bool {
    ev.prevent_default();
    let element = ev.current_target().and_then(|target| target.dyn_into::<Element>().ok());
    element.is_some_and(|element| element.set_pointer_capture(ev.pointer_id()).is_ok())
}

/// Rendered size of the element of this id, in pixels; 0 if it does not exist.
pub fn size_of(id: &str) -> (f64, f64) {
    let element = document().get_element_by_id(id).and_then(|element| element.dyn_into::<HtmlElement>().ok());
    element.map_or((0.0, 0.0), |element| (element.offset_width().into(), element.offset_height().into()))
}

/// A size in whole pixels. The code that writes fractions is 15 kB.
pub fn whole(size: f64) -> String {
    (size.round() as i64).to_string()
}

/// A size for a style, in whole pixels.
pub fn pixels(size: f64) -> String {
    whole(size) + "px"
}

/// Milliseconds since the page started, with fractions.
pub fn milliseconds() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}
