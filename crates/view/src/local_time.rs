//! Converts between ledger time and the operator's local time. Never reads a clock.

use crate::language::{self, Format};
use crate::strings::format;
use nexus_model::id::Millis;

#[derive(Clone, Copy, Debug)]
pub struct LocalTime {
    /// Minutes that local time is behind UTC at a time. Clocks change during the year.
    pub minutes_behind_utc: fn(Millis) -> i32,
}

/// UTC.
impl Default for LocalTime {
    fn default() -> Self {
        Self { minutes_behind_utc: |_| 0 }
    }
}

impl LocalTime {
    fn behind(self, at: Millis) -> i64 {
        i64::from((self.minutes_behind_utc)(at)) * 60_000
    }

    /// Minutes since the start of 1970, local time.
    fn minutes(self, at: Millis) -> i64 {
        i64::try_from(at.0 / 60_000).unwrap_or(0) - self.behind(at) / 60_000
    }

    /// The time of day: `14:02`.
    pub fn clock(self, at: Millis) -> String {
        let of_day = u16::try_from(self.minutes(at).rem_euclid(24 * 60)).unwrap_or_default();
        let shown = language::format(Format::Time(of_day));
        shown.unwrap_or_else(|| format!("{:02}:{:02}", of_day / 60, of_day % 60))
    }

    pub fn day_number(self, at: Millis) -> i64 {
        self.minutes(at).div_euclid(24 * 60)
    }

    /// The local time to the second: `2025-11-14T14:02:07`.
    pub fn written(self, at: Millis) -> String {
        let own = i64::try_from(at.0).unwrap_or(i64::MAX).saturating_sub(self.behind(at));
        Millis(u64::try_from(own).unwrap_or_default()).rfc3339().trim_end_matches('Z').to_owned()
    }

    /// A time as the value of a `datetime-local` field: `2025-11-14T14:02`.
    pub fn field(self, at: Millis) -> String {
        self.written(at).chars().take(16).collect()
    }

    /// Parses such a value; `None` if it is invalid.
    pub fn from_field(self, text: &str) -> Option<Millis> {
        let (date, time) = text.trim().split_once('T')?;
        let mut date = date.split('-').map_while(|part| part.parse().ok());
        let mut time = time.split(':').map_while(|part| part.parse().ok());
        let date = [date.next()?, date.next()?, date.next()?];
        let here = Millis::of_utc(date, [time.next()?, time.next()?, 0])?;
        let as_of = |at: Millis| here.0.checked_add_signed(self.behind(at)).map(Millis);
        // As if it were UTC, the time may be on the other side of a change of the clocks.
        as_of(as_of(here)?)
    }

    /// The day in words: `Today`, `Friday, 14 November 2025`.
    pub fn day(self, at: Millis, now: Millis) -> String {
        format::day(self.day_number(at), self.day_number(now))
    }
}

#[cfg(test)]
mod tests;
