//! The tools `send_to_terminal` and `read_terminal`: an orchestrator types into a node's terminal and reads its screen.
//!
//! Only if the operator allows agents this terminal. Both need the same approval as running code.

use futures_util::FutureExt as _;
use futures_util::future::{LocalBoxFuture, ready};
use serde_json::{Map, Value, json};

use super::input::{ToolInput, tool_input};
use super::{ErasedTool, ToolContext};
use crate::port::terminal::TerminalKey;
use nexus_model::command::ToolOutcome;
use nexus_model::run::Run;
use nexus_model::tool::ToolClass;

tool_input! {
    /// Types a line into the terminal of a node, presses Enter, and gives its screen once it is quiet. The terminal is a
    /// real one on the operator's machine.
    struct SendLine {
        /// The node's name.
        node: String [1],
        line: String [1],
    }
}

tool_input! {
    /// Gives what stands on the screen of a node's terminal.
    struct ReadScreen {
        /// The node's name.
        node: String [1],
    }
}

/// True if the active node leads a graph with a node in a terminal.
fn is_offered(run: Option<&Run>) -> bool {
    let leads = |run: &Run| run.active_node().is_some_and(|node| node.kind == "orchestrator");
    let run = run.filter(|run| run.graph.is_some() && leads(run));
    run.is_some_and(|run| run.nodes.iter().any(|node| node.terminal.is_some()))
}

const fn tool<I: ToolInput>(
    name: &'static str,
    run: fn(&ToolContext, &Map<String, Value>) -> LocalBoxFuture<'static, ToolOutcome>,
) -> ErasedTool {
    ErasedTool {
        name,
        class: ToolClass::Code,
        about: I::ABOUT,
        fields: I::FIELDS,
        is_offered,
        suits: |_| true,
        run,
    }
}

pub(super) const SEND_TO_TERMINAL: ErasedTool =
    tool::<SendLine>("send_to_terminal", |view, args| match SendLine::read(args) {
        Some(SendLine { node, line }) => read(view, node, Some(line)),
        None => ready(super::invalid_arguments("not read").into()).boxed_local(),
    });

pub(super) const READ_TERMINAL: ErasedTool =
    tool::<ReadScreen>("read_terminal", |view, args| match ReadScreen::read(args) {
        Some(ReadScreen { node }) => read(view, node, None),
        None => ready(super::invalid_arguments("not read").into()).boxed_local(),
    });

/// Types the line, if any, and reads the screen.
fn read(view: &ToolContext, node: String, line: Option<String>) -> LocalBoxFuture<'static, ToolOutcome> {
    let allowed = view.terminals.get(&node).cloned();
    let (session, parts) = (view.run.as_ref().map(|run| run.session), std::rc::Rc::clone(&view.parts));
    async move {
        let (Some(terminal), Some(session)) = (allowed, session) else {
            let message = format!("The operator has not allowed agents a terminal of {node}.");
            return ToolOutcome::Denied { message };
        };
        let Ok(terminals) = parts.terminals().await else {
            return ToolOutcome::Failed { message: "Terminals could not be loaded.".to_owned() };
        };
        match terminals.read(&TerminalKey { session, node }, &terminal, line).await {
            Ok(screen) => {
                let result = json!({ "screen": screen });
                ToolOutcome::Done { result, writes: Vec::new(), verdict: None }
            }
            Err(_) => ToolOutcome::Failed { message: "The terminal does not answer.".to_owned() },
        }
    }
    .boxed_local()
}
