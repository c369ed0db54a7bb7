//! Never reads a clock.
//!
//! Owns how the operator's own clock differs from the one that the ledger keeps.

use crate::domain::id::Millis;
use crate::ui::words;

/// The operator's place in the day, as a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocalTime {
    /// By how many minutes the local time is behind UTC.
    pub minutes_behind_utc: i32,
}

impl LocalTime {
    /// The time of day: `14:02`.
    pub fn clock(self, at: Millis) -> String {
        words::clock_time(at, self.minutes_behind_utc)
    }

    /// The number of the day.
    pub fn day_number(self, at: Millis) -> i64 {
        words::day_of(at, self.minutes_behind_utc)
    }

    /// The day in words: `Today`, `Friday, 14 November 2025`.
    pub fn day(self, at: Millis, now: Millis) -> String {
        words::day(self.day_number(at), self.day_number(now))
    }
}
