//! Hooks: the direct DOM access of components, each with its cleanup. Besides it there are `kit::markup` and
//! `markdown`.

pub mod address;
pub mod attention;
pub mod canvas;
pub mod dialog;
pub mod dom;
pub mod embedder;
pub mod events;
pub mod files;
pub mod filter;
pub mod focus;
pub mod focus_restore;
pub mod js_part;
pub mod page;
pub mod preview_frame;
pub mod scroll;
pub mod text;
pub mod virtual_list;
