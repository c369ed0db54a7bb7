//! The ledger and how it is stored: loading, rows, deltas, raw responses, partial answers, drafts.

pub mod delta;
pub mod drafts;
pub mod in_memory;
pub mod ledger;
pub mod loading;
pub mod partials;
pub mod raw_responses;
pub mod row_codec;
