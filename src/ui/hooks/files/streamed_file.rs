//! Downloads and reads files of any size in pieces.

use futures_util::stream::LocalBoxStream;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use leptos::html::Input;
use leptos::prelude::*;
use leptos::wasm_bindgen::{JsCast as _, JsValue};
use leptos::web_sys::js_sys::{Array, Error, Uint8Array};
use leptos::web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};
use wasm_bindgen_futures::JsFuture;

use nexus_engine::port::{ByteSource, StoreError, TextStream};

/// Text is given to the browser in pieces of this many bytes.
const TEXT_BYTES: usize = 4 * 1024 * 1024;
/// A file is read in pieces of this many bytes.
const READ_BYTES: f64 = 1_048_576.0;
/// How long the browser has for taking a file over.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// Offers a text as a download of this name.
///
/// # Errors
/// A piece did not come, or the browser does not take the file.
pub async fn save(name: &str, mut pieces: TextStream) -> Result<(), StoreError> {
    let (parts, mut text) = (Array::new(), String::new());
    let refused = |thrown: JsValue| StoreError::Lost(words(&thrown));
    while let Some(piece) = pieces.try_next().await? {
        text.push_str(&piece);
        if text.len() >= TEXT_BYTES {
            parts.push(blob(&text).map_err(refused)?.as_ref());
            text.clear();
        }
    }
    parts.push(blob(&text).map_err(refused)?.as_ref());
    offer(name, &parts).map_err(refused)
}

fn blob(text: &str) -> Result<Blob, JsValue> {
    Blob::new_with_str_sequence(&Array::of1(&JsValue::from_str(text)))
}

fn offer(name: &str, parts: &Array) -> Result<(), JsValue> {
    let kind = BlobPropertyBag::new();
    kind.set_type("application/json");
    let url = Url::create_object_url_with_blob(&Blob::new_with_blob_sequence_and_options(parts, &kind)?)?;
    let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    set_timeout(move || drop(Url::revoke_object_url(&url)), PATIENCE);
    Ok(())
}

/// A file that was chosen.
pub struct StreamedFile {
    pub name: String,
    file: Blob,
}

/// The file that was chosen. The field is empty afterwards, so that the same file can be chosen again.
pub fn chosen(input: NodeRef<Input>) -> Option<StreamedFile> {
    let field = input.get_untracked()?;
    let file = field.files().and_then(|files| files.get(0))?;
    field.set_value("");
    Some(StreamedFile { name: file.name(), file: file.unchecked_into() })
}

impl ByteSource for StreamedFile {
    fn read(&self) -> LocalBoxStream<'static, Result<Vec<u8>, String>> {
        stream::unfold((self.file.clone(), 0.0), |(file, from)| async move {
            if from >= file.size() {
                return None;
            }
            let to = from + READ_BYTES;
            let bytes = piece(&file, from, to).await.map_err(|thrown| words(&thrown));
            // After a failure there is nothing more to come.
            let next = if bytes.is_ok() { to } else { f64::INFINITY };
            Some((bytes, (file, next)))
        })
        .boxed_local()
    }
}

async fn piece(file: &Blob, from: f64, to: f64) -> Result<Vec<u8>, JsValue> {
    let piece = file.slice_with_f64_and_f64(from, to)?;
    Ok(Uint8Array::new(&JsFuture::from(piece.array_buffer()).await?).to_vec())
}

fn words(thrown: &JsValue) -> String {
    thrown.dyn_ref::<Error>().map_or_else(String::new, |error| String::from(error.message()))
}
