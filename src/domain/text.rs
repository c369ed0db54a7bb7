//! Never knows what a text is about.
//!
//! Pure work on text: lines, differences, merges, Markdown.

pub mod diff;
pub mod hidden;
pub mod markdown;
pub mod merge;
pub mod scrub;
