//! Text in fields and on the page: caret, selection, paste, highlights, streaming.

pub mod caret;
pub mod highlights;
pub mod selection;

use leptos::ev::ClipboardEvent;
use leptos::html::Span;
use leptos::prelude::*;
use leptos::wasm_bindgen::{JsCast as _, JsValue};
use leptos::web_sys::Text;
use wasm_bindgen_futures::JsFuture;

use crate::ui::kit::effect::Effect;

/// Puts a text into the clipboard. Says whether it is there: a page that is not served securely, and a frame that is
/// not allowed to, have none.
pub async fn copy(text: &str) -> bool {
    let clipboard = window().navigator().clipboard();
    let value: &JsValue = clipboard.as_ref();
    if value.is_undefined() || value.is_null() {
        return false;
    }
    JsFuture::from(clipboard.write_text(text)).await.is_ok()
}

/// The pasted text, where it has at least this many bytes; the browser then does nothing with it. Shorter texts are
/// left to the browser.
pub fn take_if_longer(event: &ClipboardEvent, bytes: usize) -> Option<String> {
    let text = event.clipboard_data()?.get_data("text/plain").ok()?;
    if text.len() <= bytes {
        return None;
    }
    event.prevent_default();
    Some(text)
}

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
