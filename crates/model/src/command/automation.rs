//! Commands for background work and graphs: the Archivist, triggers, graph runs, and the requests of an orchestrator's
//! tools.

use serde_json::Value;

use crate::context::compaction::CompactionPlan;
use crate::id::{AgentKey, MemoryId, MessageId, NodeId, RunId, SessionId, TriggerId, TurnId};
use crate::llm::ModelConfig;
use crate::memory::MemoryScope;
use crate::provider::ProviderError;
use crate::run::{RunMode, graph::Completion, terminal::TerminalSpec};
use crate::session::trigger::{Trigger, TriggerCause, TriggerOutcome};

#[derive(Clone, Debug, PartialEq)]
pub enum MaintenanceCommand {
    // The operator.
    /// Summarise older turns; if a run works, before its next turn.
    Compact {
        session: SessionId,
        agent: AgentKey,
        /// What the summary should focus on; may be empty.
        focus: String,
    },
    /// Update the rolling summary before the session is merged into another one. Does nothing if it is up to date, if
    /// a run works, or if summaries are off.
    Summarise { session: SessionId },
    /// Change a memory.
    ChangeMemory { memory: MemoryId, change: MemoryChange },

    // Services.
    /// The context window of a node's agent is nearly full: compact before its turn opens.
    RequestCompaction { run: RunId, node: NodeId },
    /// Begin the pending compaction.
    OpenCompaction {
        session: SessionId,
        /// Which turns are summarised.
        plan: CompactionPlan,
        /// True if older turns could not be read.
        cut: bool,
    },
    /// Drop the pending compaction before it begins.
    DropCompaction { session: SessionId, failure: ProviderError },
    /// Begin the summary or memory job that is due.
    OpenMaintenance { session: SessionId },
}

#[derive(Clone, Debug, PartialEq)]
pub enum MemoryChange {
    Content(String),
    /// From 1 to 5.
    Importance(u8),
    Scope(MemoryScope),
    /// Pinned memories are offered first.
    Pinned(bool),
    Deleted,
    Restored,
    /// Undo the Archivist's newest change.
    Undone,
}

#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "a command is made once and passed on in a box")]
pub enum TriggerCommand {
    // The operator.
    /// Create or change a trigger. Its history stays.
    Change(Trigger),
    /// Pause a trigger, or restart it from now on.
    SetPaused { trigger: TriggerId, paused: bool },
    /// Remove a trigger.
    Remove { trigger: TriggerId },

    // Services.
    /// Claim a firing, so that no other tab fires the trigger for the same cause.
    Fire { trigger: TriggerId, cause: TriggerCause },
    /// Record why a trigger fired, or should have fired, and what came of it.
    End { trigger: TriggerId, cause: TriggerCause, outcome: TriggerOutcome },
}

/// A request about a run that follows a graph.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphCommand {
    /// Choose who starts turns: the orchestrator too, or only envelopes and the operator. A running turn continues.
    SetMode { run: RunId, mode: RunMode },
    /// Change the condition on which a run ends.
    SetCompletion { run: RunId, completion: Completion },
    /// Run again from one of a run's turns, in a new session. Earlier turns are copied as recorded; later ones are
    /// requested anew.
    Rerun { session: SessionId, turn: TurnId, change: Option<RerunChange>, label: String },
    /// Start a node, whatever its join says. The text, if any, goes into its inbox; a node that is working reads it in
    /// its next turn.
    StartNode { run: RunId, node: NodeId, text: String },
    /// Run a node in one of the operator's terminals, or by its model again.
    BindTerminal { run: RunId, node: NodeId, terminal: Option<Box<TerminalSpec>> },
    /// Record the result of a verifier's checks or of a turn in a terminal. Sent by a service.
    RecordChecks {
        run: RunId,
        node: NodeId,
        /// Number of the check or turn, from 1.
        check: u32,
        /// `None` if the checks could not run or the turn gave no result.
        passed: Option<bool>,
        summary: String,
        structured: Value,
        /// The terminal's output; empty for checks.
        log: String,
    },
}

/// The one change of a turn that is run again.
#[derive(Clone, Debug, PartialEq)]
pub enum RerunChange {
    /// Another text for a message of its query.
    Message { message: MessageId, text: String },
    /// Another text for an envelope of its inbox, by index.
    Envelope { at: usize, text: String },
    /// Another model, or other parameters.
    Model(ModelConfig),
    /// Another agent, or the same one with its present definition.
    Persona(AgentKey),
}

/// A request of an orchestrator about its run.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphRequest {
    /// Send an envelope to a node, which starts it.
    HandOff { to: NodeId, message: String },
    /// Add a node of the kind `agent.<name>`, `docs` or `verifier`.
    AddNode { key: NodeId, kind: String, instruction: String },
    /// Add an edge for envelopes with this status; by default for those of any completed turn.
    AddEdge { from: NodeId, to: NodeId, status: Option<String> },
    /// Ask the operator.
    AskOperator { question: String },
    /// End the run.
    Finish { summary: String },
}
