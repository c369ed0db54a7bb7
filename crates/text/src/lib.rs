//! Text algorithms: diff, merge, deltas, Markdown, math, highlighting, redaction, fuzzy matching, JSON and JSON Schema,
//! ZIP, the text of DOCX and ODT files, checks of links and HTML, and the screen of a terminal.
//!
//! Depends on no other crate of the workspace and uses no term of Nexus. Values in, values out: no I/O, no clock.
//!
//! Start with [`merge3`] (concurrent writes), [`diff`] and [`compare`] (what is shown and reviewed), and [`markdown`]
//! (answers, whole or streamed). [`limits`] bounds the work on hostile input.

pub mod compare;
pub mod content_hash;
pub mod diff;
pub mod document;
pub mod fuzzy;
pub mod highlight;
pub mod html_bundle;
pub mod invisible;
pub mod json;
pub mod limits;
pub mod links;
pub mod markdown;
pub mod math;
pub mod merge3;
pub mod redact;
pub mod shorten;
pub mod small_sort;
pub mod terminal;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod vec_map;
pub mod zip;
