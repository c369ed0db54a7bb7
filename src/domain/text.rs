//! Never knows what a text is about.
//!
//! Pure work on text: lines, differences, merges, Markdown, maths, colours for code.

pub mod changed_words;
pub mod compare;
pub mod count;
pub mod delta;
pub mod diff;
pub mod edits;
pub mod file_language;
pub mod fuzzy;
pub mod hidden;
pub mod highlight;
pub mod join;
pub mod links;
pub mod markdown;
pub mod maths;
pub mod merge;
pub mod scrub;
pub mod web_page;
