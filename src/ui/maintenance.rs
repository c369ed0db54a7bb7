//! The Archivist in the war room: context gauge, compaction marks and memories. Loaded with the board.

pub mod gauge;
pub mod memories;
