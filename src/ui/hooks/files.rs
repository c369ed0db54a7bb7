//! Pasted, dropped and picked files: reading them, in chunks if they may be long; downloading texts and bytes; and
//! images as object URLs.

pub mod compression;

use futures_util::stream::LocalBoxStream;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use leptos::ev::{self, ClipboardEvent, DragEvent, Event};
use leptos::html::Input;
use leptos::web_sys::js_sys::{Array, Uint8Array};
use leptos::web_sys::{Blob, BlobPropertyBag, File, FileList, HtmlAnchorElement, HtmlInputElement, Url};
use wasm_bindgen_futures::JsFuture;

use nexus_engine::lazy::LazyFuture;
use nexus_engine::port::{ByteSource, FileSystem, StoreError, TextStream};
use nexus_model::mind::blob::bytes_of;

use crate::ui::hooks::dom::*;

#[derive(Clone, Copy)]
pub(crate) struct LazyFileSystem(pub(crate) fn() -> LazyFuture<MakeFileSystem>);

pub type MakeFileSystem = fn() -> Rc<dyn FileSystem>;

pub struct PickedFile {
    pub name: String,
    pub mime: String,
    pub bytes: u64,
    /// True for a folder, which browsers pass like a file.
    pub is_folder: bool,
    file: File,
}

/// The files of a paste. A paste with text counts as text: programs add a picture of it.
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

/// Handles files dropped anywhere on the page while the component lives. Otherwise the browser would open them instead
/// of the page.
pub fn on_drop(on_files: impl Fn(Vec<PickedFile>) + 'static) {
    on_window(ev::dragover, |event| {
        let types = event.data_transfer().map(|data| data.types());
        if types.is_some_and(|types| types.includes(&JsValue::from_str("Files"), 0)) {
            event.prevent_default();
        }
    });
    on_window(ev::drop, move |event| on_files(dropped(&event)));
}

fn dropped(event: &DragEvent) -> Vec<PickedFile> {
    let data = event.data_transfer();
    let mut chosen = all(data.as_ref().and_then(|data| data.files()));
    if chosen.is_empty() {
        return chosen;
    }
    event.prevent_default();
    // File items have the order of the files.
    if let Some(items) = data.map(|data| data.items()) {
        let items = (0..items.length()).filter_map(|place| items.get(place));
        for (one, item) in chosen.iter_mut().zip(items.filter(|item| item.kind() == "file")) {
            let entry = item.webkit_get_as_entry().ok().flatten();
            one.is_folder = entry.is_some_and(|entry| entry.is_directory());
        }
    }
    chosen
}

/// The picked files. Clears the field, so that the same file can be picked again.
pub fn picked(event: &Event) -> Vec<PickedFile> {
    let input = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
    let Some(input) = input else { return Vec::new() };
    let chosen = all(input.files());
    input.set_value("");
    chosen
}

/// Makes a field pick a folder with its content instead of files.
pub fn picks_folders(input: NodeRef<Input>) {
    Effect::new(move |_| {
        if let Some(input) = input.get() {
            // Browsers that do not know the attribute pick files.
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
            // Sizes are whole numbers far below 2⁵³.
            bytes: file.size() as u64,
            is_folder: false,
            file,
        })
        .collect()
}

/// The path of a file within the picked folder, if any.
fn path_of(file: &File) -> Option<String> {
    get(file, "webkitRelativePath").as_string().filter(|path| !path.is_empty())
}

impl PickedFile {
    /// The bytes; `None` if the file is gone, changed since it was chosen, or unreadable.
    pub async fn bytes(&self) -> Option<Vec<u8>> {
        let buffer = JsFuture::from(self.file.array_buffer()).await.ok()?;
        let bytes = js_sys::Uint8Array::new(&buffer).to_vec();
        (u64::try_from(bytes.len()) == Ok(self.bytes)).then_some(bytes)
    }
}

/// An object URL of an image, revoked on drop.
pub struct PictureUrl(String);

impl PictureUrl {
    /// The URL of an image; `None` for invalid base64, or if the browser rejects it.
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
        // Revoking an unknown URL changes nothing.
        drop(Url::revoke_object_url(&self.0));
    }
}

const URL_LIFETIME: Duration = Duration::from_secs(60);
/// Text is passed to the browser in chunks of this many bytes.
const TEXT_BYTES: usize = 4 * 1024 * 1024;
const READ_BYTES: f64 = 1_048_576.0;

/// Downloads a text under this name; false if the browser rejects it.
pub fn download(name: &str, text: &str) -> bool {
    let file = FileBuilder::default();
    file.push(text).and_then(|()| file.offer(name, "application/json")).is_ok()
}

/// Downloads bytes under this name; false if the browser rejects them.
pub fn download_bytes(name: &str, bytes: &[u8]) -> bool {
    let parts = Array::of1(&Uint8Array::from(bytes));
    FileBuilder(parts).offer(name, "application/octet-stream").is_ok()
}

/// Downloads a streamed text under this name.
///
/// # Errors
/// A chunk fails, or the browser rejects the file.
pub async fn save(name: &str, mut chunks: TextStream) -> Result<(), StoreError> {
    let (file, mut text) = (FileBuilder::default(), String::new());
    let rejected = |thrown: JsValue| StoreError::Lost(message_of(&thrown));
    while let Some(chunk_of) = chunks.try_next().await? {
        text.push_str(&chunk_of);
        if text.len() >= TEXT_BYTES {
            file.push(&text).map_err(rejected)?;
            text.clear();
        }
    }
    file.push(&text).and_then(|()| file.offer(name, "application/json")).map_err(rejected)
}

/// A file built from chunks, so that no string holds all of it.
#[derive(Default)]
pub struct FileBuilder(Array);

impl FileBuilder {
    /// Adds a chunk as a blob, which the browser may keep on disk.
    ///
    /// # Errors
    /// The browser rejects it.
    pub fn push(&self, text: &str) -> Result<(), JsValue> {
        self.0.push(Blob::new_with_str_sequence(&Array::of1(&JsValue::from_str(text)))?.as_ref());
        Ok(())
    }

    /// Downloads the file under this name and media type.
    ///
    /// # Errors
    /// The browser rejects it.
    pub fn offer(&self, name: &str, media_type: &str) -> Result<(), JsValue> {
        let kind = BlobPropertyBag::new();
        kind.set_type(media_type);
        let blob = Blob::new_with_blob_sequence_and_options(&self.0, &kind)?;
        let url = Url::create_object_url_with_blob(&blob)?;
        let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
        link.set_href(&url);
        link.set_download(name);
        link.click();
        set_timeout(move || drop(Url::revoke_object_url(&url)), URL_LIFETIME);
        Ok(())
    }
}

pub struct StreamedFile {
    pub name: String,
    file: Blob,
}

/// The chosen file. Clears the field, so that the same file can be chosen again.
pub fn chosen(input: NodeRef<Input>) -> Option<StreamedFile> {
    let field = input.get_untracked()?;
    let file = field.files().and_then(|files| files.get(0))?;
    field.set_value("");
    Some(StreamedFile { name: file.name(), file: file.unchecked_into() })
}

/// Reads the chosen file, if it has at most `most` bytes. `then` gets its text, or `None` if it is longer or
/// unreadable.
pub fn read_chosen(input: NodeRef<Input>, most: usize, then: impl Fn(Option<String>) + 'static) {
    let Some(StreamedFile { file, .. }) = chosen(input) else { return };
    if file.size() > most as f64 {
        return then(None);
    }
    spawn_local(async move {
        then(JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string()));
    });
}

impl ByteSource for StreamedFile {
    fn read(&self) -> LocalBoxStream<'static, Result<Vec<u8>, String>> {
        stream::unfold((self.file.clone(), 0.0), |(file, from)| async move {
            if from >= file.size() {
                return None;
            }
            let to = from + READ_BYTES;
            let bytes = chunk_of(&file, from, to).await.map_err(|thrown| message_of(&thrown));
            // Nothing follows an error.
            let next = if bytes.is_ok() { to } else { f64::INFINITY };
            Some((bytes, (file, next)))
        })
        .boxed_local()
    }
}

async fn chunk_of(file: &Blob, from: f64, to: f64) -> Result<Vec<u8>, JsValue> {
    let chunk_of = file.slice_with_f64_and_f64(from, to)?;
    Ok(Uint8Array::new(&JsFuture::from(chunk_of.array_buffer()).await?).to_vec())
}

fn message_of(thrown: &JsValue) -> String {
    thrown.dyn_ref::<js_sys::Error>().map_or_else(String::new, |error| String::from(error.message()))
}
