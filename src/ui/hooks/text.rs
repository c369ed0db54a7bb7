//! Text in fields and on the page: caret, selection, paste, highlights, streaming.

pub mod caret;
pub mod clipboard;
pub mod highlights;
pub mod paste;
pub mod selection;
pub mod shared_text;
pub mod stream_text;
