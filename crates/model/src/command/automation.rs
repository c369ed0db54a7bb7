//! Commands for what works by itself: the Archivist and triggers.

use crate::context::compaction::CompactionPlan;
use crate::id::{AgentKey, MemoryId, NodeId, RunId, SessionId, TriggerId};
use crate::memory::MemoryScope;
use crate::provider::failure::ProviderError;
use crate::session::trigger::{Trigger, TriggerCause, TriggerOutcome};

/// Something that somebody wants of the Archivist.
#[derive(Clone, Debug, PartialEq)]
pub enum MaintenanceCommand {
    // The operator.
    /// Put older turns into a summary; while a run works, before its next turn.
    Compact {
        session: SessionId,
        agent: AgentKey,
        /// What the summary is to look at; may be empty.
        focus: String,
    },
    /// Bring the rolling summary up to date now, before the session is merged into another one. Does nothing where it is,
    /// where a run works, or where summaries are off.
    Summarise { session: SessionId },
    /// Change something that is remembered.
    ChangeMemory { memory: MemoryId, change: MemoryChange },

    // Services.
    /// The window of a node's agent is nearly full: compact before its turn opens.
    RequestCompaction { run: RunId, node: NodeId },
    /// Begin the compaction that is wanted.
    OpenCompaction {
        session: SessionId,
        /// Which turns are summarised.
        plan: CompactionPlan,
        /// Whether older turns could not be read.
        cut: bool,
    },
    /// Give up a compaction that is wanted before it began.
    DropCompaction { session: SessionId, failure: ProviderError },
    /// Begin the summary or memory job that is due.
    OpenChore { session: SessionId },
}

/// A change of something that is remembered.
#[derive(Clone, Debug, PartialEq)]
pub enum MemoryChange {
    /// It says something else.
    Content(String),
    /// It matters more or less, from 1 to 5.
    Importance(u8),
    /// It is offered elsewhere.
    Scope(MemoryScope),
    /// It is offered before all others, or no longer.
    Pinned(bool),
    Deleted,
    /// It is remembered again.
    Restored,
    /// Take the newest change by the Archivist back.
    TakenBack,
}

/// Something that somebody wants of triggers.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "a command is made once and passed on in a box")]
pub enum TriggerCommand {
    // The operator.
    /// Make a trigger, or change it. What it did so far stays.
    Change(Trigger),
    /// Let a trigger rest, or wait again from now on.
    Rest {
        trigger: TriggerId,
        rests: bool,
    },
    Remove {
        trigger: TriggerId,
    },

    // Services.
    /// Let a trigger fire: nobody else lets it fire for the same reason then.
    Fire {
        trigger: TriggerId,
        cause: TriggerCause,
    },
    /// Record what became of it.
    End {
        trigger: TriggerId,
        /// Why it fired, or should have.
        cause: TriggerCause,
        outcome: TriggerOutcome,
    },
}
