//! Tools for collaboration: `accept_work`, offered while a run repeats until the work is accepted and to a node whose
//! edges need a verdict, and `delegate`, which gives a task to a worker.
//!
//! Neither acts itself: a verdict is applied at the end of the round, and `decide` starts the worker and checks who may
//! delegate and how deep.

use serde_json::json;

use super::input::tool_input;
use super::{LastChecks, Tool, ToolCallError, ToolContext};
use nexus_model::agent::Agent;
use nexus_model::command::ToolOutcome;
use nexus_model::run::graph::EdgeCondition;
use nexus_model::run::{ACCEPT_WORK, Edge, Run};
use nexus_model::session::delegation::{DELEGATE, DelegatedTask, delegates};
use nexus_model::tool::ToolClass;

tool_input! {
    /// Gives your verdict on the work against the definition of done. accepted: true ends the work; false sends it
    /// into another round. Only for the agent that reviews.
    pub(super) struct AcceptWork {
        accepted: bool,
        /// Point by point.
        reasons: String [1],
    }
}

impl Tool for AcceptWork {
    const NAME: &'static str = ACCEPT_WORK;
    const CLASS: ToolClass = ToolClass::Mind;

    fn is_offered(run: Option<&Run>) -> bool {
        run.is_some_and(|run| run.keeps_going() || needs_verdict(run))
    }

    fn run(self, view: &ToolContext) -> Result<ToolOutcome, ToolCallError> {
        // The last agent of a round judges it: accepting one's own work proves nothing.
        let reviewer = view.run.as_deref().filter(|run| run.graph.is_none()).and_then(last_speaker);
        if reviewer.is_some_and(|key| *key != view.agent.key) {
            let message = "Only the agent that speaks last in a round, the reviewer, can accept the work.";
            return Err(ToolCallError::Failed(message.to_owned()));
        }
        let Self { accepted, reasons } = self;
        let mut result = json!({ "ok": true, "noted": if accepted { "accepted" } else { "not accepted" } });
        let doubt = LastChecks::doubt(&view.last_checks);
        let reasons = match doubt.filter(|_| accepted) {
            // The operator reads the verdict, the model reads the result.
            Some(doubt) => {
                let doubt = format!("Accepted without passing checks: {doubt}");
                if let Some(result) = result.as_object_mut() {
                    result.insert("note".to_owned(), doubt.clone().into());
                }
                format!("{reasons}\n{doubt}")
            }
            None => reasons,
        };
        Ok(ToolOutcome::Done { result, writes: Vec::new(), verdict: Some((accepted, reasons)) })
    }
}

/// True if an edge of the active node needs a verdict.
fn needs_verdict(run: &Run) -> bool {
    let is_on_verdict =
        |edge: &&Edge| matches!(&edge.when, Some(EdgeCondition::Field { name, .. }) if name == "accepted");
    let node = run.graph.as_ref().and_then(|_| run.active_node());
    node.is_some_and(|node| {
        run.edges.iter().filter(|edge| edge.from == node.id).any(|edge| is_on_verdict(&edge))
    })
}

fn last_speaker(run: &Run) -> Option<&nexus_model::id::AgentKey> {
    run.nodes
        .iter()
        .max_by_key(|node| (std::cmp::Reverse(node.priority), node.place))
        .and_then(|node| node.agent.as_ref())
}

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
