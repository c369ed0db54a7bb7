//! Commands for runs of graphs, and what an orchestrator asks for by its tools.

use serde_json::Value;

use crate::id::{NodeId, RunId};
use crate::run::RunMode;

/// Something that is wanted of a run that follows a graph.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphCommand {
    /// Have the orchestrator start turns, or only envelopes and the operator. A turn that works goes on.
    SetMode { run: RunId, mode: RunMode },
    /// Have a node run, whatever its join says. The words, where there are any, go into its inbox. A node that works
    /// reads them in its next turn.
    StartNode { run: RunId, node: NodeId, text: String },
    /// Record what the checks of a verifier came to. Of a service.
    RecordChecks {
        run: RunId,
        node: NodeId,
        /// Which of its checks, from 1.
        check: u32,
        /// Whether they passed; absent where they could not be run.
        passed: Option<bool>,
        summary: String,
        structured: Value,
    },
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
