//! Never asks a model: the operator's wishes go to the engine as commands.
//!
//! Owns what the war room shows of the Archivist: how full windows are, the mark of a compaction in the timeline, and
//! what is remembered. All of it comes with the board.

pub mod gauge;
pub mod mark;
pub mod memories;
pub mod memory;
pub mod passes;
