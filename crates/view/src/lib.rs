//! What Nexus shows, without a screen: view models, strings, shortcuts and the state of controls.
//!
//! Plain values and functions. Never names Leptos or the DOM, so all of it is tested natively.
//!
//! Start with [`timeline`] (the rows of a conversation) and [`strings`] (all words that the operator reads);
//! [`shortcuts`], [`audit`], [`tree_layout`] and [`voice`] each serve one part of the screen.

pub mod audit;
pub mod blame;
pub mod connection_test;
pub mod conversation_search;
pub mod draft_merge;
pub mod list_window;
pub mod local_time;
pub mod mention;
pub mod notification;
pub mod review_rows;
pub mod run_summary;
pub mod session_list;
pub mod shortcuts;
pub mod storage_mode;
pub mod strings;
pub mod timeline;
pub mod tree_layout;
pub mod voice;
