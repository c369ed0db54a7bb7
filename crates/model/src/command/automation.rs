//! Commands for what works by itself: the Archivist and triggers. And those for runs of
//! graphs, with what an orchestrator asks for by its tools.

use serde_json::Value;

use crate::context::compaction::CompactionPlan;
use crate::id::{AgentKey, MemoryId, MessageId, NodeId, RunId, SessionId, TriggerId, TurnId};
use crate::llm::ModelConfig;
use crate::memory::MemoryScope;
use crate::provider::failure::ProviderError;
use crate::run::RunMode;
use crate::run::graph::Completion;
use crate::run::terminal::TerminalSpec;
use crate::session::trigger::{Trigger, TriggerCause, TriggerOutcome};

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

#[derive(Clone, Debug, PartialEq)]
pub enum MemoryChange {
    Content(String),
    /// It matters more or less, from 1 to 5.
    Importance(u8),
    Scope(MemoryScope),
    /// It is offered before all others, or no longer.
    Pinned(bool),
    Deleted,
    Restored,
    /// Take the newest change by the Archivist back.
    TakenBack,
}

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
    End {
        trigger: TriggerId,
        /// Why it fired, or should have.
        cause: TriggerCause,
        outcome: TriggerOutcome,
    },
}

/// Something that is wanted of a run that follows a graph.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphCommand {
    /// Have the orchestrator start turns, or only envelopes and the operator. A turn that works goes on.
    SetMode { run: RunId, mode: RunMode },
    /// Have a run end by itself once something else is true.
    SetCompletion { run: RunId, completion: Completion },
    /// Play a run again from one of its turns on, in a new session. What came before the turn is taken over as it was
    /// recorded; what follows is asked anew.
    Rerun {
        session: SessionId,
        turn: TurnId,
        /// What is changed of the turn; nothing where absent.
        change: Option<RerunChange>,
        label: String,
    },
    /// Have a node run, whatever its join says. The words, where there are any, go into its inbox. A node that works
    /// reads them in its next turn.
    StartNode { run: RunId, node: NodeId, text: String },
    /// Have a node work in a terminal of the operator's, or ask its model again.
    BindTerminal { run: RunId, node: NodeId, terminal: Option<Box<TerminalSpec>> },
    /// Record what the checks of a verifier, or a turn in a terminal, came to. Of a service.
    RecordChecks {
        run: RunId,
        node: NodeId,
        /// Which of its checks or turns, from 1.
        check: u32,
        /// Whether they passed; absent where they could not be run, or the turn came to nothing.
        passed: Option<bool>,
        summary: String,
        structured: Value,
        /// What the terminal showed; empty for checks.
        log: String,
    },
}

/// The one thing that is changed where a turn is played again.
#[derive(Clone, Debug, PartialEq)]
pub enum RerunChange {
    /// A message of its query says something else.
    Message {
        message: MessageId,
        text: String,
    },
    /// An envelope of its inbox says something else; by its place, from 0.
    Envelope {
        at: usize,
        text: String,
    },
    Model(ModelConfig),
    /// Another agent answers, or the same one as it is defined now.
    Persona(AgentKey),
}

/// What an orchestrator wants of its run.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphRequest {
    /// Put an envelope into a node's inbox, which starts it.
    HandOff {
        to: NodeId,
        message: String,
    },
    AddNode {
        key: NodeId,
        /// `agent.<name>`, `docs` or `verifier`.
        kind: String,
        instruction: String,
    },
    AddEdge {
        from: NodeId,
        to: NodeId,
        /// The status that an envelope must have to be forwarded; any of a completed turn where absent.
        status: Option<String>,
    },
    AskOperator {
        question: String,
    },
    Finish {
        summary: String,
    },
}
