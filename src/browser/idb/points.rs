//! The database `nexus-points`: restore points as files, and one note for a later visit.
//!
//! Separate from the main database, so that a restore point never contains restore points.

use js_sys::Object;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

use crate::browser::idb::error::IdbError;
use crate::browser::idb::request::SmallDatabase;
use crate::browser::js;
use nexus_engine::port::{RestorePoint, StoreError};
use nexus_model::id::Millis;
use nexus_text::json;

pub(crate) const DATABASE: &str = "nexus-points";
const POINTS: &str = "points";
const NOTES: &str = "notes";
const NOTE: &str = "import";
const POINT_DATABASE: SmallDatabase = SmallDatabase { name: DATABASE, stores: &[POINTS, NOTES] };

pub(crate) struct PointRecord {
    pub(crate) point: RestorePoint,
    pub(crate) file: Blob,
    pub(crate) is_packed: bool,
}

/// All restore points, oldest first, without reading the files.
pub(crate) async fn all() -> Result<Vec<PointRecord>, StoreError> {
    let rows = POINT_DATABASE.values(POINTS, None).await.map_err(IdbError::into_error)?;
    Ok(rows.iter().filter_map(point_of).collect())
}

pub(crate) async fn keep(kept: &PointRecord) -> Result<(), StoreError> {
    let record = Object::new();
    let point = json::write(&kept.point).map_err(|error| StoreError::Damaged(error.to_string()))?;
    js::set(&record, "point", &JsValue::from_str(&point));
    js::set(&record, "file", &kept.file);
    js::set(&record, "packed", &JsValue::from_bool(kept.is_packed));
    change(POINTS, &key_of(kept.point.at), Some(&record)).await
}

pub(crate) async fn delete_restore_point(at: Millis) -> Result<(), StoreError> {
    change(POINTS, &key_of(at), None).await
}

/// Sets or deletes the note.
pub(crate) async fn set_note(text: Option<&str>) -> Result<(), StoreError> {
    let text = text.map(JsValue::from_str);
    change(NOTES, NOTE, text.as_ref()).await
}

pub(crate) async fn read_note() -> Result<Option<String>, StoreError> {
    let notes = POINT_DATABASE.values(NOTES, None).await.map_err(IdbError::into_error)?;
    Ok(notes.first().and_then(JsValue::as_string))
}

/// Thirteen digits until the year 2286: keys sort by time.
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

async fn change(store: &str, key: &str, record: Option<&JsValue>) -> Result<(), StoreError> {
    POINT_DATABASE.change(store, key, record).await.map_err(IdbError::into_error)
}
