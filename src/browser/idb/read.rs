//! Asks for rows by key or key prefix, and for events by stream and sequence, and reads the answers.

use js_sys::Array;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{IdbCursorDirection, IdbDatabase, IdbKeyRange, IdbRequest};

use crate::browser::idb::error::IdbError;
use crate::browser::idb::request::{answer, items, store};
use crate::browser::idb::value::{EVENTS, event_json_of, json_of, keys_from, stream_from};
use crate::browser::js;
use nexus_engine::port::{StoreError, StoredRow, Table};
use nexus_model::id::StreamId;

/// Requests that are issued at once, before any is answered.
pub(super) type Asked = Result<Vec<IdbRequest>, JsValue>;

/// Asks for the rows of these keys: as lists of at most one, since only so a row that is `null` (a removed provider) differs
/// from one that is not there.
pub(super) fn rows(database: &IdbDatabase, table: Table, keys: &[String]) -> Asked {
    let store = store(database, table.name())?;
    let only = |key: &String| IdbKeyRange::only(&JsValue::from_str(key));
    keys.iter().map(|key| store.get_all_with_key_and_limit(&only(key)?.into(), 1)).collect()
}

pub(super) fn rows_in(answers: &[JsValue]) -> Result<Vec<Option<String>>, StoreError> {
    answers.iter().map(|row| items(row).next().map(|value| json_of(&value)).transpose()).collect()
}

/// Asks for the keys that begin with `prefix`, and for their values where they are wanted.
pub(super) fn scan(database: &IdbDatabase, table: Table, prefix: &str, values: bool) -> Asked {
    let store = store(database, table.name())?;
    let range = keys_from(prefix)?;
    let mut asked = vec![store.get_all_keys_with_key(&range)?];
    if values {
        asked.push(store.get_all_with_key(&range)?);
    }
    Ok(asked)
}

pub(super) fn texts_in(answers: &[JsValue]) -> Result<Vec<String>, StoreError> {
    Ok(answers.first().into_iter().flat_map(items).filter_map(|key| key.as_string()).collect())
}

/// Pairs from keys and values.
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

/// The row of `key`, and the rows that follow by the field `next`, as keys and values, in one transaction: one transaction
/// for each row takes several times as long.
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

/// Asks for the newest event of a stream.
pub(super) fn newest(database: &IdbDatabase, stream: StreamId) -> Asked {
    let range = stream_from(stream, 0)?;
    let way = IdbCursorDirection::Prev;
    Ok(vec![store(database, EVENTS)?.open_key_cursor_with_range_and_direction(&range, way)?])
}

/// Its sequence; 0 where there is none.
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
