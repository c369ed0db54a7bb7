//! Folders on disk that sessions are synced with, through the File System Access API.
//!
//! Handles cannot be serialised, so they are stored in a database of their own, `nexus-folders`, which no export
//! contains. Opens only folders that the operator picked.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Uint8Array;
use wasm_bindgen::JsValue;

use crate::browser::idb::request::SmallDatabase;
use crate::browser::{js, lifecycle};
use nexus_engine::port::{
    FileSystem, FileSystemError, FileSystemUnavailable, FolderFuture, FolderListing, LinkedFolder,
    ListedFile, StoreError,
};
use nexus_model::id::SessionId;
use nexus_model::limits::{FOLDER_DEPTH, FOLDER_FILES};
use nexus_model::mind::file_name::label;
use nexus_model::mind::folder_sync::{is_generated_folder, is_system_file};
use nexus_text::small_sort::SmallSort as _;
use nexus_text::vec_map::VecMap;

const STORE: &str = "ties";
const FOLDERS: SmallDatabase = SmallDatabase { name: "nexus-folders", stores: &[STORE] };

#[derive(Clone, Default)]
pub struct BrowserFileSystem(Rc<RefCell<VecMap<SessionId, StoredFolder>>>);

#[derive(Clone)]
struct StoredFolder {
    folder: JsValue,
    notes: String,
}

impl BrowserFileSystem {
    /// The linked folder of a session, from memory or from the database.
    async fn stored_folder(&self, session: SessionId) -> Result<Option<StoredFolder>, FileSystemError> {
        if let Some(stored) = self.0.borrow().get(&session).cloned() {
            return Ok(Some(stored));
        }
        let Some(record) = FOLDERS.values(STORE, Some(&session.to_string())).await.map_err(failed)?.pop()
        else {
            return Ok(None);
        };
        let Some(folder) = js::property(&record, "folder") else { return Ok(None) };
        let stored = StoredFolder { folder, notes: js::text(&record, "notes") };
        self.0.borrow_mut().insert(session, stored.clone());
        Ok(Some(stored))
    }

    async fn folder(&self, session: SessionId) -> Result<JsValue, FileSystemError> {
        self.stored_folder(session).await?.map(|stored| stored.folder).ok_or(FileSystemError::Gone)
    }

    async fn keep(&self, session: SessionId, stored: StoredFolder) -> Result<(), FileSystemError> {
        let record =
            js::object(&[("folder", stored.folder.clone()), ("notes", stored.notes.as_str().into())]);
        self.0.borrow_mut().insert(session, stored);
        FOLDERS.change(STORE, &session.to_string(), Some(&record)).await.map_err(failed)
    }
}

impl FileSystem for BrowserFileSystem {
    fn unavailable(&self) -> Option<FileSystemUnavailable> {
        let window = web_sys::window()?;
        if js::method(window.as_ref(), "showDirectoryPicker").is_none() {
            return Some(FileSystemUnavailable::Unsupported);
        }
        lifecycle::is_framed().then_some(FileSystemUnavailable::Frame)
    }

    fn pick(&self, session: SessionId) -> FolderFuture<Option<LinkedFolder>> {
        // Called synchronously: the browser requires a user gesture.
        let picking = web_sys::window()
            .map(|window| js::promised(window.as_ref(), "showDirectoryPicker", &[&for_writing()]))
            .ok_or(FileSystemError::Gone);
        let this = self.clone();
        Box::pin(async move {
            let folder = match picking?.await {
                Ok(folder) => folder,
                // The operator closed the picker.
                Err(thrown) if js::name(&thrown) == "AbortError" => return Ok(None),
                Err(thrown) => return Err(error(&thrown)),
            };
            this.keep(session, StoredFolder { folder, notes: String::new() }).await?;
            this.linked_folder(session).await
        })
    }

    fn linked_folder(&self, session: SessionId) -> FolderFuture<Option<LinkedFolder>> {
        let this = self.clone();
        Box::pin(async move {
            let Some(StoredFolder { folder, notes }) = this.stored_folder(session).await? else {
                return Ok(None);
            };
            let allowed = permission(&folder, "queryPermission").await?;
            Ok(Some(LinkedFolder { name: js::text(&folder, "name"), allowed, notes }))
        })
    }

    fn request_access(&self, session: SessionId) -> FolderFuture<bool> {
        let this = self.clone();
        Box::pin(async move { permission(&this.folder(session).await?, "requestPermission").await })
    }

    fn list(&self, session: SessionId) -> FolderFuture<FolderListing> {
        let this = self.clone();
        Box::pin(async move {
            let folder = this.folder(session).await?;
            let (mut listing, mut open) = (FolderListing::default(), vec![(String::new(), folder, 0)]);
            // Breadth-first.
            let mut next = 0;
            while let Some((path, folder, depth)) = open.get(next).cloned() {
                next += 1;
                for (name, entry) in entries(&folder).await? {
                    let path_in_root = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
                    let is_folder = js::property(&entry, "kind").is_some_and(|kind| kind == "directory");
                    if is_folder && is_generated_folder(&name) {
                        continue;
                    }
                    if is_folder && depth < FOLDER_DEPTH && open.len() < FOLDER_FILES {
                        open.push((path_in_root, entry, depth + 1));
                    } else if is_folder || listing.files.len() > FOLDER_FILES {
                        listing.is_truncated = true;
                    } else if !is_system_file(&name) && label(&path_in_root).as_deref() == Some(&path_in_root)
                    {
                        // Files that were removed meanwhile are skipped.
                        if let Ok(file) = call(&entry, "getFile", &[]).await {
                            let number = |name: &str| {
                                js::property(&file, name).and_then(|n| n.as_f64()).unwrap_or(0.0)
                            };
                            let (bytes, modified) = (number("size") as u64, number("lastModified") as u64);
                            listing.files.push(ListedFile { name: path_in_root, bytes, modified });
                        }
                    }
                }
            }
            Ok(listing)
        })
    }

    fn read(&self, session: SessionId, name: String) -> FolderFuture<Option<Vec<u8>>> {
        let this = self.clone();
        Box::pin(async move {
            let read = async {
                let file = handle(this.folder(session).await?, &name, false).await?;
                let file = call(&file, "getFile", &[]).await?;
                call(&file, "arrayBuffer", &[]).await
            };
            match read.await {
                Ok(buffer) => Ok(Some(Uint8Array::new(&buffer).to_vec())),
                Err(EntryError::Missing) => Ok(None),
                Err(EntryError::Error(error)) => Err(error),
            }
        })
    }

    fn write(&self, session: SessionId, name: String, bytes: Vec<u8>) -> FolderFuture<()> {
        let this = self.clone();
        Box::pin(async move {
            let write = async {
                let file = handle(this.folder(session).await?, &name, true).await?;
                let stream = call(&file, "createWritable", &[]).await?;
                let bytes = Uint8Array::from(bytes.as_slice());
                call(&stream, "write", &[&bytes]).await?;
                // `close` replaces the file atomically.
                call(&stream, "close", &[]).await
            };
            match write.await {
                Ok(_) => Ok(()),
                Err(EntryError::Missing) => {
                    Err(FileSystemError::Failed("something else with that name exists there".to_owned()))
                }
                Err(EntryError::Error(error)) => Err(error),
            }
        })
    }

    fn save_notes(&self, session: SessionId, notes: String) -> FolderFuture<()> {
        let this = self.clone();
        Box::pin(async move {
            let stored = StoredFolder { folder: this.folder(session).await?, notes };
            this.keep(session, stored).await
        })
    }

    fn unlink(&self, session: SessionId) -> FolderFuture<()> {
        self.0.borrow_mut().remove(&session);
        Box::pin(async move { FOLDERS.change(STORE, &session.to_string(), None).await.map_err(failed) })
    }
}

/// The entry does not exist, or another error.
enum EntryError {
    Missing,
    Error(FileSystemError),
}

impl From<FileSystemError> for EntryError {
    fn from(error: FileSystemError) -> Self {
        Self::Error(error)
    }
}

impl From<EntryError> for FileSystemError {
    fn from(error: EntryError) -> Self {
        match error {
            EntryError::Missing => Self::Gone,
            EntryError::Error(error) => error,
        }
    }
}

fn error(thrown: &JsValue) -> FileSystemError {
    match js::name(thrown).as_str() {
        "NotAllowedError" | "SecurityError" => FileSystemError::Lapsed,
        "NotFoundError" => FileSystemError::Gone,
        _ => FileSystemError::Failed(js::message(thrown)),
    }
}

/// The options that ask for a folder that may be read and written.
fn for_writing() -> JsValue {
    js::object(&[("mode", "readwrite".into())]).into()
}

async fn call(of: &JsValue, name: &str, arguments: &[&JsValue]) -> Result<JsValue, EntryError> {
    js::promised(of, name, arguments).await.map_err(|thrown| match js::name(&thrown).as_str() {
        // An entry of another kind is not the file that was meant.
        "NotFoundError" | "TypeMismatchError" => EntryError::Missing,
        _ => EntryError::Error(error(&thrown)),
    })
}

async fn entries(folder: &JsValue) -> Result<Vec<(String, JsValue)>, FileSystemError> {
    let values = js::call(folder, "values", &[]).map_err(|thrown| error(&thrown))?;
    let mut entries_found = Vec::new();
    loop {
        let step = call(&values, "next", &[]).await?;
        let Some(entry) = js::property(&step, "value") else { break };
        entries_found.push((js::text(&entry, "name"), entry));
    }
    entries_found.small_sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(entries_found)
}

/// The handle of a file below a folder. `make` creates it with its folders.
async fn handle(folder: JsValue, name: &str, make: bool) -> Result<JsValue, EntryError> {
    let options = js::object(&[("create", make.into())]);
    let mut segments: Vec<&str> = name.split('/').collect();
    let file = segments.pop().unwrap_or(name);
    let mut folder = folder;
    for segment in segments {
        folder = call(&folder, "getDirectoryHandle", &[&segment.into(), &options]).await?;
    }
    call(&folder, "getFileHandle", &[&file.into(), &options]).await
}

/// True if the folder may be read and written, according to `queryPermission` or `requestPermission`. Folders that need
/// no permission lack these methods.
async fn permission(folder: &JsValue, method: &str) -> Result<bool, FileSystemError> {
    if js::method(folder, method).is_none() {
        return Ok(true);
    }
    Ok(call(folder, method, &[&for_writing()]).await? == "granted")
}

fn failed(error: StoreError) -> FileSystemError {
    FileSystemError::Failed(error.to_string())
}
