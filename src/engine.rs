//! Never touches a browser or a screen: time, ids, fetch, storage and locks are ports that others bring.
//!
//! What happens. The ledger appends, applies and publishes; services listen on the bus, do their part and answer by
//! commands.

pub mod archivist;
mod aside;
pub mod bus;
mod caller;
pub mod context;
pub mod core;
pub mod data;
mod drafts;
mod executor;
#[cfg(test)]
mod fake;
pub mod finder;
pub mod handle;
pub mod head_reader;
mod http;
pub mod inspect;
mod intake;
mod key_desk;
pub mod keys;
mod late;
pub mod ledger;
mod limiter;
mod loading;
pub mod memory;
pub mod merge_draft;
mod packing;
mod partials;
pub mod parts;
pub mod passes;
pub mod port;
pub mod previews;
pub mod prompt;
pub mod raw;
pub mod records;
pub mod rehearsal;
mod retry;
mod rows;
pub mod scheduler;
pub mod speech;
pub mod start;
pub mod tie;
pub mod tools;
pub mod tree_reader;
mod triggers;
pub mod work;

#[cfg(test)]
mod scenarios;
#[cfg(test)]
mod scenarios_archivist;
#[cfg(test)]
mod scenarios_clash;
#[cfg(test)]
mod scenarios_compaction;
#[cfg(test)]
mod scenarios_core;
#[cfg(test)]
mod scenarios_delegation;
#[cfg(test)]
mod scenarios_families;
#[cfg(test)]
mod scenarios_faults;
#[cfg(test)]
mod scenarios_files;
#[cfg(test)]
mod scenarios_gauge;
#[cfg(test)]
mod scenarios_limits;
#[cfg(test)]
mod scenarios_merge;
#[cfg(test)]
mod scenarios_network;
#[cfg(test)]
mod scenarios_newer;
#[cfg(test)]
mod scenarios_overriding;
#[cfg(test)]
mod scenarios_passes;
#[cfg(test)]
mod scenarios_pictures;
#[cfg(test)]
mod scenarios_pins;
#[cfg(test)]
mod scenarios_race;
#[cfg(test)]
mod scenarios_review;
#[cfg(test)]
mod scenarios_status;
#[cfg(test)]
mod scenarios_tree;
#[cfg(test)]
mod scenarios_triggers;
#[cfg(test)]
mod scenarios_window;
#[cfg(test)]
mod snapshot_tests;
