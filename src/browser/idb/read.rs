//! Reads rows by key or key prefix, and events by stream and sequence.

use indexed_db_futures::cursor::CursorDirection;
use indexed_db_futures::database::Database;
use indexed_db_futures::query_source::QuerySource;
use indexed_db_futures::{Build, KeyRange};
use js_sys::{Array, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use crate::browser::idb::error::IdbError;
use crate::browser::idb::value::{EVENTS, RUN, event_json_of, json_of, keys_from, stream_from};
use nexus_engine::port::{StoreError, StoredRow, Table};
use nexus_model::id::{RunId, StreamId};

/// The rows of these keys, in order.
pub(super) async fn get(
    database: &Database,
    table: Table,
    keys: &[String],
) -> Result<Vec<Option<String>>, IdbError> {
    let transaction = database.transaction(table.name()).build()?;
    let store = transaction.object_store(table.name())?;
    // All requests are issued before the first await. Each returns a list of at most one: only so a row that is `null`
    // (a removed provider) differs from a missing row.
    let mut requests = Vec::with_capacity(keys.len());
    for key in keys {
        let only = KeyRange::Only(key.as_str());
        requests.push(store.get_all::<JsValue>().with_query::<&str, _>(only).with_limit(1).build()?);
    }
    let mut rows = Vec::with_capacity(keys.len());
    for request in requests {
        let row = request.await?.next().transpose()?;
        rows.push(row.map(|value| json_of(&value)).transpose().map_err(IdbError::Final)?);
    }
    Ok(rows)
}

/// The rows whose keys begin with `prefix`, in key order.
pub(super) async fn scan(
    database: &Database,
    table: Table,
    prefix: &str,
) -> Result<Vec<StoredRow>, IdbError> {
    let transaction = database.transaction(table.name()).build()?;
    let store = transaction.object_store(table.name())?;
    let keys = store.get_all_keys::<String>().with_query::<String, _>(keys_from(prefix)).build()?;
    let values = store.get_all::<JsValue>().with_query::<String, _>(keys_from(prefix)).build()?;
    let mut rows = Vec::new();
    for (key, value) in keys.await?.zip(values.await?) {
        rows.push((key?, json_of(&value?).map_err(IdbError::Final)?));
    }
    Ok(rows)
}

/// The row of `key` and the rows linked from it by the field `next`, in one transaction: one transaction per row is
/// several times slower.
pub(super) async fn chain(
    database: &Database,
    table: Table,
    key: &str,
    next: &str,
    most: usize,
) -> Result<Vec<StoredRow>, IdbError> {
    let transaction = database.transaction(table.name()).build()?;
    let store = transaction.object_store(table.name())?;
    let mut rows = Vec::new();
    let mut next_key = Some(key.to_owned());
    while let Some(key) = next_key.take().filter(|_| rows.len() < most) {
        let Some(value) = store.get::<JsValue, String, _>(key.clone()).build()?.await? else { break };
        let field = Reflect::get(&value, &JsValue::from_str(next)).ok();
        next_key = field.and_then(|field| field.as_string());
        rows.push((key, json_of(&value).map_err(IdbError::Final)?));
    }
    Ok(rows)
}

/// Sequence of the newest event of a stream; 0 if there is none.
pub(super) async fn last_seq(database: &Database, stream: StreamId) -> Result<u64, IdbError> {
    let transaction = database.transaction(EVENTS).build()?;
    let store = transaction.object_store(EVENTS)?;
    let newest = store
        .open_key_cursor()
        .with_query::<JsValue, _>(stream_from(stream, 0))
        .with_direction(CursorDirection::Prev)
        .build()?
        .await?;
    let Some(newest) = newest else { return Ok(0) };
    let key = newest.primary_key::<JsValue>()?;
    let seq =
        key.and_then(|key| key.dyn_into::<Array>().ok()).and_then(|key_parts| key_parts.get(1).as_f64());
    seq.map(|seq| seq as u64).ok_or_else(|| {
        IdbError::Final(StoreError::Damaged("an event without a place in its stream".to_owned()))
    })
}

/// Up to `most` events of a stream from sequence `from` on, in order.
pub(super) async fn events(
    database: &Database,
    stream: StreamId,
    from: u64,
    most: usize,
) -> Result<Vec<String>, IdbError> {
    let most = u32::try_from(most).unwrap_or(u32::MAX);
    if most == 0 {
        // IndexedDB takes 0 as no limit.
        return Ok(Vec::new());
    }
    let transaction = database.transaction(EVENTS).build()?;
    let store = transaction.object_store(EVENTS)?;
    let range = stream_from(stream, from);
    let values = store.get_all::<JsValue>().with_query::<JsValue, _>(range).with_limit(most).build()?.await?;
    values.map(|value| event_json_of(&value?).map_err(IdbError::Final)).collect()
}

/// All events of a run, in key order: a run lives in one stream.
pub(super) async fn events_of_run(database: &Database, run: RunId) -> Result<Vec<String>, IdbError> {
    let transaction = database.transaction(EVENTS).build()?;
    let store = transaction.object_store(EVENTS)?;
    let only = KeyRange::Only(run.to_string());
    let values = store.index(RUN)?.get_all::<JsValue>().with_query::<String, _>(only).build()?.await?;
    values.map(|value| event_json_of(&value?).map_err(IdbError::Final)).collect()
}

/// The keys that begin with `prefix`, in order.
pub(super) async fn keys(database: &Database, table: Table, prefix: &str) -> Result<Vec<String>, IdbError> {
    let transaction = database.transaction(table.name()).build()?;
    let store = transaction.object_store(table.name())?;
    let keys = store.get_all_keys::<String>().with_query::<String, _>(keys_from(prefix)).build()?.await?;
    keys.map(|key| key.map_err(IdbError::from)).collect()
}
