//! Reasons to reject a command. The interface words them for the operator.

use std::{mem, slice};

use crate::mind::WriteError;
use crate::provider::address::AddressError;
use crate::run::graph::GraphError;
use crate::session::trigger::TriggerError;

macro_rules! rejections {
    (plain { $($(#[$doc:meta])* $plain:ident,)+ } with values { $($valued:tt)+ }) => {
        /// Why a command was rejected. A rejected command changes nothing.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Rejection {
            $($(#[$doc])* $plain,)+
            $($valued)+
        }

        /// The rejections without values, with their names in the event log.
        const PLAIN: [(&str, Rejection); [$(stringify!($plain)),+].len()] =
            [$((stringify!($plain), Rejection::$plain)),+];
    };
}

rejections! {
    plain {
        NoSuchSession,
        NoSuchTurn,
        NoSuchMessage,
        TooManyPins,
        NoSuchRun,
        NoSuchAgent,
        NoSuchToolRun,
        NothingSaid,
        NotWaiting,
        RunWorks,
        NoGraph,
        SessionClosed,
        /// The state has changed since the command was made.
        Stale,
        NotFailed,
        NothingToContinue,
        /// The name is empty or taken.
        BadName,
        LastAgent,
        LastSession,
        /// The agent may not use that provider.
        NotAllowed,
        TurnWorks,
        /// The turn at the session's head cannot be read.
        HeadMissing,
        /// An earlier turn cannot be read, or the chain of parents has a cycle.
        HistoryBroken,
        /// Sessions that continue from it still need it.
        StillNeeded,
        /// One of the branches changed since the merge was drafted.
        MovedOn,
        /// The branches have no common turn.
        Unrelated,
        /// The session already contains the other branch.
        NothingToMerge,
        /// Some conflicts are unresolved.
        ClashesOpen,
        /// A part of the program, which cannot be removed.
        BuiltIn,
        /// A sync of this session is running or pending.
        SyncWorks,
        /// A compaction is running or pending.
        CompactionWorks,
        NoSuchMemory,
        /// The memory is empty or a duplicate.
        BadMemory,
        NoSuchTrigger,
        /// Another tab holds the lock of this session.
        ReadOnly,
        /// The ledger contains data of a newer program version.
        Newer,
        /// The lazily loaded code that decides the command could not be loaded.
        PartMissing,
    }
    with values {
        /// An attachment is empty, too large, or unreadable.
        BadAttachment {
            name: String,
        },
        /// A run cannot follow this graph.
        BadGraph(GraphError),
        BadArguments {
            found: Vec<String>,
        },
        /// Used by these agents.
        InUse(Vec<String>),
        BadAddress(AddressError),
        Write(WriteError),
        /// Others changed the field after the change that is to be undone.
        UndoClash {
            /// `objective` or `scratchpad`.
            field: String,
        },
        BadTrigger(TriggerError),
        /// The ledger could not be written.
        Store(String),
    }
}

/// What a command leads to, or why it is rejected.
pub type Decision<T = ()> = Result<T, Rejection>;

impl Rejection {
    /// True if the command is possible once some work has ended.
    pub fn waits_for_work(&self) -> bool {
        matches!(self, Self::RunWorks | Self::TurnWorks | Self::SyncWorks | Self::CompactionWorks)
    }

    /// The text for the event log: the name, and the values that [`Rejection::of_log`] parses, each in quotes.
    #[expect(clippy::wildcard_enum_match_arm, reason = "those without values are in `PLAIN`")]
    pub fn logged(&self) -> String {
        let (name, values): (_, &[String]) = match self {
            // Without the conflicting texts.
            Self::Write(WriteError::Conflict { field, .. }) => return format!("{CONFLICT}{field}"),
            Self::Write(_) => ("Write", &[]),
            Self::BadGraph(_) => ("BadGraph", &[]),
            Self::BadAddress(_) => ("BadAddress", &[]),
            Self::BadTrigger(_) => ("BadTrigger", &[]),
            Self::BadAttachment { name } => ("BadAttachment", slice::from_ref(name)),
            Self::BadArguments { found } => ("BadArguments", found),
            Self::InUse(agents) => ("InUse", agents),
            Self::UndoClash { field } => ("UndoClash", slice::from_ref(field)),
            Self::Store(error) => ("Store", slice::from_ref(error)),
            plain => {
                let kind = mem::discriminant(plain);
                let named = PLAIN.iter().find(|(_, one)| mem::discriminant(one) == kind);
                (named.map_or("", |(name, _)| name), &[])
            }
        };
        values.iter().fold(name.to_owned(), |text, value| format!("{text} \"{}\"", value.replace('"', "'")))
    }

    /// Parses [`Rejection::logged`], as far as possible.
    pub fn of_log(text: &str) -> Option<Self> {
        if let Some(field) = text.strip_prefix(CONFLICT) {
            let (current, marked) = (String::new(), String::new());
            return Some(Self::Write(WriteError::Conflict { field: field.to_owned(), current, marked }));
        }
        let name = text.split(|c: char| !c.is_alphanumeric()).next()?;
        let mut values = text.split('"').skip(1).step_by(2).map(str::to_owned);
        match name {
            "BadAttachment" => Some(Self::BadAttachment { name: values.next()? }),
            "BadArguments" => Some(Self::BadArguments { found: values.collect() }),
            "InUse" => Some(Self::InUse(values.collect())),
            "UndoClash" => Some(Self::UndoClash { field: values.next()? }),
            "Store" => Some(Self::Store(values.next()?)),
            name => PLAIN.into_iter().find(|(plain, _)| *plain == name).map(|(_, one)| one),
        }
    }
}

/// Prefix of the logged text of a write conflict.
const CONFLICT: &str = "Clash in ";

#[cfg(test)]
mod tests;
