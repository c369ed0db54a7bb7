//! Never knows what a text is about.
//!
//! Pure work on text: lines, differences, merges.

pub mod diff;
pub mod hidden;
pub mod merge;
pub mod scrub;
