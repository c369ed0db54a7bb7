//! Appends a growing text to one text node, so that a token costs neither a new node nor a full update.

use leptos::html::Span;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::Text;

/// Shows `text` in the element, and appends whatever is added to it.
pub fn stream_text(element: NodeRef<Span>, text: ArcRwSignal<String>) {
    Effect::new(move |shown: Option<usize>| {
        let Some(element) = element.get() else { return 0 };
        let shown = shown.unwrap_or(0);
        text.with(|text| {
            let Some(added) = text.get(shown..) else { return text.len() };
            let node = element.last_child().and_then(|node| node.dyn_into::<Text>().ok());
            let appended = node.is_some_and(|node| node.append_data(added).is_ok());
            if !appended {
                element.set_text_content(Some(text));
            }
            text.len()
        })
    });
}
