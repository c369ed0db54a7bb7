//! Converts rows and events to and from the JavaScript objects in the database.
//!
//! They are real objects, so that indexes see their fields, under keys that sort like the ledger.

use indexed_db_futures::KeyRange;
use js_sys::{Array, JSON, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use crate::browser::js;
use nexus_engine::port::{EventRow, StoreError};
use nexus_model::event::Topic;
use nexus_model::id::StreamId;

pub(super) const EVENTS: &str = "events";
/// Field added to a stored event for its index; not part of the event.
pub(super) const TOPIC: &str = "topic";
/// Indexed field of an event: its run.
pub(super) const RUN: &str = "run";

pub(super) fn value_of(json: &str) -> Result<JsValue, StoreError> {
    JSON::parse(json).map_err(|thrown| StoreError::Damaged(js::message(&thrown)))
}

pub(super) fn json_of(value: &JsValue) -> Result<String, StoreError> {
    let text = JSON::stringify(value).map_err(|thrown| StoreError::Damaged(js::message(&thrown)))?;
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

pub(super) fn event_key(stream: StreamId, seq: u64) -> JsValue {
    key(stream, seq as f64)
}

pub(super) fn stream_from(stream: StreamId, from: u64) -> KeyRange<JsValue> {
    KeyRange::Bound(key(stream, from as f64), false, key(stream, f64::INFINITY), false)
}

/// Sequences stay far below 2⁵³, up to which `f64` is exact.
fn key(stream: StreamId, seq: f64) -> JsValue {
    Array::of2(&JsValue::from_str(&stream.to_string()), &JsValue::from_f64(seq)).into()
}

/// The keys that begin with `prefix`; all if it is empty. No key contains U+FFFF, the last character.
pub(super) fn keys_from(prefix: &str) -> KeyRange<String> {
    KeyRange::Bound(prefix.to_owned(), false, format!("{prefix}\u{ffff}"), false)
}
