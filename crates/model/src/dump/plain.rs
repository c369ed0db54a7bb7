//! Converts between JSON and the dump's encoding of values.
//!
//! Types that JSON lacks are objects with one marker key in a dump; data that looks like a marker is wrapped in
//! `$plain`. Values that the stores cannot hold are rejected.

use serde_json::{Map, Value};

const MARKS: [&str; 8] = ["$bytes", "$date", "$int", "$number", "$none", "$map", "$set", "$plain"];
/// The mark of data that looks like a mark.
const PLAIN: &str = "$plain";

/// JSON as a dump holds it.
pub fn wrapped(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(wrapped).collect(),
        Value::Object(fields) => {
            let looks_marked = mark_of(&fields).is_some();
            let fields: Map<_, _> = fields.into_iter().map(|(name, inner)| (name, wrapped(inner))).collect();
            if looks_marked {
                Value::Object([(PLAIN.to_owned(), Value::Object(fields))].into_iter().collect())
            } else {
                Value::Object(fields)
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

/// The JSON that a dump holds so; the mark where it is something else.
pub fn unwrapped(value: Value) -> Result<Value, &'static str> {
    match value {
        Value::Array(items) => items.into_iter().map(unwrapped).collect(),
        Value::Object(mut fields) => match mark_of(&fields) {
            Some(PLAIN) => match fields.remove(PLAIN) {
                Some(Value::Object(fields)) => inner(fields),
                _ => Err(PLAIN),
            },
            Some(mark) => Err(mark),
            None => inner(fields),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(value),
    }
}

fn inner(fields: Map<String, Value>) -> Result<Value, &'static str> {
    let fields = fields.into_iter().map(|(name, value)| Ok((name, unwrapped(value)?)));
    fields.collect::<Result<Map<_, _>, _>>().map(Value::Object)
}

fn mark_of(fields: &Map<String, Value>) -> Option<&'static str> {
    let only = fields.keys().next().filter(|_| fields.len() == 1)?;
    MARKS.into_iter().find(|mark| mark == only)
}
