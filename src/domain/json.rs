//! Never reads or writes a type by more than one kind of source or target.
//!
//! Owns the way between JSON and our types: by way of a tree, always, so that the code for a type is in the program
//! once. `serde_json` has a way for text and one for trees, each ready for more shapes than we write (a struct as a
//! list, a field by its number); for all our types that is a quarter of a megabyte.

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
    T::deserialize(reader::Reader(tree))
}

/// JSON text of a value. Fails only for a map whose keys are no strings; none of ours is.
pub fn write<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    to_tree(value).map(|tree| tree.to_string())
}

/// The tree of a value. Fails like [`write`].
pub fn to_tree<T: Serialize + ?Sized>(value: &T) -> Result<Value> {
    let mut tree = writer::Tree::default();
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
