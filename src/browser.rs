//! Never decides and never shows anything: it brings what the engine's ports ask for, and knows no screen.
//!
//! Owns the only code on web-sys, js-sys and gloo: one file for each thing of the browser that the program uses. Every
//! accessor that a browser may deny (a sandboxed frame, blocked site data) stands behind [`probe`].

pub mod channel;
pub mod clock;
pub mod crash;
pub mod device;
pub mod disk;
pub mod fetch;
pub mod idb;
pub mod ids;
mod js;
mod listen;
pub mod local;
pub mod locks;
pub mod mirror;
pub mod page;
pub mod probe;
pub mod spawn;
pub mod speech;
pub mod start;
pub mod vault;
