//! Requests rows by key or key prefix, and events by stream and sequence, and reads the results.

use js_sys::Array;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{IdbCursorDirection, IdbDatabase, IdbKeyRange, IdbRequest};

use crate::browser::idb::error::IdbError;
use crate::browser::idb::request::{answer, items, store};
use crate::browser::idb::value::{EVENTS, event_json_of, json_of, keys_from, stream_from};
use crate::browser::js;
use nexus_engine::port::{StoreError, StoredRow, Table};
use nexus_model::id::StreamId;

/// Requests that are issued together, before the first result.
pub(super) type IssuedRequests = Result<Vec<IdbRequest>, JsValue>;

/// Requests the rows of these keys, as arrays of at most one item: only this distinguishes a row that is `null` (a
/// removed provider) from a missing one.
pub(super) fn rows(database: &IdbDatabase, table: Table, keys: &[String]) -> IssuedRequests {
    let store = store(database, table.name())?;
    let only = |key: &String| IdbKeyRange::only(&JsValue::from_str(key));
    keys.iter().map(|key| store.get_all_with_key_and_limit(&only(key)?.into(), 1)).collect()
}

pub(super) fn rows_in(answers: &[JsValue]) -> Result<Vec<Option<String>>, StoreError> {
    answers.iter().map(|row| items(row).next().map(|value| json_of(&value)).transpose()).collect()
}

/// Requests the keys that begin with `prefix`, and optionally their values.
pub(super) fn scan(database: &IdbDatabase, table: Table, prefix: &str, values: bool) -> IssuedRequests {
    let store = store(database, table.name())?;
    let range = keys_from(prefix)?;
    let mut requests = vec![store.get_all_keys_with_key(&range)?];
    if values {
        requests.push(store.get_all_with_key(&range)?);
    }
    Ok(requests)
}

pub(super) fn texts_in(answers: &[JsValue]) -> Result<Vec<String>, StoreError> {
    Ok(answers.first().into_iter().flat_map(items).filter_map(|key| key.as_string()).collect())
}

/// Pairs each key with its value.
pub(super) fn pairs_in<T>(
    answers: &[JsValue],
    value: impl Fn(JsValue) -> Result<T, StoreError>,
) -> Result<Vec<(String, T)>, StoreError> {
    let [keys, values] = answers else { return Ok(Vec::new()) };
    let pair = |(key, of): (JsValue, JsValue)| Ok((key.as_string().unwrap_or_default(), value(of)?));
    items(keys).zip(items(values)).map(pair).collect()
}

pub(super) fn json_rows_in(answers: &[JsValue]) -> Result<Vec<StoredRow>, StoreError> {
    pairs_in(answers, |value| json_of(&value))
}

/// The row of `key` and the rows linked by the field `next`, as keys and values. One transaction for all: one per row
/// takes several times as long.
pub(super) async fn chain(
    database: &IdbDatabase,
    table: Table,
    key: &str,
    next: &str,
    most: usize,
) -> Result<Vec<JsValue>, IdbError> {
    let thrown = |thrown: JsValue| IdbError::of_thrown(&thrown);
    let store = store(database, table.name()).map_err(thrown)?;
    let (keys, values) = (Array::new(), Array::new());
    let mut wanted = Some(JsValue::from_str(key));
    while let Some(key) = wanted.take().filter(|_| (values.length() as usize) < most) {
        let value = answer(&store.get(&key).map_err(thrown)?).await?;
        if value.is_undefined() || value.is_null() {
            break;
        }
        wanted = js::property(&value, next).filter(JsValue::is_string);
        keys.push(&key);
        values.push(&value);
    }
    Ok(vec![keys.into(), values.into()])
}

/// Requests the newest event of a stream.
pub(super) fn newest(database: &IdbDatabase, stream: StreamId) -> IssuedRequests {
    let range = stream_from(stream, 0)?;
    let way = IdbCursorDirection::Prev;
    Ok(vec![store(database, EVENTS)?.open_key_cursor_with_range_and_direction(&range, way)?])
}

/// The sequence of that event; 0 if the stream is empty.
pub(super) fn last_seq_in(answers: &[JsValue]) -> Result<u64, StoreError> {
    let Some(cursor) = answers.first().filter(|cursor| !cursor.is_null()) else { return Ok(0) };
    let key = js::property(cursor, "primaryKey").and_then(|key| key.dyn_into::<Array>().ok());
    let seq = key.and_then(|place| place.get(1).as_f64());
    let seq = seq.ok_or_else(|| StoreError::Damaged("an event without a place in its stream".to_owned()))?;
    Ok(seq as u64)
}

pub(super) fn events_in(answers: &[JsValue]) -> Result<Vec<String>, StoreError> {
    answers.first().into_iter().flat_map(items).map(|value| event_json_of(&value)).collect()
}
