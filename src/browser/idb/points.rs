//! The database `nexus-points`: restore points as files, and one note for the next start.
//!
//! Separate from the main database, so that a restore point never contains restore points.

use indexed_db_futures::Build;
use indexed_db_futures::database::Database;
use indexed_db_futures::internals::SystemRepr;
use indexed_db_futures::query_source::QuerySource;
use indexed_db_futures::transaction::{TransactionDurability, TransactionMode, TransactionOptions};
use js_sys::Object;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

use crate::browser::idb::error::IdbError;
use crate::browser::js;
use nexus_engine::port::{RestorePoint, StoreError};
use nexus_model::id::Millis;
use nexus_text::json;

pub(crate) const DATABASE: &str = "nexus-points";
const POINTS: &str = "points";
const NOTES: &str = "notes";
const NOTE: &str = "import";

pub(crate) struct PointRecord {
    pub(crate) point: RestorePoint,
    pub(crate) file: Blob,
    pub(crate) is_packed: bool,
}

/// All restore points, oldest first. Does not read the files.
pub(crate) async fn all() -> Result<Vec<PointRecord>, StoreError> {
    let read = async |database: &Database| {
        let transaction = database.transaction(POINTS).build()?;
        let rows = transaction.object_store(POINTS)?.get_all::<JsValue>().build()?.await?;
        rows.collect::<Result<Vec<_>, _>>().map_err(IdbError::from)
    };
    Ok(with(read).await?.iter().filter_map(point_of).collect())
}

pub(crate) async fn keep(entry: &PointRecord) -> Result<(), StoreError> {
    let record = Object::new();
    let point = json::write(&entry.point).map_err(|error| StoreError::Damaged(error.to_string()))?;
    js::set(&record, "point", &JsValue::from_str(&point));
    js::set(&record, "file", &entry.file);
    js::set(&record, "packed", &JsValue::from_bool(entry.is_packed));
    change(POINTS, &key_of(entry.point.at), Some(&record)).await
}

pub(crate) async fn drop_point(at: Millis) -> Result<(), StoreError> {
    change(POINTS, &key_of(at), None).await
}

/// Writes the note, or deletes it.
pub(crate) async fn note(text: Option<&str>) -> Result<(), StoreError> {
    let text = text.map(JsValue::from_str);
    change(NOTES, NOTE, text.as_ref()).await
}

pub(crate) async fn noted() -> Result<Option<String>, StoreError> {
    let read = async |database: &Database| {
        let transaction = database.transaction(NOTES).build()?;
        let mut rows = transaction.object_store(NOTES)?.get_all::<JsValue>().build()?.await?;
        rows.next().transpose().map_err(IdbError::from)
    };
    Ok(with(read).await?.and_then(|note| note.as_string()))
}

/// Thirteen digits until the year 2286, so that keys sort by time.
fn key_of(at: Millis) -> String {
    format!("{:013}", at.0)
}

fn point_of(record: &JsValue) -> Option<PointRecord> {
    let point = js::property(record, "point")?.as_string()?;
    Some(PointRecord {
        point: json::read(&point).ok()?,
        file: js::property(record, "file")?.dyn_into().ok()?,
        is_packed: js::property(record, "packed")?.as_bool()?,
    })
}

async fn with<T>(work: impl AsyncFn(&Database) -> Result<T, IdbError>) -> Result<T, StoreError> {
    let database = open().await.map_err(IdbError::into_error)?;
    let outcome = work(&database).await;
    // Closed at once, so that a deletion of everything is not blocked.
    database.close();
    outcome.map_err(IdbError::into_error)
}

async fn open() -> Result<Database, IdbError> {
    let request = Database::open(DATABASE)
        .with_version(1u32)
        .with_on_upgrade_needed(|_, database| {
            database.create_object_store(POINTS).build()?;
            database.create_object_store(NOTES).build()?;
            Ok(())
        })
        .build()?;
    Ok(request.await?)
}

async fn change(store: &'static str, key: &str, record: Option<&JsValue>) -> Result<(), StoreError> {
    with(async |database: &Database| {
        let options = TransactionOptions::new().with_durability(TransactionDurability::Strict);
        let transaction = database
            .transaction(store)
            .with_mode(TransactionMode::Readwrite)
            .with_options(options)
            .build()?;
        {
            let store = transaction.object_store(store)?;
            match record {
                Some(record) => drop(store.put(record.clone()).with_key(key).without_key_type().build()?),
                None => drop(store.delete::<String, _>(key.to_owned()).build()?),
            }
        }
        let handle = transaction.as_sys().clone();
        transaction.commit().await.map_err(|error| IdbError::of_transaction(error, handle.error()))
    })
    .await
}
