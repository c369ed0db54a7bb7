//! Converts between JSON text and our types, always through a `serde_json::Value`.
//!
//! With one source and one target the `serde` code of a type is compiled once. The general text and tree readers and
//! writers of `serde_json` cost about 250 kB more for all our types.

mod reader;
mod writer;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Result, Value};

/// Reads a value from JSON text.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    from_tree(&tree(text)?)
}

/// Reads a value from a tree.
pub fn from_tree<T: DeserializeOwned>(tree: &Value) -> Result<T> {
    T::deserialize(reader::ValueDeserializer(tree))
}

/// JSON text of a value. Fails only for a map whose keys are no strings; none of ours is.
pub fn write<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    to_tree(value).map(|tree| tree.to_string())
}

/// The tree of a value. Fails like [`write()`].
pub fn to_tree<T: Serialize + ?Sized>(value: &T) -> Result<Value> {
    let mut tree = writer::ValueSerializer::default();
    value.serialize(&mut tree)?;
    Ok(tree.done())
}

/// The tree of a JSON text.
#[inline(never)]
pub fn tree(text: &str) -> Result<Value> {
    serde_json::from_str(text)
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
