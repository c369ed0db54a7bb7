//! Commands for runs of graphs, and what an orchestrator asks for by its tools.

use serde_json::Value;

use crate::id::{AgentKey, MessageId, NodeId, RunId, SessionId, TurnId};
use crate::llm::ModelConfig;
use crate::run::RunMode;
use crate::run::graph::Completion;
use crate::run::terminal::TerminalSpec;

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
    Message { message: MessageId, text: String },
    /// An envelope of its inbox says something else; by its place, from 0.
    Envelope { at: usize, text: String },
    /// Another model answers.
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
