//! A range of consecutive turns of a thread, stored as its first and last id.

use serde::{Deserialize, Serialize};

use crate::id::{ParseIdError, TurnId};

/// Turns of one thread that follow one another, oldest first. Turns that only summarise lie between them and are not
/// counted. It is kept as a list of texts: `["..", first, last, count]`, or the ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub enum TurnRange {
    Between {
        first: TurnId,
        last: TurnId,
        count: usize,
    },
    /// Each by its name: none at all, and what was kept before stretches were told by their ends.
    Named(Vec<TurnId>),
}

/// Stands before the ends of a stretch where it is kept.
const ENDS: &str = "..";

impl TryFrom<Vec<String>> for TurnRange {
    type Error = ParseIdError;

    fn try_from(texts: Vec<String>) -> Result<Self, ParseIdError> {
        match texts.as_slice() {
            [mark, first, last, count] if mark == ENDS => Ok(Self::Between {
                first: first.parse()?,
                last: last.parse()?,
                count: count.parse().map_err(|_| ParseIdError(count.clone()))?,
            }),
            ids => Ok(Self::Named(ids.iter().map(|id| id.parse()).collect::<Result<_, _>>()?)),
        }
    }
}

impl From<TurnRange> for Vec<String> {
    fn from(stretch: TurnRange) -> Self {
        match stretch {
            TurnRange::Between { first, last, count } => {
                vec![ENDS.to_owned(), first.to_string(), last.to_string(), count.to_string()]
            }
            TurnRange::Named(ids) => ids.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Default for TurnRange {
    fn default() -> Self {
        Self::Named(Vec::new())
    }
}

impl TurnRange {
    /// The stretch that these turns are, oldest first. They must follow one another in their thread.
    pub fn of(turns: &[TurnId]) -> Self {
        match (turns.first(), turns.last()) {
            (Some(first), Some(last)) => Self::Between { first: *first, last: *last, count: turns.len() },
            _ => Self::default(),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Between { count, .. } => *count,
            Self::Named(turns) => turns.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
