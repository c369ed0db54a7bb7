//! Never follows a folder that nobody picked, and never decides what is read or written.
//!
//! Owns the folders on disk that sessions are tied to, by the browser's File System Access. The handles cannot be
//! written as JSON: they lie in a database of their own, `nexus-folders`, which no export and no other tab's ledger
//! meets.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use indexed_db_futures::Build;
use indexed_db_futures::database::Database;
use indexed_db_futures::query_source::QuerySource;
use indexed_db_futures::transaction::TransactionMode;
use js_sys::{Array, Object, Promise, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use crate::browser::{js, page};
use crate::domain::folder::{is_heap, is_litter};
use crate::domain::id::SessionId;
use crate::domain::limits::{FOLDER_DEPTH, FOLDER_FILES};
use crate::domain::shelf::label;
use crate::domain::sorted::SortedMap;
use crate::engine::port::{Disk, DiskError, ListedFile, Listing, NoDisk, TiedFolder};

/// The name of the database, and of its one store.
const DATABASE: &str = "nexus-folders";
const TIES: &str = "ties";

/// Folders on disk.
#[derive(Clone, Default)]
pub struct BrowserDisk(Rc<RefCell<SortedMap<SessionId, Tied>>>);

/// A tie: the handle of the folder, and what is kept beside it.
#[derive(Clone)]
struct Tied {
    folder: JsValue,
    notes: String,
}

impl BrowserDisk {
    /// The tie of a session, from memory or from the database.
    async fn tie(&self, session: SessionId) -> Result<Option<Tied>, DiskError> {
        if let Some(tied) = self.0.borrow().get(&session).cloned() {
            return Ok(Some(tied));
        }
        let Some(record) = kept(&session.to_string()).await? else { return Ok(None) };
        let notes = js::property(&record, "notes").and_then(|notes| notes.as_string()).unwrap_or_default();
        let Some(folder) = js::property(&record, "folder") else { return Ok(None) };
        let tied = Tied { folder, notes };
        self.0.borrow_mut().insert(session, tied.clone());
        Ok(Some(tied))
    }

    async fn folder(&self, session: SessionId) -> Result<JsValue, DiskError> {
        self.tie(session).await?.map(|tied| tied.folder).ok_or(DiskError::Gone)
    }

    async fn keep(&self, session: SessionId, tied: Tied) -> Result<(), DiskError> {
        let record = Object::new();
        js::set(&record, "folder", &tied.folder);
        js::set(&record, "notes", &JsValue::from_str(&tied.notes));
        self.0.borrow_mut().insert(session, tied);
        change(&session.to_string(), Some(record.into())).await
    }
}

impl Disk for BrowserDisk {
    fn hindrance(&self) -> Option<NoDisk> {
        let window = web_sys::window()?;
        if js::method(window.as_ref(), "showDirectoryPicker").is_none() {
            return Some(NoDisk::Unsupported);
        }
        page::is_framed().then_some(NoDisk::Frame)
    }

    fn pick(&self, session: SessionId) -> LocalBoxFuture<'static, Result<Option<TiedFolder>, DiskError>> {
        // Asked at once: the browser only lets it in the wake of a click.
        let options = Object::new();
        js::set(&options, "mode", &JsValue::from_str("readwrite"));
        let picking = web_sys::window()
            .ok_or(DiskError::Gone)
            .and_then(|window| begin(window.as_ref(), "showDirectoryPicker", &[options.into()]));
        let this = self.clone();
        Box::pin(async move {
            let folder = match JsFuture::from(picking?).await {
                Ok(folder) => folder,
                // The operator closed the picker.
                Err(thrown) if js::name(&thrown) == "AbortError" => return Ok(None),
                Err(thrown) => return Err(error(&thrown)),
            };
            this.keep(session, Tied { folder, notes: String::new() }).await?;
            this.tied(session).await
        })
    }

    fn tied(&self, session: SessionId) -> LocalBoxFuture<'static, Result<Option<TiedFolder>, DiskError>> {
        let this = self.clone();
        Box::pin(async move {
            let Some(Tied { folder, notes }) = this.tie(session).await? else { return Ok(None) };
            let name = js::property(&folder, "name").and_then(|name| name.as_string()).unwrap_or_default();
            let allowed = permission(&folder, "queryPermission").await?;
            Ok(Some(TiedFolder { name, allowed, notes }))
        })
    }

    fn allow(&self, session: SessionId) -> LocalBoxFuture<'static, Result<bool, DiskError>> {
        let this = self.clone();
        Box::pin(async move { permission(&this.folder(session).await?, "requestPermission").await })
    }

    fn list(&self, session: SessionId) -> LocalBoxFuture<'static, Result<Listing, DiskError>> {
        let this = self.clone();
        Box::pin(async move {
            let folder = this.folder(session).await?;
            let (mut listing, mut open) = (Listing::default(), vec![(String::new(), folder, 0)]);
            // Folders are looked into one after another, those that were found first first.
            let mut next = 0;
            while let Some((path, folder, depth)) = open.get(next).cloned() {
                next += 1;
                for (name, entry) in entries(&folder).await? {
                    let whole = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
                    let is_folder = js::property(&entry, "kind").is_some_and(|kind| kind == "directory");
                    if is_folder {
                        if !is_heap(&name) {
                            let fits = depth < FOLDER_DEPTH && open.len() < FOLDER_FILES;
                            if fits { open.push((whole, entry, depth + 1)) } else { listing.cut = true }
                        }
                    } else if listing.files.len() > FOLDER_FILES {
                        listing.cut = true;
                    } else if !is_litter(&name) && label(&whole).as_deref() == Some(&whole) {
                        // One that is gone by now is left out.
                        if let Ok(file) = call(&entry, "getFile", &[]).await {
                            let number = |name: &str| {
                                js::property(&file, name).and_then(|n| n.as_f64()).unwrap_or(0.0)
                            };
                            let (bytes, modified) = (number("size") as u64, number("lastModified") as u64);
                            listing.files.push(ListedFile { name: whole, bytes, modified });
                        }
                    }
                }
            }
            Ok(listing)
        })
    }

    fn read(
        &self,
        session: SessionId,
        name: String,
    ) -> LocalBoxFuture<'static, Result<Option<Vec<u8>>, DiskError>> {
        let this = self.clone();
        Box::pin(async move {
            let read = async {
                let file = handle(this.folder(session).await?, &name, false).await?;
                let file = call(&file, "getFile", &[]).await?;
                call(&file, "arrayBuffer", &[]).await
            };
            match read.await {
                Ok(buffer) => Ok(Some(Uint8Array::new(&buffer).to_vec())),
                Err(Missing::No) => Ok(None),
                Err(Missing::Error(error)) => Err(error),
            }
        })
    }

    fn write(
        &self,
        session: SessionId,
        name: String,
        text: String,
    ) -> LocalBoxFuture<'static, Result<(), DiskError>> {
        let this = self.clone();
        Box::pin(async move {
            let write = async {
                let file = handle(this.folder(session).await?, &name, true).await?;
                let stream = call(&file, "createWritable", &[]).await?;
                let bytes = Uint8Array::from(text.as_bytes());
                call(&stream, "write", &[bytes.into()]).await?;
                // Only now the file of that name changes, whole.
                call(&stream, "close", &[]).await
            };
            match write.await {
                Ok(_) => Ok(()),
                Err(Missing::No) => {
                    Err(DiskError::Failed("something else lies there under that name".to_owned()))
                }
                Err(Missing::Error(error)) => Err(error),
            }
        })
    }

    fn note(&self, session: SessionId, notes: String) -> LocalBoxFuture<'static, Result<(), DiskError>> {
        let this = self.clone();
        Box::pin(async move {
            let tied = Tied { folder: this.folder(session).await?, notes };
            this.keep(session, tied).await
        })
    }

    fn forget(&self, session: SessionId) -> LocalBoxFuture<'static, Result<(), DiskError>> {
        self.0.borrow_mut().remove(&session);
        Box::pin(async move { change(&session.to_string(), None).await })
    }
}

/// A file or folder is not there, or something else is wrong.
enum Missing {
    No,
    Error(DiskError),
}

impl From<DiskError> for Missing {
    fn from(error: DiskError) -> Self {
        Self::Error(error)
    }
}

impl From<Missing> for DiskError {
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::No => Self::Gone,
            Missing::Error(error) => error,
        }
    }
}

fn error(thrown: &JsValue) -> DiskError {
    match js::name(thrown).as_str() {
        "NotAllowedError" | "SecurityError" => DiskError::Lapsed,
        "NotFoundError" => DiskError::Gone,
        _ => DiskError::Failed(js::words(thrown)),
    }
}

/// Calls a method that gives a promise.
fn begin(of: &JsValue, name: &str, arguments: &[JsValue]) -> Result<Promise, DiskError> {
    let method =
        js::method(of, name).ok_or_else(|| DiskError::Failed(format!("the browser has no {name}")))?;
    let given = method.apply(of, &arguments.iter().collect::<Array>()).map_err(|thrown| error(&thrown))?;
    Ok(Promise::resolve(&given))
}

/// Calls a method and waits for what its promise gives.
async fn call(of: &JsValue, name: &str, arguments: &[JsValue]) -> Result<JsValue, Missing> {
    JsFuture::from(begin(of, name, arguments)?).await.map_err(|thrown| match js::name(&thrown).as_str() {
        // What has another kind now is not the file that was meant.
        "NotFoundError" | "TypeMismatchError" => Missing::No,
        _ => Missing::Error(error(&thrown)),
    })
}

/// What lies in a folder, by name.
async fn entries(folder: &JsValue) -> Result<Vec<(String, JsValue)>, DiskError> {
    let values = js::method(folder, "values").ok_or(DiskError::Gone)?;
    let values = values.call0(folder).map_err(|thrown| error(&thrown))?;
    let mut found = Vec::new();
    loop {
        let step = call(&values, "next", &[]).await?;
        let Some(entry) = js::property(&step, "value") else { break };
        if let Some(name) = js::property(&entry, "name").and_then(|name| name.as_string()) {
            found.push((name, entry));
        }
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(found)
}

/// The handle of a file below a folder; made with its folders where `make` says so.
async fn handle(folder: JsValue, name: &str, make: bool) -> Result<JsValue, Missing> {
    let options = Object::new();
    js::set(&options, "create", &make.into());
    let mut segments: Vec<&str> = name.split('/').collect();
    let file = segments.pop().unwrap_or(name);
    let mut folder = folder;
    for segment in segments {
        folder = call(&folder, "getDirectoryHandle", &[segment.into(), options.clone().into()]).await?;
    }
    call(&folder, "getFileHandle", &[file.into(), options.into()]).await
}

/// Whether the folder may be read and written, as `queryPermission` knows or `requestPermission` asks. Folders that need
/// no permission have no such method.
async fn permission(folder: &JsValue, method: &str) -> Result<bool, DiskError> {
    if js::method(folder, method).is_none() {
        return Ok(true);
    }
    let options = Object::new();
    js::set(&options, "mode", &JsValue::from_str("readwrite"));
    Ok(call(folder, method, &[options.into()]).await? == "granted")
}

async fn open() -> Result<Database, DiskError> {
    let request = Database::open(DATABASE)
        .with_version(1u32)
        .with_on_upgrade_needed(|_, database| database.create_object_store(TIES).build().map(|_| ()))
        .build()
        .map_err(failed)?;
    request.await.map_err(failed)
}

fn failed(error: impl std::fmt::Debug) -> DiskError {
    DiskError::Failed(format!("{error:?}"))
}

async fn kept(key: &str) -> Result<Option<JsValue>, DiskError> {
    let database = open().await?;
    let found = {
        let transaction = database.transaction(TIES).build().map_err(failed)?;
        let store = transaction.object_store(TIES).map_err(failed)?;
        let asked = store.get::<JsValue, String, _>(key.to_owned()).build().map_err(failed)?;
        asked.await.map_err(failed)?
    };
    database.close();
    Ok(found)
}

async fn change(key: &str, record: Option<JsValue>) -> Result<(), DiskError> {
    let database = open().await?;
    let transaction =
        database.transaction(TIES).with_mode(TransactionMode::Readwrite).build().map_err(failed)?;
    {
        let store = transaction.object_store(TIES).map_err(failed)?;
        match record {
            Some(record) => drop(store.put(record).with_key(key).without_key_type().build().map_err(failed)?),
            None => drop(store.delete::<String, _>(key.to_owned()).build().map_err(failed)?),
        }
    }
    transaction.commit().await.map_err(failed)?;
    database.close();
    Ok(())
}
