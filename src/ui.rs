//! Never decides what happens, never speaks to a provider, never touches storage: it shows what the ledger holds and
//! sends commands. DOM types appear only in `hooks` and `markdown`.
//!
//! Owns what the operator sees. A component takes signals and callbacks; what it shows lies in the slices of
//! [`view_state`], which one projector writes from the ledger's events; what it wants it gives to [`Dispatch`].
//! Words for the operator come from [`words`] and nowhere else. `words` and `mention` build without Leptos, so that
//! they are tested natively.

#[cfg(feature = "csr")]
pub mod agents;
#[cfg(feature = "csr")]
pub mod app;
#[cfg(feature = "csr")]
pub mod archivist;
#[cfg(feature = "csr")]
pub mod as_it_was;
#[cfg(feature = "csr")]
pub mod audit;
#[cfg(feature = "csr")]
pub mod banners;
#[cfg(feature = "csr")]
pub mod board;
#[cfg(feature = "csr")]
pub mod brand;
#[cfg(feature = "csr")]
pub mod care;
#[cfg(feature = "csr")]
pub mod catch_up;
#[cfg(feature = "csr")]
pub mod chat;
#[cfg(feature = "csr")]
pub mod compare;
#[cfg(feature = "csr")]
pub mod core;
#[cfg(feature = "csr")]
pub mod data;
#[cfg(feature = "csr")]
pub mod desk;
#[cfg(feature = "csr")]
pub mod dispatch;
#[cfg(feature = "csr")]
pub mod each;
#[cfg(feature = "csr")]
pub mod face;
#[cfg(feature = "csr")]
pub mod finder;
#[cfg(feature = "csr")]
pub mod first_start;
#[cfg(feature = "csr")]
pub mod heads;
#[cfg(feature = "csr")]
pub mod hooks;
#[cfg(feature = "csr")]
pub mod inspect;
#[cfg(feature = "csr")]
pub mod later;
pub mod local_time;
#[cfg(feature = "csr")]
pub mod look_back;
#[cfg(feature = "browser")]
pub mod markdown;
pub mod mention;
#[cfg(feature = "csr")]
pub mod model_choice;
#[cfg(feature = "csr")]
pub mod notices;
#[cfg(feature = "csr")]
pub mod panes;
#[cfg(feature = "csr")]
pub mod preview;
#[cfg(feature = "csr")]
pub mod race;
#[cfg(feature = "csr")]
pub mod screens;
#[cfg(feature = "csr")]
pub mod sessions;
#[cfg(feature = "csr")]
pub mod setting_table;
#[cfg(feature = "csr")]
pub mod settings;
#[cfg(feature = "csr")]
pub mod start;
pub mod storage;
#[cfg(feature = "csr")]
pub mod top_bar;
#[cfg(feature = "csr")]
pub mod tree_desk;
#[cfg(feature = "csr")]
pub mod tree_map;
#[cfg(feature = "csr")]
pub mod turn_menu;
pub mod typing;
#[cfg(feature = "csr")]
pub mod view_state;
#[cfg(feature = "csr")]
pub mod voice;
#[cfg(feature = "csr")]
pub mod war_room;
pub mod words;
#[cfg(feature = "csr")]
pub mod workers;

// What can be done, by name and by key.
#[cfg(feature = "csr")]
pub mod actions;
#[cfg(feature = "csr")]
pub mod keyboard;
pub mod keys;
#[cfg(feature = "csr")]
pub mod overriding;
#[cfg(feature = "csr")]
pub mod palette;
#[cfg(feature = "csr")]
pub mod room;

#[cfg(feature = "csr")]
pub use dispatch::Dispatch;
#[cfg(feature = "csr")]
pub use start::{Start, ToldError, mount};

pub use local_time::LocalTime;
pub use storage::Storage;
