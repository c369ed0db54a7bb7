//! The engine: the command loop, the ledger, the event bus and the services, all async over ports.
//!
//! The ledger appends, applies and publishes events. Services listen on the bus and answer with commands.
//!
//! Does not depend on the browser or the screens: time, ids, HTTP, storage and locks are ports with adapters elsewhere.
//!
//! Start with [`start`] and [`services`] (composition), [`store::ledger`] and [`bus`]; then follow a turn through
//! [`scheduler`], [`calls`] and [`tools`]. [`client`] is the interface's entry point, [`port`] lists the dependencies.

pub mod backup;
pub mod bus;
pub mod calls;
pub mod checks;
pub mod client;
pub mod command_loop;
pub mod demo;
pub mod folder_sync;
pub mod jobs;
pub mod keys;
pub mod lazy;
pub mod lazy_engine;
pub mod port;
pub mod queries;
pub mod scheduler;
pub mod services;
pub mod start;
pub mod store;
pub mod terminal;
#[cfg(any(test, feature = "testing"))]
pub mod tests;
pub mod tools;
mod triggers;
mod verifier;
