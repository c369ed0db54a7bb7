//! Markdown against the cases that others wrote, and against text that was written to break readers.
//!
//! The cases are read from the folder that `NEXUS_FIXTURES` names, where it is there; else the tests say so.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "these are tests"
)]

#[path = "markdown/cases.rs"]
mod cases;
#[path = "markdown/hostile.rs"]
mod hostile;
#[path = "markdown/html.rs"]
mod html;
#[path = "markdown/large.rs"]
mod large;
#[path = "markdown/tree.rs"]
mod tree;
