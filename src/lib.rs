//! Nexus, a war room in a browser tab: several AI agents work for one person on one shared mind.

pub mod domain;
pub mod engine;
pub mod ui;
pub mod wire;
