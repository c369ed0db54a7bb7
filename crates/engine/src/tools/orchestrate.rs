//! The tools of an orchestrator: `hand_off`, `add_node`, `add_edge`, `ask_operator` and `finish_run`.
//!
//! Offered only to the orchestrator of a graph. `decide` changes the graph.

use super::input::tool_input;
use super::{Tool, ToolCallError, ToolContext};
use nexus_model::command::{GraphRequest, ToolOutcome};
use nexus_model::id::NodeId;
use nexus_model::run::Run;
use nexus_model::tool::ToolClass;

/// True if the active node is an orchestrator.
fn is_orchestrator(run: Option<&Run>) -> bool {
    let run = run.filter(|run| run.graph.is_some());
    run.and_then(Run::active_node).is_some_and(|node| node.kind == "orchestrator")
}

tool_input! {
    /// Starts a node of the graph with your words in its inbox. It runs when your turn has ended. Say all that it needs:
    /// the goal, when it is done, the files it is about, what it must leave alone.
    pub(super) struct HandOff {
        /// The node's name.
        node: String [1],
        message: String [1],
    }
}

tool_input! {
    /// Adds a node to the graph. It runs when you hand something off to it, or when an edge brings it an envelope.
    pub(super) struct AddNode {
        /// Its name, in small letters, digits, - and _.
        node: String [1],
        /// What it is: agent.NAME, docs, or verifier, which runs the checks and asks no model.
        kind: String [1],
        /// What it is told at each of its turns.
        instruction: Option<String>,
    }
}

tool_input! {
    /// Adds an edge to the graph: what the first node puts out goes into the inbox of the second one.
    pub(super) struct AddEdge {
        from: String [1],
        to: String [1],
        /// Only envelopes of this status go along it, such as ok, failed or error.
        status: Option<String>,
    }
}

tool_input! {
    /// Asks the operator something that you cannot decide. Nothing goes on before the answer.
    pub(super) struct AskOperator {
        question: String [1],
    }
}

tool_input! {
    /// Ends the run when your turn has ended. Use it when the work is done and checked, or when it cannot be done.
    pub(super) struct FinishRun {
        /// What was done, and what is left open.
        summary: String [1],
    }
}

macro_rules! graph_tool {
    ($input:ident, $name:literal, $me:ident => $request:expr) => {
        impl Tool for $input {
            const NAME: &'static str = $name;
            const CLASS: ToolClass = ToolClass::Mind;

            fn is_offered(run: Option<&Run>) -> bool {
                is_orchestrator(run)
            }

            fn run(self, _view: &ToolContext) -> Result<ToolOutcome, ToolCallError> {
                let $me = self;
                Ok(ToolOutcome::Graph($request))
            }
        }
    };
}

graph_tool!(HandOff, "hand_off", me => GraphRequest::HandOff { to: NodeId(me.node), message: me.message });
graph_tool!(AddNode, "add_node", me => GraphRequest::AddNode {
    key: NodeId(me.node),
    kind: me.kind,
    instruction: me.instruction.unwrap_or_default(),
});
graph_tool!(AddEdge, "add_edge", me => GraphRequest::AddEdge {
    from: NodeId(me.from),
    to: NodeId(me.to),
    status: me.status.filter(|status| !status.trim().is_empty()),
});
graph_tool!(AskOperator, "ask_operator", me => GraphRequest::AskOperator { question: me.question });
graph_tool!(FinishRun, "finish_run", me => GraphRequest::Finish { summary: me.summary });
