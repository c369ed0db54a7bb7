//! Scenarios of what a request holds.

mod compaction;
mod gauge;
pub(crate) mod pictures;
mod window;
