//! The tool `delegate`: gives a task to a worker.
//!
//! `decide` starts the worker; it knows who may delegate and how deep.

use super::input::tool_input;
use super::{Tool, ToolCallError, ToolContext};
use nexus_model::agent::Agent;
use nexus_model::command::ToolOutcome;
use nexus_model::session::delegation::{DELEGATE, DelegatedTask, delegates};
use nexus_model::tool::ToolClass;

tool_input! {
    /// Gives a task to a worker and answers at once with the worker's id. The worker works on its own copy of the files
    /// while you go on, sees nothing of this conversation but the task, and may do no more than you may. When it is
    /// done its files are merged into yours, and its report comes to you as a <report>. Use it for work that stands by
    /// itself, above all for several such pieces at once; do small things yourself.
    pub(super) struct Delegate {
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
    const NAME: &'static str = DELEGATE;
    const CLASS: ToolClass = ToolClass::Mind;

    fn suits(agent: &Agent) -> bool {
        delegates(agent.role)
    }

    fn run(self, _view: &ToolContext) -> Result<ToolOutcome, ToolCallError> {
        Ok(ToolOutcome::Delegate(DelegatedTask {
            text: self.task,
            title: self.title.unwrap_or_default(),
            agent: self.agent.filter(|name| !name.trim().is_empty()),
        }))
    }
}
