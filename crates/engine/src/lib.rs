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

/// What most files of the engine name. [`port`] and what it names cannot use it.
pub(crate) mod prelude {
    pub(crate) use std::cell::{Cell, RefCell};
    pub(crate) use std::rc::Rc;

    pub(crate) use futures_channel::mpsc::UnboundedReceiver;
    pub(crate) use futures_util::future::LocalBoxFuture;
    pub(crate) use futures_util::{FutureExt as _, StreamExt as _};
    pub(crate) use nexus_model::prelude::*;
    pub(crate) use nexus_model::signal::TransientEvent;
    pub(crate) use nexus_text::small_sort::SmallSort as _;
    pub(crate) use serde_json::json;

    pub(crate) use crate::port::{
        Batch, ByteSource, Clock, Http, Ports, Store, StoreError, StoreResult, StoredRow, Table,
    };
}
