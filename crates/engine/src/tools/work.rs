//! The tools for collaboration: `accept_work`, offered while a run repeats until the work is accepted and to a node
//! whose edges need a verdict; `delegate`, which gives a task to a worker; those of a graph's orchestrator.
//!
//! None of them acts itself: a verdict is applied at the end of the round, and `decide` starts the worker, changes the
//! graph, and checks who may delegate and how deep. Terminals can be used only if the operator allows agents this
//! terminal, and need the same approval as running code.

use crate::port::lazy::TerminalKey;
use crate::prelude::*;
use crate::tools::input::{ToolInput, tool_input};
use crate::tools::{ErasedTool, LastChecks, RunTool, Tool, ToolContext, denied, done, failed, noted};
use futures_util::future::ready;
use nexus_model::command::{GraphRequest, ToolOutcome};
use nexus_model::run::ACCEPT_WORK;
use nexus_model::session::delegation::{DELEGATE, DelegatedTask, delegates};

tool_input! {
    /// Gives your verdict on the work against the definition of done. accepted: true ends the work; false sends it
    /// into another round. Only for the agent that reviews.
    pub(super) struct AcceptWork: ACCEPT_WORK, Mind {
        accepted: bool,
        /// Point by point.
        reasons: String [1],
    }
}

impl Tool for AcceptWork {
    fn is_offered(run: Option<&Run>) -> bool {
        run.is_some_and(|run| run.keeps_going() || needs_verdict(run))
    }

    fn run(self, view: &ToolContext) -> Result<ToolOutcome, Box<ToolOutcome>> {
        // The last agent of a round judges it: accepting one's own work proves nothing.
        let reviewer = view.run.as_deref().filter(|run| run.graph.is_none()).and_then(last_speaker);
        if reviewer.is_some_and(|key| *key != view.agent.key) {
            let message = "Only the agent that speaks last in a round, the reviewer, can accept the work.";
            return Err(failed(message).into());
        }
        let Self { accepted, reasons } = self;
        let result = json!({ "ok": true, "noted": if accepted { "accepted" } else { "not accepted" } });
        let doubt = LastChecks::doubt(&view.last_checks).filter(|_| accepted);
        let doubt = doubt.map(|doubt| format!("Accepted without passing checks: {doubt}"));
        // The operator reads the verdict, the model reads the result.
        let reasons = [Some(reasons), doubt.clone()].into_iter().flatten().collect::<Vec<_>>().join("\n");
        let result = noted(result, doubt);
        Ok(ToolOutcome::Done { result, writes: Vec::new(), verdict: Some((accepted, reasons)) })
    }
}

/// True if an edge of the active node needs a verdict.
fn needs_verdict(run: &Run) -> bool {
    let is_on_verdict =
        |edge: &Edge| matches!(&edge.when, Some(EdgeCondition::Field { name, .. }) if name == "accepted");
    let node = run.graph.as_ref().and_then(|_| run.active_node());
    node.is_some_and(|node| run.edges.iter().any(|edge| edge.from == node.id && is_on_verdict(edge)))
}

fn last_speaker(run: &Run) -> Option<&AgentKey> {
    let last = run.nodes.iter().max_by_key(|node| (std::cmp::Reverse(node.priority), node.place));
    last.and_then(|node| node.agent.as_ref())
}

tool_input! {
    /// Gives a task to a worker and answers at once with the worker's id. The worker works on its own copy of the files
    /// while you go on, sees nothing of this conversation but the task, and may do no more than you may. When it is
    /// done its files are merged into yours, and its report comes to you as a <report>. Use it for work that stands by
    /// itself, above all for several such pieces at once; do small things yourself.
    pub(super) struct Delegate: DELEGATE, Mind {
        /// All that the worker needs to know: the goal, when it is done, the files it is about, what it must leave
        /// alone.
        task: String [1],
        /// The task in a few words, for the operator.
        title: Option<String>,
        /// The name of the colleague who is to do it. Without it, the worker is one like you.
        agent: Option<String>,
    }
}

impl Tool for Delegate {
    fn suits(agent: &Agent) -> bool {
        delegates(agent.role)
    }

    fn run(self, _view: &ToolContext) -> Result<ToolOutcome, Box<ToolOutcome>> {
        Ok(ToolOutcome::Delegate(DelegatedTask {
            text: self.task,
            title: self.title.unwrap_or_default(),
            agent: self.agent.filter(|name| !name.trim().is_empty()),
        }))
    }
}

fn is_orchestrator(run: Option<&Run>) -> bool {
    let run = run.filter(|run| run.graph.is_some());
    run.and_then(Run::active_node).is_some_and(|node| node.kind == "orchestrator")
}

tool_input! {
    /// Starts a node of the graph with your words in its inbox. It runs when your turn has ended. Say all that it needs:
    /// the goal, when it is done, the files it is about, what it must leave alone.
    pub(super) struct HandOff: "hand_off", Mind {
        /// The node's name.
        node: String [1],
        message: String [1],
    }
}

tool_input! {
    /// Adds a node to the graph. It runs when you hand something off to it, or when an edge brings it an envelope.
    pub(super) struct AddNode: "add_node", Mind {
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
    pub(super) struct AddEdge: "add_edge", Mind {
        from: String [1],
        to: String [1],
        /// Only envelopes of this status go along it, such as ok, failed or error.
        status: Option<String>,
    }
}

tool_input! {
    /// Asks the operator something that you cannot decide. Nothing goes on before the answer.
    pub(super) struct AskOperator: "ask_operator", Mind {
        question: String [1],
    }
}

tool_input! {
    /// Ends the run when your turn has ended. Use it when the work is done and checked, or when it cannot be done.
    pub(super) struct FinishRun: "finish_run", Mind {
        /// What was done, and what is left open.
        summary: String [1],
    }
}

macro_rules! graph_tool {
    ($input:ident, $me:ident => $request:expr) => {
        impl Tool for $input {
            fn is_offered(run: Option<&Run>) -> bool {
                is_orchestrator(run)
            }

            fn run(self, _view: &ToolContext) -> Result<ToolOutcome, Box<ToolOutcome>> {
                let $me = self;
                Ok(ToolOutcome::Graph($request))
            }
        }
    };
}

graph_tool!(HandOff, me => GraphRequest::HandOff { to: NodeId(me.node), message: me.message });
graph_tool!(AddNode, me => GraphRequest::AddNode {
    key: NodeId(me.node),
    kind: me.kind,
    instruction: me.instruction.unwrap_or_default(),
});
graph_tool!(AddEdge, me => GraphRequest::AddEdge {
    from: NodeId(me.from),
    to: NodeId(me.to),
    status: me.status.filter(|status| !status.trim().is_empty()),
});
graph_tool!(AskOperator, me => GraphRequest::AskOperator { question: me.question });
graph_tool!(FinishRun, me => GraphRequest::Finish { summary: me.summary });

tool_input! {
    /// Types a line into the terminal of a node, presses Enter, and gives its screen once it is quiet. The terminal is a
    /// real one on the operator's machine.
    struct SendLine: "send_to_terminal", Code {
        /// The node's name.
        node: String [1],
        line: String [1],
    }
}

tool_input! {
    /// Returns the visible text of a node's terminal.
    struct ReadScreen: "read_terminal", Code {
        /// The node's name.
        node: String [1],
    }
}

/// True if the active node leads a graph with a node in a terminal.
fn is_offered(run: Option<&Run>) -> bool {
    is_orchestrator(run) && run.is_some_and(|run| run.nodes.iter().any(|node| node.terminal.is_some()))
}

const fn terminal_tool<I: ToolInput>(run: RunTool) -> ErasedTool {
    ErasedTool { is_offered, ..ErasedTool::of_input::<I>(run) }
}

pub(super) const SEND_TO_TERMINAL: ErasedTool =
    terminal_tool::<SendLine>(|view, args| match SendLine::read(args) {
        Some(SendLine { node, line }) => read_screen(view, node, Some(line)),
        None => ready(super::invalid_arguments("not read")).boxed_local(),
    });

pub(super) const READ_TERMINAL: ErasedTool =
    terminal_tool::<ReadScreen>(|view, args| match ReadScreen::read(args) {
        Some(ReadScreen { node }) => read_screen(view, node, None),
        None => ready(super::invalid_arguments("not read")).boxed_local(),
    });

/// Types the line, if any, and reads the screen.
fn read_screen(
    view: &ToolContext,
    node: String,
    line: Option<String>,
) -> LocalBoxFuture<'static, ToolOutcome> {
    let allowed = view.terminals.get(&node).cloned();
    let (session, parts) = (view.run.as_ref().map(|run| run.session), Rc::clone(&view.parts));
    async move {
        let (Some(terminal), Some(session)) = (allowed, session) else {
            return denied(format!("The operator has not allowed agents a terminal of {node}."));
        };
        let Ok(terminals) = parts.terminals().await else {
            return failed("Terminals could not be loaded.");
        };
        match terminals.read(&TerminalKey { session, node }, &terminal, line).await {
            Ok(screen) => done(json!({ "screen": screen })),
            Err(_) => failed("The terminal does not answer."),
        }
    }
    .boxed_local()
}
