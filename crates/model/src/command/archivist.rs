//! Commands of the Archivist: starting jobs, recording their results, and changing memories.

use crate::command::Command;
use crate::id::{AgentKey, JobId, MemoryId, NodeId, RunId, SessionId, TurnId};
use crate::llm::Usage;
use crate::maintenance::answer::{Fact, SummaryAnswer};
use crate::memory::MemoryScope;
use crate::provider::failure::ProviderError;
use crate::turn::compaction::CompactionPlan;

/// Something that somebody wants of the Archivist.
#[derive(Clone, Debug, PartialEq)]
pub enum MaintenanceCommand {
    // The operator.
    /// Put older turns into a summary; while a run works, before its next turn.
    Compact {
        session: SessionId,
        /// The agent whose model is asked.
        agent: AgentKey,
        /// What the summary is to look at; may be empty.
        focus: String,
    },
    /// Bring the rolling summary up to date now, before the session is merged into another one. Does nothing where it is,
    /// where a run works, or where summaries are off.
    Summarise {
        session: SessionId,
    },
    /// Change something that is remembered.
    ChangeMemory {
        memory: MemoryId,
        change: MemoryChange,
    },

    // Services.
    /// The window of a node's agent is nearly full: compact before its turn opens.
    RequestCompaction {
        run: RunId,
        node: NodeId,
    },
    /// Begin the compaction that is wanted.
    OpenCompaction {
        session: SessionId,
        /// Which turns are summarised.
        plan: CompactionPlan,
        /// Whether older turns could not be read.
        cut: bool,
    },
    RecordCompaction {
        turn: TurnId,
        summary: String,
        /// An estimate of the context's tokens from now on.
        tokens_after: u64,
        usage: Usage,
    },
    /// Record that an attempt at a compaction failed.
    RecordCompactionFailure {
        turn: TurnId,
        attempt: u32,
        failure: ProviderError,
        usage: Usage,
        retry_in_ms: Option<u64>,
    },
    /// Give up a compaction that is wanted before it began.
    DropCompaction {
        session: SessionId,
        failure: ProviderError,
    },
    /// Begin the chore of the Archivist that is due.
    OpenChore {
        session: SessionId,
    },
    RecordSummary {
        session: SessionId,
        chore: JobId,
        answer: SummaryAnswer,
        usage: Usage,
    },
    /// Record what was found worth remembering.
    RecordMemories {
        session: SessionId,
        chore: JobId,
        facts: Vec<Fact>,
        usage: Usage,
    },
    /// Record that an attempt at a chore failed.
    RecordChoreFailure {
        session: SessionId,
        chore: JobId,
        attempt: u32,
        failure: ProviderError,
        usage: Usage,
        retry_in_ms: Option<u64>,
    },
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
}

impl From<MaintenanceCommand> for Command {
    fn from(command: MaintenanceCommand) -> Self {
        Self::Archivist(command)
    }
}
