//! Scenarios of the contents of requests.

mod compaction;
mod gauge;
pub(crate) mod pictures;
mod window;
