//! Storage administration: restore points as files, storage status, and deleting everything.
//!
//! Restore points are compressed if the browser supports it. They have a database of their own, so that none contains
//! restore points. Never reads the contents of the store.

use std::pin::pin;
use std::rc::Rc;

use futures_util::future::{Either, FutureExt as _, LocalBoxFuture, select};
use futures_util::stream::LocalBoxStream;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use js_sys::{Array, Reflect, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ReadableStream, Response, Storage};

use crate::browser::idb::request::{SmallDatabase, answer, factory};
use crate::browser::lifecycle::sleep;
use crate::browser::{crash, idb, js, tabs};
use nexus_engine::port::{
    ByteSource, DeviceStorage, RestorePoint, StorageEstimate, StoreError, StoreFuture, TextStream,
};
use nexus_model::id::Millis;
use nexus_text::json;
use nexus_text::vec_map::VecSet;

/// Text is passed to the browser in chunks of this many bytes, so that it is never all in WASM memory.
const TEXT_BYTES: usize = 256 * 1024;
/// Chunk size for reading a file, in bytes.
const READ_BYTES: f64 = 1_048_576.0;
/// Timeout for deleting a database, in milliseconds: a hanging tab may keep it open.
const DELETE_TIMEOUT_MS: u64 = 5_000;
const DATABASE: SmallDatabase = SmallDatabase { name: "nexus-points", stores: &[POINTS, NOTES] };
const POINTS: &str = "points";
const NOTES: &str = "notes";
const NOTE: &str = "import";
/// Prefix of all our keys in localStorage and sessionStorage, and of our databases.
const PREFIX: &str = "nexus";

#[derive(Clone, Copy, Debug, Default)]
pub struct BrowserDeviceStorage;

pub fn device() -> Rc<dyn DeviceStorage> {
    Rc::new(BrowserDeviceStorage)
}

impl DeviceStorage for BrowserDeviceStorage {
    fn estimate(&self) -> LocalBoxFuture<'static, StorageEstimate> {
        facts().boxed_local()
    }

    fn persist(&self) -> LocalBoxFuture<'static, bool> {
        async { js::storage("persist").await.and_then(|answer| answer.as_bool()).unwrap_or_default() }
            .boxed_local()
    }

    fn restore_points(&self) -> StoreFuture<Vec<RestorePoint>> {
        async { Ok(records().await?.into_iter().rev().map(|record| record.point).collect()) }.boxed_local()
    }

    fn save_restore_point(&self, point: RestorePoint, dump: TextStream) -> StoreFuture<u64> {
        async move {
            let plain = file_of(dump).await?;
            let packed = pipe_through("CompressionStream", &plain).await;
            let (file, is_packed) = packed.map_or((plain, false), |packed| (packed, true));
            let bytes = file.size() as u64;
            let text = json::write(&RestorePoint { bytes, ..point });
            let text = text.map_err(|error| StoreError::Damaged(error.to_string()))?;
            let record =
                js::object(&[("point", text.into()), ("file", file.into()), ("packed", is_packed.into())]);
            DATABASE.change(POINTS, &key_of(point.at), Some(&record)).await?;
            Ok(bytes)
        }
        .boxed_local()
    }

    fn restore_point(&self, at: Millis) -> StoreFuture<Rc<dyn ByteSource>> {
        async move {
            let record = records().await?.into_iter().find(|record| record.point.at == at);
            let damaged = |words: &str| StoreError::Damaged(words.to_owned());
            let PointRecord { file, is_packed, .. } =
                record.ok_or_else(|| damaged("there is no such point"))?;
            let file = if is_packed {
                pipe_through("DecompressionStream", &file)
                    .await
                    .ok_or_else(|| damaged("it cannot be unpacked"))?
            } else {
                file
            };
            Ok(Rc::new(BlobSource(file)) as Rc<dyn ByteSource>)
        }
        .boxed_local()
    }

    fn delete_restore_point(&self, at: Millis) -> StoreFuture<()> {
        async move { DATABASE.change(POINTS, &key_of(at), None).await }.boxed_local()
    }

    fn set_note(&self, text: Option<String>) -> StoreFuture<()> {
        async move { DATABASE.change(NOTES, NOTE, text.map(JsValue::from).as_ref()).await }.boxed_local()
    }

    fn read_note(&self) -> StoreFuture<Option<String>> {
        async { Ok(DATABASE.values(NOTES, None).await?.first().and_then(JsValue::as_string)) }.boxed_local()
    }

    fn delete_everything(&self) -> StoreFuture<()> {
        delete_everything().boxed_local()
    }
}

struct PointRecord {
    point: RestorePoint,
    file: Blob,
    is_packed: bool,
}

/// All restore points, oldest first, without reading the files.
async fn records() -> Result<Vec<PointRecord>, StoreError> {
    let read = |record: &JsValue| {
        Some(PointRecord {
            point: json::read(&js::text(record, "point")).ok()?,
            file: js::property(record, "file")?.dyn_into().ok()?,
            is_packed: js::property(record, "packed")?.as_bool()?,
        })
    };
    Ok(DATABASE.values(POINTS, None).await?.iter().filter_map(read).collect())
}

/// Thirteen digits until the year 2286: keys sort by time.
fn key_of(at: Millis) -> String {
    format!("{:013}", at.0)
}

async fn facts() -> StorageEstimate {
    let estimate = js::storage("estimate").await;
    let number = |name: &str| Some(js::property(estimate.as_ref()?, name)?.as_f64()? as u64);
    StorageEstimate {
        used: number("usage"),
        quota: number("quota"),
        persisted: js::storage("persisted").await.and_then(|answer| answer.as_bool()),
    }
}

async fn file_of(mut chunks: TextStream) -> Result<Blob, StoreError> {
    let (parts, mut text) = (Array::new(), String::new());
    let failed = |thrown: JsValue| StoreError::Lost(js::message(&thrown));
    while let Some(chunk) = chunks.try_next().await? {
        text.push_str(&chunk);
        if text.len() >= TEXT_BYTES {
            parts.push(blob(&text).map_err(failed)?.as_ref());
            text.clear();
        }
    }
    parts.push(blob(&text).map_err(failed)?.as_ref());
    Blob::new_with_blob_sequence(&parts).map_err(failed)
}

fn blob(text: &str) -> Result<Blob, JsValue> {
    Blob::new_with_str_sequence(&Array::of1(&JsValue::from_str(text)))
}

/// Pipes a file through a browser compression stream; `None` if unsupported or if the file does not fit.
async fn pipe_through(codec: &str, file: &Blob) -> Option<Blob> {
    let codec = js::method(web_sys::window()?.as_ref(), codec)?;
    let codec = Reflect::construct(&codec, &Array::of1(&JsValue::from_str("gzip"))).ok()?;
    let stream = file.stream();
    let piped = js::call(&stream, "pipeThrough", &[&codec]).ok()?;
    let response =
        Response::new_with_opt_readable_stream(Some(&piped.dyn_into::<ReadableStream>().ok()?)).ok()?;
    JsFuture::from(response.blob().ok()?).await.ok()?.dyn_into().ok()
}

struct BlobSource(Blob);

impl ByteSource for BlobSource {
    fn read(&self) -> LocalBoxStream<'static, Result<Vec<u8>, String>> {
        stream::unfold((self.0.clone(), 0.0), |(file, from)| async move {
            if from >= file.size() {
                return None;
            }
            let to = from + READ_BYTES;
            let bytes = chunk(&file, from, to).await.map_err(|thrown| js::message(&thrown));
            // Nothing follows an error.
            let next = if bytes.is_ok() { to } else { f64::INFINITY };
            Some((bytes, (file, next)))
        })
        .boxed_local()
    }
}

async fn chunk(file: &Blob, from: f64, to: f64) -> Result<Vec<u8>, JsValue> {
    let chunk = file.slice_with_f64_and_f64(from, to)?;
    Ok(Uint8Array::new(&JsFuture::from(chunk.array_buffer()).await?).to_vec())
}

/// From its first step on no tab writes any more, so that nothing is restored.
async fn delete_everything() -> Result<(), StoreError> {
    crash::seal();
    let window = web_sys::window();
    let session = window.as_ref().and_then(|window| window.session_storage().ok()?);
    for storage in [js::local_storage(), session].into_iter().flatten() {
        clear(&storage);
    }
    tabs::announce_deletion();
    let mut outcome = Ok(());
    for name in databases().await {
        let Some(Ok(request)) = factory().ok().map(|factory| factory.delete_database(&name)) else {
            continue;
        };
        match select(pin!(answer(&request)), pin!(sleep(DELETE_TIMEOUT_MS))).await {
            Either::Left((Ok(_), _)) => {}
            Either::Left((Err(error), _)) => outcome = Err(error.into_error()),
            Either::Right(_) => outcome = Err(StoreError::Lost(format!("{name} is held by another tab"))),
        }
    }
    outcome
}

fn clear(storage: &Storage) {
    let count = storage.length().unwrap_or_default();
    let names: Vec<_> = (0..count).filter_map(|index| storage.key(index).ok()?).collect();
    for name in names.iter().filter(|name| name.starts_with(PREFIX)) {
        // Storage that is denied has no names, so this cannot fail.
        drop(storage.remove_item(name));
    }
}

/// All our databases: those that the browser lists, and the known ones.
async fn databases() -> VecSet<String> {
    let mut names: VecSet<_> = [idb::DATABASE, DATABASE.name].map(str::to_owned).into_iter().collect();
    let factory = web_sys::window().and_then(|window| window.indexed_db().ok()?);
    if let Some(factory) = factory
        && let Ok(listed) = js::promised(&factory, "databases", &[]).await
        && let Ok(listed) = listed.dyn_into::<Array>()
    {
        let named = listed.iter().filter_map(|info| js::property(&info, "name")?.as_string());
        names.extend(named.filter(|name| name.starts_with(PREFIX)));
    }
    names
}
