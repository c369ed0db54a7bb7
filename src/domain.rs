//! Never performs input or output, waits, reads a clock, makes randomness, or knows JavaScript and Leptos.
//!
//! The nouns of Nexus, their invariants, and the two functions at its heart: [`decide()`](decide::decide), which
//! turns a command into events or refuses it, and [`fold()`](fold::fold), which turns events into the state that is
//! shown.

pub mod address;
pub mod agent;
pub mod agent_file;
pub mod appearance;
pub mod archive;
pub mod archivist;
pub mod attention;
pub mod audit;
pub mod blame;
pub mod blob;
pub mod catch_up;
pub mod command;
pub mod compaction;
pub mod connection;
pub mod decide;
pub mod draft;
pub mod dump;
pub mod event;
pub mod failure;
pub mod find;
pub mod find_said;
pub mod fold;
pub mod folder;
pub mod hash;
pub mod id;
pub mod joining;
pub mod json;
pub mod key_news;
pub mod limits;
pub mod live;
pub mod loop_guard;
pub mod memory;
pub mod message;
pub mod mind;
pub mod model;
pub mod part;
pub mod pasted_key;
pub mod permission;
pub mod pin;
pub mod pointing;
pub mod presets;
pub mod preview;
pub mod price;
pub mod provider;
pub mod quote;
pub mod reach;
pub mod ready_queue;
pub mod recruit;
pub mod review;
pub mod roster;
pub mod route;
pub mod router;
pub mod run;
pub mod schema;
pub mod search;
pub mod session;
pub mod session_list;
pub mod shelf;
pub mod sorted;
pub mod sync;
#[cfg(test)]
pub(crate) mod testing;
pub mod text;
pub mod timeline;
pub mod tool;
pub mod tree;
pub mod tree_map;
pub mod trigger;
pub mod turn;
pub mod voice;
pub mod window;
pub mod world;
