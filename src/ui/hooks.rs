//! Never knows what is shown: no domain type but plain values.
//!
//! Owns the few places where the screen touches the DOM by itself, one hook for each, with its cleanup.

pub mod acts;
pub mod address;
pub mod attention;
pub mod big_file;
pub mod canvas;
pub mod caret;
pub mod clipboard;
pub mod code_editor;
pub mod details;
pub mod dialog;
pub mod embedder;
pub mod files;
pub mod focus;
pub mod follow;
pub mod js_part;
pub mod keep_focus;
pub mod keys;
pub mod marks;
pub mod now;
pub mod page;
pub mod paste;
pub mod picture_url;
pub mod pointer;
pub mod preview_frame;
pub mod selection;
pub mod shared_text;
pub mod shell;
pub mod sift;
pub mod spot;
pub mod stream_text;
pub mod style;
pub mod text_file;
pub mod theme;
pub mod voice;
pub mod window;
