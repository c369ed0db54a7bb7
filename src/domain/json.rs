//! Never reads a type from more than one kind of source.
//!
//! Owns the way from JSON text to our types: by way of a tree, always, so that the code that reads a type is in the
//! program once. Reading a type from text as well doubles that code, a quarter of a megabyte for all of them.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads a value from JSON text.
pub fn read<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    let tree: Value = serde_json::from_str(text)?;
    serde_json::from_value(tree)
}
