//! The user interface: Leptos components that show the state and send commands.
//!
//! Components take selectors and callbacks. They read the world through [`view_state`], whose selectors one projector
//! updates from the ledger's events, send commands through [`Dispatch`], and take their strings from
//! [`nexus_view::strings`]. DOM types appear only in `kit::markup`, `hooks` and `markdown`.
//!
//! The UI never decides what happens, calls a provider or touches the store.

pub mod agents;
pub mod audit;
pub mod board;
pub mod chat;
pub mod dispatch;
pub mod files;
pub mod first_start;
pub mod hooks;
pub mod kit;
pub mod markdown;
pub mod page;
pub mod prelude;
pub mod run_graph;
pub mod search;
pub mod sessions;
pub mod settings;
pub mod shell;
pub mod tree_map;
pub mod view_state;
pub mod workspace;

// The small screens.
pub mod screens {
    pub mod help;
    pub mod inspect;
    pub mod usage;
}

// Actions by name and by key.
pub mod actions;
pub mod palette;

pub use crate::ui::page::Dispatch;
pub use crate::ui::shell::projector::PastCrash;
pub use crate::ui::shell::{UiConfig, app, mount, show_slow_start};

pub use nexus_view::StorageStatus;
pub use nexus_view::local_time::LocalTime;
