//! Storage administration: restore points as files, storage status, and deleting everything.
//!
//! Restore points are compressed where the browser supports it. Never reads the contents of a store.

use std::pin::pin;
use std::rc::Rc;

use futures_util::future::{Either, FutureExt as _, LocalBoxFuture, select};
use futures_util::stream::LocalBoxStream;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use js_sys::{Array, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ReadableStream, Response, Storage};

use crate::browser::clock::sleep;
use crate::browser::idb::points;
use crate::browser::idb::points::PointRecord;
use crate::browser::idb::request::{answer, factory};
use crate::browser::{broadcast, crash, idb, js};
use nexus_engine::port::{
    ByteSource, DeviceStorage, RestorePoint, StorageEstimate, StoreError, StoreFuture, TextStream,
};
use nexus_model::id::Millis;
use nexus_text::vec_map::VecSet;

/// Text is given to the browser in pieces of this many bytes, so that nothing here holds all of it.
const TEXT_BYTES: usize = 256 * 1024;
/// A file is read in pieces of this many bytes.
const READ_BYTES: f64 = 1_048_576.0;
/// How long a database that is to go may take, in milliseconds: a tab that hangs may hold it.
const PATIENCE_MS: u64 = 5_000;
/// What everything of ours begins with, in the browser's small storages and among its databases.
const PREFIX: &str = "nexus";

#[derive(Clone, Copy, Debug, Default)]
pub struct BrowserDeviceStorage;

pub fn device() -> Rc<dyn DeviceStorage> {
    Rc::new(BrowserDeviceStorage)
}

impl DeviceStorage for BrowserDeviceStorage {
    fn facts(&self) -> LocalBoxFuture<'static, StorageEstimate> {
        facts().boxed_local()
    }

    fn persist(&self) -> LocalBoxFuture<'static, bool> {
        async { ask("persist").await.and_then(|answer| answer.as_bool()).unwrap_or_default() }.boxed_local()
    }

    fn points(&self) -> StoreFuture<Vec<RestorePoint>> {
        async { Ok(points::all().await?.into_iter().rev().map(|kept| kept.point).collect()) }.boxed_local()
    }

    fn keep_point(&self, point: RestorePoint, dump: TextStream) -> StoreFuture<u64> {
        async move {
            let whole = file_of(dump).await?;
            let packed = through("CompressionStream", &whole).await;
            let (file, is_packed) = packed.map_or((whole, false), |packed| (packed, true));
            let bytes = file.size() as u64;
            points::keep(&PointRecord { point: RestorePoint { bytes, ..point }, file, is_packed }).await?;
            Ok(bytes)
        }
        .boxed_local()
    }

    fn point(&self, at: Millis) -> StoreFuture<Rc<dyn ByteSource>> {
        async move {
            let kept = points::all().await?.into_iter().find(|kept| kept.point.at == at);
            let gone = |words: &str| StoreError::Damaged(words.to_owned());
            let PointRecord { file, is_packed, .. } = kept.ok_or_else(|| gone("there is no such point"))?;
            let file = if is_packed {
                through("DecompressionStream", &file).await.ok_or_else(|| gone("it cannot be unpacked"))?
            } else {
                file
            };
            Ok(Rc::new(BlobSource(file)) as Rc<dyn ByteSource>)
        }
        .boxed_local()
    }

    fn drop_point(&self, at: Millis) -> StoreFuture<()> {
        points::drop_point(at).boxed_local()
    }

    fn note(&self, text: Option<String>) -> StoreFuture<()> {
        async move { points::note(text.as_deref()).await }.boxed_local()
    }

    fn noted(&self) -> StoreFuture<Option<String>> {
        points::noted().boxed_local()
    }

    fn forget_everything(&self) -> StoreFuture<()> {
        forget_everything().boxed_local()
    }
}

/// Asks the browser's storage something; `None` where it has no such answer.
async fn ask(what: &str) -> Option<JsValue> {
    let storage = js::property(web_sys::window()?.navigator().as_ref(), "storage")?;
    let asked = js::method(&storage, what)?.call0(&storage).ok()?;
    JsFuture::from(Promise::resolve(&asked)).await.ok()
}

async fn facts() -> StorageEstimate {
    let estimate = ask("estimate").await;
    let number = |name: &str| Some(js::property(estimate.as_ref()?, name)?.as_f64()? as u64);
    StorageEstimate {
        used: number("usage"),
        quota: number("quota"),
        persisted: ask("persisted").await.and_then(|answer| answer.as_bool()),
    }
}

async fn file_of(mut pieces: TextStream) -> Result<Blob, StoreError> {
    let (parts, mut text) = (Array::new(), String::new());
    let failed = |thrown: JsValue| StoreError::Lost(js::words(&thrown));
    while let Some(piece) = pieces.try_next().await? {
        text.push_str(&piece);
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

/// A file as it comes out of one of the browser's packers; `None` where there is none, or the file is not for it.
async fn through(packer: &str, file: &Blob) -> Option<Blob> {
    let packer = js::method(web_sys::window()?.as_ref(), packer)?;
    let packer = Reflect::construct(&packer, &Array::of1(&JsValue::from_str("gzip"))).ok()?;
    let stream = file.stream();
    let piped = js::method(&stream, "pipeThrough")?.call1(&stream, &packer).ok()?;
    let answer =
        Response::new_with_opt_readable_stream(Some(&piped.dyn_into::<ReadableStream>().ok()?)).ok()?;
    JsFuture::from(answer.blob().ok()?).await.ok()?.dyn_into().ok()
}

/// A file as something that can be read.
struct BlobSource(Blob);

impl ByteSource for BlobSource {
    fn read(&self) -> LocalBoxStream<'static, Result<Vec<u8>, String>> {
        stream::unfold((self.0.clone(), 0.0), |(file, from)| async move {
            if from >= file.size() {
                return None;
            }
            let to = from + READ_BYTES;
            let bytes = piece(&file, from, to).await.map_err(|thrown| js::words(&thrown));
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

/// From its first step on no tab writes any more, so that nothing comes back.
async fn forget_everything() -> Result<(), StoreError> {
    crash::seal();
    let window = web_sys::window();
    let session = window.as_ref().and_then(|window| window.session_storage().ok()?);
    for storage in [js::local_storage(), session].into_iter().flatten() {
        clear(&storage);
    }
    broadcast::tell_the_end();
    let mut outcome = Ok(());
    for name in databases().await {
        let Some(Ok(request)) = factory().ok().map(|factory| factory.delete_database(&name)) else {
            continue;
        };
        match select(pin!(answer(&request)), pin!(sleep(PATIENCE_MS))).await {
            Either::Left((Ok(_), _)) => {}
            Either::Left((Err(error), _)) => outcome = Err(error.into_error()),
            Either::Right(_) => outcome = Err(StoreError::Lost(format!("{name} is held by another tab"))),
        }
    }
    outcome
}

fn clear(storage: &Storage) {
    let count = storage.length().unwrap_or_default();
    let names: Vec<_> = (0..count).filter_map(|place| storage.key(place).ok()?).collect();
    for name in names.iter().filter(|name| name.starts_with(PREFIX)) {
        // It was there a moment ago; a storage that is denied has no names.
        drop(storage.remove_item(name));
    }
}

/// Every database of ours: those that the browser names, and those that are known.
async fn databases() -> VecSet<String> {
    let mut names: VecSet<_> = [idb::DATABASE, points::DATABASE].map(str::to_owned).into_iter().collect();
    let factory = web_sys::window().and_then(|window| window.indexed_db().ok()?);
    let asked = factory.and_then(|factory| js::method(&factory, "databases")?.call0(&factory).ok());
    if let Some(asked) = asked
        && let Ok(known) = JsFuture::from(Promise::resolve(&asked)).await
        && let Ok(known) = known.dyn_into::<Array>()
    {
        let named = known.iter().filter_map(|one| js::property(&one, "name")?.as_string());
        names.extend(named.filter(|name| name.starts_with(PREFIX)));
    }
    names
}
