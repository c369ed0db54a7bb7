//! Browser adapters for the engine's ports.
//!
//! One file per browser API. `js` checks the accessors that a browser may deny (sandboxed frame, blocked site data).
//! Does not know the screens.

pub mod checks;
pub mod crash;
pub mod fetch;
pub mod file_system;
pub mod idb;
mod js;
pub mod lifecycle;
pub mod local_storage;
pub mod speech;
pub mod start;
pub mod storage_admin;
pub mod tabs;
pub mod vault;
