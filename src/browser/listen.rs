//! An event listener that is removed when it is dropped.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Event, EventTarget};

/// A listener that is taken away when it is dropped.
pub(super) struct Listener {
    target: EventTarget,
    event: &'static str,
    callback: Closure<dyn FnMut(Event)>,
}

impl Listener {
    /// Calls `react` at every `event` of `target`.
    pub(super) fn on(target: &EventTarget, event: &'static str, react: impl FnMut(Event) + 'static) -> Self {
        let callback = Closure::<dyn FnMut(Event)>::new(react);
        // Adding a listener with a function never throws.
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
