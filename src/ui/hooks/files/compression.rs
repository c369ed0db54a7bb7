//! Compresses and expands bytes by DEFLATE, and packs files as a ZIP archive. The browser compresses.

use leptos::wasm_bindgen::{JsCast as _, JsValue};
use leptos::web_sys::js_sys::{Array, Function, Reflect, Uint8Array, global};
use leptos::web_sys::{Blob, ReadableStream, ReadableStreamDefaultReader, ReadableStreamReadResult};
use wasm_bindgen_futures::JsFuture;

use nexus_text::zip::{UnzipError, entries, zip};

/// The files as one archive, compressed if the browser can; `None` if they are too large for one.
pub async fn packed(files: &[(String, Vec<u8>)]) -> Option<Vec<u8>> {
    let mut compressed = Vec::with_capacity(files.len());
    for (_, bytes) in files {
        compressed.push(piped(bytes, "CompressionStream", usize::MAX).await);
    }
    let entries = files.iter().zip(&compressed);
    zip(entries.map(|((name, bytes), small)| (name.as_str(), bytes.as_slice(), small.as_deref())))
}

/// The files of an archive, decompressed; together at most `most` bytes.
///
/// # Errors
/// The archive is damaged; nothing of it may be used.
pub async fn unpacked(archive: &[u8], most: usize) -> Result<Vec<(String, Vec<u8>)>, UnzipError> {
    let (mut files, mut left) = (Vec::new(), most);
    for entry in entries(archive)? {
        let bytes = match entry.is_deflated {
            true => inflated(entry.bytes, left).await,
            false => Some(entry.bytes.to_vec()),
        };
        match bytes.filter(|bytes| bytes.len() <= left && entry.is_content(bytes)) {
            Some(bytes) => {
                left -= bytes.len();
                files.push((entry.name, bytes));
            }
            None => return Err(UnzipError::Damaged(entry.name)),
        }
    }
    Ok(files)
}

/// Decompressed bytes; `None` if they are damaged, or longer than `most`: few bytes can expand to very many.
pub async fn inflated(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    piped(bytes, "DecompressionStream", most).await
}

fn pipe_through(bytes: &[u8], kind: &str) -> Result<ReadableStream, JsValue> {
    let constructor: Function = Reflect::get(&global(), &JsValue::from_str(kind))?.dyn_into()?;
    let transform = Reflect::construct(&constructor, &Array::of1(&JsValue::from_str("deflate-raw")))?;
    let stream = Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(bytes)))?.stream();
    let pipe: Function = Reflect::get(&stream, &JsValue::from_str("pipeThrough"))?.dyn_into()?;
    Ok(pipe.call1(&stream, &transform)?.unchecked_into())
}

/// What comes out of a browser stream of this name; `None` if it fails, or is longer than `most`.
async fn piped(bytes: &[u8], kind: &str, most: usize) -> Option<Vec<u8>> {
    let stream = pipe_through(bytes, kind).ok()?;
    let reader: ReadableStreamDefaultReader = stream.get_reader().dyn_into().ok()?;
    let mut bytes = Vec::new();
    loop {
        let read: ReadableStreamReadResult = JsFuture::from(reader.read()).await.ok()?.unchecked_into();
        if read.get_done().unwrap_or(true) {
            return Some(bytes);
        }
        let chunk: Uint8Array = read.get_value().dyn_into().ok()?;
        bytes.extend(chunk.to_vec());
        if bytes.len() > most {
            // The result of the cancellation does not matter.
            drop(reader.cancel());
            return None;
        }
    }
}
