//! Workers in the war room: the card below the tool run that started one, and notices of those that need an answer.
//!
//! Loaded with the board.

pub mod card;
pub mod needs;
pub mod place;
