//! Hooks: the only direct DOM access besides `markdown`, each with its cleanup. Plain values, no domain types.

pub mod address;
pub mod attention;
pub mod canvas;
pub mod code_editor;
pub mod delegated_clicks;
pub mod dialog;
pub mod embedder;
pub mod files;
pub mod filter;
pub mod focus;
pub mod focus_restore;
pub mod js_part;
pub mod keys;
pub mod language;
pub mod page;
pub mod pointer;
pub mod preview_frame;
pub mod scroll_position;
pub mod static_shell;
pub mod stick_to_bottom;
pub mod text;
pub mod virtual_list;
