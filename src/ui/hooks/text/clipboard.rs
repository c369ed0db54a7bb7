//! Copies text to the clipboard.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

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
