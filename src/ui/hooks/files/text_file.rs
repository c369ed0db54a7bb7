//! Downloads texts and bytes as files, and reads a chosen text file.

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
    offer_blob(name, &Blob::new_with_u8_array_sequence_and_options(&parts, &kind)?)
}

fn offer_blob(name: &str, blob: &Blob) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(blob)?;
    let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    let forget = move || drop(Url::revoke_object_url(&url));
    set_timeout(forget, std::time::Duration::from_millis(PATIENCE_MS));
    Ok(())
}

/// A file that is put together from pieces, so that no text holds all of it.
pub struct FileBuilder(js_sys::Array);

impl FileBuilder {
    pub fn new() -> Self {
        Self(js_sys::Array::new())
    }

    /// Adds a piece. Says whether the browser took it.
    pub fn push(&self, text: &str) -> bool {
        let part = js_sys::Array::of1(&JsValue::from_str(text));
        // A blob of its own: the browser may put it to disk.
        let blob = Blob::new_with_str_sequence(&part);
        blob.map(|blob| self.0.push(&blob)).is_ok()
    }

    /// Offers what was added as a download of this name and media type. Says whether the browser took it.
    pub fn offer(&self, name: &str, media_type: &str) -> bool {
        let kind = BlobPropertyBag::new();
        kind.set_type(media_type);
        let blob = Blob::new_with_blob_sequence_and_options(&self.0, &kind);
        blob.and_then(|blob| offer_blob(name, &blob)).is_ok()
    }
}

impl Default for FileBuilder {
    fn default() -> Self {
        Self::new()
    }
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
