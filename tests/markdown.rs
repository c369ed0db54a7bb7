//! Markdown against the cases that others wrote, and against text that was written to break readers.
//!
//! The cases are read from where `corpus::at_hand` finds them; where it does not, the tests say so.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "these are tests"
)]

mod corpus {
    pub(crate) mod at_hand;
    pub(crate) mod hostile;
    pub(crate) mod html;
}
#[path = "markdown/cases.rs"]
mod cases;
#[path = "markdown/hostile.rs"]
mod hostile;
#[path = "markdown/large.rs"]
mod large;
#[path = "markdown/tree.rs"]
mod tree;
