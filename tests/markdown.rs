//! Tests of Markdown: third-party cases and hostile texts.
//!
//! The cases are read from where `corpus::at_hand` finds them; if absent, the tests say so.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "these are tests"
)]

#[path = "corpus/at_hand.rs"]
mod at_hand;
#[path = "markdown/cases.rs"]
mod cases;
#[path = "markdown/hostile.rs"]
mod hostile;
#[path = "corpus/html.rs"]
mod html;
#[path = "markdown/large.rs"]
mod large;
#[path = "markdown/tree.rs"]
mod tree;
#[path = "corpus/vectors.rs"]
mod vectors;
