//! New ids from the browser's clock and randomness.
//!
//! Unique and ascending, even if the clock goes back.

use rusty_ulid::Ulid;

use crate::browser::clock::now_ms;
use nexus_model::id::{IdSource, UlidGenerator};

/// Mints ids from the browser's clock and randomness.
#[derive(Debug, Default)]
pub struct BrowserIds(UlidGenerator);

impl IdSource for BrowserIds {
    fn next_ulid(&mut self) -> Ulid {
        let mut random = [0; 16];
        // Without randomness the mint still counts up, so ids of this tab stay unique and in order.
        if getrandom::fill(&mut random).is_err() {
            random = [0; 16];
        }
        self.0.mint(now_ms(), u128::from_le_bytes(random))
    }
}
