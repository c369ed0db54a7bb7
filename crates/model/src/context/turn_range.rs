//! A range of consecutive turns of a thread, stored as its first and last id.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::id::{ParseIdError, TurnId};
use crate::turn::{Turn, TurnKind};
use crate::world::World;

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

    /// The turns that are loaded, newest first: those before a gap in what is loaded are not found.
    pub fn newest_first<'w>(&self, world: &'w World) -> Vec<&'w Arc<Turn>> {
        match self {
            Self::Named(turns) => turns.iter().rev().filter_map(|id| world.turn(id)).collect(),
            Self::Between { first, last, count } => {
                let mut found = Vec::with_capacity((*count).min(world.turns.len()));
                for turn in world.ancestry(Some(*last)) {
                    if turn.kind != TurnKind::Compaction {
                        found.push(turn);
                    }
                    if turn.id == *first || found.len() == *count {
                        break;
                    }
                }
                found
            }
        }
    }

    /// The turns that are loaded, oldest first.
    pub fn loaded<'w>(&self, world: &'w World) -> Vec<&'w Arc<Turn>> {
        let mut found = self.newest_first(world);
        found.reverse();
        found
    }

    /// All the turns, oldest first; `None` where one of them is not loaded.
    pub fn whole<'w>(&self, world: &'w World) -> Option<Vec<&'w Arc<Turn>>> {
        Some(self.loaded(world)).filter(|turns| turns.len() == self.len())
    }
}
