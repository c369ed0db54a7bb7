//! Pointer capture and element widths, for dragging.

use leptos::ev::PointerEvent;
use leptos::html::Section;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::Element;

/// Sends all further movements of this pointer to the element that listens. Says whether it does.
pub fn hold(ev: &PointerEvent) -> bool {
    ev.prevent_default();
    let element = ev.current_target().and_then(|target| target.dyn_into::<Element>().ok());
    element.is_some_and(|element| element.set_pointer_capture(ev.pointer_id()).is_ok())
}

/// How wide an element is drawn, in pixels; 0 before it is there.
pub fn width_of(element: NodeRef<Section>) -> f64 {
    element.get_untracked().map_or(0.0, |element| f64::from(element.offset_width()))
}
