//! The Archivist in the war room: context gauge, compaction marks and memories. Loaded with the board.

pub mod gauge;
pub mod job_budget;
pub mod mark;
pub mod memories;
pub mod memory;
