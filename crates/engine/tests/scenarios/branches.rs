//! Scenarios of the tree of turns.

mod delegation;
mod merge;
mod race;
mod tree;
