//! Pasted, dropped and picked files, and reading them.

pub mod picture_url;
pub mod streamed_file;
pub mod text_file;

use leptos::ev::{self, ClipboardEvent, DragEvent, Event};
use leptos::html::Input;
use leptos::prelude::*;
use leptos::wasm_bindgen::closure::Closure;
use leptos::wasm_bindgen::{JsCast as _, JsValue};
use leptos::web_sys::{File, FileList, FileReader, HtmlInputElement};
use wasm_bindgen_futures::JsFuture;

/// A file that was chosen.
pub struct PickedFile {
    pub name: String,
    /// Its media type, as the browser knows it by its name.
    pub mime: String,
    /// The number of its bytes.
    pub bytes: u64,
    /// Whether it is a folder, which browsers hand over like a file.
    pub is_folder: bool,
    file: File,
}

/// The files of a paste. A paste that holds text besides is one of text: programs put a picture of it along.
pub fn pasted(event: &ClipboardEvent) -> Vec<PickedFile> {
    let Some(data) = event.clipboard_data() else { return Vec::new() };
    if data.get_data("text/plain").is_ok_and(|text| !text.is_empty()) {
        return Vec::new();
    }
    let chosen = all(data.files());
    if !chosen.is_empty() {
        event.prevent_default();
    }
    chosen
}

/// Takes the files that are dropped anywhere on the page, as long as the component is there. The browser would open them
/// in the page's place.
pub fn on_drop(take: impl Fn(Vec<PickedFile>) + 'static) {
    let over = window_event_listener(ev::dragover, |event| allow_drop(&event));
    let drop = window_event_listener(ev::drop, move |event| take(dropped(&event)));
    on_cleanup(move || {
        over.remove();
        drop.remove();
    });
}

fn dropped(event: &DragEvent) -> Vec<PickedFile> {
    let data = event.data_transfer();
    let mut chosen = all(data.as_ref().and_then(|data| data.files()));
    if chosen.is_empty() {
        return chosen;
    }
    event.prevent_default();
    // The items that are files stand in the order of the files.
    if let Some(items) = data.map(|data| data.items()) {
        let entries =
            (0..items.length()).filter_map(|place| items.get(place)).filter(|item| item.kind() == "file");
        for (one, item) in chosen.iter_mut().zip(entries) {
            one.is_folder =
                item.webkit_get_as_entry().ok().flatten().is_some_and(|entry| entry.is_directory());
        }
    }
    chosen
}

/// Says that files may be dropped here.
fn allow_drop(event: &DragEvent) {
    let types = event.data_transfer().map(|data| data.types());
    if types.is_some_and(|types| types.includes(&JsValue::from_str("Files"), 0)) {
        event.prevent_default();
    }
}

/// The files that were picked. The field forgets them, so that the same file can be picked again.
pub fn picked(event: &Event) -> Vec<PickedFile> {
    let input = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
    let Some(input) = input else { return Vec::new() };
    let chosen = all(input.files());
    input.set_value("");
    chosen
}

/// Lets a field pick a folder with all that it holds, in the place of files.
pub fn picks_folders(input: NodeRef<Input>) {
    Effect::new(move |_| {
        if let Some(input) = input.get() {
            // The name is valid. Browsers that do not know it pick files.
            drop(input.set_attribute("webkitdirectory", ""));
        }
    });
}

fn all(files: Option<FileList>) -> Vec<PickedFile> {
    let Some(files) = files else { return Vec::new() };
    let files = (0..files.length()).filter_map(|place| files.get(place));
    files
        .map(|file| PickedFile {
            name: path_of(&file).unwrap_or_else(|| file.name()),
            mime: file.type_(),
            // A size is a whole number far below where it could not be told.
            bytes: file.size() as u64,
            is_folder: false,
            file,
        })
        .collect()
}

/// Where a file lies in the folder that was picked, if one was.
fn path_of(file: &File) -> Option<String> {
    let path = js_sys::Reflect::get(file, &JsValue::from_str("webkitRelativePath")).ok()?;
    path.as_string().filter(|path| !path.is_empty())
}

impl PickedFile {
    /// The bytes; `None` where the file is gone, changed since it was chosen, or may not be read.
    pub async fn bytes(&self) -> Option<Vec<u8>> {
        let buffer = JsFuture::from(self.file.array_buffer()).await.ok()?;
        let bytes = js_sys::Uint8Array::new(&buffer).to_vec();
        (u64::try_from(bytes.len()) == Ok(self.bytes)).then_some(bytes)
    }

    /// The bytes as base64; `None` where the file is gone or may not be read.
    pub async fn base64(&self) -> Option<String> {
        let reader = FileReader::new().ok()?;
        let (watched, file) = (reader.clone(), self.file.clone());
        let read = js_sys::Promise::new(&mut |done, _| {
            let done = Closure::once_into_js(move || drop(done.call0(&JsValue::NULL)));
            watched.set_onloadend(Some(done.unchecked_ref()));
            if watched.read_as_data_url(&file).is_err() {
                drop(done.unchecked_ref::<js_sys::Function>().call0(&JsValue::NULL));
            }
        });
        JsFuture::from(read).await.ok()?;
        let address = reader.result().ok()?.as_string()?;
        address
            .split_once(";base64,")
            .map(|(_, base64)| base64.to_owned())
            .filter(|base64| !base64.is_empty())
    }
}
