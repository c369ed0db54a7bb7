//! Parts of a screen that stay hidden until something in them is looked for (`hidden="until-found"`).

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::{Element, Event, EventInit};

/// The value of `hidden` for a part that the browser's own search still reads.
pub const UNTIL_FOUND: &str = "until-found";

/// The event by which a browser says that its search found something in a hidden part.
const FOUND: &str = "beforematch";

/// Calls `show` with the `data-reveals` of a part when something in it is found: by the browser's search, or by whoever
/// leads the reader there.
pub fn use_reveal(show: impl Fn(&str) + 'static) {
    let listener = window_event_listener_untyped(FOUND, move |event| {
        let found = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let part = found.and_then(|found| found.closest("[data-reveals]").ok().flatten());
        if let Some(name) = part.and_then(|part| part.get_attribute("data-reveals")) {
            show(&name);
        }
    });
    on_cleanup(move || listener.remove());
}

/// Has the part around an element shown, if it is hidden.
pub fn reveal(element: &Element) {
    let bubbles = EventInit::new();
    bubbles.set_bubbles(true);
    if let Ok(event) = Event::new_with_event_init_dict(FOUND, &bubbles) {
        // Nobody cancels it.
        drop(element.dispatch_event(&event));
    }
}
