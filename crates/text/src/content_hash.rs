//! Content addresses: SHA-256 of bytes or of canonical JSON.
//!
//! Equal contents have the same address on every device.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::vec_map::VecSet;

/// A content address: 64 lower-case hexadecimal digits of a SHA-256.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentHash(String);

impl ContentHash {
    /// The address of `bytes`.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::of_digest(&Sha256::digest(bytes))
    }

    /// The address that a finished SHA-256 gives.
    pub fn of_digest(digest: &[u8]) -> Self {
        let mut hex = String::with_capacity(64);
        for byte in digest {
            // Writing to a String cannot fail; the result carries no news.
            if write!(hex, "{byte:02x}").is_err() {
                break;
            }
        }
        Self(hex)
    }

    pub fn of_text(text: &str) -> Self {
        Self::of_bytes(text.as_bytes())
    }

    /// The address of a value in canonical JSON.
    pub fn of_json(value: &serde_json::Value) -> Self {
        Self::of_text(&canonical_json(value))
    }

    /// The address that these digits are.
    pub fn read(digits: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f');
        (digits.len() == 64 && digits.bytes().all(is_digit)).then(|| Self(digits.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hash({})", self.0.get(..12).unwrap_or(&self.0))
    }
}

/// JSON with the keys of every object sorted by their Unicode scalar values and no white space.
pub fn canonical_json(value: &serde_json::Value) -> String {
    let mut out = String::new();
    write_canonical(value, &mut out);
    out
}

fn write_canonical(value: &serde_json::Value, out: &mut String) {
    use serde_json::Value;
    match value {
        Value::Object(map) => {
            let keys: VecSet<&String> = map.keys().collect();
            out.push('{');
            for (index, key) in keys.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::String(key.clone()).to_string());
                out.push(':');
                if let Some(item) = map.get(key) {
                    write_canonical(item, out);
                }
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            out.push_str(&value.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_hash_of_abc() {
        let hash = ContentHash::of_text("abc");
        assert_eq!(hash.as_str(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn canonical_json_does_not_depend_on_key_order() {
        let one: serde_json::Value = serde_json::from_str(r#"{"b":[1,{"d":0,"c":null}],"a":"x\n"}"#).unwrap();
        let two: serde_json::Value = serde_json::from_str(r#"{"a":"x\n","b":[1,{"c":null,"d":0}]}"#).unwrap();
        assert_eq!(canonical_json(&one), r#"{"a":"x\n","b":[1,{"c":null,"d":0}]}"#);
        assert_eq!(ContentHash::of_json(&one), ContentHash::of_json(&two));
    }
}
