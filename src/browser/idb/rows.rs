//! Reads and writes rows and events: by key, key prefix, or stream and sequence.
//!
//! In the database they are real JavaScript objects, so that indexes see their fields, under keys that sort like the
//! ledger. A prepared batch is one transaction and succeeds only when the whole transaction completed. All its
//! requests are issued at once: IndexedDB commits a transaction that waits for anything else.

use js_sys::{Array, JSON, Object, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Event, IdbCursorDirection, IdbDatabase, IdbKeyRange, IdbRequest, IdbTransaction};

use crate::browser::idb::request;
use crate::browser::idb::request::{IdbError, answer, first_of, items, store};
use crate::browser::js;
use nexus_engine::port::{Batch, EventRow, StoreError, StoredRow, Table};
use nexus_model::event::Topic;
use nexus_model::id::{StreamId, TurnId};
use nexus_text::vec_map::VecSet;

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

/// The rows of a turn and its ancestors, as keys and values. One transaction for all: one per row takes several times
/// as long.
pub(super) async fn turns_back(
    database: &IdbDatabase,
    turn: TurnId,
    most: usize,
) -> Result<Vec<JsValue>, IdbError> {
    let thrown = |thrown: JsValue| IdbError::of_thrown(&thrown);
    let store = store(database, Table::Turns.name()).map_err(thrown)?;
    let (keys, values) = (Array::new(), Array::new());
    let mut wanted = Some(JsValue::from(turn.to_string()));
    while let Some(key) = wanted.take().filter(|_| (values.length() as usize) < most) {
        let value = answer(&store.get(&key).map_err(thrown)?).await?;
        if value.is_undefined() || value.is_null() {
            break;
        }
        wanted = js::property(&value, "parent").filter(JsValue::is_string);
        keys.push(&key);
        values.push(&value);
    }
    Ok(vec![keys.into(), values.into()])
}

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

pub(super) const EVENTS: &str = "events";
/// Field added to a stored event for its index; not part of the event.
pub(super) const TOPIC: &str = "topic";
/// Indexed field of an event: its run.
pub(super) const RUN: &str = "run";

/// The error for a value or key that the browser rejects.
pub(super) fn damaged(thrown: JsValue) -> StoreError {
    StoreError::Damaged(js::message(&thrown))
}

pub(super) fn value_of(json: &str) -> Result<JsValue, StoreError> {
    JSON::parse(json).map_err(damaged)
}

pub(super) fn json_of(value: &JsValue) -> Result<String, StoreError> {
    let text = JSON::stringify(value).map_err(damaged)?;
    text.as_string().ok_or_else(|| StoreError::Damaged("a value that JSON has no word for".to_owned()))
}

pub(super) fn value_of_event(event: &EventRow) -> Result<JsValue, StoreError> {
    let value = value_of(&event.json)?;
    if let (Some(topic), Some(object)) = (event.topic.map(Topic::name), value.dyn_ref::<Object>()) {
        js::set(object, TOPIC, &JsValue::from_str(topic));
    }
    Ok(value)
}

pub(super) fn event_json_of(value: &JsValue) -> Result<String, StoreError> {
    if let Some(object) = value.dyn_ref::<Object>() {
        // Removing a field that is absent changes nothing.
        drop(Reflect::delete_property(object, &JsValue::from_str(TOPIC)));
    }
    json_of(value)
}

pub(super) fn stream_from(stream: StreamId, from: u64) -> Result<IdbKeyRange, JsValue> {
    IdbKeyRange::bound(&key(stream, from as f64), &key(stream, f64::INFINITY))
}

/// Sequences stay far below 2⁵³, up to which `f64` is exact.
fn key(stream: StreamId, seq: f64) -> JsValue {
    Array::of2(&JsValue::from_str(&stream.to_string()), &JsValue::from_f64(seq)).into()
}

/// The keys that begin with `prefix`; all if it is empty. No key contains U+FFFF, the last character.
pub(super) fn keys_from(prefix: &str) -> Result<IdbKeyRange, JsValue> {
    IdbKeyRange::bound(&JsValue::from_str(prefix), &JsValue::from_str(&format!("{prefix}\u{ffff}")))
}

pub(super) struct PreparedBatch {
    stores: Vec<&'static str>,
    /// Events first, so that a taken position fails before anything else; then puts, then deletions.
    writes: Vec<(&'static str, PreparedWrite)>,
    /// Contents to add if they are missing, with their keys.
    keeps: Vec<(&'static str, JsValue, JsValue)>,
    durability: &'static str,
}

/// A write of a key and its value, or the deletion of keys.
enum PreparedWrite {
    Add(JsValue, JsValue),
    Put(JsValue, JsValue),
    Delete(IdbKeyRange),
}

impl PreparedBatch {
    pub(super) fn of(batch: &Batch) -> Result<Self, StoreError> {
        let mut writes = Vec::new();
        for stream in &batch.delete_streams {
            let all = stream_from(*stream, 0).map_err(damaged)?;
            writes.push((EVENTS, PreparedWrite::Delete(all)));
        }
        for event in &batch.events {
            let key = key(event.stream, event.seq as f64);
            writes.push((EVENTS, PreparedWrite::Add(key, value_of_event(event)?)));
        }
        for (table, (key, json)) in &batch.puts {
            writes.push((table.name(), PreparedWrite::Put(JsValue::from_str(key), value_of(json)?)));
        }
        for (table, prefix) in &batch.removes {
            writes.push((table.name(), PreparedWrite::Delete(keys_from(prefix).map_err(damaged)?)));
        }
        let mut keeps = Vec::new();
        for (table, (key, json)) in &batch.put_if_absent {
            keeps.push((table.name(), JsValue::from_str(key), value_of(json)?));
        }
        let stores = writes.iter().map(|(store, _)| *store).chain(keeps.iter().map(|(store, ..)| *store));
        let stores: VecSet<&str> = stores.collect();
        let durability = if batch.strict { "strict" } else { "relaxed" };
        Ok(Self { stores: stores.into_iter().collect(), writes, keeps, durability })
    }

    /// Writes the batch. The first poll issues every request, and the commit too if there are no contents to keep; the
    /// rest only waits.
    pub(super) async fn run(&self, database: &IdbDatabase) -> Result<(), IdbError> {
        if self.stores.is_empty() {
            return Ok(());
        }
        // A request for an existing key fails, and with it the transaction, unless the error is handled.
        let taken = Closure::<dyn FnMut(Event)>::new(|event: Event| {
            let request = event.target().and_then(|target| target.dyn_into::<IdbRequest>().ok());
            let error = request.and_then(|request| request.error().ok().flatten());
            if error.is_some_and(|error| error.name() == "ConstraintError") {
                event.prevent_default();
                event.stop_propagation();
            }
        });
        let issue = |transaction: &IdbTransaction| {
            self.issue(transaction)?;
            self.keep(transaction, &taken)
        };
        // Commits only after the results of the contents: Chromium aborts a transaction that was committed before an
        // error in it was handled.
        request::write(database, &self.stores, self.durability, &issue).await
    }

    /// The requests are not awaited one by one: a failed one fails the transaction.
    fn issue(&self, transaction: &IdbTransaction) -> Result<(), JsValue> {
        for (store, write) in &self.writes {
            let store = transaction.object_store(store)?;
            match write {
                PreparedWrite::Add(key, value) => store.add_with_key(value, key)?,
                PreparedWrite::Put(key, value) => store.put_with_key(value, key)?,
                PreparedWrite::Delete(keys) => store.delete(keys)?,
            };
        }
        Ok(())
    }

    /// Adds missing contents, and returns their results.
    fn keep(
        &self,
        transaction: &IdbTransaction,
        taken: &Closure<dyn FnMut(Event)>,
    ) -> Result<Vec<JsFuture>, JsValue> {
        let answer = |(store, key, value): &(&str, JsValue, JsValue)| {
            let request = transaction.object_store(store)?.add_with_key(value, key)?;
            request.set_onerror(Some(taken.as_ref().unchecked_ref()));
            Ok(first_of(&request, &["success", "error"]))
        };
        self.keeps.iter().map(answer).collect()
    }
}
