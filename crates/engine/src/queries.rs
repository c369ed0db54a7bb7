//! Reads for screens: events, search, the tree, former heads, a turn's requests, finished jobs.

pub mod events;
pub mod inspect;
pub mod run_log;
pub mod search;
pub mod tree;
