//! Never performs input or output, waits, reads a clock, makes randomness, or knows JavaScript and Leptos.
//!
//! The nouns of Nexus, their invariants, and the two functions at its heart: `decide`, which turns a command into
//! events or refuses it, and `fold`, which turns events into the state that is shown.

pub mod failure;
pub mod hash;
pub mod id;
pub mod model;
pub mod part;
