//! Ids: ULIDs for what the program creates, short strings for what people name.
//!
//! The caller supplies time and randomness.

use std::fmt;

use rusty_ulid::Ulid;
use serde::{Deserialize, Serialize};

/// The source of new ids: clock and randomness of the browser, a counter in tests.
pub trait IdSource {
    /// Must be greater than every earlier one.
    fn next_ulid(&mut self) -> Ulid;
}

/// Creates strictly increasing ULIDs, even if the clock goes back.
#[derive(Debug, Default)]
pub struct UlidGenerator {
    last: u128,
}

impl UlidGenerator {
    /// The next ULID for `now_ms` (milliseconds since 1970) and the lower 80 bits of `random`.
    ///
    /// If the clock stands still or goes back, it is the last id plus one.
    pub fn mint(&mut self, now_ms: u64, random: u128) -> Ulid {
        const RANDOM_BITS: u32 = 80;
        let fresh = (u128::from(now_ms) << RANDOM_BITS) | (random & ((1 << RANDOM_BITS) - 1));
        self.last = fresh.max(self.last.saturating_add(1));
        Ulid::from(self.last)
    }
}

// The default is 0, a placeholder that constructors of rows replace.
macro_rules! ulid_id {
    ($($name:ident),+ $(,)?) => {$(
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(into = "String", try_from = "String")]
        pub struct $name(Ulid);

        impl $name {
            pub fn new(ids: &mut dyn IdSource) -> Self {
                Self(ids.next_ulid())
            }

            pub fn bits(self) -> u128 {
                self.0.into()
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::from(0)
            }
        }

        impl From<u128> for $name {
            fn from(bits: u128) -> Self {
                Self(Ulid::from(bits))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0.to_string()
            }
        }

        impl std::str::FromStr for $name {
            type Err = ParseIdError;
            fn from_str(text: &str) -> Result<Self, ParseIdError> {
                text.parse::<Ulid>().map(Self).map_err(|_| ParseIdError(text.to_owned()))
            }
        }

        impl TryFrom<String> for $name {
            type Error = ParseIdError;
            fn try_from(text: String) -> Result<Self, ParseIdError> {
                text.parse()
            }
        }
    )+};
}

ulid_id! {
    SessionId,
    TurnId,
    MessageId,
    RunId,
    ToolRunId,
    QueueItemId,
    JobId,
    MemoryId,
    TriggerId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseIdError(pub String);

impl fmt::Display for ParseIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "“{}” is not an id", self.0)
    }
}

macro_rules! name_id {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(name: &str) -> Self {
                Self(name.to_owned())
            }
        }
    )+};
}

name_id! {
    /// An agent's key, such as `architect`: stable, lower case, unique on this device.
    AgentKey,
    /// A configured provider, such as `gemini`.
    ProviderId,
    /// Unique within its run.
    NodeId,
    OperatorId,
    GroupId,
}

/// The stream of an event: a session's, or the device's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum StreamId {
    /// For agents, providers and settings.
    App,
    Session(SessionId),
}

impl StreamId {
    /// The session of a stream; `None` for the device's.
    pub fn session(self) -> Option<SessionId> {
        match self {
            Self::App => None,
            Self::Session(id) => Some(id),
        }
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::App => f.write_str("app"),
            Self::Session(id) => id.fmt(f),
        }
    }
}

impl From<StreamId> for String {
    fn from(id: StreamId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for StreamId {
    type Error = ParseIdError;
    fn try_from(text: String) -> Result<Self, ParseIdError> {
        if text == "app" { Ok(Self::App) } else { text.parse().map(Self::Session) }
    }
}

/// Milliseconds since 1970-01-01T00:00:00Z. For display only: order is by sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub u64);

impl Millis {
    /// The UTC time to the second, as in RFC 3339.
    pub fn rfc3339(self) -> String {
        let seconds = self.0 / 1_000;
        let (days, rest) = (seconds / 86_400, seconds % 86_400);
        // Counts from 0000-03-01 in eras of 400 years, so that leap days come last.
        let shifted = days + 719_468;
        let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = era * 400 + year_of_era + u64::from(month <= 2);
        let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }

    /// The time in UTC of a date (year, month, day) and a clock (hour, minute, second); `None` where there is none.
    pub fn of_utc([year, month, day]: [u64; 3], [hour, minute, second]: [u64; 3]) -> Option<Self> {
        let is_date = (1970..10_000).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
        if !is_date || hour >= 24 || minute >= 60 || second > 60 {
            return None;
        }
        // Years that begin in March have their leap day at the end.
        let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
        let seconds = days.checked_sub(719_468)? * 86_400 + hour * 3_600 + minute * 60 + second;
        Some(Self(seconds * 1_000))
    }
}

#[cfg(test)]
mod tests;
