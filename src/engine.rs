//! Never touches a browser or a screen: time, ids, fetch, storage and locks are ports that others bring.
//!
//! What happens. The ledger appends, applies and publishes; services listen on the bus, do their part and answer by
//! commands.

pub mod bus;
pub mod handle;
pub mod port;
pub mod rehearsal;
