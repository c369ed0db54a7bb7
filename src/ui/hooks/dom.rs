//! Finds elements, reads properties of JavaScript objects, and listens to the window; and what all hooks import.

pub use leptos::wasm_bindgen::closure::Closure;
pub use leptos::wasm_bindgen::{JsCast, JsValue};

pub use crate::ui::kit::base::*;
use leptos::tachys::html::event::EventDescriptor;
use leptos::web_sys::{Element, Event, HtmlElement};

/// A property of an object; undefined if it has none.
pub fn get(object: &JsValue, name: &str) -> JsValue {
    js_sys::Reflect::get(object, &JsValue::from_str(name)).unwrap_or_default()
}

/// The first match of a selector in the page.
pub fn find(selector: &str) -> Option<HtmlElement> {
    document().query_selector(selector).ok()??.dyn_into().ok()
}

pub fn by_id(id: &str) -> Option<HtmlElement> {
    document().get_element_by_id(id)?.dyn_into().ok()
}

/// All matches of a selector in the page.
pub fn all(selector: &str) -> Vec<HtmlElement> {
    document().document_element().map(|page| all_in(&page, selector)).unwrap_or_default()
}

pub fn all_in(root: &Element, selector: &str) -> Vec<HtmlElement> {
    let Ok(found) = root.query_selector_all(selector) else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
}

pub fn make_focusable(element: &Element) {
    if !element.has_attribute("tabindex") {
        // The name is ours and valid.
        drop(element.set_attribute("tabindex", "-1"));
    }
}

/// Handles an event of the window until the current owner is disposed.
pub fn on_window<E: EventDescriptor<EventType: JsCast>>(event: E, handle: impl Fn(E::EventType) + 'static) {
    on_window_event(&event.name(), move |event| handle(event.unchecked_into()));
}

/// Like [`on_window`], for an event by its name.
pub fn on_window_event(name: &str, handle: impl Fn(Event) + 'static) {
    let listener = window_event_listener_untyped(name, handle);
    on_cleanup(move || listener.remove());
}
