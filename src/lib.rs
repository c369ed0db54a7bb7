//! Nexus, a war room in a browser tab: several AI agents work for one person on one shared mind.

#[cfg(feature = "browser")]
pub mod browser;
pub mod domain;
pub mod engine;
pub mod ui;
pub mod wire;
