//! Content addresses: SHA-256 of bytes or of canonical JSON.
//!
//! Equal contents have the same address on every device.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::vec_map::VecMap;

/// A content address: a SHA-256, written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    pub const DIGITS: usize = 64;

    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::of_digest(Sha256::digest(bytes))
    }

    /// The address of a finished SHA-256.
    pub fn of_digest(digest: impl Into<[u8; 32]>) -> Self {
        Self(digest.into())
    }

    pub fn of_text(text: &str) -> Self {
        Self::of_bytes(text.as_bytes())
    }

    pub fn of_json(value: &Value) -> Self {
        Self::of_text(&canonical_json(value))
    }

    pub fn read(digits: &str) -> Option<Self> {
        let (pairs, []) = digits.as_bytes().as_chunks() else { return None };
        let mut bytes = [0; 32];
        if pairs.len() != bytes.len() {
            return None;
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = value_of(*high)? << 4 | value_of(*low)?;
        }
        Some(Self(bytes))
    }
}

/// The value of a lower-case hexadecimal digit.
fn value_of(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16).filter(|_| !digit.is_ascii_uppercase());
    value.and_then(|value| value.try_into().ok())
}

impl From<ContentHash> for String {
    fn from(hash: ContentHash) -> Self {
        hash.to_string()
    }
}

impl From<String> for ContentHash {
    /// Reads a stored address. Invalid text becomes an address at which nothing is stored, so that a damaged event or
    /// row can still be read.
    fn from(stored: String) -> Self {
        Self::read(&stored).unwrap_or_else(|| Self::of_text(&format!("not an address: {stored}")))
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        digits
            .filter_map(|digit| char::from_digit(digit.into(), 16))
            .try_for_each(|digit| f.write_char(digit))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({})", self.to_string().get(..12).unwrap_or_default())
    }
}

/// JSON with the keys of every object sorted by their Unicode scalar values and no white space.
pub fn canonical_json(value: &Value) -> String {
    // Writing a tree to a text cannot fail.
    serde_json::to_string(&sorted(value)).unwrap_or_default()
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let fields: VecMap<&String, &Value> = map.iter().collect();
            fields.into_iter().map(|(key, item)| (key.clone(), sorted(item))).collect()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests;
