//! Renders Markdown.
//!
//! `text::markdown` parses it; `dom` creates the nodes and updates only what differs; `prose` is the
//! component. Only listed elements are created, one by one, never from HTML, and nothing a model wrote is loaded.

pub mod dom;
pub mod prose;

pub use crate::ui::markdown::prose::{MarkdownView, ProseText};
