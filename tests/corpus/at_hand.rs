//! Finds third-party fixtures, which are not part of this repository.
//!
//! They are read from `streams` and `text` below `../shared/fixtures`, or below `NEXUS_FIXTURES`. A test that finds
//! none says so and passes.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The folder of this kind of fixtures; it may not exist.
pub(crate) fn folder(kind: &str) -> PathBuf {
    let named = env::var_os("NEXUS_FIXTURES").map(PathBuf::from);
    named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/fixtures")).join(kind)
}

/// A list of texts as JSON; `None`, with a note, if it is missing or invalid.
#[allow(dead_code, reason = "not all tests read texts")]
pub(crate) fn text(name: &str) -> Option<Value> {
    let file = folder("text").join(name);
    let found = fs::read_to_string(&file).ok().and_then(|text| serde_json::from_str(&text).ok());
    if found.is_none() {
        nexus_text::testing::not_checked(format_args!("{} is not at hand", file.display()));
    }
    found
}
