//! Reasons for which a command is rejected.
//!
//! The interface words them for the operator.

use crate::mind::WriteError;
use crate::provider::address::AddressError;
use crate::run::graph::GraphError;
use crate::session::trigger::TriggerError;

macro_rules! rejections {
    (plain { $($(#[$doc:meta])* $plain:ident,)+ } with values { $($valued:tt)+ }) => {
        /// Why a command was refused. Nothing of it happened.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Rejection {
            $($(#[$doc])* $plain,)+
            $($valued)+
        }

        const PLAIN: [Rejection; [$(stringify!($plain)),+].len()] = [$(Rejection::$plain),+];
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
        /// Things have moved on; what the command answers is no longer asked.
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
        /// The turn that the session points to cannot be read.
        HeadMissing,
        /// What stands before a turn cannot be read, or goes back to itself.
        HistoryBroken,
        /// Sessions that go on from it still need it.
        StillNeeded,
        /// One of the branches has moved on since the merge was drafted.
        MovedOn,
        /// The two have no turn in common.
        Unrelated,
        /// All of the other branch is here already.
        NothingToMerge,
        /// Not everything that clashes was decided.
        ClashesOpen,
        /// It is a part of the program and cannot be removed.
        BuiltIn,
        /// The Core works in this session already, or waits for its turn.
        SyncWorks,
        /// A compaction is under way already, or waits for its turn.
        CompactionWorks,
        NoSuchMemory,
        /// A memory says nothing, or the same as another one.
        BadMemory,
        NoSuchTrigger,
        /// Another tab works in this session.
        ReadOnly,
        /// The ledger holds data of a newer program.
        Newer,
        /// The part of the program that decides the command could not be loaded.
        PartMissing,
    }
    with values {
        /// What is attached is empty, too large, or unreadable.
        BadAttachment {
            name: String,
        },
        /// A run cannot follow this graph.
        BadGraph(GraphError),
        BadArguments {
            found: Vec<String>,
        },
        /// These agents think with it.
        InUse(Vec<String>),
        /// The address cannot be used.
        BadAddress(AddressError),
        Write(WriteError),
        /// Others changed since what is to be taken back.
        UndoClash {
            /// `objective` or `scratchpad`.
            field: String,
        },
        /// A trigger cannot be kept like this.
        BadTrigger(TriggerError),
        /// The ledger could not be written.
        Store(String),
    }
}

impl Rejection {
    /// How the event log keeps it: by name, with its values.
    pub fn logged(&self) -> String {
        if let Self::Write(WriteError::Clash { field, .. }) = self {
            // The texts themselves stay where they are.
            return format!("{CLASH}{field}");
        }
        format!("{self:?}")
    }

    /// What the event log keeps, as far as it can be read back.
    pub fn of_log(text: &str) -> Option<Self> {
        if let Some(field) = text.strip_prefix(CLASH) {
            let (current, marked) = (String::new(), String::new());
            return Some(Self::Write(WriteError::Clash { field: field.to_owned(), current, marked }));
        }
        let name = text.split(|c: char| !c.is_alphanumeric()).next()?;
        let mut values = text.split('"').skip(1).step_by(2).map(str::to_owned);
        match name {
            "BadAttachment" => Some(Self::BadAttachment { name: values.next()? }),
            "BadArguments" => Some(Self::BadArguments { found: values.collect() }),
            "InUse" => Some(Self::InUse(values.collect())),
            "UndoClash" => Some(Self::UndoClash { field: values.next()? }),
            "Store" => Some(Self::Store(values.next()?)),
            name => PLAIN.into_iter().find(|one| format!("{one:?}") == name),
        }
    }
}

/// Begins the log's words for a write that conflicts with another one.
const CLASH: &str = "Clash in ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_log_keeps_is_read_back() {
        let clash = WriteError::Clash { field: "a.txt".into(), current: "x".into(), marked: "y".into() };
        let with_values = [
            Rejection::BadAttachment { name: "a b.png".into() },
            Rejection::BadArguments { found: vec!["one".into(), "two".into()] },
            Rejection::InUse(vec!["Engineer".into()]),
            Rejection::UndoClash { field: "objective".into() },
            Rejection::Store("no room".into()),
        ];
        for one in PLAIN.into_iter().chain(with_values) {
            assert_eq!(Rejection::of_log(&one.logged()), Some(one));
        }
        let told = Rejection::Write(clash).logged();
        assert_eq!(told, "Clash in a.txt");
        assert!(
            matches!(Rejection::of_log(&told), Some(Rejection::Write(WriteError::Clash { field, .. })) if field == "a.txt")
        );
        assert_eq!(Rejection::of_log("Whatever later programs write"), None);
    }
}
