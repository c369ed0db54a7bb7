//! Object URL of an image, revoked when it is dropped.

use leptos::wasm_bindgen::JsValue;
use leptos::web_sys::js_sys::{Array, Uint8Array};
use leptos::web_sys::{Blob, BlobPropertyBag, Url};

use nexus_model::mind::blob::bytes_of;

/// An address under which the browser finds a picture, as long as this is there.
pub struct PictureUrl(String);

impl PictureUrl {
    /// The address of a picture; `None` where its text is no base64, or the browser does not take it.
    pub fn new(base64: &str, mime: &str) -> Option<Self> {
        let bytes: JsValue = Uint8Array::from(bytes_of(base64)?.as_slice()).into();
        let kind = BlobPropertyBag::new();
        kind.set_type(mime);
        let blob = Blob::new_with_u8_array_sequence_and_options(&Array::of1(&bytes), &kind).ok()?;
        Url::create_object_url_with_blob(&blob).ok().map(Self)
    }

    pub fn address(&self) -> &str {
        &self.0
    }
}

impl Drop for PictureUrl {
    fn drop(&mut self) {
        // Where it is not known any more, nothing is to be given back.
        drop(Url::revoke_object_url(&self.0));
    }
}
