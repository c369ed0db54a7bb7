//! Reasons for which a command is rejected.
//!
//! The interface words them for the operator.

use crate::mind::WriteError;
use crate::provider::address::AddressError;
use crate::run::graph::GraphError;
use crate::session::trigger::TriggerError;

/// Why a command was refused. Nothing of it happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Rejection {
    /// There is no such session here.
    NoSuchSession,
    /// There is no such turn here.
    NoSuchTurn,
    /// There is no such message here.
    NoSuchMessage,
    /// No more messages can be pinned.
    TooManyPins,
    /// There is no such run here.
    NoSuchRun,
    /// There is no such agent.
    NoSuchAgent,
    /// There is no such tool run here.
    NoSuchToolRun,
    NothingSaid,
    /// What is attached is empty, too large, or unreadable.
    BadAttachment {
        name: String,
    },
    /// The waiting message was taken or withdrawn already.
    NotWaiting,
    RunWorks,
    /// The run follows no graph.
    NoGraph,
    /// A run cannot follow this graph.
    BadGraph(GraphError),
    SessionClosed,
    /// The arguments do not fit the tool.
    BadArguments {
        found: Vec<String>,
    },
    /// Things have moved on; what the command answers is no longer asked.
    Stale,
    /// The turn did not fail.
    NotFailed,
    /// The turn said nothing that could be continued.
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
    /// These agents think with it.
    InUse(Vec<String>),
    /// The address cannot be used.
    BadAddress(AddressError),
    /// A write to the mind was refused.
    Write(WriteError),
    /// The Core works in this session already, or waits for its turn.
    SyncWorks,
    /// Others changed since what is to be taken back.
    UndoClash {
        /// `objective` or `scratchpad`.
        field: String,
    },
    /// A compaction is under way already, or waits for its turn.
    CompactionWorks,
    /// Nothing like this is remembered here.
    NoSuchMemory,
    /// A memory says nothing, or the same as another one.
    BadMemory,
    /// There is no such trigger.
    NoSuchTrigger,
    /// A trigger cannot be kept like this.
    BadTrigger(TriggerError),
    /// Another tab works in this session.
    ReadOnly,
    /// The ledger could not be written.
    Store(String),
    /// The ledger holds data of a newer program.
    Newer,
}
