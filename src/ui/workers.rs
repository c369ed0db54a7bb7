//! Never decides anything about workers.
//!
//! Owns what the war room shows of workers: the card below the tool run that sent one out, and what needs the operator,
//! wherever the operator is. All of it comes with the board.

pub mod card;
pub mod needs;
pub mod place;
