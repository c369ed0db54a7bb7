//! What Nexus shows, without a screen: view models, strings, shortcuts and the state of controls.
//!
//! Plain values and functions, without Leptos or the DOM, so that all of it is tested natively.
//!
//! Start with [`timeline`] (the rows of a conversation) and [`strings`] (every text of the interface); [`shortcuts`],
//! [`audit`], [`tree_layout`] and [`voice`] each serve one part of the screen.

// `text!` expands to this path, here and in other crates.
extern crate self as nexus_view;

pub mod audit;
pub mod blame;
pub mod connection_test;
pub mod conversation_file;
pub mod draft_merge;
pub mod graph_editor;
pub mod language;
pub mod layered_layout;
pub mod list_window;
pub mod local_time;
pub mod mention;
pub mod review_rows;
pub mod run_graph;
pub mod run_summary;
pub mod session_list;
pub mod settings_search;
pub mod shortcuts;
pub mod strings;
pub mod terminal;
pub mod timeline;
pub mod tree_layout;
pub mod usage;
pub mod voice;

pub use nexus_engine::port::StorageStatus;
