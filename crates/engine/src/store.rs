//! The ledger and how it is stored: loading, rows, deltas, raw responses, partial answers, drafts.
//!
//! The database `nexus` holds the truth: the events of each stream by position, the rows folded from them (one object
//! store for each [`Table`](crate::port::Table)), and `secrets`, the only place of stored API keys. Restore points
//! (`nexus-points`) and folder handles (`nexus-folders`) have databases of their own. localStorage only mirrors what a
//! start needs.

pub mod delta;
pub mod drafts;
pub mod in_memory;
pub mod ledger;
pub mod loading;
pub mod partials;
pub mod raw_responses;
pub mod row_codec;
