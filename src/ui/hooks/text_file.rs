//! Never sends a file anywhere.
//!
//! Owns giving a text to the operator as a file, and taking one from them.

use leptos::html::Input;
use leptos::prelude::*;
use leptos::wasm_bindgen::closure::Closure;
use leptos::wasm_bindgen::{JsCast as _, JsValue};
use leptos::web_sys::js_sys::{Array, Uint8Array};
use leptos::web_sys::{Blob, BlobPropertyBag, FileReader, HtmlAnchorElement, Url};

/// How long the browser has for taking the file over, in milliseconds.
const PATIENCE_MS: u64 = 10_000;

/// Offers a text as a download of this name. Says whether the browser took it.
pub fn download(name: &str, text: &str) -> bool {
    offer(name, &JsValue::from_str(text), "application/json").is_ok()
}

/// Offers bytes as a download of this name. Says whether the browser took them.
pub fn download_bytes(name: &str, bytes: &[u8]) -> bool {
    offer(name, &Uint8Array::from(bytes).into(), "application/octet-stream").is_ok()
}

fn offer(name: &str, content: &JsValue, mime: &str) -> Result<(), JsValue> {
    let kind = BlobPropertyBag::new();
    kind.set_type(mime);
    let parts = Array::of1(content);
    let blob = Blob::new_with_u8_array_sequence_and_options(&parts, &kind)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    let forget = move || drop(Url::revoke_object_url(&url));
    set_timeout(forget, std::time::Duration::from_millis(PATIENCE_MS));
    Ok(())
}

/// Reads the file that was chosen, if it is no longer than `most` bytes. `then` gets its text, or `None` where it is
/// longer or cannot be read. The field is empty afterwards, so that the same file can be chosen again.
pub fn read_chosen(input: NodeRef<Input>, most: usize, then: impl Fn(Option<String>) + 'static) {
    let Some(field) = input.get_untracked() else { return };
    let Some(file) = field.files().and_then(|files| files.get(0)) else { return };
    field.set_value("");
    if file.size() > most as f64 {
        return then(None);
    }
    let Ok(reader) = FileReader::new() else { return then(None) };
    let source = reader.clone();
    let done = Closure::once_into_js(move || then(source.result().ok().and_then(|text| text.as_string())));
    reader.set_onloadend(Some(done.unchecked_ref()));
    // Where reading cannot begin, its end is told like any other.
    drop(reader.read_as_text(&file));
}
